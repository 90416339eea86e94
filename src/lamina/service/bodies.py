"""Bodies of requests as they are received: each of a limited size, all of them together, too, and none for ever."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lamina.service.faults import ApiFault

if TYPE_CHECKING:
    from starlette.requests import Request

_STALLED = 30.0
"""After how many seconds a body is given up of which nothing comes."""
_SLOWEST = 16 * 1024
"""How many bytes of a body must come in a second, on average."""
_RECEIVED = 4
"""How much more than the largest body all bodies that are being received may take."""
_DISCARDED = 4
"""How much more than the largest body is received and dropped: who is cut off while sending sees no answer."""


class Bodies:
    """Receives bodies; used by one event loop."""

    def __init__(self, most: int) -> None:
        """`most` is how many bytes a body may have."""
        self._most = most
        self._receiving = 0
        """How many bytes of bodies are being received."""

    async def receive(self, request: Request) -> bytes:
        """The whole body of a request."""
        too_large = ApiFault(413, "HTTPContentTooLarge", f"The body may have {self._most} bytes at most.")
        if int(request.headers.get("content-length", "0")) > _DISCARDED * self._most:
            raise too_large
        parts, size, began = [], 0, asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(began + _STALLED) as limit:
                async for part in request.stream():
                    size += len(part)
                    limit.reschedule(began + _STALLED + size / _SLOWEST)
                    if size > _DISCARDED * self._most:
                        raise too_large
                    if size <= self._most:
                        parts.append(part)
                        self._count(len(part))
        except TimeoutError:
            message = f"The body of the request stalled, or came slower than {_SLOWEST} bytes a second."
            raise ApiFault(408, "RequestTimeout", message, headers={"Connection": "close"}) from None
        finally:
            self._receiving -= sum(map(len, parts))
        if size > self._most:
            raise too_large
        return b"".join(parts)

    def _count(self, size: int) -> None:
        """Count bytes that are kept until the body is whole; reject the request if there are too many in all."""
        self._receiving += size
        if self._receiving > _RECEIVED * self._most:
            message = "Too many large bodies are being received already."
            raise ApiFault(503, "ServiceUnavailable", message, headers={"Retry-After": "5"})
