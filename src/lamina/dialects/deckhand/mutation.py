"""Mutation: a step executed in place, where a container may have several locations.

The step is executed on the containers of the heap one assignment after another, each on the result of those before, as
in the program. Every assignment is then recorded at all locations where it is visible, in the output of the step and in
others: another output then changes by a step that is not its own, and its history shows that. Assignments to unrelated
paths are one state; an assignment to a path at, above or below an earlier one is a separate, later state.

A step that fails is reverted, except for what the program would leave behind: everything except writes to the outermost
container, because the program changes a copy of that and replaces it only at the end.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.budget import BudgetExceeded
from lamina.dialects.deckhand.container_writes import Write
from lamina.dialects.deckhand.heap import ContainsItself, Location
from lamina.dialects.deckhand.jsonpath.creation import Creation, PartlyCreated, grow
from lamina.dialects.deckhand.jsonpath.selector import SelectsItself, Unreachable
from lamina.dialects.deckhand.placement import Misplaced, New, TooDeep, dropped, removal, written
from lamina.dialects.deckhand.spread import innermost, overlap, reachable, write_of_creation
from lamina.engine.alias_map import is_container
from lamina.engine.change import MergeChange
from lamina.engine.delta import NEW, OLD, Delta, MapDelta, Ref, value_of
from lamina.engine.merge_context import Conflict
from lamina.engine.node import LiteralNode, Node
from lamina.paths import MISSING, Path, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.dialects.deckhand.heap import Heap
    from lamina.dialects.deckhand.jsonpath.selector import Found, WriteTarget
    from lamina.dialects.deckhand.steps import Drop, Spread
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Policy, Trail
    from lamina.engine.step_context import Folded, Link, StepRef


RECORD = 200
"""The cost of recording a change at one more location."""


class MutationContext(NamedTuple):
    """What a step works on: its current output, the other outputs, their containers, and the cause."""

    output: str
    old: Node
    others: dict[str, Folded]
    heap: Heap
    mark: StepRef
    run: MergeContext
    links: set[Link]
    """Outputs that a step changes besides its own, or that have a container twice."""

    def show_in(self, outputs: Iterable[str]) -> None:
        """Record that the step changes these outputs."""
        self.links.update((self.output, other) for other in outputs if other != self.output)


class Assignment(NamedTuple):
    """Values put into a container, how that is recorded, and the locations of the container.

    `new` is the new side of `write`: None for that of the step; with `outcome` it is the container that the step has
    changed in place. Without `write` and `creation` nothing is recorded.
    """

    container: Any
    values: tuple[tuple[Any, Any], ...]
    locations: list[Location]
    write: Write | None = None
    creation: Creation | None = None
    new: Node | None = None
    outcome: bool = False


def spread(step: Spread, mutation_context: MutationContext, new: New, max_depth: int) -> Node:
    """The output of a Spread; the new value is at most `max_depth` containers deep."""
    spread_run = _SpreadRun(step, mutation_context, new)
    try:
        spread_run.work_out()
        if mutation_context.run.conflicts:
            raise Misplaced(mutation_context.run.conflicts, spread_run.left())
        return spread_run.recorded(max_depth)
    except Unreachable as gap:
        conflict = Conflict("no-such-place", gap.value, new.value, step.path + gap.path, (), gap.reason)
        left = spread_run.left()
        final = isinstance(gap, SelectsItself) and (left is not None or new.shares_containers(mutation_context.heap))
        raise Misplaced([conflict], left, final=final) from None
    except ContainsItself:
        mutation_context.heap.undo()
        raise Misplaced([Conflict("endless", MISSING, new.value, step.path, (), "")], final=True) from None
    except (BudgetExceeded, TooDeep):
        mutation_context.heap.undo()
        raise


def drop(step: Drop, mutation_context: MutationContext) -> Node:
    """The output of a Drop."""
    heap = mutation_context.heap
    path = dropped(step, heap.at(Location(mutation_context.output, step.path)))
    if path is None:
        return mutation_context.old
    container, key = heap.holder(Location(mutation_context.output, step.path + path))
    recording = Recording(mutation_context, LiteralNode(MISSING, ()))
    for location in _locations(container, mutation_context):
        recording.write(location.output, removal((*location.path, key)), recording.new)
    heap.remove(container, key)
    return recording.end()


def _locations(container: Any, mutation_context: MutationContext) -> list[Location]:
    """The locations of a container; each except the first costs the recording of a change."""
    found = mutation_context.heap.locations(container, mutation_context.run.spend)
    mutation_context.run.spend((RECORD + len(container)) * (len(found) - 1))
    mutation_context.show_in(location.output for location in found)
    return found


class _SpreadRun:
    """The execution of one Spread."""

    def __init__(self, step: Spread, mutation_context: MutationContext, new: New) -> None:
        self.step = step
        self.mutation_context = mutation_context
        self.heap = mutation_context.heap
        self.run = mutation_context.run
        self.new = new
        self.heap.commit()
        self.heap.adopt(mutation_context.output, mutation_context.old.value)
        self.base = Location(mutation_context.output, step.path)
        self.base_value = self.heap.at(self.base)
        self.done: list[Assignment] = []
        self.first: Path = ()
        self.taken = self.take()

    def take(self) -> Any:
        """The value that the step takes from the heap: a copy, shallow if it is shared with its source."""
        new, location = self.new, self.new.location
        if not is_container(new.value):
            return new.value
        if location is None:
            return self.heap.copied(new.value, aliases=new.aliased)
        if not (new.shared or self.heap.knows(location.output)):
            return self.heap.copied(new.value, aliases=False)
        self.heap.adopt(location.output, self.mutation_context.others[location.output].node.value)
        cell = self.heap.at(location) if new.cell is None else new.cell
        cell = [cell] if new.wrapped else cell
        return copy(cell) if new.shared else self.heap.copied(cell, aliases=True)

    def work_out(self) -> None:
        first, created = self.select()
        self.first = first.path
        if self.step.each is not None and is_container(first.value):
            self.combine_each(first)
        else:
            self.combine(first, created)

    def select(self) -> tuple[Found, bool]:
        """The first selected value, created if necessary, and whether it was created."""
        select = self.step.select
        found = select.find(self.base_value)
        if found:
            return found[0], False
        if not self.step.create:
            raise Unreachable((), self.base_value, f"has no {select.text}")
        try:
            creation = grow(self.base_value, select.pieces)
        except PartlyCreated as stunted:
            self.make(stunted.creation)
            raise
        self.make(creation)
        found = select.find(self.base_value)
        if not found:
            raise Unreachable((), self.base_value, f"has no {select.text}, and that path cannot be created")
        return found[0], creation is not None

    def make(self, creation: Creation | None) -> None:
        """Create what is missing on the path."""
        if creation is None:
            return
        if creation.items:
            container = self.at(creation.path)
            items = enumerate(creation.items, start=len(container))
            self.assign(
                container,
                *((position, self.heap.copied(item, aliases=False)) for position, item in items),
                record=creation,
            )
        else:
            container, key = self.heap.holder(self.location(creation.path))
            self.assign(container, (key, self.heap.copied(creation.value, aliases=False)), record=creation)

    def location(self, path: Path) -> Location:
        return Location(self.base.output, self.base.path + path)

    def at(self, path: Path) -> Any:
        return self.heap.at(self.location(path))

    def assign(
        self,
        container: Any,
        *values: tuple[Any, Any],
        record: Write | Creation | None,
        new: Node | None = None,
        outcome: bool = False,
    ) -> None:
        """Put values into a container, and log how to record that."""
        locations = _locations(container, self.mutation_context) if record is not None else []
        if record is None:  # the value is the same, but not its holders
            self.mutation_context.show_in(self.heap.outputs_with(container))
        for key, value in values:
            self.heap.assign(container, key, value)
        creation, write = (record, None) if isinstance(record, Creation) else (None, record)
        self.done.append(Assignment(container, values, locations, write, creation, new, outcome))

    def trail(self, path: Path) -> Trail:
        trail: Trail = None
        for key in self.base.path + path:
            trail = (trail, key, key)
        return trail

    def combine_each(self, first: Found) -> None:
        assert self.step.each is not None
        # What is taken may share containers with the document, so that a string changed here changes its text.
        value = self.taken
        if self.step.each.reject_empty and first.value == []:
            self.run.reject("nothing-left", first.value, value, self.trail(first.path))
        for inner in self.step.each.strings(first.value):
            # A string at two locations is visited twice, the second time with its new value.
            container, key = walk(first.value, inner[:-1]), inner[-1]
            before = container[key]
            delta = self.step.policy.combine(before, value, self.trail(first.path + inner), self.run)
            after = value_of(delta, before, value)
            self.assign(container, (key, after), record=Write((), NEW, delta, after))

    def combine(self, first: Found, created: bool) -> None:
        before = MISSING if created else first.value
        delta = self.step.policy.combine(before, self.new.value, self.trail(first.path), self.run)
        if self.run.conflicts:
            return
        if isinstance(delta, MapDelta):
            self.merge(before, (), self.step.policy)
            outcome = copy(before)
        else:
            outcome = self.taken if delta is NEW else self.heap.copied(value_of(delta, before, MISSING), aliases=False)
        targets, gap = reachable(self.targets(outcome))
        for target in targets:
            self.put(target, first, delta, outcome, is_only=len(targets) == 1)
        if gap is not None:
            raise gap

    def merge(self, container: dict[Any, Any], path: Path, policy: Policy) -> None:
        """Merge the new mapping at a path into a container, member by member: one may change the next."""
        for key, value in walk(self.new.value, path).items():
            old = {key: container[key]} if key in container else {}
            delta = policy.combine(old, {key: value}, None, self.run)
            entry = delta.entries.get(key, OLD) if isinstance(delta, MapDelta) else delta
            here = (*path, key)
            if isinstance(entry, MapDelta):
                self.merge(container[key], here, policy.enter(key))
            elif entry is not OLD:
                record = Write((), Ref(value, "new", here), entry, value)
                self.assign(container, (key, walk(self.taken, here)), record=record)

    def targets(self, outcome: Any) -> Any:
        """The paths to be written, computed on a copy."""
        if self.step.select.single:
            return self.step.select.targets(self.base_value, outcome)
        whole, new = self.heap.copied([self.base_value, outcome], aliases=True)
        return self.step.select.targets(whole, new, may_change=True)

    def put(self, target: WriteTarget, first: Found, delta: Delta, outcome: Any, *, is_only: bool) -> None:
        """Put the outcome, or an item of it, at a target."""
        container, key = self.heap.holder(self.location(target.path))
        merged = isinstance(delta, MapDelta)
        if target.item is not None:
            item = walk(self.new.value, (target.item,))
            record = Write((), Ref(item, "new", (target.item,)), NEW, item)
            self.assign(container, (key, outcome[target.item]), record=record)
        elif merged and target.path == first.path:
            # The container changed in place is there already, and a copy of it has the same content.
            self.assign(container, (key, outcome), record=None)
        elif merged:
            self.assign(container, (key, outcome), record=Write((), NEW, NEW, MISSING), outcome=True)
        else:
            value = self.new.value if delta is NEW else self.heap.copied(outcome, aliases=False)
            if delta is NEW or (is_only and target.path == first.path):
                self.assign(container, (key, outcome), record=Write((), NEW, delta, value))
            else:
                base = self.mutation_context.old.at(self.base.path + first.path)
                new = MergeChange(value, base.path, base, self.new.node, delta, self.mutation_context.mark)
                self.assign(container, (key, outcome), record=Write((), NEW, NEW, value), new=new)

    def left(self) -> Node | None:
        """Revert all but what a failing step leaves behind; returns the output, None if nothing is left."""
        self.heap.undo()
        outermost = (self.base_value, self.heap.holder(self.base)[0])
        remaining = [one for one in self.done if not any(one.container is outer for outer in outermost)]
        self.done = []
        for one in remaining:
            self.assign(one.container, *one.values, record=one.write or one.creation, new=one.new, outcome=one.outcome)
        return self.recorded() if self.done else None

    def recorded(self, max_depth: int | None = None) -> Node:
        """The output with all assignments; they are recorded at their locations in other outputs, too."""
        recording = Recording(self.mutation_context, self.new.node)
        if max_depth is not None and any(
            len(location.path) >= max_depth for one in self.done for location in one.locations
        ):
            raise TooDeep
        changed: Node | None = None
        for one in self.done:
            if one.outcome and changed is None:
                changed = recording.state(self.base.output).at(self.base.path + self.first)
            recording.add(one, changed)
        self.heap.commit()
        itself = (self.mutation_context.output, self.mutation_context.output)
        if itself not in self.mutation_context.links and self.heap.repeats_in(self.mutation_context.output):
            self.mutation_context.links.add(itself)
        return recording.end()


class _Batch:
    """Writes to unrelated paths of one output."""

    def __init__(self, node: Node, mark: StepRef) -> None:
        self.node = node
        self.mark = mark
        self.new: Node = node
        self.writes: list[Write] = []
        self.creations: list[Creation] = []
        self._written: set[Path] = set()
        self._ancestors: set[Path] = set()

    def add(self, write: Write, new: Node) -> None:
        if new is not self.new or self._overlaps(write.path):
            self.flush()
        self.new = new
        self.writes.append(write)
        self._written.add(write.path)
        self._ancestors.update(write.path[:end] for end in range(len(write.path)))

    def _overlaps(self, path: Path) -> bool:
        return path in self._ancestors or any(path[:end] in self._written for end in range(len(path) + 1))

    def flush(self) -> None:
        """Turn the writes into a state; created containers without writes are a state before that."""
        created_writes = [
            write_of_creation(one, len(walk(self.node.value, one.path)) if one.items else 0) for one in self.creations
        ]
        if not all(any(overlap(write.path, innermost(one)) for write in self.writes) for one in created_writes):
            self.node = written(self.node, self.new, created_writes, self.creations, self.mark)
            self.creations = []
        if self.writes:
            self.node = written(self.node, self.new, self.writes, self.creations, self.mark)
        self.writes, self.creations = [], []
        self._written.clear()
        self._ancestors.clear()


class Recording:
    """The states of all outputs that a step changes."""

    def __init__(self, mutation_context: MutationContext, new: Node) -> None:
        self.mutation_context = mutation_context
        self.new = new
        self.batches: dict[str, _Batch] = {}

    def batch(self, output: str) -> _Batch:
        known = self.batches.get(output)
        if known is None:
            node = (
                self.mutation_context.old
                if output == self.mutation_context.output
                else self.mutation_context.others[output].node
            )
            known = self.batches[output] = _Batch(node, self.mutation_context.mark)
        return known

    def add(self, one: Assignment, changed: Node | None) -> None:
        """Record an assignment at all its locations."""
        new: Node = one.new or self.new
        write = one.write
        if one.outcome and write is not None and changed is not None:
            new, write = changed, write._replace(value=changed.value)
        for location in one.locations:
            if one.creation is not None:
                self.grow(location, one)
            elif write is not None:
                self.write(location.output, write._replace(path=(*location.path, one.values[0][0])), new)

    def grow(self, location: Location, one: Assignment) -> None:
        assert one.creation is not None
        path = location.path if one.creation.items else (*location.path, one.values[0][0])
        batch = self.batch(location.output)
        batch.new = self.new
        batch.creations.append(one.creation._replace(path=path))

    def write(self, output: str, write: Write, new: Node) -> None:
        self.batch(output).add(write, new)

    def state(self, output: str) -> Node:
        """An output with all that was recorded up to now."""
        batch = self.batch(output)
        batch.flush()
        return batch.node

    def end(self) -> Node:
        """The output of the step; the others are changed."""
        for output, batch in self.batches.items():
            batch.flush()
            if output != self.mutation_context.output:
                others = self.mutation_context.others
                others[output] = others[output].with_node(batch.node)
        known = self.batches.get(self.mutation_context.output)
        return known.node if known is not None else self.mutation_context.old
