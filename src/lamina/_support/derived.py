"""What was found out about an object: kept with it, so that it lives as long as the object and no longer."""

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
        self._made: dict[Hashable, Any] = {}

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What is kept under a key, or what `make` makes of it now; threads that ask together get the same."""
        found: Made | None = self._made.get(key)
        if found is None:
            made = make()
            if len(self._made) >= _MOST:
                self._made.clear()
            found = self._made.setdefault(key, made)
        return found
