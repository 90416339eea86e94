"""A connection that does not wait for ever: for the head of a request, or for a client that takes no more of an answer.

uvicorn waits as long as a client likes, so a few hundred silent clients would use up the files a server may open. How
long a body may take is up to the application.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from asyncio import TimerHandle, Transport

WAIT_SECONDS = 60.0
"""How long a client may keep a connection waiting."""
_LOOKS = 4
"""How often a connection is looked at in that time."""


class Connection(H11Protocol):
    """One connection; it is closed when nothing that it waits for has come."""

    _timer: TimerHandle | None = None
    _waiting_for: tuple[int, int] | None = None
    """How many requests came, and how many bytes are not yet sent, when it last began to wait."""
    _looks = 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._requests = 0
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self._requests += 1
        super().on_response_complete()

    def _look(self) -> None:
        """See whether the client does its part, and look again later."""
        unsent = self.transport.get_write_buffer_size()
        state = (self._requests, unsent) if unsent or self.conn.their_state is h11.IDLE else None
        if state is None or state != self._waiting_for:
            self._waiting_for, self._looks = state, 0
        self._looks += 1
        if self._looks > _LOOKS and state is not None:
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(WAIT_SECONDS / _LOOKS, self._look)
