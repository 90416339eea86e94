"""Collecting garbage: put off while something large is made.

What makes only what it keeps has no garbage, and collecting meanwhile goes through all of it over and over. Even once
at the end costs a good part of what making it did: so what was made becomes old without being gone through. Every so
often all is gone through after all, so that nothing that holds itself stays for ever.
"""

from __future__ import annotations

import gc
from itertools import count

_LARGE = 10_000
"""From how many objects on they are made old."""
_YOUNG = 100_000
"""How many young objects a server lets come together; twenty megabytes of them, about."""
_EVERY = 16
_times = count(1)


class Paused:
    """While it is entered no garbage is collected; after that it is again, if it was before.

    With `young`, what was made meanwhile is gone through at the end: for work that leaves objects that hold each other.
    """

    __slots__ = ("_collecting", "_young")

    def __init__(self, *, young: bool = False) -> None:
        self._young = young

    def __enter__(self) -> None:
        self._collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collecting:
            if self._young:
                gc.collect(0)
            elif gc.get_count()[0] >= _LARGE:
                _make_old()
            gc.enable()


def _make_old() -> None:
    if gc.get_freeze_count():
        return  # the host has frozen objects, which the next lines would undo
    if next(_times) % _EVERY == 0:
        gc.collect()
    else:
        gc.freeze()
        gc.unfreeze()


def collect_rarely() -> None:
    """For a process that serves requests until it ends: what it began with stays, and all is gone through rarely.

    Requests make many objects that they keep, in caches, and hardly any that hold each other; going through all of them
    took as long as the work itself. So a request that makes some ten thousand objects and drops most of them again ends
    before the young ones are gone through.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, 5, 100)
