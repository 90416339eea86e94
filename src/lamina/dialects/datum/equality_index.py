"""Named equality relations between values, for finding duplicates and matching items.

A relation need not be symmetric: `same(left, right)` is whether the right value counts as equal to the left one. To
find equal values in linear time, a relation may have a `KeyReader` for a left value: a function from right values to
keys, and the key that equal ones have. Values without one are compared one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

Payload = TypeVar("Payload")


class Incomparable(Exception):
    """Two values that the relation cannot compare."""


@dataclass(frozen=True, slots=True)
class KeyReader:
    """Finds the equals of a left value: those right values for which `read` returns the key.

    Readers with the same `name` have the same function.
    """

    name: Hashable
    read: Callable[[Any], Hashable]
    key: Hashable


class Equality(Protocol):
    """A relation between values."""

    name: str

    def same(self, left: Any, right: Any) -> bool:
        """Whether the right value counts as equal to the left one; raises Incomparable."""
        ...

    def key_reader(self, left: Any) -> KeyReader | None:
        """A reader for the equals of a left value, if there is one."""
        ...


class EqualityIndex(Generic[Payload]):
    """An index of right values, searched by left values."""

    def __init__(self, equality: Equality) -> None:
        self._equality = equality
        self._rights: list[tuple[Any, Payload]] = []
        self._maps: dict[Hashable, tuple[KeyReader, dict[Hashable, list[Payload]]]] = {}

    def add(self, right: Any, payload: Payload) -> None:
        """Add a value; `find` returns its payload."""
        self._rights.append((right, payload))
        for key_reader, found in self._maps.values():
            found.setdefault(key_reader.read(right), []).append(payload)

    def find(self, left: Any) -> Iterator[Payload]:
        """The payloads of all right values that count as equal to the left one, in the order they were added."""
        key_reader = self._equality.key_reader(left)
        if key_reader is None:
            return (payload for right, payload in self._rights if self._equality.same(left, right))
        return iter(self._map(key_reader).get(key_reader.key, ()))

    def _map(self, key_reader: KeyReader) -> dict[Hashable, list[Payload]]:
        if key_reader.name not in self._maps:
            found: dict[Hashable, list[Payload]] = {}
            for right, payload in self._rights:
                found.setdefault(key_reader.read(right), []).append(payload)
            self._maps[key_reader.name] = key_reader, found
        return self._maps[key_reader.name][1]


class ByFields:
    """Two mappings are equal if both have all of some fields, with equal values.

    `read` looks a field up. All fields are compared even when one already differs, so that values that cannot be
    compared are noticed wherever they are.
    """

    def __init__(
        self, fields: tuple[str, ...], equality: Equality, read: Callable[[Any, str], Any], missing: object
    ) -> None:
        self.name = f"{equality.name} by {', '.join(fields)}"
        self.fields = fields
        self._equality = equality
        self._read = read
        self._missing = missing

    def same(self, left: Any, right: Any) -> bool:
        answer = True
        for field in self.fields:
            own, other = self._read(left, field), self._read(right, field)
            if own is self._missing or other is self._missing or not self._equality.same(own, other):
                answer = False
        return answer

    def key_reader(self, left: Any) -> KeyReader | None:
        key_readers: list[KeyReader] = []
        for field in self.fields:
            value = self._read(left, field)
            key_reader = None if value is self._missing else self._equality.key_reader(value)
            if key_reader is None:
                return None
            key_readers.append(key_reader)
        reads = tuple(zip(self.fields, (key_reader.read for key_reader in key_readers), strict=True))
        return KeyReader(
            tuple(key_reader.name for key_reader in key_readers),
            lambda right: tuple(self._read_key(right, field, read) for field, read in reads),
            tuple(key_reader.key for key_reader in key_readers),
        )

    def all_plain(self, items: Iterable[Any]) -> bool:
        """Whether no item has a mapping or a list in a field, so that nothing can be incomparable."""
        return not any(isinstance(self._read(item, field), (dict, list)) for item in items for field in self.fields)

    def one_by_one(self) -> Equality:
        """This relation without readers."""
        return _OneByOne(self)

    def _read_key(self, right: Any, field: str, read: Callable[[Any], Hashable]) -> Hashable:
        value = self._read(right, field)
        return self._missing if value is self._missing else read(value)


class _OneByOne:
    """A relation without its readers."""

    def __init__(self, relation: Equality) -> None:
        self.name = relation.name
        self._relation = relation

    def same(self, left: Any, right: Any) -> bool:
        return self._relation.same(left, right)

    def key_reader(self, left: Any) -> KeyReader | None:
        return None
