"""Sharing: which parts of different outputs have the same value and the same history, or histories of one pattern.

Nodes of a fleet have most of their layers in common. What is at a key of a merged mapping follows from what the layers
have there and from the steps that merge it. The steps are the pattern, the mappings of the files that have the key are
its slots. Two outputs share all they have at a key if both are the same; where only the pattern is, what they show
differs in nothing but the places and values of the slots.

A mapping has an outline if it was made only by taking mappings whole and by merging them key by key. Everything else
(computed values, keys removed by a marker elsewhere, very long histories) has none, and is collected as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.engine.delta import NEW, OLD, ListDelta, MapDelta, Removed, Slice
from lamina.engine.node import LiteralNode, MergedNode, SourceNode
from lamina.engine.step_context import StepRef
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from lamina.engine.node import Node
    from lamina.engine.policy import Policy
    from lamina.origins import PositionMap

Part: TypeAlias = "AbsentPart | WrittenPart | MergedPart"
"""A collection that no source has, one that a source has, or two merged."""
Mark: TypeAlias = "tuple[int, tuple[int, ...]]"
"""The number of a pattern, and the numbers of the collections in its slots."""
Kind: TypeAlias = "type[dict[Any, Any]] | type[list[Any]]"
"""What a part is."""

DEEPEST = 64
"""Merges on top of each other that are looked at."""
_WRITTEN = 2
"""The pattern of what a source has; 0 and 1 are those of nothing and of an empty mapping."""


class UnknownPart(Exception):
    """What is at a key does not follow from what the two sides have there."""


class AbsentPart:
    """Nothing, or an empty mapping that the program made."""

    __slots__ = ("mark",)

    def __init__(self, pattern: int) -> None:
        self.mark: Mark = (pattern, ())


_NOTHING, _EMPTY = AbsentPart(0), AbsentPart(1)


class WrittenPart:
    """A collection as a source has it; `full` is what `positions` describes, where keys were removed."""

    __slots__ = ("full", "ident", "index", "layer", "leaves", "marks", "parts", "places", "positions", "value")

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
        self.leaves: dict[Any, tuple[int, int, int]] = {}
        """What the page shows of values in it: layer, place and text."""
        self.places: dict[Any, tuple[int, int, int]] = {}
        """The same of collections in it, without a text."""
        self.marks: dict[Any, Mark | None] | None = None

    def record(self, key: Any) -> int:
        """The record of what is at a key or position."""
        if isinstance(self.full, dict):
            return self.positions.member(self.index, self.full, key)[1]
        return self.positions.item(self.index, key)


class MergedPart:
    """Two parts and the delta between them; `cause` is all that is shown of the step, but for the policy.

    Where nothing was kept although a source has something, the history of every key that is set there later has
    an event of that, whether the source has the key or not: such a part is unknown.
    """

    __slots__ = ("cause", "delta", "new", "old", "policy", "step")

    def __init__(self, delta: Any, cause: int, policy: Policy | None, step: int, old: Part, new: Part) -> None:
        if (delta is OLD and old is _NOTHING) or (delta is NEW and new is _NOTHING):
            raise UnknownPart
        self.delta = delta
        self.cause = cause
        self.policy = policy
        self.step = step
        self.old = old
        self.new = new


class Sharing:
    """Finds what outputs share; `through` says what the page shows of the name of an output."""

    def __init__(self, through: Callable[[str], Hashable]) -> None:
        self._through = through
        self._numbers: dict[Hashable, int] = {}
        """Small numbers for steps: what is compared is short."""
        self._own: dict[int, Policy | None] = {}
        """The policy of each step."""
        self._patterns: dict[Hashable, int] = {}
        self.complex: set[int] = set()
        """The patterns of which not everything follows from the slots."""
        self._known: dict[Hashable, WrittenPart] = {}
        self.written: list[WrittenPart] = []
        """The collections of sources, by number."""

    def outline(self, node: Node, table: str | None) -> Part | None:
        """How a mapping was made, if that is known; what put it into the output `table` is not shown.

        What is in a list may be at another position elsewhere, and events name positions.
        """
        if any(type(step) is int for step in node.path):
            return None
        try:
            return self._part(node, table, DEEPEST)
        except UnknownPart:
            return None

    # Marks

    def marks(self, part: Part) -> dict[Any, Mark | None]:
        """The mark of every key that any source of a part has; None if it is not known. Not to be changed."""
        if type(part) is WrittenPart:
            if part.marks is None:
                part.marks = dict.fromkeys(part.value, (_WRITTEN, (part.ident,)))
            return part.marks
        if type(part) is AbsentPart:
            return {}
        assert type(part) is MergedPart
        old, new = self.marks(part.old), self.marks(part.new)
        if type(part.delta) is MapDelta:
            return self._marks_by_key(part, old, new)
        token = "n" if part.delta is NEW else "o"
        if not old:
            return self._own_marks(token, part, new)
        return {key: self._mark(token, part.step, old.get(key, _NONE), new.get(key, _NONE)) for key in {**old, **new}}

    def _own_marks(self, token: str, part: MergedPart, new: dict[Any, Mark | None]) -> dict[Any, Mark | None]:
        """The marks of one side that was taken where the other had nothing."""
        known: dict[int, int] = {}
        found: dict[Any, Mark | None] = {}
        for key, mark in new.items():
            if mark is None:
                found[key] = None
                continue
            pattern = known.get(mark[0])
            if pattern is None:
                pattern = known[mark[0]] = self._pattern((token, part.step, 0, mark[0]), mark[0])
            found[key] = pattern, mark[1]
        return found

    def _marks_by_key(
        self, part: MergedPart, old: dict[Any, Mark | None], new: dict[Any, Mark | None]
    ) -> dict[Any, Mark | None]:
        found = dict(old)
        under = part.delta.under
        for key, entry in part.delta.entries.items():
            token: Hashable = "o" if entry is OLD else "n" if entry is NEW else type(entry).__name__
            if type(entry) is Removed:
                if entry.marker is not None:
                    found[key] = None
                    continue
                token = entry.verdict, entry.by
            plain = _is_plain(entry)
            if under or not plain:
                policy = under.get(key) if under else None
                token = token, plain, self._step_number(None, policy or part.policy, part.cause)
            mark = found[key] = self._mark(token, part.step, old.get(key, _NONE), new.get(key, _NONE))
            if mark is not None and not plain:
                self.complex.add(mark[0])
        return found

    def _mark(self, token: Hashable, step: int, old: Mark | None, new: Mark | None) -> Mark | None:
        if old is None or new is None:
            return None
        return self._pattern((token, step, old[0], new[0]), old[0], new[0]), old[1] + new[1]

    def _pattern(self, entry: Hashable, *inner: int) -> int:
        number = self._patterns.get(entry)
        if number is None:
            number = self._patterns[entry] = len(self._patterns) + 3
            if not self.complex.isdisjoint(inner):
                self.complex.add(number)
        return number

    def item_marks(self, part: Part, whole: Mark) -> list[tuple[int, int, int]]:
        """The pattern of every item of a list, and the number and position of what the item was written in.

        `whole` is the mark of the list, which events of items may be about.
        """
        if type(part) is WrittenPart:
            return [(_WRITTEN, part.ident, at) for at in range(len(part.value))]
        if type(part) is not MergedPart:
            raise UnknownPart
        if type(part.delta) is ListDelta:
            return self._items_of_slices(part, part.delta, whole)
        kept, other = (part.old, part.new) if part.delta is OLD else (part.new, part.old)
        items = self.item_marks(kept, whole)
        if other is _NOTHING:
            return items if part.delta is OLD else self._wrapped("n", part.step, items)
        return self._wrapped((part.delta is OLD, whole[0]), part.step, items)

    def _items_of_slices(self, part: MergedPart, delta: ListDelta, whole: Mark) -> list[tuple[int, int, int]]:
        if delta.lost or not all(type(item) is Slice for item in delta.items):
            raise UnknownPart
        found: list[tuple[int, int, int]] = []
        sides = {"old": self.item_marks(part.old, whole), "new": self.item_marks(part.new, whole)}
        for item in delta.items:
            assert type(item) is Slice
            items, start = sides[item.side][item.start : item.stop], len(found)
            if item.side == "new":
                items = self._wrapped("+", part.step, items)
            elif start != item.start:
                items = self._wrapped(("moved", start - item.start), 0, items)
            found += items
        return found

    def _wrapped(self, token: Hashable, step: int, items: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        known = {pattern: self._pattern((token, step, 0, pattern), pattern) for pattern in {item[0] for item in items}}
        return [(known[pattern], ident, at) for pattern, ident, at in items]

    # Parts

    def part_at(self, part: Part, key: Any, kind: Kind) -> Part:
        """The part at a key of a mapping where a mapping or a list is, as `kind` says.

        A source that has anything else there makes it unknown: the histories of the items of a list and of the keys
        of a mapping have nothing in common.
        """
        if type(part) is WrittenPart:
            return self.inner(part, key, kind) if key in part.value else _NOTHING
        if type(part) is not MergedPart:
            return _NOTHING
        if type(part.delta) is MapDelta:
            return self._part_of_merged(part, part.delta, key, kind)
        return self._part_of_one_sided(part, key, kind)

    def inner(self, part: WrittenPart, key: Any, kind: Kind) -> WrittenPart:
        """A mapping or list that is in a mapping of a source."""
        value = part.value[key]
        if not isinstance(value, kind):
            raise UnknownPart
        inner = part.parts.get(key)
        if inner is None:
            inner = part.parts[key] = self._written(value, value, part.positions, part.record(key), part.layer)
        return inner

    def _part_of_merged(self, part: MergedPart, delta: MapDelta, key: Any, kind: Kind) -> Part:
        entry = delta.entries.get(key)
        if entry is None:
            return self.part_at(part.old, key, kind)
        if not _is_plain(entry):
            raise UnknownPart
        policy = (delta.under.get(key) if delta.under else None) or part.policy
        old, new = self.part_at(part.old, key, kind), self.part_at(part.new, key, kind)
        return MergedPart(entry, part.cause, policy, self._step_number(None, policy, part.cause), old, new)

    def _part_of_one_sided(self, part: MergedPart, key: Any, kind: Kind) -> Part:
        old, new = self.part_at(part.old, key, kind), self.part_at(part.new, key, kind)
        if new is _NOTHING and (part.delta is OLD or old is _NOTHING):
            return old
        step = self._step_number(None, part.policy, part.cause)
        return MergedPart(part.delta, part.cause, part.policy, step, old, new)

    def _written(self, value: Any, full: Any, positions: PositionMap, index: int, layer: str | None) -> WrittenPart:
        place = id(positions), index, layer, None if value is full else tuple(value)
        part = self._known.get(place)
        if part is None:
            part = self._known[place] = WrittenPart(value, full, positions, index, layer, len(self.written))
            self.written.append(part)
        return part

    def _part(self, node: Node, table: str | None, depth: int) -> Part:
        if type(node) is MergedNode and depth:
            cause = self._cause(node, table)
            step = self._step_number(node.verdict, node.policy, cause)
            old, new = self._part(node.old, table, depth - 1), self._part(node.new, table, depth - 1)
            if not cause and node.delta is NEW and old is _NOTHING:
                return new  # nothing of this step is shown
            return MergedPart(node.delta, cause, node.policy, step, old, new)
        if type(node) is SourceNode and isinstance(node.value, dict):
            return self._written(node.value, node.full, node.positions, node.index, node.layer)
        if type(node) is LiteralNode and node.value is MISSING:
            return _NOTHING
        if type(node) is LiteralNode and node.value == {}:
            return _EMPTY
        raise UnknownPart

    def _number(self, entry: Hashable) -> int:
        return self._numbers.setdefault(entry, len(self._numbers) + 1)

    def _step_number(self, verdict: str | None, policy: Policy | None, cause: int) -> int:
        """A step with what is shown of the policy in force: its entry, unless that is the policy of the step itself."""
        if not cause:
            return 0
        if policy is None or policy is self._own[cause] or not policy.label:
            return self._number((verdict, None, cause))
        return self._number((verdict, policy.label, policy.origin, cause))

    def _cause(self, node: MergedNode, table: str | None) -> int:
        """All that the page shows of the step that merged two nodes, but for what may differ from key to key."""
        delta, cause = node.delta, node.cause
        by_key = type(delta) is MapDelta and not delta.outer
        if not (by_key or delta is OLD or delta is NEW) or node.marker is not None or not isinstance(cause, StepRef):
            raise UnknownPart
        if cause.output == table:
            return 0
        step = cause.step
        if getattr(step, "directives", None):
            raise UnknownPart
        own, directive = getattr(step, "policy", None), step.directive
        number = self._number(
            (id(own), directive.text, directive.origin, step.verb, step.forwards, self._through(cause.output))
        )
        self._own[number] = own
        return number


_NONE: Mark = (0, ())


def _is_plain(entry: Any) -> bool:
    """Whether all that is shown of an entry follows from what the two sides have at its key."""
    if type(entry) is MapDelta:
        return not entry.outer
    return entry is OLD or entry is NEW or (type(entry) is ListDelta and not entry.lost)
