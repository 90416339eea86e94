"""Named equality relations between values, for finding duplicates and matching items.

A relation need not be symmetric: `same(left, right)` asks whether the right one counts as equal to the left one. So
that looking for equals stays linear, a relation may give a `Lens` for a left value: a way to read right values to keys,
and the key that equal ones have. Values without a lens are compared one by one.
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
class Lens:
    """How equals of one left value are found: by the key that reading a right value gives.

    Lenses of one `name` read alike.
    """

    name: Hashable
    read: Callable[[Any], Hashable]
    key: Hashable


class Sameness(Protocol):
    """A relation between values."""

    name: str

    def same(self, left: Any, right: Any) -> bool:
        """Whether the right value counts as equal to the left one; Incomparable where that cannot be asked."""
        ...

    def lens(self, left: Any) -> Lens | None:
        """How to find the equals of a left value, where there is a quicker way than asking one by one."""
        ...


class EqualityIndex(Generic[Payload]):
    """Right values, to be found by left ones."""

    def __init__(self, sameness: Sameness) -> None:
        self._sameness = sameness
        self._rights: list[tuple[Any, Payload]] = []
        self._maps: dict[Hashable, tuple[Lens, dict[Hashable, list[Payload]]]] = {}

    def add(self, right: Any, payload: Payload) -> None:
        """Let a value be found; `payload` is what finding it gives."""
        self._rights.append((right, payload))
        for lens, found in self._maps.values():
            found.setdefault(lens.read(right), []).append(payload)

    def find(self, left: Any) -> Iterator[Payload]:
        """The payloads of all right values that count as equal to the left one, in the order they were added."""
        lens = self._sameness.lens(left)
        if lens is None:
            return (payload for right, payload in self._rights if self._sameness.same(left, right))
        return iter(self._map(lens).get(lens.key, ()))

    def _map(self, lens: Lens) -> dict[Hashable, list[Payload]]:
        if lens.name not in self._maps:
            found: dict[Hashable, list[Payload]] = {}
            for right, payload in self._rights:
                found.setdefault(lens.read(right), []).append(payload)
            self._maps[lens.name] = lens, found
        return self._maps[lens.name][1]


class ByFields:
    """Two mappings are the same when all of some fields are there on both sides and the same.

    `read` looks a field up. All fields are compared even when one already differs, so that values that cannot be
    compared are noticed wherever they are.
    """

    def __init__(
        self, fields: tuple[str, ...], sameness: Sameness, read: Callable[[Any, str], Any], missing: object
    ) -> None:
        self.name = f"{sameness.name} by {', '.join(fields)}"
        self.fields = fields
        self._sameness = sameness
        self._read = read
        self._missing = missing

    def same(self, left: Any, right: Any) -> bool:
        answer = True
        for field in self.fields:
            mine, other = self._read(left, field), self._read(right, field)
            if mine is self._missing or other is self._missing or not self._sameness.same(mine, other):
                answer = False
        return answer

    def lens(self, left: Any) -> Lens | None:
        lenses: list[Lens] = []
        for field in self.fields:
            value = self._read(left, field)
            lens = None if value is self._missing else self._sameness.lens(value)
            if lens is None:
                return None
            lenses.append(lens)
        reads = tuple(zip(self.fields, (lens.read for lens in lenses), strict=True))
        return Lens(
            tuple(lens.name for lens in lenses),
            lambda right: tuple(self._read_key(right, field, read) for field, read in reads),
            tuple(lens.key for lens in lenses),
        )

    def all_plain(self, items: Iterable[Any]) -> bool:
        """Whether no item has a mapping or a list in a field, so that nothing can be incomparable."""
        return not any(isinstance(self._read(item, field), (dict, list)) for item in items for field in self.fields)

    def without_lens(self) -> Sameness:
        """This relation, asked one by one."""
        return _OneByOne(self)

    def _read_key(self, right: Any, field: str, read: Callable[[Any], Hashable]) -> Hashable:
        value = self._read(right, field)
        return self._missing if value is self._missing else read(value)


class _OneByOne:
    """A relation without its lenses."""

    def __init__(self, relation: Sameness) -> None:
        self.name = relation.name
        self._relation = relation

    def same(self, left: Any, right: Any) -> bool:
        return self._relation.same(left, right)

    def lens(self, left: Any) -> Lens | None:
        return None
