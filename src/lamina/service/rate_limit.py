"""A limit on how many requests a caller sends: so many a second on average, ten seconds' worth at once."""

from __future__ import annotations

from collections import OrderedDict
from time import monotonic

_BURST_SECONDS = 10
_CALLERS = 10_000
"""How many callers are remembered."""


class RateLimit:
    """Counts requests of callers; used by one event loop."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._most = max(1.0, rate * _BURST_SECONDS)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Count a request; how many seconds the caller has to wait, 0 where the request may be answered now."""
        if not self._rate:
            return 0.0
        now = monotonic()
        left, then = self._left.pop(caller, (self._most, now))
        left = min(self._most, left + (now - then) * self._rate)
        wait = 0.0 if left >= 1 else (1 - left) / self._rate
        self._left[caller] = (left - 1 if not wait else left, now)
        if len(self._left) > _CALLERS:
            self._left.popitem(last=False)
        return wait
