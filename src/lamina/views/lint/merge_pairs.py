"""Merge pairs: every pair of values that a step merged.

The nodes of a result know each merge. Walking back through the states of an output, and in every state down to
everything its step changed, gives each pair of values with the delta of their merge. Merged mappings are followed key
by key, lists item by item if their items were matched; a value that was kept or taken as a whole is one pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.engine.change import MergeChange
from lamina.engine.delta import Compose, ListDelta, MapDelta, Removed, Slice
from lamina.engine.log import changes_of
from lamina.engine.plan import Merge
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.delta import Delta
    from lamina.engine.node import Node
    from lamina.engine.plan import AnyStep
    from lamina.engine.step_context import Folded, StepRef
    from lamina.paths import Path


@dataclass(frozen=True, slots=True)
class MergePair:
    """Two values at one path of an output: `node` has both, and the delta."""

    node: MergeChange
    mark: StepRef

    @property
    def old(self) -> Node:
        return self.node.old

    @property
    def new(self) -> Node:
        return self.node.new

    @property
    def delta(self) -> Delta:
        return self.node.delta

    @property
    def path(self) -> Path:
        return self.node.path

    @property
    def output(self) -> str:
        return self.mark.output

    @property
    def step(self) -> AnyStep:
        return self.mark.step

    @property
    def both(self) -> bool:
        """Whether both sides have a value."""
        return self.old.value is not MISSING and self.new.value is not MISSING


def merge_pairs_of(folded: Folded) -> Iterator[MergePair]:
    """All merge pairs of an output, the latest step first."""
    for change in changes_of(folded.node):
        yield from _within(change, change.cause)


def _within(state: MergeChange, mark: StepRef) -> Iterator[MergePair]:
    stack: list[Node] = [state]
    while stack:
        node = stack.pop()
        if not isinstance(node, MergeChange) or node.cause is not mark:
            continue
        inner = _opened(node)
        children = [inner.child(key) for key in _changed_keys(inner.delta)] if inner is not None else []
        if not any(_is_unchanged(child, node) for child in children):
            yield MergePair(node, mark)
        stack.extend(children)


def _is_unchanged(child: Node, node: MergeChange) -> bool:
    """Whether a node is only on the way to the place where the new value is put, which its child is nearer to."""
    return isinstance(child, MergeChange) and child.cause is node.cause and child.new.value is node.new.value


def _opened(node: MergeChange) -> MergeChange | None:
    """The node whose delta has the members: inside a composition of two deltas it is theirs."""
    while isinstance(node.delta, Compose):
        inner = node.node_of(node.delta)
        if not isinstance(inner, MergeChange):
            return None
        node = inner
    return node


def _changed_keys(delta: Delta) -> Iterator[Any]:
    """The keys or positions a delta says something about by themselves."""
    if isinstance(delta, MapDelta):
        yield from delta.entries
    elif isinstance(delta, ListDelta):
        position = 0
        for item in delta.items:
            if isinstance(item, Slice):
                position += item.stop - item.start
            else:
                yield position
                position += 1


def markers_of(pair: MergePair) -> Iterator[tuple[Path, Node]]:
    """What a merge of nothing cleaned up, each with its path."""
    if not (isinstance(pair.step, Merge) and pair.step.cleans):
        return
    if isinstance(pair.delta, Removed):
        yield pair.path, pair.old
    elif isinstance(pair.delta, ListDelta):
        for lost in pair.delta.lost:
            if lost.marker is None and lost.item is not None:
                position = lost.item[1]
                yield (*pair.path, position), pair.old.child(position)


def removing_nodes(node: MergeChange) -> Iterator[Node]:
    """The markers and values by which a merged node lost something."""
    delta = node.delta
    if isinstance(delta, ListDelta):
        for lost in delta.lost:
            if lost.marker is not None:
                yield node.side(lost.marker[0]).at(lost.marker[1])
    elif isinstance(delta, Removed):
        if node.marker is not None:
            yield node.marker
        elif delta.by == "new":
            yield node.new
