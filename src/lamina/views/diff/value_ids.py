"""Value ids: every distinct value gets a number, so that values can be compared by number.

Values are the same when they read the same: a mapping whatever the order of its keys, 1 and 1.0 and true apart, a NaN
like any other. Keys go by their own equality. What is shared is looked at once, so that aliases cost nothing.
"""

from __future__ import annotations

from datetime import date
from typing import Any


class Numbering:
    """The numbers given so far; values numbered must not change while it is in use."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._known: dict[int, tuple[Any, int]] = {}
        """Collections by identity, kept alive so that an identity means one thing only."""

    def of(self, value: Any) -> int:
        """The number of a value."""
        if isinstance(value, (dict, list, tuple, set, frozenset)):
            known = self._known.get(id(value))
            if known is None:
                known = self._known[id(value)] = (value, self._number(self._shape(value)))
            return known[1]
        return self._number(_scalar(value))

    def key(self, key: Any) -> int:
        """The number of a key of a mapping."""
        return self._number(("key", _kind(key), key) if isinstance(key, str) else ("key", self.of(key)))

    def same(self, left: Any, right: Any) -> bool:
        """Whether two values read the same."""
        return left is right or self.of(left) == self.of(right)

    def _number(self, shape: Any) -> int:
        return self._numbers.setdefault(shape, len(self._numbers))

    def _shape(self, value: Any) -> Any:
        if isinstance(value, dict):
            return "mapping", frozenset((self.key(key), self.of(child)) for key, child in value.items())
        if isinstance(value, (list, tuple)):
            return "list", tuple(map(self.of, value))
        return "set", frozenset(map(self.of, value))


def _kind(key: str) -> type:
    return str if type(key) is str else type(key)


def _scalar(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool):
        return "constant", repr(value)
    if isinstance(value, int):
        return "integer", int(value)
    if isinstance(value, float):
        return "float", float.__repr__(value)
    if isinstance(value, bytes):
        return "bytes", value
    if isinstance(value, date):
        return "date", value.isoformat()
    return type(value), repr(value)
