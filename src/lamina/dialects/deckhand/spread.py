"""Spread: a value written at every selected path, in an output in which no container has two locations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.dialects.deckhand.container_writes import Write, with_writes
from lamina.dialects.deckhand.jsonpath.creation import Creation, PartlyCreated, grow
from lamina.dialects.deckhand.jsonpath.selector import Found, Unreachable
from lamina.dialects.deckhand.placement import Misplaced, New, PlacedChange, TooDeep, make
from lamina.engine import tree_edit
from lamina.engine.change import MergeChange
from lamina.engine.delta import NEW, Compose, Computed, Delta, Ref, value_of
from lamina.engine.merge_context import Conflict, MergeContext
from lamina.engine.operators.whole import TAKE
from lamina.paths import MISSING, Path, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.budget import Budget
    from lamina.dialects.deckhand.jsonpath.selector import WriteTarget
    from lamina.dialects.deckhand.steps import Spread
    from lamina.engine.node import Node
    from lamina.engine.step_context import StepRef

_MADE = "created for the path"


def spread(step: Spread, old: Node, new: New, mark: StepRef, max_depth: int, run: MergeContext) -> Node:
    """The output of a Spread; the new value is at most `max_depth` containers deep."""
    return make(planned(step, old, new, mark, max_depth, run), old, mark)


def planned(step: Spread, old: Node, new: New, mark: StepRef, max_depth: int, run: MergeContext) -> PlacedChange:
    """What a Spread writes."""
    if step.select.whole and step.each is None:
        return _planned_whole(step, old, new, max_depth, run)
    plan = _SpreadPlan(step, old, new, mark, run)
    try:
        plan.work_out()
    except Unreachable as gap:
        conflict = Conflict("no-such-place", gap.value, new.value, step.path + gap.path, (), gap.reason)
        raise Misplaced([conflict], plan.left()) from None
    if run.conflicts:
        raise Misplaced(run.conflicts, plan.left())
    if any(len(write.path) > max_depth for write in plan.change.writes):
        raise TooDeep
    return plan.change


def _planned_whole(step: Spread, old: Node, new: New, max_depth: int, run: MergeContext) -> PlacedChange:
    """The same if everything below the path is selected, as in nearly every document: there is one write."""
    path = step.path
    before = walk(old.value, path)
    delta = step.policy.combine(before, new.value, _trail(path), run)
    if run.conflicts:
        raise Misplaced(run.conflicts, None)
    if len(path) > max_depth:
        raise TooDeep
    return PlacedChange(new.node, [Write(path, NEW, delta, value_of(delta, before, new.value))])


class ValueSet(NamedTuple):
    """An output with one value set: its node, how deep the container is that changes, the keys set in it, the delta."""

    node: Node
    depth: int
    keys: Sequence[Any]
    delta: Delta


_MOST_PADDED = 1000
"""Up to which position a list is padded here; there is a limit to what may be created (see `creation`)."""


def value_set(step: Spread, old: Node, new: New, mark: StepRef, max_depth: int, budget: Budget) -> ValueSet | None:
    """The output of a Spread at a path of names and positions, as nearly all are; None if it has to be planned."""
    path = step.target
    if path is None:
        return None
    containers: list[Any] = []
    before: Any = old.value
    for key in path:
        if before is MISSING:
            break
        if type(before) is dict and type(key) is str:
            containers.append(before)
            before = before.get(key, MISSING)
        elif type(before) is list and type(key) is int and key < _MOST_PADDED:
            containers.append(before)
            before = before[key] if key < len(before) else MISSING
        else:
            return None
    if before is MISSING and not _creates(step, len(containers)):
        return None
    value = new.value
    if type(path[-1]) is int and isinstance(value, list):
        return None  # its items are distributed
    if step.policy.table.sole is TAKE:
        delta: Delta = NEW
    else:
        run = MergeContext(budget)
        delta = step.policy.combine(before, value, _trail(path), run)
        if run.conflicts:
            return None
        value = value_of(delta, before, value)
    if len(path) > max_depth:
        raise TooDeep
    whole = tree_edit.value_set(containers, path, value, before, delta)
    depth = len(containers) - 1
    key, changed = path[depth], containers[depth]
    keys = range(len(changed), key + 1) if type(key) is int and key >= len(changed) else (key,)
    return ValueSet(MergeChange(whole.value, (), old, new.node, whole, mark), depth, keys, delta)


def _creates(step: Spread, containers: int) -> bool:
    """Whether a step that finds nothing creates what its path names; so many containers are there."""
    if step.select.whole:
        return containers == len(step.path)
    return (
        step.create
        and step.select.creates_keys
        and containers > len(step.path)
        and all(key < _MOST_PADDED for key in step.select.keys or () if type(key) is int)
    )


def _trail(path: Path) -> Any:
    trail: Any = None
    for key in path:
        trail = (trail, key, key)
    return trail


class _SpreadPlan:
    """The computation of one Spread."""

    def __init__(self, step: Spread, old: Node, new: New, mark: StepRef, run: MergeContext) -> None:
        self.step = step
        self.old = old
        self.base = step.path
        self.base_value = walk(old.value, step.path)
        self.new = new
        self.mark = mark
        self.run = run
        self.change = PlacedChange(new.node)

    def work_out(self) -> None:
        found, created = self.select()
        first = found[0]
        if self.step.each is not None and isinstance(first.value, (dict, list)):
            self.combine_each(first)
        else:
            self.combine(first, created)
        self.resolve()

    def select(self) -> tuple[list[Found], Any]:
        """The selected values, created if necessary, and the value they are in."""
        select, base_value = self.step.select, self.base_value
        found = select.find(base_value)
        if found:
            return found, base_value
        if not self.step.create:
            raise Unreachable((), base_value, f"has no {select.text}")
        try:
            creation = grow(base_value, select.pieces)
        except PartlyCreated as stunted:
            self.note_creation(stunted.creation)
            raise
        self.note_creation(creation)
        created = creation.applied(base_value) if creation else base_value
        found = select.find(created)
        if not found:
            raise Unreachable((), base_value, f"has no {select.text}, and that path cannot be created")
        return found, created

    def note_creation(self, creation: Creation | None) -> None:
        if creation is not None:
            self.change.creation = creation._replace(path=self.base + creation.path)

    def trail(self, path: Path) -> Any:
        return _trail(self.base + path)

    def delta(self, path: Path, before: Any) -> Delta:
        return self.step.policy.combine(before, self.new.value, self.trail(path), self.run)

    def combine_each(self, first: Found) -> None:
        assert self.step.each is not None
        if self.step.each.reject_empty and first.value == []:
            self.run.reject("nothing-left", first.value, self.new.value, self.trail(first.path))
        for inner in self.step.each.strings(first.value):
            path = first.path + inner
            before = walk(self.base_value, path)
            delta = self.delta(path, before)
            self.change.writes.append(Write(self.base + path, NEW, delta, value_of(delta, before, self.new.value)))

    def combine(self, first: Found, created: Any) -> None:
        before = first.value if created is self.base_value else MISSING
        delta = self.delta(first.path, before)
        if self.run.conflicts:
            return
        value = value_of(delta, before, self.new.value)
        targets, gap = reachable(self.step.select.targets(created, value))
        if targets == [(first.path, None)]:
            self.change.writes.append(Write(self.base + first.path, NEW, delta, value))
        else:
            self.write_all(targets, first.path, delta, value)
        if gap is not None:
            raise gap

    def write_all(self, targets: list[WriteTarget], first: Path, delta: Delta, value: Any) -> None:
        """Write one outcome at several locations, or the items of a list one by one."""
        if delta is not NEW:
            base = self.old.at(self.base + first)
            self.change.new = MergeChange(value, base.path, base, self.new.node, delta, self.mark)
        for target in targets:
            at = self.base + target.path
            if target.item is not None:
                item = value[target.item]
                self.change.writes.append(Write(at, Ref(item, "new", (target.item,)), NEW, item))
            else:
                self.change.writes.append(Write(at, NEW, NEW, value))

    def resolve(self) -> None:
        """Add created containers to the writes, and merge writes that lead into earlier ones."""
        if self.change.creation is not None:
            created_write = self.created_write(self.change.creation)
            if not any(overlap(write.path, innermost(created_write)) for write in self.change.writes):
                self.change.writes.insert(0, created_write)
        self.change.writes = _resolved(self.change.writes)

    def created_write(self, creation: Creation) -> Write:
        """A creation as a write; for a step that does not write there anyway."""
        return write_of_creation(creation, len(walk(self.old.value, creation.path)) if creation.items else 0)

    def left(self) -> Node | None:
        """What a failing step leaves behind: everything except writes to the outermost container.

        The program changes a copy of that and replaces it only at the end.
        """
        outermost = len(self.base)
        creation = self.change.creation
        if creation is not None and len(creation.path) - (not creation.items) <= outermost:
            return None
        self.resolve()
        writes = [write for write in self.change.writes if len(write.path) - 1 > outermost]
        if creation is not None and not writes:
            writes = [self.created_write(creation)]
        return make(PlacedChange(self.change.new, writes, creation), self.old, self.mark) if writes else None


def reachable(targets: Iterator[WriteTarget]) -> tuple[list[WriteTarget], Unreachable | None]:
    """The targets up to the first that cannot be written, and why not."""
    found: list[WriteTarget] = []
    try:
        for target in targets:
            found.append(target)  # noqa: PERF402 - what was found before a gap must be kept
    except Unreachable as gap:
        return found, gap
    return found, None


def _resolved(writes: list[Write]) -> list[Write]:
    """The writes, with those that lead into an earlier one merged into it."""
    resolved: dict[Path, Write] = {}
    for write in writes:
        outer = next((write.path[:end] for end in range(len(write.path)) if write.path[:end] in resolved), None)
        if outer is None:
            resolved.pop(write.path, None)
            resolved[write.path] = write
        else:
            resolved[outer] = _extended(resolved[outer], write)
    return list(resolved.values())


def _extended(outer: Write, write: Write) -> Write:
    inner = write._replace(path=write.path[len(outer.path) :])
    delta = with_writes(outer.value, [inner], outer.value)
    value = value_of(delta, outer.value, MISSING)
    return Write(outer.path, Compose(value, outer.side, NEW, delta), NEW, value)


def write_of_creation(creation: Creation, old_length: int) -> Write:
    """What was created, as a write; a list that was extended had `old_length` items."""
    if creation.items:
        path, value = (*creation.path, old_length + len(creation.items) - 1), creation.items[-1]
        return Write(path, Computed(value, _MADE, "new"), NEW, value)
    return Write(creation.path, Computed(creation.value, _MADE, "new"), NEW, creation.value)


def innermost(created_write: Write) -> Path:
    """The last location that was created."""
    path, value = created_write.path, created_write.value
    while value:
        key = next(reversed(value)) if isinstance(value, dict) else len(value) - 1
        path, value = (*path, key), value[key]
    return path


def overlap(one: Path, other: Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
