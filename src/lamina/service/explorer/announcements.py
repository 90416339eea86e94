"""Announcements: what changes, sent to every page that listens, as server-sent events."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from lamina.service.faults import ApiFault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

EVENTS = "/explore/events"
MOST = 32
"""How many pages may listen."""
_WAITING = 16
"""How many announcements may wait for a page; of more, the last ones."""
_KEEPALIVE_SECONDS = 15.0
"""After how many seconds without news a page is shown that the connection is there."""
_LONGEST = 900.0
"""After how many seconds a connection ends, so that who calls is checked again when the page connects again."""


class Announcements:
    """Sends what is announced, from any thread, to all who listen."""

    def __init__(self) -> None:
        self._listening: dict[asyncio.Queue[bytes | None], asyncio.AbstractEventLoop] = {}

    @property
    def has_listeners(self) -> bool:
        return bool(self._listening)

    def announce(self, message: dict[str, Any]) -> None:
        """Send news; may be called from any thread."""
        self._send(f"event: change\ndata: {json.dumps(message)}\n\n".encode())

    def close(self) -> None:
        """End all connections."""
        self._send(None)

    def check_capacity(self) -> None:
        """Reject one more who would listen, if there are too many."""
        if len(self._listening) >= MOST:
            message = f"{MOST} pages listen already."
            raise ApiFault(503, "ServiceUnavailable", message, headers={"Retry-After": "30"})

    async def stream(self) -> AsyncIterator[bytes]:
        """All that is announced from now on."""
        if len(self._listening) >= MOST:  # several may have been let in at once
            return
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        self._listening[queue] = loop
        ends = loop.time() + _LONGEST
        try:
            yield b": listening\n\n"
            while loop.time() < ends and (message := await _next(queue)) is not None:
                yield message
        finally:
            self._listening.pop(queue, None)

    def _send(self, message: bytes | None) -> None:
        for queue, loop in list(self._listening.items()):
            try:
                loop.call_soon_threadsafe(_put, queue, message)
            except RuntimeError:  # the server is gone
                continue


def _put(queue: asyncio.Queue[bytes | None], message: bytes | None) -> None:
    while queue.qsize() >= _WAITING:
        queue.get_nowait()
    queue.put_nowait(message)


async def _next(queue: asyncio.Queue[bytes | None]) -> bytes | None:
    try:
        async with asyncio.timeout(_KEEPALIVE_SECONDS):
            return await queue.get()
    except TimeoutError:
        return b": nothing new\n\n"
