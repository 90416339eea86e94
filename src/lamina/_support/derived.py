"""What is made on first use: values derived from an object, which live as long as it, and patterns from their text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar, cast

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


class _LazyPattern:
    """A pattern that is not compiled yet; afterwards the methods of the compiled pattern are attributes here."""

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


def expression(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled on first use: most commands need only a few of them."""
    return cast("re.Pattern[str]", _LazyPattern(text, flags))
