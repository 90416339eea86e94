"""Recurring things: what is asked for again is kept, and what was asked for once makes room for others.

A plain cache of what was used last forgets what many have in common as soon as enough of what is nobody else's has
passed through it.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable

Key = TypeVar("Key", bound="Hashable")
Made = TypeVar("Made")


class Recurring(Generic[Key, Made]):
    """Things by their keys: up to `once` of those met once, and up to `again` of those met again."""

    def __init__(self, once: int, again: int) -> None:
        self._once = once
        self._again = again
        self._new: OrderedDict[Key, Made] = OrderedDict()
        self.known: dict[Key, Made] = {}
        """What was met again, to be looked up at once."""

    def find(self, key: Key) -> Made | None:
        """What is kept under a key, which is met again by that."""
        found = self.known.get(key)
        if found is None:
            found = self._new.pop(key, None)
            if found is not None:
                self._promote(key, found)
        return found

    def _promote(self, key: Key, found: Made) -> None:
        if len(self.known) >= self._again:
            self.known.clear()
        self.known[key] = found

    def add(self, key: Key, made: Made) -> Made:
        """Keep what was made for a key."""
        if len(self._new) >= self._once:
            self._new.popitem(last=False)
        self._new[key] = made
        return made
