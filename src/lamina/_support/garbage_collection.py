"""Garbage collection: paused while something large is built.

Code that keeps everything it builds produces no garbage, but the collector would traverse its objects over and over.
Even a single pass at the end costs a good part of the time to build them, so they are moved to the oldest generation
without a pass. A full collection still runs from time to time, so that reference cycles are freed.
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
    """A context in which no garbage is collected; on exit collection is enabled again, if it was before.

    With `collect_young`, the new objects are collected at the end: for work that leaves reference cycles.
    """

    __slots__ = ("_collect_young", "_collecting")

    def __init__(self, *, collect_young: bool = False) -> None:
        self._collect_young = collect_young

    def __enter__(self) -> None:
        self._collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collecting:
            if self._collect_young:
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


def reduce_collections() -> None:
    """For a process that serves requests: exclude the objects of the start from collection, and collect rarely.

    Requests create many objects that stay in caches, and hardly any reference cycles; collecting took as long as the
    work itself. With this setting a request that creates some ten thousand objects, and drops most of them again, ends
    before the youngest generation is collected.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, 5, 100)
