"""What was computed about an object, stored with the object, so that it lives exactly as long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Made = TypeVar("Made")

_MOST = 64
"""How many things are kept with one object."""


class Derived:
    """Things by their keys, each made when it is first asked for."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] | None = None

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What is kept under a key, or what `make` makes now; of threads that ask together each may make its own."""
        all_made = self._made
        if all_made is None:  # most objects have at most one derived value
            all_made = self._made = {}
        found: Made | None = all_made.get(key)
        if found is None:
            made = make()
            if len(all_made) >= _MOST:
                all_made.clear()
            found = all_made.setdefault(key, made)
        return found
