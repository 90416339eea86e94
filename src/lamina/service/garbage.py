"""Garbage collection in processes that answer requests."""

from __future__ import annotations

import gc

_YOUNG = 100_000
"""How many young objects a server lets come together; twenty megabytes of them, about."""


def collect_rarely() -> None:
    """Exclude the objects of the start from garbage collection, and collect rarely.

    Requests create many objects that stay in caches, and hardly any reference cycles; collecting took as long as the
    work itself. With this setting a request that creates some ten thousand objects, and drops most of them again, ends
    before the youngest generation is collected.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, 5, 100)
