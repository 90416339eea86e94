"""Values derived from an object, cached with the object so that they live exactly as long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Value = TypeVar("Value")

_MAX_VALUES = 64
"""How many things are kept with one object."""


class Derived:
    """Things by their keys, each made when it is first asked for."""

    __slots__ = ("_first", "_values")

    def __init__(self) -> None:
        self._first: tuple[Hashable, Any] | None = None
        """The first thing that was kept, with its key: most objects have no more, and a dict takes more memory."""
        self._values: dict[Hashable, Any] | None = None

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What is kept under a key, or what `make` makes now; of threads that ask together each may make its own."""
        found: Value | None = self.find(key)
        return self.keep(key, make()) if found is None else found

    def find(self, key: Hashable) -> Any:
        """What is kept under a key; None if there is nothing."""
        first, values = self._first, self._values
        if first is not None and first[0] == key:
            return first[1]
        return None if values is None else values.get(key)

    def replace(self, key: Hashable, value: Value) -> None:
        """Keep a value in the place of one that is outdated."""
        if self._values is not None:
            self._values.pop(key, None)
        self.keep(key, value)

    def keep(self, key: Hashable, value: Value) -> Value:
        """Keep a value, unless another one was kept under its key meanwhile; returns the one that is kept."""
        first, values = self._first, self._values
        if first is None:
            self._first = (key, value)
            return value
        if first[0] == key:
            found: Value = first[1]
            return found
        if values is None:
            values = self._values = {}
        elif len(values) >= _MAX_VALUES:
            values.clear()
        kept: Value = values.setdefault(key, value)
        return kept
