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

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[Hashable, Any] | None = None

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What is kept under a key, or what `make` makes now; of threads that ask together each may make its own."""
        values = self._values
        if values is None:  # most objects have at most one derived value
            values = self._values = {}
        found: Value | None = values.get(key)
        if found is None:
            value = make()
            if len(values) >= _MAX_VALUES:
                values.clear()
            found = values.setdefault(key, value)
        return found
