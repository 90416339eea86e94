"""Placement: the value that a step takes, and where a selector puts it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.dialects.deckhand.jsonpath.selector import Unreachable
from lamina.engine import tree_edit
from lamina.engine.alias_map import children, has_aliases, is_container
from lamina.engine.change import MergeChange
from lamina.engine.delta import value_of
from lamina.engine.merge_context import Conflict
from lamina.engine.node import ComputedNode
from lamina.plugin import MISSING, Node, Path, SourceNode
from lamina.plugin.operators import Delta, MergeContext

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.budget import Budget
    from lamina.dialects.deckhand.jsonpath.selector import WriteTarget
    from lamina.dialects.deckhand.steps import Drop, Spread
    from lamina.engine.shared_containers import Location, SharedContainers
    from lamina.engine.step_context import StepRef
    from lamina.plugin.operators import Trail


class Misplaced(Exception):
    """A step cannot be executed: the reasons, and the output that it leaves behind."""

    def __init__(self, conflicts: list[Conflict], left: Node | None = None, *, final: bool = False) -> None:
        super().__init__(conflicts)
        self.conflicts = conflicts
        self.left = left
        self.final = final
        """Whether the output cannot continue."""


class TooDeep(Exception):
    """A step would nest containers deeper than the limit."""


@dataclass(slots=True, eq=False)  # one for each step: a frozen one takes three times as long to make
class TakenValue:
    """What a step takes: a value and its node, its location in another output, and whether it is shared with that.
    `read` is the container of the image that was read, if its output was there by then."""

    node: Node
    value: Any
    location: Location | None = None
    shared: bool = False
    read: Any = None

    @property
    def wrapped(self) -> bool:
        """Whether the value is a list that a selector wrapped around it."""
        node = self.node
        if not isinstance(node, ComputedNode) or not isinstance(self.value, list) or len(self.value) != 1:
            return False
        return any(self.value[0] is one.value for one in node.bases)

    @property
    def aliased(self) -> bool:
        """Whether the value was written with aliases of one of its containers."""
        node = self.node
        return isinstance(node, SourceNode) and bool(node.positions.aliases) and has_aliases(self.value)

    def again(self, image: SharedContainers) -> TakenValue | None:
        """The same value for a later step; None if reading it again gives the same.

        The container was read, not its content: it may have changed since, and may have no location any more.
        """
        if self.location is None or not is_container(self.value):
            return self
        if self.read is None or image.at(self.location) is self.read:
            return None
        value = image.plain([self.read] if self.wrapped else self.read)
        if value == self.value:
            return self
        changed = ComputedNode(value, self.location.path, (self.node,), "as it was read")
        return replace(self, node=changed, value=value)

    def shares_containers(self, image: SharedContainers) -> bool:
        """Whether containers will have two locations once the value is written."""
        if not is_container(self.value):
            return False
        if self.location is None:
            return self.aliased
        if self.shared:
            return any(is_container(inner) for _, inner in children(self.value))
        return image.knows(self.location.output) and image.has_repeats(
            image.at(self.location) if self.read is None else self.read
        )


class ValueSet(NamedTuple):
    """An output with one value set: its node, where, the container that changes, the keys set in it, the delta."""

    node: Node
    target: Path
    container: Path
    keys: Sequence[Any]
    delta: Delta


_MOST_PADDED = 1000
"""Up to which position a list is padded here; there is a limit to what may be created (see `creation`)."""


def value_set(
    step: Spread, old: Node, new: TakenValue, mark: StepRef, max_depth: int, budget: Budget
) -> ValueSet | None:
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
    run = MergeContext(budget)
    delta = step.policy.combine(before, value, trail_of(path), run)
    if run.conflicts:
        return None
    value = value_of(delta, before, value)
    if len(path) > max_depth:
        raise TooDeep
    whole = tree_edit.value_set(containers, path, value, delta)
    depth = len(containers) - 1
    key, changed = path[depth], containers[depth]
    keys = range(len(changed), key + 1) if type(key) is int and key >= len(changed) else (key,)
    return ValueSet(MergeChange(whole.value, (), old, new.node, whole, mark), path, path[:depth], keys, delta)


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


def trail_of(path: Path) -> Trail:
    trail: Trail = None
    for key in path:
        trail = (trail, key, key)
    return trail


def reachable(targets: Iterator[WriteTarget]) -> tuple[list[WriteTarget], Unreachable | None]:
    """The targets up to the first that cannot be written, and why not."""
    found: list[WriteTarget] = []
    try:
        for target in targets:
            found.append(target)  # noqa: PERF402 - what was found before a gap must be kept
    except Unreachable as gap:
        return found, gap
    return found, None


def dropped(step: Drop, below: Any) -> Path | None:
    """The path that a Drop removes from a value; None if it is not inside it."""
    try:
        found = step.select.find(below)
    except Unreachable as gap:
        conflict = Conflict("no-such-place", gap.value, MISSING, step.path + gap.path, (), gap.reason)
        raise Misplaced([conflict]) from None
    if not found or found[0].value is None:
        raise Misplaced([Conflict("nothing-to-drop", MISSING, MISSING, step.path, (), "")])
    return _first_equal(below, found[0].value) if step.equal else found[0].path


def _first_equal(value: Any, wanted: Any) -> Path | None:
    """The path of the first value inside another that equals the wanted one; the outer value is not compared."""
    if value == wanted:
        return None
    pending: list[tuple[Path, Any]] = [((), value)]
    while pending:
        path, current = pending.pop()
        if path and current == wanted:
            return path
        pending.extend(reversed([((*path, key), inner) for key, inner in children(current)]))
    return None
