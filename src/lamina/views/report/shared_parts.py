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

from lamina.engine.delta import NEW, OLD, Compose, ListDelta, MapDelta, Ref, Removed, Slice
from lamina.engine.merged_node import MergedNode
from lamina.engine.node import LiteralNode, SourceNode
from lamina.paths import MISSING
from lamina.views.report.outline_parts import (
    EMPTY,
    NOTHING,
    WRITTEN,
    ComposedPart,
    MergedPart,
    SinglePart,
    UnknownPart,
    WrittenPart,
    WrittenParts,
    is_plain,
    token_of,
)
from lamina.views.report.step_numbers import StepNumbers

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from lamina.engine.node import Node
    from lamina.engine.policy import Policy
    from lamina.origins import PositionMap
    from lamina.views.report.outline_parts import Composed, Kind, Mark, Part

ItemRun: TypeAlias = "tuple[int, int, int, int]"
"""Items of a list: the number of their pattern, of the list they were written in, the first position there, count"""

DEEPEST = 64
"""Merges on top of each other that are looked at."""


class Sharing:
    """Finds what outputs share; `through` says what the page shows of the name of an output."""

    def __init__(self, through: Callable[[str], Hashable]) -> None:
        self._steps = StepNumbers(through)
        self._patterns: dict[Hashable, dict[tuple[int, int], int]] = {}
        """The numbers of patterns, by how two sides were combined and by the patterns of both."""
        self._count = 0
        self.complex: set[int] = set()
        """The patterns of which not everything follows from the slots."""
        self._known: dict[Hashable, WrittenPart] = {}
        self.written = WrittenParts()
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

    def marks(self, part: Part) -> Mapping[Any, Mark | None]:
        """The mark of every key that any source of a part has; None if it is not known. Not to be changed."""
        levels, part = _levels(part)
        found = self._marks_at_bottom(part)
        is_own = False  # a mapping that was made here may be changed
        for level in reversed(levels):
            if type(level.delta) is MapDelta:
                if not is_own:
                    found, is_own = dict(found), True
                self._merge_marks(level, level.delta, found)
            elif found:
                found, is_own = self._marks_of_one_side(level, found), True
            else:
                found, is_own = self._own_marks("n" if level.delta is NEW else "o", level), False
        return found

    def _marks_at_bottom(self, part: Part) -> dict[Any, Mark | None]:
        """The marks of a part that is not a merge."""
        if type(part) is WrittenPart:
            if part.marks is None:
                part.marks = dict.fromkeys(part.value, (WRITTEN, (part.ident,)))
            return part.marks
        return self._marks_composed(part) if type(part) is ComposedPart else {}

    def _marks_of_one_side(self, part: MergedPart, old: Mapping[Any, Mark | None]) -> dict[Any, Mark | None]:
        """The marks where one side was taken whole; what the other has is in the history all the same."""
        token = "n" if part.delta is NEW else "o"
        known = self._known_patterns((token, part.step))
        found: dict[Any, Mark | None] = {}
        for key, new in self.marks(part.new).items():
            before = old.get(key, _NONE)
            if before is None or new is None:
                found[key] = None
                continue
            number = known.get((before[0], new[0]))
            if number is None:
                number = self._pattern((token, part.step), before[0], new[0])
            found[key] = number, before[1] + new[1]
        if len(found) != len(old) or found.keys() != old.keys():
            for key, before in old.items():
                if key not in found:
                    found[key] = self._mark((token, part.step), before, _NONE)
        return found

    def _marks_composed(self, part: ComposedPart) -> dict[Any, Mark | None]:
        """Collections that a step puts to keys are looked at as they are: what they hold is not in the slots."""
        old = self.marks(part.old)
        found = dict(old)
        for key, entry in part.entries.items():
            before = old.get(key, _NONE)
            found[key] = None
            if entry is not None and before is not None:
                token, step, new, is_collection = entry
                mark = found[key] = self._mark((("composed", token, is_collection), step), before, new)
                if is_collection and mark is not None:
                    self.complex.add(mark[0])
        return found

    def _own_marks(self, token: str, part: MergedPart) -> dict[Any, Mark | None]:
        """The marks of one side that was taken where the other had nothing; known for what a source has."""
        source, how = part.new, (token, part.step)
        if type(source) is WrittenPart:
            known = source.alone.get(how)
            if known is None:
                mark = self._pattern(how, 0, WRITTEN), (source.ident,)
                known = source.alone[how] = dict.fromkeys(source.value, mark)
            return known
        return {
            key: None if mark is None else (self._pattern(how, 0, mark[0]), mark[1])
            for key, mark in self.marks(source).items()
        }

    def _merge_marks(self, part: MergedPart, delta: MapDelta, found: dict[Any, Mark | None]) -> None:
        """Change the marks of the old side to those of a mapping that was merged key by key."""
        under, step = delta.under or _NO_POLICIES, part.step
        new = self._marks_at_bottom(part.new) if type(part.new) is WrittenPart else self.marks(part.new)
        taken, kept = self._known_patterns(("n", step)), self._known_patterns(("o", step))
        for key, entry in delta.entries.items():
            before, after = found.get(key, _NONE), new.get(key, _NONE)
            if before is None or after is None:
                found[key] = None
                continue
            if (entry is NEW or entry is OLD) and key not in under:
                number = (taken if entry is NEW else kept).get((before[0], after[0]))
                if number is None:
                    number = self._pattern(("n" if entry is NEW else "o", step), before[0], after[0])
                found[key] = number, before[1] + after[1]
            else:
                found[key] = self._mark_of_entry(part, entry, under.get(key), before, after)

    def _mark_of_entry(
        self, part: MergedPart, entry: Any, policy: Policy | None, before: Mark, after: Mark
    ) -> Mark | None:
        """The mark of what is at a key by an entry of any kind, perhaps by a policy of its own."""
        if type(entry) is Removed:
            if entry.marker is not None:
                return None
            token: Hashable = entry.verdict, entry.by
        else:
            token = token_of(entry)
        plain = is_plain(entry)
        if policy is not None or not plain:
            token = token, plain, self._steps.of(None, policy or part.policy, part.cause)
        mark = self._mark((token, part.step), before, after)
        if mark is not None and not plain:
            self.complex.add(mark[0])
        return mark

    def _mark(self, how: Hashable, old: Mark | None, new: Mark | None) -> Mark | None:
        if old is None or new is None:
            return None
        return self._pattern(how, old[0], new[0]), old[1] + new[1]

    def _known_patterns(self, how: Hashable) -> dict[tuple[int, int], int]:
        """The patterns of what a step made in one way, by the patterns of the two sides."""
        known = self._patterns.get(how)
        if known is None:
            known = self._patterns[how] = {}
        return known

    def _pattern(self, how: Hashable, old: int, new: int) -> int:
        """The number of a pattern: how two sides of known patterns were combined, and at which step."""
        known = self._known_patterns(how)
        number = known.get((old, new))
        if number is None:
            self._count += 1
            number = known[old, new] = self._count + WRITTEN
            if old in self.complex or new in self.complex:
                self.complex.add(number)
        return number

    def item_runs(self, part: Part, whole: Mark) -> list[ItemRun]:
        """The items of a list in runs of one pattern.

        `whole` is the mark of the list, which events of items may be about.
        """
        if type(part) is WrittenPart:
            return [(WRITTEN, part.ident, 0, len(part.value))]
        if type(part) is not MergedPart:
            raise UnknownPart
        if type(part.delta) is ListDelta:
            return self._runs_of_slices(part, part.delta, whole)
        kept, other = (part.old, part.new) if part.delta is OLD else (part.new, part.old)
        runs = self.item_runs(kept, whole)
        if other is NOTHING:
            return runs if part.delta is OLD else self._wrapped("n", part.step, runs)
        return self._wrapped((part.delta is OLD, whole[0]), part.step, runs)

    def _runs_of_slices(self, part: MergedPart, delta: ListDelta, whole: Mark) -> list[ItemRun]:
        if delta.lost or not all(type(item) is Slice for item in delta.items):
            raise UnknownPart
        found: list[ItemRun] = []
        sides = {"old": self.item_runs(part.old, whole), "new": self.item_runs(part.new, whole)}
        position = 0
        for item in delta.items:
            assert type(item) is Slice
            runs = _cut(sides[item.side], item.start, item.stop)
            if item.side == "new":
                runs = self._wrapped("+", part.step, runs)
            elif position != item.start:
                runs = self._wrapped(("moved", position - item.start), 0, runs)
            found += runs
            position += item.stop - item.start
        return found

    def _wrapped(self, token: Hashable, step: int, runs: list[ItemRun]) -> list[ItemRun]:
        return [(self._pattern((token, step), 0, run[0]), *run[1:]) for run in runs]

    # Parts

    def part_at(self, part: Part, key: Any, kind: Kind) -> Part:
        """The part at a key of a mapping where a mapping or a list is, as `kind` says.

        A source that has anything else there makes it unknown: the histories of the items of a list and of the keys
        of a mapping have nothing in common.
        """
        levels, part = _levels(part)
        found: Part = NOTHING
        if type(part) is WrittenPart:
            if key in part.value:
                found = self.inner(part, key, kind)
        elif type(part) is ComposedPart:
            if key in part.entries:
                raise UnknownPart
            found = self.part_at(part.old, key, kind)
        for level in reversed(levels):
            found = self._part_of_level(level, found, key, kind)
        return found

    def _part_of_level(self, level: MergedPart, old: Part, key: Any, kind: Kind) -> Part:
        """The part at a key of two merged parts, given what the old one has there."""
        delta, policy = level.delta, level.policy
        if type(delta) is MapDelta:
            delta = level.delta.entries.get(key)
            if delta is None:
                return old
            if delta is not NEW and not is_plain(delta):
                raise UnknownPart
            if level.delta.under:
                policy = level.delta.under.get(key, policy)
        source = level.new
        if type(source) is WrittenPart:
            new: Part = self.inner(source, key, kind) if key in source.value else NOTHING
        else:
            new = self.part_at(source, key, kind)
        if delta is level.delta and new is NOTHING and (delta is OLD or old is NOTHING):
            return old
        return MergedPart(delta, level.cause, policy, self._steps.of(None, policy, level.cause), old, new)

    def step_inside(self, policy: Policy | None, cause: int) -> int:
        """The number of a step as the values inside of what it merged show it."""
        return self._steps.of(None, policy, cause)

    def inner(self, part: WrittenPart, key: Any, kind: Kind) -> WrittenPart:
        """A mapping or list that is in a mapping of a source."""
        inner = part.parts.get(key) or self._listed(part, key)
        if inner is None:
            value = part.value[key]
            if not isinstance(value, (dict, list)):
                raise UnknownPart
            inner = self.inside(part, key, value, part.record(key))
        if not isinstance(inner.value, kind):
            raise UnknownPart
        return inner

    def _listed(self, part: WrittenPart, key: Any) -> WrittenPart | None:
        """A mapping that is among the members of a mapping."""
        what = None if part.packed is None or key not in part.packed[0] else part.packed[0][key][2]
        return self.written[what[1]] if isinstance(what, tuple) and len(what) == 2 else None

    def inside(self, part: WrittenPart, key: Any, value: Any, record: int) -> WrittenPart:
        """A collection in a mapping of a source, at a known record."""
        inner = part.parts[key] = self._written(value, value, part.positions, record, part.layer)
        return inner

    def _written(self, value: Any, full: Any, positions: PositionMap, index: int, layer: str | None) -> WrittenPart:
        place = id(positions), index, layer, None if value is full else tuple(value)
        part = self._known.get(place)
        if part is None:
            part = self._known[place] = WrittenPart(value, full, positions, index, layer, len(self.written))
            self.written.append(part)
        return part

    def _part(self, node: Node, table: str | None, depth: int) -> Part:
        if type(node) is MergedNode and depth:
            if type(node.delta) is MapDelta and node.delta.outer:
                return ComposedPart(self._part(node.old, table, depth - 1), self._composed(node, node.delta, table))
            cause = self._steps.plain_cause(node, table)
            step = self._steps.of(node.verdict, node.policy, cause)
            old, new = self._part(node.old, table, depth - 1), self._part(node.new, table, depth - 1)
            if not cause and node.delta is NEW and old is NOTHING:
                return new  # nothing of this step is shown
            return MergedPart(node.delta, cause, node.policy, step, old, new)
        if type(node) is SourceNode and isinstance(node.value, dict):
            return self._written(node.value, node.full, node.positions, node.index, node.layer)
        if type(node) is LiteralNode and node.value is MISSING:
            return NOTHING
        if type(node) is LiteralNode and node.value == {}:
            return EMPTY
        raise UnknownPart

    # What another output gives for a single key

    def _composed(self, node: MergedNode, delta: MapDelta, table: str | None) -> dict[Any, Composed | None]:
        """What a step puts to single keys: how, and the mark of what it puts there; None where that is not known."""
        found: dict[Any, Composed | None] = dict.fromkeys(delta.entries)
        for key, entry in delta.entries.items():
            if type(entry) is Compose and entry.new is NEW and _is_own(entry.old, key) and is_plain(entry.delta):
                try:
                    step = self._steps.of(None, node.policy, self._steps.cause(node, table))
                    mark = self._tree(node.new, key, table, DEEPEST)
                except UnknownPart:
                    continue
                found[key] = token_of(entry.delta), step, mark, isinstance(entry.value, (dict, list))
        return found

    def _tree(self, node: Node, key: Any, table: str | None, depth: int) -> Mark:
        """The mark of a whole node: all the steps that made it, and everything in sources that it was made from."""
        if type(node) is MergedNode and depth:
            step = self._steps.of(node.verdict, node.policy, self._steps.plain_cause(node, table))
            old, new = self._tree(node.old, key, table, depth - 1), self._tree(node.new, key, table, depth - 1)
            return self._pattern((token_of(node.delta), step), old[0], new[0]), old[1] + new[1]
        if type(node) is SourceNode:
            if isinstance(node.value, (dict, list)):
                return WRITTEN, (self._written(node.value, node.full, node.positions, node.index, node.layer).ident,)
            return WRITTEN, (self._single(node, key).ident,)
        if type(node) is LiteralNode and node.value is MISSING:
            return _NONE
        raise UnknownPart

    def _single(self, node: SourceNode, key: Any) -> WrittenPart:
        """A value that a source has somewhere, as if in a mapping that has nothing else."""
        place = id(node.positions), node.index, node.layer, str(key)
        part = self._known.get(place)
        if part is None:
            value = {key: node.value}
            part = self._known[place] = SinglePart(
                value, value, node.positions, node.index, node.layer, len(self.written)
            )
            self.written.append(part)
        return part


_NONE: Mark = (0, ())
_NO_POLICIES: dict[Any, Any] = {}


def _levels(part: Part) -> tuple[list[MergedPart], Part]:
    """The merges that made a part, the last one first, and what they started from."""
    levels: list[MergedPart] = []
    while type(part) is MergedPart:
        levels.append(part)
        part = part.old
    return levels, part


def _is_own(old: Any, key: Any) -> bool:
    """Whether a part of a Compose is what the old side has at its key."""
    return type(old) is Ref and old.side == "old" and len(old.path) == 1 and old.path[0] is key


def _cut(runs: list[ItemRun], start: int, stop: int) -> list[ItemRun]:
    """The items from one position to another."""
    found: list[ItemRun] = []
    position = 0
    for pattern, ident, first, count in runs:
        low, high = max(start - position, 0), min(stop - position, count)
        if low < high:
            found.append((pattern, ident, first + low, high - low))
        position += count
    return found
