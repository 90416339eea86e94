"""Mutation: a step executed in place, where a container may have several locations.

The step is executed on the image of the containers one assignment after another, each on the result of those before, as
in the program. Every assignment is then recorded at all locations where it is visible (see `recording`).

A step that fails is reverted, except for what the program would leave behind: everything except writes to the outermost
container, because the program changes a copy of that and replaces it only at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.budget import BudgetExceeded
from lamina.dialects.deckhand.jsonpath.creation import Creation, PartlyCreated, grow
from lamina.dialects.deckhand.jsonpath.selector import SelectsItself, Unreachable
from lamina.dialects.deckhand.placement import Misplaced, TakenValue, TooDeep, dropped, reachable, trail_of
from lamina.dialects.deckhand.recording import Recording, Write, removal
from lamina.engine.alias_map import is_container
from lamina.engine.change import MergeChange
from lamina.engine.delta import value_of
from lamina.engine.merge_context import Conflict
from lamina.engine.shared_containers import ContainsItself, Location
from lamina.plugin import MISSING, LiteralNode, Node, Path, walk
from lamina.plugin.operators import NEW, OLD, Delta, MapDelta, Ref

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.dialects.deckhand.jsonpath.selector import Found, WriteTarget
    from lamina.dialects.deckhand.placement import ValueSet
    from lamina.dialects.deckhand.steps import Drop, Spread
    from lamina.engine.shared_containers import SharedContainers
    from lamina.engine.step_context import Folded, Link, StepRef
    from lamina.plugin import Policy
    from lamina.plugin.operators import MergeContext, Trail


RECORD = 200
"""The cost of recording a change at one more location."""


class MutationContext(NamedTuple):
    """What a step works on: its current output, the other outputs, their containers, and the cause."""

    output: str
    old: Node
    others: dict[str, Folded]
    image: SharedContainers
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


def spread(step: Spread, mutation_context: MutationContext, new: TakenValue, max_depth: int) -> Node:
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
        final = isinstance(gap, SelectsItself) and (left is not None or new.shares_containers(mutation_context.image))
        raise Misplaced([conflict], left, final=final) from None
    except ContainsItself:
        mutation_context.image.undo()
        raise Misplaced([Conflict("endless", MISSING, new.value, step.path, (), "")], final=True) from None
    except (BudgetExceeded, TooDeep):
        mutation_context.image.undo()
        raise


def value_set(whole: ValueSet, mutation_context: MutationContext, new: TakenValue, *, shares: bool) -> Node | None:
    """The output with one value set, which is also set in the image; None if that takes more than setting it.

    `shares` says that the value has containers that others have, too.
    """
    image, output, path = mutation_context.image, mutation_context.output, whole.container
    if type(whole.delta) is MapDelta:
        return None  # its members are set one by one: one may change the next
    if shares and not (new.shared and new.location is not None and not new.wrapped and whole.delta is NEW):
        return None
    image.add(output, mutation_context.old.value)
    holder, rest = image.lowest(Location(output, path))
    if image.is_shared(holder):
        return None
    image.commit()
    if rest:
        image.assign(holder, rest[0], walk(whole.node.value, path[: len(path) + 1 - len(rest)]))
    else:
        changed = walk(whole.node.value, path)
        for key in whole.keys:
            image.assign(holder, key, changed[key])
    if shares:
        container, key = image.holder(Location(output, whole.target))
        try:
            image.assign(container, key, _taken(new, mutation_context))
        except ContainsItself:
            image.undo()
            return None
        _note_repeats(mutation_context)
    image.commit()
    return whole.node


def _taken(new: TakenValue, mutation_context: MutationContext) -> Any:
    """The value that a step takes: a copy, shallow if it is shared with its source."""
    location, image = new.location, mutation_context.image
    if not is_container(new.value):
        return new.value
    if location is None:
        return image.copied(new.value, aliases=new.aliased)
    if not (new.shared or image.knows(location.output)):
        return image.copied(new.value)
    image.add(location.output, mutation_context.others[location.output].node.value)
    read = image.container(location) if new.read is None else new.read
    read = [read] if new.wrapped else read
    return image.shallow_copy(read) if new.shared else image.copied(read)


def _note_repeats(mutation_context: MutationContext) -> None:
    """Record whether the output has a container twice."""
    itself = (mutation_context.output, mutation_context.output)
    if itself not in mutation_context.links and mutation_context.image.repeats_in(mutation_context.output):
        mutation_context.links.add(itself)


def drop(step: Drop, mutation_context: MutationContext) -> Node:
    """The output of a Drop."""
    image = mutation_context.image
    path = dropped(step, image.at(Location(mutation_context.output, step.path)))
    if path is None:
        return mutation_context.old
    container, key = image.holder(Location(mutation_context.output, step.path + path))
    recording = Recording(mutation_context, LiteralNode(MISSING, ()))
    for location in _locations(container, mutation_context):
        recording.write(location.output, removal((*location.path, key)), recording.new)
    image.remove(container, key)
    return recording.end()


def _locations(container: Any, mutation_context: MutationContext) -> list[Location]:
    """The locations of a container; each except the first costs the recording of a change."""
    found = mutation_context.image.locations(container)
    mutation_context.run.spend((RECORD + len(container)) * (len(found) - 1))
    mutation_context.show_in(location.output for location in found)
    return found


class _SpreadRun:
    """The execution of one Spread."""

    def __init__(self, step: Spread, mutation_context: MutationContext, new: TakenValue) -> None:
        self.step = step
        self.mutation_context = mutation_context
        self.image = mutation_context.image
        self.run = mutation_context.run
        self.new = new
        self.image.commit()
        self.image.add(mutation_context.output, mutation_context.old.value)
        self.base = Location(mutation_context.output, step.path)
        self.base_value = self.image.container(self.base)
        self.done: list[Assignment] = []
        self.first: Path = ()
        self.taken = _taken(new, mutation_context)

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
                *((position, self.image.copied(item)) for position, item in items),
                record=creation,
            )
        else:
            container, key = self.image.holder(self.location(creation.path))
            self.assign(container, (key, self.image.copied(creation.value)), record=creation)

    def location(self, path: Path) -> Location:
        return Location(self.base.output, self.base.path + path)

    def at(self, path: Path) -> Any:
        return self.image.container(self.location(path))

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
            self.mutation_context.show_in(self.image.outputs_with(container))
        for key, value in values:
            self.image.assign(container, key, value)
        creation, write = (record, None) if isinstance(record, Creation) else (None, record)
        self.done.append(Assignment(container, values, locations, write, creation, new, outcome))

    def trail(self, path: Path) -> Trail:
        return trail_of(self.base.path + path)

    def combine_each(self, first: Found) -> None:
        assert self.step.each is not None
        # What is taken may share containers with the document, so that a string changed here changes its text.
        value = self.taken
        if self.step.each.reject_empty and first.value == []:
            self.run.reject("nothing-left", first.value, value, self.trail(first.path))
        for inner in self.step.each.strings(first.value):
            # A string at two locations is visited twice, the second time with its new value.
            container, key = self.image.holder(self.location(first.path + inner))
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
            merged = self.at(first.path)
            self.merge(merged, (), self.step.policy)
            outcome = self.image.shallow_copy(merged)
        else:
            made = MISSING if delta is NEW else self.image.plain(value_of(delta, before, MISSING))
            outcome = self.taken if delta is NEW else self.image.copied(made)
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
                self.merge(self.image.inside(container, (key,)), here, policy.enter(key))
            elif entry is not OLD:
                record = Write((), Ref(value, "new", here), entry, value)
                self.assign(container, (key, self.image.inside(self.taken, here)), record=record)

    def targets(self, outcome: Any) -> Any:
        """The paths to be written, computed on a copy."""
        if self.step.select.single:
            return self.step.select.targets(self.base_value, outcome)
        whole, new = self.image.draft([self.base_value, outcome])
        return self.step.select.targets(whole, new, may_change=True)

    def put(self, target: WriteTarget, first: Found, delta: Delta, outcome: Any, *, is_only: bool) -> None:
        """Put the outcome, or an item of it, at a target."""
        container, key = self.image.holder(self.location(target.path))
        merged = isinstance(delta, MapDelta)
        if target.item is not None:
            item = walk(self.new.value, (target.item,))
            record = Write((), Ref(item, "new", (target.item,)), NEW, item)
            self.assign(container, (key, self.image.inside(outcome, (target.item,))), record=record)
        elif merged and target.path == first.path:
            # The container changed in place is there already, and a copy of it has the same content.
            self.assign(container, (key, outcome), record=None)
        elif merged:
            self.assign(container, (key, outcome), record=Write((), NEW, NEW, MISSING), outcome=True)
        else:
            value = self.new.value if delta is NEW else self.image.plain(outcome)
            if delta is NEW or (is_only and target.path == first.path):
                self.assign(container, (key, outcome), record=Write((), NEW, delta, value))
            else:
                base = self.mutation_context.old.at(self.base.path + first.path)
                new = MergeChange(value, base.path, base, self.new.node, delta, self.mutation_context.mark)
                self.assign(container, (key, outcome), record=Write((), NEW, NEW, value), new=new)

    def left(self) -> Node | None:
        """Revert all but what a failing step leaves behind; returns the output, None if nothing is left."""
        self.image.undo()
        outermost = (self.base_value, self.image.holder(self.base)[0])
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
        self.image.commit()
        _note_repeats(self.mutation_context)
        return recording.end()
