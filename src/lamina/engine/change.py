"""Changes: what one step did to one value.

A change has the two operands of a merge as nodes, and the delta that says which part of the outcome comes from which
of them. The child of a change follows from its delta: where both sides have the key, it is the change of the two
children; where the step did nothing, it is the child of the old operand. A child that was removed has a change too,
with the value MISSING, since a key may be deleted and set again and its history must not be lost.

Where one list replaces another, its items cannot be matched with the old ones by position: what happened to an item
happened to the list. Such an item is a `PartOfChange`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.delta import (
    JOINED,
    NEW,
    OLD,
    Compose,
    Computed,
    Delta,
    ListDelta,
    MapDelta,
    Ref,
    Removed,
    Slice,
    value_of,
)
from lamina.engine.node import ComputedNode, LiteralNode, Node
from lamina.engine.operators.whole import DESCEND
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from lamina.engine.delta import SideName
    from lamina.engine.policy import Cases, Policy
    from lamina.engine.step_context import StepRef


class MergeChange(Node):
    """Two values combined at a path; the delta says which part of the outcome comes from which of them.

    `policy` is the policy that decided, if known; `marker` is the node that removed the value, if it is not a side.
    """

    __slots__ = ("cause", "delta", "key", "marker", "new", "old", "policy", "verdict")

    def __init__(
        self,
        value: Any,
        path: Path,
        old: Node,
        new: Node,
        delta: Delta,
        cause: StepRef,
        verdict: str | None = None,
        policy: Policy | None = None,
        marker: Node | None = None,
    ) -> None:
        self.value = value  # not through the base class: many are made
        self.path = path
        self.old = old
        self.new = new
        self.delta = delta
        self.cause = cause
        self.verdict = verdict
        self.policy = policy
        self.marker = marker
        self.key: tuple[int, int, Path] | None = None
        """What identifies it, where it was found in a log."""

    def side(self, name: SideName) -> Node:
        """The old or the new operand."""
        return self.old if name == "old" else self.new

    def as_delta(self) -> Compose:
        """This change as a part of a larger one that has the same cause."""
        return Compose(self.value, self.old, self.new, self.delta)

    def child(self, key: Any) -> Node:
        delta = self.delta
        if type(delta) is MapDelta:
            return self._child_of_mapping(key, delta)
        if delta is OLD or delta is NEW:
            return self._child_of_one_sided(key)
        if type(delta) is ListDelta:
            return self._child_of_list(key, delta)
        if type(delta) is Removed:
            before = self.old.child(key)
            if before.value is MISSING:
                return before
            return self._part(key, LiteralNode(MISSING, (*self.path, key)), before)
        if type(delta) is Computed and delta.how == JOINED:
            return self._missing_child(key)
        inner = self.node_of(delta).child(key)
        if type(delta) is Ref and delta.side == "old" and inner.value is not MISSING:
            # It was a part of the old value and moved up with its container.
            return self._part(key, inner, inner)
        return inner

    def part(self, path: Path, delta: Delta, policy: Policy | None) -> MergeChange:
        """The change of a part at a path, given the delta of that part, whose marker is one of the container."""
        old, new = self.old.at(path), self.new.at(path)
        made = self._change(value_of(delta, old.value, new.value), (*self.path, *path), old, new, delta, policy)
        if type(delta) is Removed and delta.marker is not None:
            side, marker_path = delta.marker
            made.marker = self.side(side).at((*path[:-1], *marker_path))
        return made

    def node_of(self, delta: Delta) -> Node:
        """The node of a delta that points into the sides."""
        return self._node_of_part(delta, self.path, self.old)

    def _child_of_one_sided(self, key: Any) -> Node:
        """The child of a change that took one side as it is."""
        is_old = self.delta is OLD
        winner, other = (self.old, self.new) if is_old else (self.new, self.old)
        own_child, path = winner.child(key), (*self.path, key)
        if not isinstance(winner.value, dict) and _is_nothing(other):
            if is_old or own_child.value is MISSING:
                return own_child
            return self._change(own_child.value, path, LiteralNode(MISSING, path), own_child, NEW)
        if not _matched_by_key(winner.value, other.value):
            return self._part(key, own_child, own_child if is_old else self.old)
        other_child = other.child(key)
        if own_child.value is MISSING and other_child.value is MISSING:
            return _with_past(own_child, other_child)
        if is_old:
            return own_child if other_child.value is MISSING else self._pair(own_child, other_child, path, OLD)
        if own_child.value is MISSING:
            return self._part(key, own_child, other_child)
        return self._change(own_child.value, path, other_child, own_child, NEW)

    def _part(self, key: Any, content: Node, before: Node) -> PartOfChange:
        return PartOfChange((*self.path, key), self, content, before)

    def _change(
        self, value: Any, path: Path, old: Node, new: Node, delta: Delta, policy: Policy | None = None
    ) -> MergeChange:
        """A change by the same cause."""
        return MergeChange(value, path, old, new, delta, self.cause, None, policy or self.policy)

    def _pair(self, old: Node, new: Node, path: Path, delta: Delta) -> MergeChange:
        made = self._change(value_of(delta, old.value, new.value), path, old, new, delta)
        if type(delta) is Removed and delta.marker is not None:
            side, marker_path = delta.marker
            made.marker = self.side(side).at(marker_path)
        return made

    def _child_of_mapping(self, key: Any, delta: MapDelta) -> Node:
        entry = delta.entries.get(key)
        old = self.old
        if entry is None:
            return old.child(key)
        path = (*self.path, key)
        if delta.outer and type(entry) is not Removed:
            return self._node_of_part(entry, path, old if type(entry) is Compose else old.child(key))
        policy = delta.under.get(key) if delta.under else None
        return self.part((key,), entry, policy or self._policy_of_member(key))

    def _policy_of_member(self, key: Any) -> Policy | None:
        """The policy that decided about a member: its own if its container's left it to that."""
        policy, old, new = self.policy, self.old.value, self.new.value
        if policy is None or policy.members is None:
            return policy
        cases: Cases | None = getattr(policy.table.pick(old, new), "cases", None)
        is_left = cases is not None and cases.pick(child(old, key), child(new, key)) is DESCEND
        return policy.entered(key) if is_left else policy

    def _child_of_list(self, key: Any, delta: ListDelta) -> Node:
        if type(key) is not int or not 0 <= key < len(self.value):
            return self._missing_child(key)
        item, position = delta.at(key)
        path = (*self.path, key)
        if isinstance(item, Slice):
            if item.side == "old":
                return self.old.child(position)
            new = self.new.child(position)
            made = self._change(new.value, path, LiteralNode(MISSING, path), new, NEW)
            made.verdict = "appended"
            return made
        if item is OLD or item is NEW or not _points_inside(item):
            return self._pair(self.old, self.new, path, item)
        return self._node_of_part(item, path, LiteralNode(MISSING, path))

    def _missing_child(self, key: Any) -> Node:
        """The node for a key without a value; an older value there may still have a history."""
        before = self.old.child(key)
        return before if before.value is MISSING else LiteralNode(MISSING, (*self.path, key))

    def _node_of_part(self, delta: Delta, path: Path, before: Node) -> Node:
        """The node of a delta that points into the sides; `before` is what was at the path."""
        if isinstance(delta, Compose):
            return self._change(
                delta.value, path, self._operand(delta.old, path), self._operand(delta.new, path), delta.delta
            )
        if isinstance(delta, Computed) and delta.side is None:
            return ComputedNode(delta.value, path, (self.old, self.new), delta.how)
        if isinstance(delta, (Ref, Computed)) and delta is not NEW and delta.side == "new":
            return self._pair(before, self._referenced(delta, path), path, NEW)
        return self._referenced(delta, path)

    def _operand(self, delta: Delta | Node, path: Path) -> Node:
        """The node of one side of a Compose."""
        if delta is OLD or delta is NEW:
            return self.old if delta is OLD else self.new
        return delta if isinstance(delta, Node) else self._referenced(delta, path)

    def _referenced(self, delta: Delta, path: Path) -> Node:
        """The node a delta refers to; `path` is for a delta that is itself a merge."""
        if isinstance(delta, Ref):
            return self.side(delta.side).at(delta.path)
        if isinstance(delta, Computed) and delta.side is not None:
            base = self.side(delta.side)
            if delta.paths is None:
                return ComputedNode(delta.value, base.path, (base,), delta.how)
            parts = {position: base.at(inner) for position, inner in enumerate(delta.paths)}
            return ComputedNode.of_parts(delta.value, base.path, parts)
        return self._node_of_part(delta, path, self.old)


class PartOfChange(Node):
    """A part of a container that was changed as a whole.

    `content` has the value; `before` is what was at this path, or the old container; `container` is the change.
    """

    __slots__ = ("before", "container", "content", "key")

    def __init__(self, path: Path, container: MergeChange, content: Node, before: Node) -> None:
        super().__init__(content.value, path)
        self.container = container
        self.content = content
        self.before = before
        self.key: tuple[int, int, Path] | None = None
        """What identifies it, where it was found in a log."""

    def child(self, key: Any) -> Node:
        content = self.content.child(key)
        if self.before is self.content:
            before = content
        elif self.before is self.container.old:
            before = self.before
        else:
            before = self.before.child(key)
        if content.value is MISSING and before.value is MISSING:
            return _with_past(content, before)
        return PartOfChange((*self.path, key), self.container, content, before)


def _with_past(first: Node, second: Node) -> Node:
    """The first of two nodes without a value that has a past, which tells what was there."""
    # Most are literal: the others are not resolved then, since their past may be long.
    if type(first) is LiteralNode:
        return second
    if type(second) is LiteralNode:
        return first
    return second if type(first.resolved()) is LiteralNode else first


def _is_nothing(node: Node) -> bool:
    """Whether there is no value and never was one."""
    return node.value is MISSING and type(node.resolved()) is LiteralNode


def _points_inside(delta: Delta) -> bool:
    """Whether the delta of a list item refers to something inside the two lists, not to the lists themselves."""
    return isinstance(delta, (Ref, Compose)) or (isinstance(delta, Computed) and delta.side is not None)


def _matched_by_key(winner: Any, other: Any) -> bool:
    """Whether children of the two compete for the same path: by key they do, by position they do not."""
    return isinstance(winner, dict) and (isinstance(other, dict) or other is MISSING)
