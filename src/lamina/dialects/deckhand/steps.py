"""Deckhand's own steps: writing and removing what a path selects, with shared containers.

Containers inside a value from another document stay the same objects as in the source (`shared`), so that a change is
visible in both. Nearly all steps set one value at a path of names, in a container that is nowhere else (`placement`);
all others are executed on the image of the containers (`mutation`), which is then recorded (`recording`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina.budget import BudgetExceeded
from lamina.dialects.deckhand import messages, mutation, placement
from lamina.dialects.deckhand.jsonpath.selector import Unreachable
from lamina.dialects.deckhand.placement import TakenValue, value_set
from lamina.engine.merge_context import DEEPEST, Conflict
from lamina.engine.node import ComputedNode
from lamina.engine.shared_containers import Location, SharedContainers
from lamina.engine.weight import Weights
from lamina.plugin import MISSING, From, LiteralNode, Merge, Node, OnFault, OutputRef, Path, StateRef
from lamina.plugin.operators import MergeContext, Step, StepFailure

if TYPE_CHECKING:
    from lamina.dialects.deckhand.jsonpath.selector import Found, Selector
    from lamina.dialects.deckhand.substitute_string import StringsWith
    from lamina.plugin import Run
    from lamina.plugin.operators import Cast, StepContext


@dataclass(slots=True, kw_only=True, eq=False)
class SelectedFrom(From):
    """A value that a selector finds in a source; nothing is selected in what is not a mapping if
    `whole_unless_mapping`."""

    select: Selector | None = None
    whole_unless_mapping: bool = False
    needed: bool = False
    """Nothing and null are an error (`nothing-to-take`); otherwise nothing is taken as null."""
    shared: bool = False
    """Containers inside the value stay those of the source; otherwise the value is a copy."""
    cast: Cast | None = None
    """What is made of the selected value."""

    @property
    def selects(self) -> bool:
        return self.select is not None

    def part_taken(self, node: Node) -> Path:
        found = next(iter(self.select.find(node.value)), None) if self.select is not None else None
        return found.path if found else ()


class SharedState:
    """What the steps of one run share: containers with several locations, their weights, and what was read last."""

    def __init__(self, run: Run) -> None:
        self.image = SharedContainers(run.spend)
        self.weights = Weights()
        self.reading: tuple[From, str, TakenValue] | None = None
        """What a step read last, and in which output."""

    def mutation_context(self, context: StepContext, run: MergeContext) -> mutation.MutationContext:
        """What a step that may change shared containers works on."""
        ref = context.ref
        return mutation.MutationContext(
            ref.output, context.node, context.results, self.image, ref, run, context.ledger.links
        )


@dataclass(slots=True, kw_only=True, eq=False)
class Spread(Merge):
    """Merge a value with the first one that is selected below the path, and write the outcome at all selected ones.

    If nothing is selected the locations are created, as far as the selector names them. Containers are changed in
    place, so that a change is visible wherever the container is. A step that fails leaves what it created.
    """

    select: Selector
    each: StringsWith | None = None
    """If the first location is a container, merge with every string inside it that this names instead."""
    target: Path | None = field(init=False)
    """The path that is written, if there is only one."""

    def __post_init__(self) -> None:
        keys = self.select.keys
        self.target = self.path + keys if keys is not None and self.each is None else None

    def apply(self, context: StepContext) -> Node:
        state, budget, old = context.ledger.state(SharedState), context.ledger.budget, context.node
        held = budget.nodes, budget.size
        new = _read_once(self, context, state)
        try:
            max_depth = sys.maxsize
            if new.location is not None:
                weight = state.weights.of(new.value)
                budget.spend(weight.nodes, weight.size)
                max_depth = DEEPEST - weight.depth
            return self._spread(context, state, new, max_depth)
        except placement.Misplaced as miss:
            budget.nodes, budget.size = held  # what was not built in the end costs nothing
            findings = [context.finding(conflict, old, new.node) for conflict in miss.conflicts]
            if miss.left is None or miss.final or self.on_fault is OnFault.STOP:
                raise StepFailure(*findings, final=miss.final) from None
            context.folded.skip(self, tuple(findings))
            return miss.left
        except BudgetExceeded as spent:
            failure = context.too_large(spent)
            budget.nodes, budget.size = held
            raise failure from None
        except placement.TooDeep:
            budget.nodes, budget.size = held
            raise StepFailure(
                messages.RESULT_TOO_DEEP.at(self.directive.origin, subject=self.subject, deepest=DEEPEST), final=True
            ) from None

    def _spread(self, context: StepContext, state: SharedState, new: TakenValue, max_depth: int) -> Node:
        """The output; the new value is at most `max_depth` containers deep."""
        image, old, ref, budget = state.image, context.node, context.ref, context.ledger.budget
        # A container put at two paths is one container.
        repeated = not self.select.single and isinstance(new.value, (dict, list))
        shares = repeated or new.shares_containers(image)
        whole = None if repeated else value_set(self, old, new, ref, max_depth, budget)
        if whole is not None and not (shares or image.knows(ref.output)):
            return whole.node
        everything = state.mutation_context(context, MergeContext(budget))
        node = None if whole is None else mutation.value_set(whole, everything, new, shares=shares)
        return mutation.spread(self, everything, new, max_depth) if node is None else node


@dataclass(slots=True, kw_only=True, eq=False)
class Probe(Step):
    """Read a value and do nothing with it: the step fails if it cannot be read."""

    take: From

    def apply(self, context: StepContext) -> Node:
        _read_once(self, context, context.ledger.state(SharedState))
        return context.node


@dataclass(slots=True, kw_only=True, eq=False)
class Drop(Step):
    """Remove the first thing that is selected below the path, or what is found first that equals it."""

    select: Selector
    path: Path = ()
    equal: bool = False

    def apply(self, context: StepContext) -> Node:
        state, old = context.ledger.state(SharedState), context.node
        try:
            state.image.add(context.ref.output, old.value)
            run = MergeContext(context.ledger.budget)
            return mutation.drop(self, state.mutation_context(context, run))
        except placement.Misplaced as miss:
            nothing = LiteralNode(MISSING, ())
            raise StepFailure(*(context.finding(conflict, old, nothing) for conflict in miss.conflicts)) from None
        except BudgetExceeded as spent:
            raise context.too_large(spent) from None


def _read_once(step: Spread | Probe, context: StepContext, state: SharedState) -> TakenValue:
    """What a step takes; consecutive steps of an output with the same From object read it once."""
    take, output, last = step.take, context.ref.output, state.reading
    if last is not None and last[0] is take and last[1] == output:
        again = last[2].again(state.image)
        if again is not None:
            return again
    new = _read_names(take, context, state.image) or _read(take, context, state.image)
    state.reading = (take, output, new)
    return new


def _read_names(take: From, context: StepContext, image: SharedContainers) -> TakenValue | None:
    """What names lead to in a source, as nearly always; None if it is to be read by `_read`."""
    source, path, shared = take.source, take.path, False
    if isinstance(take, SelectedFrom) and take.select is not None:
        if take.select.members is None:
            return None
        path, shared = path + take.select.members, take.shared
    if (isinstance(take, SelectedFrom) and take.cast is not None) or isinstance(source, StateRef):
        return None
    if isinstance(source, Node):
        node, location = source, None
    else:
        folded = context.results.get(source.name)
        if folded is None or folded.faults:
            return None
        node, location = folded.node, Location(source.name, path)
    value = node.value
    for name in path:
        if type(value) is not dict:
            return None
        value = value.get(name)
    if value is None or value is MISSING:
        return None
    if location is not None:
        context.folded.add_taken(location.output)
    return TakenValue(node.at(path), value, location, shared, _container_read(value, location, image))


def _read(take: From, context: StepContext, image: SharedContainers) -> TakenValue:
    node, path = context.take(take), take.path
    if not isinstance(take, SelectedFrom):
        return _new(node, _location(take, path), False, image)
    if take.select is not None:
        node, path = _selected(node, take, context)
    if take.cast is not None:
        return _new(_converted(node, take.cast, context), None, take.shared, image)  # what was converted is not shared
    return _new(node, _location(take, path), take.shared, image)


def _location(take: From, path: Path) -> Location | None:
    return Location(take.source.name, path) if isinstance(take.source, OutputRef) else None


def _new(node: Node, location: Location | None, shared: bool, image: SharedContainers) -> TakenValue:
    return TakenValue(node, node.value, location, shared, _container_read(node.value, location, image))


def _container_read(value: Any, location: Location | None, image: SharedContainers) -> Any:
    """The container of the image that is read, if the source is there."""
    is_there = location is not None and isinstance(value, (dict, list)) and image.knows(location.output)
    return image.container(location) if location is not None and is_there else None


def _converted(node: Node, cast: Cast, context: StepContext) -> Node:
    try:
        return ComputedNode(cast.change(node.value), node.path, (node,), cast.name)
    except ValueError as error:
        conflict = Conflict("bad-cast", MISSING, node.value, (), (), str(error))
        raise StepFailure(context.finding(conflict, LiteralNode(MISSING, ()), node)) from None


def _selected(source: Node, take: SelectedFrom, context: StepContext) -> tuple[Node, Path]:
    """The first selected value, and its path; nothing is an error if a value is needed, otherwise null."""
    assert take.select is not None
    full, path = source.value, take.path
    node, value = source, full
    if isinstance(full, dict) or not take.whole_unless_mapping:
        found = _first_selected(source, take.select, context)
        value = found.value if found else MISSING
        if found:
            node, path = source.at(found.path), path + found.path
            if node.value is not value:
                how = "a list of itself" if found.wrapped else "a character"
                node = ComputedNode(value, node.path, (node,), how)
    if value is None or value is MISSING:
        if take.needed:
            conflict = Conflict("nothing-to-take", MISSING, value, (), (), take.select.text)
            raise StepFailure(context.finding(conflict, LiteralNode(MISSING, ()), source), final=True)
        return (LiteralNode(None, path) if value is MISSING else node), path
    return node, path


def _first_selected(source: Node, select: Selector, context: StepContext) -> Found | None:
    try:
        return next(iter(select.find(source.value)), None)
    except Unreachable as gap:
        conflict = Conflict("no-such-source", MISSING, gap.value, (), gap.path, gap.reason)
        raise StepFailure(context.finding(conflict, LiteralNode(MISSING, ()), source), final=True) from None
