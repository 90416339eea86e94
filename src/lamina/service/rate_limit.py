"""A limit on how many requests a caller sends: so many a second on average, ten seconds' worth at once."""

from __future__ import annotations

from math import ceil
from time import time

from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter

_SECONDS = 10


class RateLimit:
    """Counts requests of callers; used by one event loop. A rate of 0 is no limit."""

    def __init__(self, rate: float) -> None:
        seconds = max(_SECONDS, ceil(1 / rate)) if rate else _SECONDS
        self._allowed = RateLimitItemPerSecond(int(rate * seconds), seconds) if rate else None
        self._counts = FixedWindowRateLimiter(MemoryStorage())

    async def wait(self, caller: str) -> int:
        """Count a request; how many seconds the caller has to wait, 0 where the request may be answered now."""
        if self._allowed is None or await self._counts.hit(self._allowed, caller):
            return 0
        window = await self._counts.get_window_stats(self._allowed, caller)
        return max(1, ceil(window.reset_time - time()))
