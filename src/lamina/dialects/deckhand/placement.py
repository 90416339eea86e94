"""Placement: the value that a step takes, and the changes at the locations a selector selects.

A step is first computed against the value as it is (`spread`, `drop`) and gives a `PlacedChange`, which is then
applied. This is for outputs in which no container has two locations; for the others see `mutation`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand.container_writes import Write, with_writes
from lamina.dialects.deckhand.jsonpath.selector import Unreachable
from lamina.engine.alias_map import children, has_aliases, is_container
from lamina.engine.change import MergeChange
from lamina.engine.delta import NEW, Removed, value_of
from lamina.engine.merge_context import Conflict
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.paths import MISSING, Path, walk

if TYPE_CHECKING:
    from lamina.dialects.deckhand.heap import Heap, Location
    from lamina.dialects.deckhand.jsonpath.creation import Creation
    from lamina.dialects.deckhand.steps import Drop
    from lamina.engine.step_context import StepRef


@dataclass(slots=True, eq=False)
class PlacedChange:
    """What a step writes, and what had to be created for it."""

    new: Node
    writes: list[Write] = field(default_factory=list)
    creation: Creation | None = None


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
class New:
    """What a step takes: a value and its node, its location in another output, and whether it is shared with that.
    `cell` is the container in the heap that was read, if its output was in the heap by then."""

    node: Node
    value: Any
    location: Location | None = None
    shared: bool = False
    cell: Any = None

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

    def again(self, heap: Heap) -> New | None:
        """The same value for a later step; None if reading it again gives the same.

        The container was read, not its content: it may have changed since, and may have no location any more.
        """
        if self.location is None or not is_container(self.value):
            return self
        if self.cell is None or heap.at(self.location) is self.cell:
            return None
        cell = [self.cell] if self.wrapped else self.cell
        value = heap.copied(cell, aliases=False)
        if value == self.value:
            return self
        changed = ComputedNode(value, self.location.path, (self.node,), "as it was read")
        return replace(self, node=changed, value=value, cell=cell)

    def shares_containers(self, heap: Heap) -> bool:
        """Whether containers will have two locations once the value is written."""
        if not is_container(self.value):
            return False
        if self.location is None:
            return self.aliased
        if self.shared:
            return any(is_container(inner) for _, inner in children(self.value))
        return heap.knows(self.location.output) and has_aliases(
            heap.at(self.location) if self.cell is None else self.cell
        )


def drop(step: Drop, old: Node, mark: StepRef) -> Node:
    """The output without what a Drop removes."""
    path = dropped(step, walk(old.value, step.path))
    return old if path is None else written(old, LiteralNode(MISSING, ()), [removal(step.path + path)], [], mark)


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


def removal(path: Path) -> Write:
    """A write that removes a path."""
    return Write(path, NEW, Removed(by=None), MISSING)


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


def make(change: PlacedChange, old: Node, mark: StepRef) -> Node:
    """The output of a step after its change."""
    if not change.writes:
        return old
    creations = [change.creation] if change.creation else []
    return written(old, change.new, change.writes, creations, mark)


def written(old: Node, new: Node, writes: list[Write], creations: list[Creation], mark: StepRef) -> Node:
    """A node with writes applied, and before them what had to be created for them."""
    created = old.value
    for creation in creations:
        created = creation.applied(created)
    delta = with_writes(old.value, writes, created)
    return MergeChange(value_of(delta, old.value, MISSING), (), old, new, delta, mark)
