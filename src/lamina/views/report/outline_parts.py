"""Parts: how a collection of an output was made from those of sources, as far as it can be compared with others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lamina.engine.delta import NEW, OLD, ListDelta, MapDelta

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from lamina.engine.policy import Policy
    from lamina.origins import PositionMap
    from lamina.views.report.stack_walk import Packed

Part: TypeAlias = "AbsentPart | WrittenPart | MergedPart | ComposedPart"
"""A collection that no source has, one that a source has, two merged, or one with other values at single keys."""
Mark: TypeAlias = "tuple[int, tuple[int, ...]]"
"""The number of a pattern, and the numbers of the collections in its slots."""
Composed: TypeAlias = "tuple[Hashable, int, Mark, bool]"
"""What a step puts to a key: how, the number of the step, the mark of what it puts there, if it is a collection."""
PartPlace: TypeAlias = "tuple[tuple[int, int, int], int, int]"
"""A place in a source: the numbers of the layer, the source and the part of that; line and column."""
Kind: TypeAlias = "type[dict[Any, Any]] | type[list[Any]]"
"""What a part is."""

WRITTEN = 2
"""The pattern of what a source has; 0 and 1 are those of nothing and of an empty mapping."""

INNER = -2
"""In the place of a text, twice the number of a part is counted down from here, and one more if it is a list."""


class UnknownPart(Exception):
    """What is at a key does not follow from what the two sides have there."""


class AbsentPart:
    """Nothing, or an empty mapping that the program made."""

    __slots__ = ("mark",)

    def __init__(self, pattern: int) -> None:
        self.mark: Mark = (pattern, ())


NOTHING, EMPTY = AbsentPart(0), AbsentPart(1)


class WrittenPart:
    """A collection as a source has it; `full` is what the positions describes, where keys were removed."""

    __slots__ = (
        "alone", "full", "group", "ident", "index", "items", "layer", "leaves", "marks", "packed", "parts",
        "places", "positions", "value",
    )  # fmt: skip

    def __init__(
        self, value: Any, full: Any, positions: PositionMap, index: int, layer: str | None, ident: int
    ) -> None:
        self.value = value
        self.full = full
        self.positions = positions
        self.index = index
        self.layer = layer
        self.ident = ident
        self.parts: dict[Any, WrittenPart] = {}
        """The collections in it that were asked for."""
        self.leaves: dict[Any, tuple[int, int]] = {}
        """The layers and the texts of values in it that the page shows."""
        self.places: dict[Any, PartPlace] = {}
        """Where everything in it is that the page shows."""
        self.items: tuple[int, ...] | None = None
        """Of a list that the page shows item by item, the texts of all items."""
        self.marks: dict[Any, Mark | None] | None = None
        self.alone: dict[tuple[str, int], dict[Any, Mark | None]] = {}
        """The marks where a step takes it and there was nothing before."""
        self.packed: Packed | None = None
        """Its members, if it is a mapping in a stack."""
        self.group: list[int] | None = None
        """What the page has of all its members, where they are listed."""

    def records(self) -> Sequence[int]:
        """The records of everything in it, in order."""
        positions, is_list = self.positions, isinstance(self.full, list)
        index = positions.resolve(self.index)
        if not is_list and (self.value is not self.full or index in positions.members):
            return [self.record(key) for key in self.value]
        found, sizes = [], positions.sizes
        at, end = index + 1, index + sizes.get(index, 1)
        if end - at == (len(self.value) if is_list else 2 * len(self.value)):
            return range(at, end) if is_list else range(at + 1, end, 2)  # single values alone
        while at < end:
            if not is_list:
                at += sizes.get(at, 1)  # the key
            found.append(at)
            at += sizes.get(at, 1)
        return found

    def record(self, key: Any) -> int:
        """The record of what is at a key or position."""
        if isinstance(self.full, dict):
            return self.positions.member(self.index, self.full, key)[1]
        return self.positions.item(self.index, key)


class ListedTable(NamedTuple):
    """A mapping of single values in a mapping of a source whose members are listed: most are never looked at again."""

    parent: WrittenPart
    key: Any
    record: int
    packed: Packed
    group: list[int]
    """What the page has of its members; the layer and the source are those of the mapping that it is in."""

    @property
    def head(self) -> list[int]:
        """The numbers of the layer, of its source and of the part of that."""
        assert self.parent.group is not None  # it is listed
        return self.parent.group[:3]

    def part(self) -> WrittenPart:
        """The mapping as all other collections are."""
        above = self.parent
        value = above.value[self.key]
        made = WrittenPart(value, value, above.positions, self.record, above.layer, self.packed[1])
        made.packed, made.group = self.packed, [*self.head, *self.group]
        above.parts[self.key] = made
        return made


class WrittenParts:
    """The collections of sources by number."""

    def __init__(self) -> None:
        self._parts: list[WrittenPart | ListedTable] = []

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, ident: int) -> WrittenPart:
        found = self._parts[ident]
        if type(found) is ListedTable:
            found = self._parts[ident] = found.part()
        return found  # type: ignore[return-value]  # a table is made a part above

    def __iter__(self) -> Iterator[WrittenPart | ListedTable]:
        return iter(self._parts)

    def append(self, part: WrittenPart) -> None:
        """Number one more."""
        self._parts.append(part)

    def extend(self, tables: Iterable[ListedTable]) -> None:
        """Number tables; each has its number already."""
        self._parts += tables


class SinglePart(WrittenPart):
    """A value that was taken from its place in a source, as the only one of a mapping."""

    __slots__ = ()

    def record(self, key: Any) -> int:  # noqa: ARG002 - it has one value
        return self.index

    def records(self) -> Sequence[int]:
        return [self.index]


class MergedPart:
    """Two parts and the delta between them; `cause` is all that is shown of the step, but for the policy.

    Where nothing was kept although a source has something, the history of every key that is set there later has
    an event of that, whether the source has the key or not: such a part is unknown.
    """

    __slots__ = ("cause", "delta", "new", "old", "policy", "step")

    def __init__(self, delta: Any, cause: int, policy: Policy | None, step: int, old: Part, new: Part) -> None:
        if (delta is OLD and old is NOTHING) or (delta is NEW and new is NOTHING):
            raise UnknownPart
        self.delta = delta
        self.cause = cause
        self.policy = policy
        self.step = step
        self.old = old
        self.new = new


class ComposedPart:
    """A mapping to single keys of which a step put something; all else is as it was."""

    __slots__ = ("entries", "old")

    def __init__(self, old: Part, entries: dict[Any, Composed | None]) -> None:
        self.old = old
        self.entries = entries


def token_of(delta: Any) -> str:
    """What is said of a delta in a pattern."""
    return "o" if delta is OLD else "n" if delta is NEW else type(delta).__name__


def is_plain(entry: Any) -> bool:
    """Whether all that is shown of an entry follows from what the two sides have at its key."""
    if type(entry) is MapDelta:
        return not entry.outer
    return entry is OLD or entry is NEW or (type(entry) is ListDelta and not entry.lost)
