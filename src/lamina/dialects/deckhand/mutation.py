"""Mutation: a step executed in place, where a container may have several locations.

The step is executed on the containers of the heap one assignment after another, each on the result of those before, as
the program does it. Every assignment is then recorded at all locations it shows, in the output of the step and in
others: another output then changes by a step that is not its own, and its history shows that. Assignments to unrelated
paths are one state; an assignment to a path at, above or below an earlier one is its own later state.

A step that fails is reverted, except for what the program would leave behind: all it wrote but into the outermost
container, of which a copy is changed that replaces it only at the end.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.budget import BudgetExceeded
from lamina.dialects.deckhand.container_writes import Write
from lamina.dialects.deckhand.heap import Endless, Location, copied
from lamina.dialects.deckhand.jsonpath.growth import Growth, Stunted, grow
from lamina.dialects.deckhand.jsonpath.selector import HoldsItself, Unreachable
from lamina.dialects.deckhand.placement import Misplaced, New, TooDeep, dropped, removal, written
from lamina.dialects.deckhand.spread import innermost, made_by, overlap, reachable
from lamina.engine.alias_map import is_container
from lamina.engine.delta import NEW, OLD, Delta, MapDelta, Ref, value_of
from lamina.engine.merge_context import Conflict
from lamina.engine.node import LazyLookup, LiteralNode, MergedNode, Node
from lamina.paths import MISSING, Path, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.dialects.deckhand.heap import Heap
    from lamina.dialects.deckhand.jsonpath.selector import Found, WriteTarget
    from lamina.dialects.deckhand.steps import Drop, Spread
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import MergeCause
    from lamina.engine.policy import Policy, Trail
    from lamina.engine.run_record import Link


_RECORD = 200
"""How much of the budget it takes to record a change at one more location."""


class Scene(NamedTuple):
    """What a step is done to: its output as it is, all others, their containers, and what made the step."""

    output: str
    old: Node
    others: Mapping[str, Any]
    heap: Heap
    mark: MergeCause
    run: MergeContext
    links: set[Link]
    """Outputs that a step changes besides its own, or that have a container twice (see `lamina.engine.run_record`)."""

    def show_in(self, outputs: Iterable[str]) -> None:
        """What the step does shows in these outputs."""
        self.links.update((self.output, other) for other in outputs if other != self.output)


class _Assignment(NamedTuple):
    """Values put into a container, how that is recorded, and the locations of the container.

    `new` is the new side of `write`: None for that of the step; with `outcome` it is the container that the step has
    changed in place. Without `write` and `growth` nothing is recorded.
    """

    container: Any
    values: tuple[tuple[Any, Any], ...]
    locations: list[Location]
    write: Write | None = None
    growth: Growth | None = None
    new: Node | None = None
    outcome: bool = False


def spread(step: Spread, scene: Scene, new: New, room: int) -> Node:
    """The output of a Spread; what is written is at most `room` containers deep."""
    spreading = _SpreadRun(step, scene, new)
    try:
        spreading.work_out()
        if scene.run.conflicts:
            raise Misplaced(scene.run.conflicts, spreading.left())
        return spreading.recorded(room)
    except Unreachable as gap:
        clash = Conflict("no-such-place", gap.value, new.value, step.path + gap.path, (), gap.reason)
        left = spreading.left()
        final = isinstance(gap, HoldsItself) and (left is not None or new.leaks(scene.heap))
        raise Misplaced([clash], left, final=final) from None
    except Endless:
        scene.heap.undo()
        raise Misplaced([Conflict("endless", MISSING, new.value, step.path, (), "")], final=True) from None
    except (BudgetExceeded, TooDeep):
        scene.heap.undo()
        raise


def drop(step: Drop, scene: Scene) -> Node:
    """The output of a Drop."""
    heap = scene.heap
    path = dropped(step, heap.at(Location(scene.output, step.path)))
    if path is None:
        return scene.old
    container, key = heap.holder(Location(scene.output, step.path + path))
    recording = _Recording(scene, LiteralNode(MISSING, ()))
    for location in _locations(container, scene):
        recording.write(location.output, removal((*location.path, key)), recording.new)
    heap.remove(container, key)
    return recording.end()


def _locations(container: Any, scene: Scene) -> list[Location]:
    """The locations of a container; each but the first counts for what recording a change there takes."""
    found = scene.heap.locations(container, scene.run.spend)
    scene.run.spend((_RECORD + len(container)) * (len(found) - 1))
    scene.show_in(location.output for location in found)
    return found


class _SpreadRun:
    """One Spread being done."""

    def __init__(self, step: Spread, scene: Scene, new: New) -> None:
        self.step = step
        self.scene = scene
        self.heap = scene.heap
        self.run = scene.run
        self.new = new
        self.heap.commit()
        self.heap.adopt(scene.output, scene.old.value)
        self.base = Location(scene.output, step.path)
        self.below = self.heap.at(self.base)
        self.done: list[_Assignment] = []
        self.first: Path = ()
        self.taken = self.take()

    def take(self) -> Any:
        """What the step takes, as it is in the heap: a copy, one level deep where it is shared with its source."""
        new, location = self.new, self.new.location
        if not is_container(new.value):
            return new.value
        if location is None:
            return copied(new.value, aliases=new.aliased)
        if not (new.shared or self.heap.knows(location.output)):
            return copied(new.value, aliases=False)
        self.heap.adopt(location.output, self.scene.others[location.output].node.value)
        cell = self.heap.at(location) if new.cell is None else new.cell
        cell = [cell] if new.wrapped else cell
        return copy(cell) if new.shared else copied(cell, aliases=True)

    def work_out(self) -> None:
        first, grown = self.reach()
        self.first = first.path
        if self.step.each is not None and is_container(first.value):
            self.combine_each(first)
        else:
            self.combine(first, grown)

    def reach(self) -> tuple[Found, bool]:
        """The first thing selected, once it is there, and whether it had to be made."""
        select = self.step.select
        found = select.find(self.below)
        if found:
            return found[0], False
        if not self.step.create:
            raise Unreachable((), self.below, f"has no {select.text}")
        try:
            growth = grow(self.below, select.pieces)
        except Stunted as stunted:
            self.make(stunted.growth)
            raise
        self.make(growth)
        found = select.find(self.below)
        if not found:
            raise Unreachable((), self.below, f"has no {select.text}, and that path cannot be created")
        return found[0], growth is not None

    def make(self, growth: Growth | None) -> None:
        """Create what is missing on the path."""
        if growth is None:
            return
        if growth.items:
            container = self.at(growth.path)
            items = enumerate(growth.items, start=len(container))
            self.assign(
                container, *((position, copied(item, aliases=False)) for position, item in items), record=growth
            )
        else:
            container, key = self.heap.holder(self.location(growth.path))
            self.assign(container, (key, copied(growth.value, aliases=False)), record=growth)

    def location(self, path: Path) -> Location:
        return Location(self.base.output, self.base.path + path)

    def at(self, path: Path) -> Any:
        return self.heap.at(self.location(path))

    def assign(
        self,
        container: Any,
        *values: tuple[Any, Any],
        record: Write | Growth | None,
        new: Node | None = None,
        outcome: bool = False,
    ) -> None:
        """Put values into a container, and log how to record that."""
        locations = _locations(container, self.scene) if record is not None else []
        if record is None:  # the value is the same, but who shares it is not
            self.scene.show_in(self.heap.outputs_with(container))
        for key, value in values:
            self.heap.assign(container, key, value)
        growth, write = (record, None) if isinstance(record, Growth) else (None, record)
        self.done.append(_Assignment(container, values, locations, write, growth, new, outcome))

    def trail(self, path: Path) -> Trail:
        trail: Trail = None
        for key in self.base.path + path:
            trail = (trail, key, key)
        return trail

    def combine_each(self, first: Found) -> None:
        assert self.step.each is not None
        value = self.new.value
        if self.step.each.reject_empty and first.value == []:
            self.run.reject("nothing-left", first.value, value, self.trail(first.path))
        for inner in self.step.each.texts(first.value):
            # A string at two locations is visited twice, the second time with its new value.
            container, key = walk(first.value, inner[:-1]), inner[-1]
            before = container[key]
            delta = self.step.policy.combine(before, value, self.trail(first.path + inner), self.run)
            after = value_of(delta, before, value)
            self.assign(container, (key, after), record=Write((), NEW, delta, after))

    def combine(self, first: Found, grown: bool) -> None:
        before = MISSING if grown else first.value
        delta = self.step.policy.combine(before, self.new.value, self.trail(first.path), self.run)
        if self.run.conflicts:
            return
        if isinstance(delta, MapDelta):
            self.merge(before, (), self.step.policy)
            outcome = copy(before)
        else:
            outcome = self.taken if delta is NEW else copied(value_of(delta, before, MISSING), aliases=False)
        targets, gap = reachable(self.targets(outcome))
        for target in targets:
            self.put(target, first, delta, outcome, alone=len(targets) == 1)
        if gap is not None:
            raise gap

    def merge(self, container: dict[Any, Any], path: Path, policy: Policy) -> None:
        """Combine the new mapping at a path into a container, member by member: one may change what the next meets."""
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
            return self.step.select.targets(self.below, outcome)
        whole, new = copied([self.below, outcome], aliases=True)
        return self.step.select.targets(whole, new, spare=True)

    def put(self, target: WriteTarget, first: Found, delta: Delta, outcome: Any, *, alone: bool) -> None:
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
            value = self.new.value if delta is NEW else copied(outcome, aliases=False)
            if delta is NEW or (alone and target.path == first.path):
                self.assign(container, (key, outcome), record=Write((), NEW, delta, value))
            else:
                base = self.scene.old.at(self.base.path + first.path)
                new = MergedNode(value, base.path, base, self.new.node, delta, self.scene.mark)
                self.assign(container, (key, outcome), record=Write((), NEW, NEW, value), new=new)

    def left(self) -> Node | None:
        """Revert all but what a failing step leaves behind; the output after that, None if nothing is left."""
        self.heap.undo()
        outermost = (self.below, self.heap.holder(self.base)[0])
        lasting = [one for one in self.done if not any(one.container is outer for outer in outermost)]
        self.done = []
        for one in lasting:
            self.assign(one.container, *one.values, record=one.write or one.growth, new=one.new, outcome=one.outcome)
        return self.recorded() if self.done else None

    def recorded(self, room: int | None = None) -> Node:
        """The output with all assignments; they are recorded at their locations in other outputs, too."""
        recording = _Recording(self.scene, self.new.node)
        if room is not None and any(len(location.path) >= room for one in self.done for location in one.locations):
            raise TooDeep
        changed: LazyLookup | None = None
        for one in self.done:
            if one.outcome and changed is None:
                changed = LazyLookup(recording.state(self.base.output), self.base.path + self.first)
            recording.add(one, changed)
        self.heap.commit()
        itself = (self.scene.output, self.scene.output)
        if itself not in self.scene.links and self.heap.repeats_in(self.scene.output):
            self.scene.links.add(itself)
        return recording.end()


class _Batch:
    """Writes to unrelated paths of one output."""

    def __init__(self, node: Node, mark: MergeCause) -> None:
        self.node = node
        self.mark = mark
        self.new: Node | LazyLookup = node
        self.writes: list[Write] = []
        self.growths: list[Growth] = []
        self._written: set[Path] = set()
        self._above: set[Path] = set()

    def add(self, write: Write, new: Node | LazyLookup) -> None:
        if new is not self.new or self._touches(write.path):
            self.flush()
        self.new = new
        self.writes.append(write)
        self._written.add(write.path)
        self._above.update(write.path[:end] for end in range(len(write.path)))

    def _touches(self, path: Path) -> bool:
        return path in self._above or any(path[:end] in self._written for end in range(len(path) + 1))

    def flush(self) -> None:
        """Make a state of the writes; what was created and not written into is a state before that."""
        made = [made_by(one, len(walk(self.node.value, one.path)) if one.items else 0) for one in self.growths]
        if not all(any(overlap(write.path, innermost(one)) for write in self.writes) for one in made):
            self.node = written(self.node, self.new, made, self.growths, self.mark)
            self.growths = []
        if self.writes:
            self.node = written(self.node, self.new, self.writes, self.growths, self.mark)
        self.writes, self.growths = [], []
        self._written.clear()
        self._above.clear()


class _Recording:
    """The states of all outputs that a step changes."""

    def __init__(self, scene: Scene, new: Node | LazyLookup) -> None:
        self.scene = scene
        self.new = new
        self.batches: dict[str, _Batch] = {}

    def batch(self, output: str) -> _Batch:
        known = self.batches.get(output)
        if known is None:
            node = self.scene.old if output == self.scene.output else self.scene.others[output].node
            known = self.batches[output] = _Batch(node, self.scene.mark)
        return known

    def add(self, one: _Assignment, changed: LazyLookup | None) -> None:
        """Record an assignment at all its locations."""
        new: Node | LazyLookup = one.new or self.new
        write = one.write
        if one.outcome and write is not None and changed is not None:
            new, write = changed, write._replace(value=walk(changed.base.value, changed.path))
        for location in one.locations:
            if one.growth is not None:
                self.grow(location, one)
            elif write is not None:
                self.write(location.output, write._replace(path=(*location.path, one.values[0][0])), new)

    def grow(self, location: Location, one: _Assignment) -> None:
        assert one.growth is not None
        path = location.path if one.growth.items else (*location.path, one.values[0][0])
        batch = self.batch(location.output)
        batch.new = self.new
        batch.growths.append(one.growth._replace(path=path))

    def write(self, output: str, write: Write, new: Node | LazyLookup) -> None:
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
            if output != self.scene.output:
                self.scene.others[output].node = batch.node
        known = self.batches.get(self.scene.output)
        return known.node if known is not None else self.scene.old
