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
from lamina.engine.node import LiteralNode, MergedNode, SourceNode
from lamina.engine.step_context import StepRef
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from lamina.engine.node import Node
    from lamina.engine.policy import Policy
    from lamina.origins import PositionMap

Part: TypeAlias = "AbsentPart | WrittenPart | MergedPart | ComposedPart"
"""A collection that no source has, one that a source has, two merged, or one with other values at single keys."""
Mark: TypeAlias = "tuple[int, tuple[int, ...]]"
"""The number of a pattern, and the numbers of the collections in its slots."""
Composed: TypeAlias = "tuple[Hashable, int, Mark, bool]"
"""What a step puts to a key: how, the number of the step, the mark of what it puts there, if it is a collection."""
ItemRun: TypeAlias = "tuple[int, int, int, int]"
"""Items of a list: the number of their pattern, of the list they were written in, the first position there, count"""
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

    __slots__ = (
        "alone", "full", "ident", "index", "items", "layer", "leaves", "lists", "marks", "parts", "places", "positions",
        "value",
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
        self.leaves: dict[Any, tuple[int, int, int]] = {}
        """What the page shows of values in it: layer, place and text."""
        self.places: dict[Any, tuple[int, int]] = {}
        """The layer and the place of everything in it that the page shows."""
        self.lists: dict[Any, int] = {}
        """The texts of lists in it, where items name them."""
        self.items: tuple[int, ...] | None = None
        """Of a list that the page shows item by item, the texts of all items."""
        self.marks: dict[Any, Mark | None] | None = None
        self.alone: dict[tuple[str, int], dict[Any, Mark | None]] = {}
        """The marks where a step takes it and there was nothing before."""

    def record(self, key: Any) -> int:
        """The record of what is at a key or position."""
        if isinstance(self.full, dict):
            return self.positions.member(self.index, self.full, key)[1]
        return self.positions.item(self.index, key)


class SinglePart(WrittenPart):
    """A value that was taken from its place in a source, as the only one of a mapping."""

    __slots__ = ()

    def record(self, key: Any) -> int:  # noqa: ARG002 - it has one value
        return self.index


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


class ComposedPart:
    """A mapping to single keys of which a step put something; all else is as it was."""

    __slots__ = ("entries", "old")

    def __init__(self, old: Part, entries: dict[Any, Composed | None]) -> None:
        self.old = old
        self.entries = entries


class Sharing:
    """Finds what outputs share; `through` says what the page shows of the name of an output."""

    def __init__(self, through: Callable[[str], Hashable]) -> None:
        self._through = through
        self._numbers: dict[Hashable, int] = {}
        """Small numbers for steps: what is compared is short."""
        self._steps: dict[tuple[str | None, int, int], int] = {}
        """The numbers of steps, by the identity of the policy; the deltas keep it alive."""
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
        if type(part) is ComposedPart:
            return self._marks_composed(part)
        assert type(part) is MergedPart
        old = self.marks(part.old)
        if type(part.delta) is MapDelta:
            return self._marks_by_key(part, part.delta, old, self.marks(part.new))
        token = "n" if part.delta is NEW else "o"
        if not old:
            return self._own_marks(token, part)
        step, patterns = part.step, self._patterns
        found: dict[Any, Mark | None] = {}
        for key, new in self.marks(part.new).items():
            before = old.get(key, _NONE)
            if before is not None and new is not None and (known := patterns.get((token, step, before[0], new[0]))):
                found[key] = known, before[1] + new[1]
            else:
                found[key] = self._mark(token, step, before, new)
        for key, before in old.items():
            if key not in found:
                found[key] = self._mark(token, part.step, before, _NONE)
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
                mark = found[key] = self._mark(("composed", token, is_collection), step, before, new)
                if is_collection and mark is not None:
                    self.complex.add(mark[0])
        return found

    def _own_marks(self, token: str, part: MergedPart) -> dict[Any, Mark | None]:
        """The marks of one side that was taken where the other had nothing; known for what a source has."""
        source = part.new if type(part.new) is WrittenPart else None
        if source is not None and (token, part.step) in source.alone:
            return source.alone[token, part.step]
        known: dict[int, int] = {}
        found: dict[Any, Mark | None] = {}
        for key, mark in self.marks(part.new).items():
            if mark is None:
                found[key] = None
                continue
            pattern = known.get(mark[0])
            if pattern is None:
                pattern = known[mark[0]] = self._pattern((token, part.step, 0, mark[0]), mark[0])
            found[key] = pattern, mark[1]
        if source is not None:
            source.alone[token, part.step] = found
        return found

    def _marks_by_key(
        self, part: MergedPart, delta: MapDelta, old: dict[Any, Mark | None], new: dict[Any, Mark | None]
    ) -> dict[Any, Mark | None]:
        found = dict(old)
        under, step, patterns = delta.under or _NO_POLICIES, part.step, self._patterns
        for key, entry in delta.entries.items():
            before, after = old.get(key, _NONE), new.get(key, _NONE)
            if before is None or after is None:
                found[key] = None
                continue
            if (entry is OLD or entry is NEW) and key not in under:
                token: Hashable = "o" if entry is OLD else "n"
                number = patterns.get((token, step, before[0], after[0]))
                if number is not None:
                    found[key] = number, before[1] + after[1]
                    continue
                found[key] = self._mark(token, step, before, after)
            else:
                found[key] = self._mark_of_entry(part, entry, under.get(key), before, after)
        return found

    def _mark_of_entry(
        self, part: MergedPart, entry: Any, policy: Policy | None, before: Mark, after: Mark
    ) -> Mark | None:
        """The mark of what is at a key by an entry of any kind, perhaps by a policy of its own."""
        token: Hashable = _token(entry)
        if type(entry) is Removed:
            if entry.marker is not None:
                return None
            token = entry.verdict, entry.by
        plain = _is_plain(entry)
        if policy is not None or not plain:
            token = token, plain, self._step_number(None, policy or part.policy, part.cause)
        mark = self._mark(token, part.step, before, after)
        if mark is not None and not plain:
            self.complex.add(mark[0])
        return mark

    def _mark(self, token: Hashable, step: int, old: Mark | None, new: Mark | None) -> Mark | None:
        if old is None or new is None:
            return None
        number = self._patterns.get((token, step, old[0], new[0]))
        if number is None:
            number = self._pattern((token, step, old[0], new[0]), old[0], new[0])
        return number, old[1] + new[1]

    def _pattern(self, entry: Hashable, *inner: int) -> int:
        number = self._patterns.get(entry)
        if number is None:
            number = self._patterns[entry] = len(self._patterns) + 3
            if not self.complex.isdisjoint(inner):
                self.complex.add(number)
        return number

    def item_runs(self, part: Part, whole: Mark) -> list[ItemRun]:
        """The items of a list in runs of one pattern.

        `whole` is the mark of the list, which events of items may be about.
        """
        if type(part) is WrittenPart:
            return [(_WRITTEN, part.ident, 0, len(part.value))]
        if type(part) is not MergedPart:
            raise UnknownPart
        if type(part.delta) is ListDelta:
            return self._runs_of_slices(part, part.delta, whole)
        kept, other = (part.old, part.new) if part.delta is OLD else (part.new, part.old)
        runs = self.item_runs(kept, whole)
        if other is _NOTHING:
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
        return [(self._pattern((token, step, 0, run[0]), run[0]), *run[1:]) for run in runs]

    # Parts

    def part_at(self, part: Part, key: Any, kind: Kind) -> Part:
        """The part at a key of a mapping where a mapping or a list is, as `kind` says.

        A source that has anything else there makes it unknown: the histories of the items of a list and of the keys
        of a mapping have nothing in common.
        """
        if type(part) is WrittenPart:
            return self.inner(part, key, kind) if key in part.value else _NOTHING
        if type(part) is ComposedPart:
            if key in part.entries:
                raise UnknownPart
            return self.part_at(part.old, key, kind)
        if type(part) is not MergedPart:
            return _NOTHING
        if type(part.delta) is MapDelta:
            return self._part_of_merged(part, part.delta, key, kind)
        return self._part_of_one_sided(part, key, kind)

    def inner(self, part: WrittenPart, key: Any, kind: Kind) -> WrittenPart:
        """A mapping or list that is in a mapping of a source."""
        inner = part.parts.get(key)
        if inner is None:
            value = part.value[key]
            if not isinstance(value, (dict, list)):
                raise UnknownPart
            inner = part.parts[key] = self._written(value, value, part.positions, part.record(key), part.layer)
        if not isinstance(inner.value, kind):
            raise UnknownPart
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
            if type(node.delta) is MapDelta and node.delta.outer:
                return ComposedPart(self._part(node.old, table, depth - 1), self._composed(node, node.delta, table))
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

    # What another output gives for a single key

    def _composed(self, node: MergedNode, delta: MapDelta, table: str | None) -> dict[Any, Composed | None]:
        """What a step puts to single keys: how, and the mark of what it puts there; None where that is not known."""
        found: dict[Any, Composed | None] = dict.fromkeys(delta.entries)
        for key, entry in delta.entries.items():
            if type(entry) is Compose and entry.new is NEW and _is_own(entry.old, key) and _is_plain(entry.delta):
                try:
                    step = self._step_number(None, node.policy, self._step_cause(node, table))
                    mark = self._tree(node.new, key, table, DEEPEST)
                except UnknownPart:
                    continue
                found[key] = _token(entry.delta), step, mark, isinstance(entry.value, (dict, list))
        return found

    def _tree(self, node: Node, key: Any, table: str | None, depth: int) -> Mark:
        """The mark of a whole node: all the steps that made it, and everything in sources that it was made from."""
        if type(node) is MergedNode and depth:
            step = self._step_number(node.verdict, node.policy, self._cause(node, table))
            old, new = self._tree(node.old, key, table, depth - 1), self._tree(node.new, key, table, depth - 1)
            return self._pattern((_token(node.delta), step, old[0], new[0]), old[0], new[0]), old[1] + new[1]
        if type(node) is SourceNode:
            if isinstance(node.value, (dict, list)):
                return _WRITTEN, (self._written(node.value, node.full, node.positions, node.index, node.layer).ident,)
            return _WRITTEN, (self._single(node, key).ident,)
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

    def _number(self, entry: Hashable) -> int:
        return self._numbers.setdefault(entry, len(self._numbers) + 1)

    def _step_number(self, verdict: str | None, policy: Policy | None, cause: int) -> int:
        """A step with what is shown of the policy in force: its entry, unless that is the policy of the step itself."""
        if not cause:
            return 0
        known = verdict, id(policy), cause
        number = self._steps.get(known)
        if number is None:
            entry: Hashable = (verdict, None, cause)
            if policy is not None and policy is not self._own[cause] and policy.label:
                entry = verdict, policy.label, policy.origin, cause
            number = self._steps[known] = self._number(entry)
        return number

    def _cause(self, node: MergedNode, table: str | None) -> int:
        """The cause of a step that took one side whole, or merged plain collections."""
        if not _is_plain(node.delta) or node.marker is not None:
            raise UnknownPart
        return self._step_cause(node, table)

    def _step_cause(self, node: MergedNode, table: str | None) -> int:
        """All that the page shows of the step that merged two nodes, but for what may differ from key to key."""
        cause = node.cause
        if not isinstance(cause, StepRef):
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
_NO_POLICIES: dict[Any, Any] = {}


def _token(delta: Any) -> str:
    return "o" if delta is OLD else "n" if delta is NEW else type(delta).__name__


def _is_own(old: Any, key: Any) -> bool:
    """Whether a part of a Compose is what the old side has at its key."""
    return type(old) is Ref and old.side == "old" and len(old.path) == 1 and old.path[0] is key


def _is_plain(entry: Any) -> bool:
    """Whether all that is shown of an entry follows from what the two sides have at its key."""
    if type(entry) is MapDelta:
        return not entry.outer
    return entry is OLD or entry is NEW or (type(entry) is ListDelta and not entry.lost)


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
