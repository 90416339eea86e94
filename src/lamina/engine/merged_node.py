"""Merged nodes: two values combined, and the parts of what was combined as a whole.

The child of a merged node follows from its delta: where both sides have the key, it is the merge of their two
children. A child that was removed has a node too, with the value MISSING, since a key may be deleted and set again and
its history must not be lost.

Where one list replaces another, its items cannot be matched with the old ones by position: what happened to an item
happened to the list. Such a child is an `InheritedNode` of the merged list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from lamina.engine.delta import (
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
    TextDelta,
    value_of,
)
from lamina.engine.node import ComputedNode, LiteralNode, Node
from lamina.engine.operators.whole import DESCEND
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.engine.delta import SideName
    from lamina.engine.policy import Cases, Policy


class MergeCause(Protocol):
    """The step that created a merged node, as far as nodes use it: the verdict for a value it sets, if not `set`."""

    @property
    def verb(self) -> str | None: ...


class LazyLookup:
    """A base and a path, in place of a node that is looked up only on demand. So a child costs one step back, however
    many steps built the value.

    With a `side`, the path starts at that side of the base, which is itself looked up on demand: a value may have been
    forwarded from output to output any number of times.
    """

    __slots__ = ("base", "path", "side")

    def __init__(self, base: Node, path: Path, side: SideName | None = None) -> None:
        self.base = base
        self.path = path
        self.side = side

    def resolved(self) -> Node:
        base = self.base
        if self.side is not None:
            assert isinstance(base, MergedNode)
            base = base.side(self.side)
        for key in self.path:
            base = base.child(key)
        return base


class MergedNode(Node):
    """Two nodes combined; the delta says which part of the value comes from which side.

    `policy` is the policy that decided, if known; `marker` is the node that removed the value, if it is not a side.
    """

    __slots__ = ("_new", "_old", "cause", "delta", "marker", "policy", "verdict")

    def __init__(
        self,
        value: Any,
        path: Path,
        old: Node | LazyLookup,
        new: Node | LazyLookup,
        delta: Delta,
        cause: MergeCause,
        verdict: str | None = None,
        policy: Policy | None = None,
        marker: Node | None = None,
    ) -> None:
        self.value = value  # not through the base class: most nodes are created here
        self.path = path
        self._old = old
        self._new = new
        self.policy = policy
        self.marker = marker
        self.delta = delta
        self.cause = cause
        self.verdict = verdict

    @property
    def old(self) -> Node:
        side = self._old
        if type(side) is LazyLookup:
            side = self._old = side.resolved()
        return side  # type: ignore[return-value]  # it was looked up above

    @property
    def new(self) -> Node:
        side = self._new
        if type(side) is LazyLookup:
            side = self._new = side.resolved()
        return side  # type: ignore[return-value]  # likewise

    def merges(self) -> tuple[Node, list[MergedNode]]:
        """The node that the first of the merges up to this one started with, and those merges in order."""
        found = [self]
        node = self._old if type(self._old) is MergedNode else self.old
        while type(node) is MergedNode:
            found.append(node)
            # Most are known already, and a property takes a call.
            node = node._old if type(node._old) is MergedNode else node.old
        found.reverse()
        return node, found

    def followed_back(self, seen: dict[int, Node], others: list[Node]) -> Node:
        """The node that the merges up to this one started with, or the first one of them that was seen before.

        Adds the merges to those that were seen, and to `others` what they merged, unless the program created that.
        """
        node: Node = self
        while type(node) is MergedNode and id(node) not in seen:
            seen[id(node)] = node
            # Most sides are known already, and a property takes a call.
            new = node.new if type(node._new) is LazyLookup else node._new
            if type(new) is not LiteralNode:
                others.append(new)  # type: ignore[arg-type]  # it was looked up above
            node = node.old if type(node._old) is LazyLookup else node._old  # type: ignore[assignment]  # likewise
        return node

    def side(self, name: SideName) -> Node:
        """The old or the new node."""
        return self.old if name == "old" else self.new

    def marked(self, old: Node, cause: MergeCause, path: Path | None = None) -> MergedNode:
        """The same merge onto an equal old node, made by another step, perhaps at another path."""
        path = self.path if path is None else path
        return MergedNode(self.value, path, old, self._new, self.delta, cause, self.verdict, self.policy, self.marker)

    def as_delta(self) -> Compose:
        """This merge as a part of a larger one that has the same cause."""
        return Compose(self.value, self._old, self._new, self.delta)

    def child(self, key: Any) -> Node:
        # A value may have been replaced thousands of times: hence a loop and not a recursion.
        node: Node = self
        waiting: list[tuple[MergedNode, Any, Node | None]] = []
        while True:
            while type(node) is MergedNode:
                delta = node.delta
                if type(delta) is MapDelta and key not in delta.entries:
                    node = node._old if isinstance(node._old, MergedNode) else node.old  # most are known already
                elif delta is OLD or delta is NEW:
                    waiting.append((node, key, None))
                    node = node.old if delta is OLD else node.new
                elif type(delta) is ListDelta and (position := node._position_in_old(key, delta)) is not None:
                    node, key = node.old, position
                else:
                    break
            found = node._child(key) if isinstance(node, MergedNode) else node.child(key)
            while waiting:
                merge, key, own_child = waiting.pop()
                if own_child is None:
                    inside = merge._child_of_one_sided(key, found)
                else:
                    inside = merge._child_of_both(key, own_child, found)
                if inside is None:
                    waiting.append((merge, key, found))
                    node = merge.new if merge.delta is OLD else merge.old
                    break
                found = inside
            else:
                return found

    def _child(self, key: Any) -> Node:
        delta = self.delta
        if type(delta) is MapDelta:
            return self._child_of_mapping(key, delta)
        if type(delta) is ListDelta:
            return self._child_of_list(key, delta)
        if type(delta) is Removed:
            return self._child_of_removed(key)
        if type(delta) is TextDelta:
            return self._missing_child(key)
        inside = self.node_of(delta).child(key)
        if type(delta) is Ref and delta.side == "old" and inside.value is not MISSING:
            # It was a part of the old value and moved up with its container.
            return InheritedNode((*self.path, key), self, inside, inside)
        return inside

    def node_of(self, delta: Delta) -> Node:
        """The node of a delta that points into the sides."""
        return self._node_of_part(delta, self.path, self.old)

    def _child_of_one_sided(self, key: Any, own_child: Node) -> Node | None:
        """The child of a merge that took one side as it is, given that side's child.

        None if it depends on what the other side has there.
        """
        delta = self.delta
        winner, other = (self.old, self.new) if delta is OLD else (self.new, self.old)
        path = (*self.path, key)
        if type(other) is LiteralNode and other.value is MISSING:
            if delta is OLD or own_child.value is MISSING:
                return own_child
            nothing = LiteralNode(MISSING, path)
            return MergedNode(own_child.value, path, nothing, own_child, NEW, self.cause, None, self.policy)
        if not _matched_by_key(winner.value, other.value):
            return InheritedNode(path, self, own_child, own_child if delta is OLD else self.old)
        if delta is OLD or own_child.value is MISSING:
            return None
        before = LazyLookup(other, (key,))
        return MergedNode(own_child.value, path, before, own_child, NEW, self.cause, None, self.policy)

    def _child_of_both(self, key: Any, own_child: Node, other_child: Node) -> Node:
        """The child of a merge that took one side as it is, given the children of both sides."""
        path = (*self.path, key)
        if own_child.value is MISSING and other_child.value is MISSING:
            return other_child if type(own_child) is LiteralNode else own_child
        if self.delta is OLD:
            return own_child if other_child.value is MISSING else self._pair(own_child, other_child, path, OLD)
        return InheritedNode(path, self, own_child, other_child)

    def _pair(self, old: Node, new: Node, path: Path, delta: Delta) -> Node:
        value = value_of(delta, old.value, new.value)
        return MergedNode(value, path, old, new, delta, self.cause, None, self.policy, self._marker(delta))

    def _marker(self, delta: Delta) -> Node | None:
        if type(delta) is not Removed or delta.marker is None:
            return None
        side, path = delta.marker
        return self.side(side).at(path)

    def _child_of_mapping(self, key: Any, delta: MapDelta) -> Node:
        entry = delta.entries[key]
        path = (*self.path, key)
        if delta.outer and type(entry) is not Removed:
            return self._node_of_part(entry, path, self.old if type(entry) is Compose else self.old.child(key))
        old, new = self.old, self.new
        before, after = child(old.value, key), child(new.value, key)
        value = value_of(entry, before, after)
        policy = delta.under.get(key) if delta.under else None
        policy = policy or self._policy_of_member(key, before, after)
        sides = LazyLookup(old, (key,)), LazyLookup(new, (key,))
        return MergedNode(value, path, *sides, entry, self.cause, None, policy, self._marker(entry))

    def _policy_of_member(self, key: Any, before: Any, after: Any) -> Policy | None:
        """The policy that decided about a member: its own if its container's left it to that."""
        policy = self.policy
        if policy is None or policy.everywhere:
            return policy
        cases: Cases | None = getattr(policy.table.pick(self.old.value, self.new.value), "cases", None)
        return policy.entered(key) if cases is not None and cases.pick(before, after) is DESCEND else policy

    def _position_in_old(self, key: Any, delta: ListDelta) -> int | None:
        """The position in the old list of an item that was there as it is; None for all others."""
        if type(key) is not int or not 0 <= key < len(self.value):
            return None
        item, position = delta.at(key)
        return position if type(item) is Slice and item.side == "old" else None

    def _child_of_list(self, key: Any, delta: ListDelta) -> Node:
        path = (*self.path, key)
        if type(key) is not int or not 0 <= key < len(self.value):
            return self._missing_child(key)
        item, position = delta.at(key)
        if type(item) is Slice:  # of the new side: `child` has followed the old one
            new = self.new.child(position)
            nothing = LiteralNode(MISSING, path)
            return MergedNode(new.value, path, nothing, new, NEW, self.cause, "appended", self.policy)
        assert not isinstance(item, Slice)
        if item is OLD or item is NEW or not _points_inside(item):
            return self._pair(self.old, self.new, path, item)
        return self._node_of_part(item, path, LiteralNode(MISSING, path))

    def _missing_child(self, key: Any) -> Node:
        """The node for a key without a value; an older value there may still have a history."""
        before = self.old.child(key)
        return before if before.value is MISSING else LiteralNode(MISSING, (*self.path, key))

    def _child_of_removed(self, key: Any) -> Node:
        before = self.old.child(key)
        if before.value is MISSING:
            return before
        path = (*self.path, key)
        return InheritedNode(path, self, LiteralNode(MISSING, path), before)

    def _node_of_part(self, delta: Delta, path: Path, before: Node) -> Node:
        """The node of a delta that points into the sides; `before` is what was at the path."""
        if isinstance(delta, Compose):
            old, new = self._lazy_side(delta.old, path), self._lazy_side(delta.new, path)
            return MergedNode(delta.value, path, old, new, delta.delta, self.cause, None, self.policy)
        if isinstance(delta, Computed) and delta.side is None:
            return ComputedNode(delta.value, path, (self.old, self.new), delta.how)
        if isinstance(delta, (Ref, Computed)) and delta is not NEW and delta.side == "new":
            return self._pair(before, self._referenced(delta), path, NEW)
        return self._referenced(delta)

    def _lazy_side(self, delta: Delta | Node | LazyLookup, path: Path) -> Node | LazyLookup:
        """The node of one side of a Compose; a lookup on demand where it has to be searched for."""
        if delta is OLD or delta is NEW:
            side = self._old if delta is OLD else self._new
            return LazyLookup(self, (), "old" if delta is OLD else "new") if type(side) is LazyLookup else side
        if isinstance(delta, Ref):
            return LazyLookup(self, delta.path, delta.side)
        if isinstance(delta, (Node, LazyLookup)):
            return delta
        return self._referenced(delta, path)

    def _referenced(self, delta: Delta, path: Path | None = None) -> Node:
        """The node a delta refers to; `path` is for a delta that is itself a merge."""
        if isinstance(delta, Ref):
            return self.side(delta.side).at(delta.path)
        if isinstance(delta, Computed) and delta.side is not None:
            base = self.side(delta.side)
            if delta.paths is None:
                return ComputedNode(delta.value, base.path, (base,), delta.how)
            parts = {position: base.at(inner) for position, inner in enumerate(delta.paths)}
            return ComputedNode.of_parts(delta.value, base.path, parts)
        return self._node_of_part(delta, self.path if path is None else path, self.old)


class InheritedNode(Node):
    """A part of a container that was merged as a whole.

    `content` has the value; `before` is the earlier node at this path; `container` is the merged node that decided.
    """

    __slots__ = ("before", "container", "content")

    def __init__(self, path: Path, container: MergedNode, content: Node, before: Node) -> None:
        super().__init__(content.value, path)
        self.container = container
        self.content = content
        self.before = before

    def child(self, key: Any) -> Node:
        # It may have been a part of one thing after the other: a loop, as in a merged node.
        levels = [self]
        while type(levels[-1].content) is InheritedNode:
            levels.append(levels[-1].content)
        found = levels[-1].content.child(key)
        for level in reversed(levels):
            found = level._child_with(key, found)
        return found

    def _child_with(self, key: Any, content: Node) -> Node:
        """The child that has this content."""
        if self.before is self.content:
            before = content
        elif self.before is self.container.old:
            before = self.before
        else:
            before = self.before.child(key)
        if content.value is MISSING and before.value is MISSING:
            return before if type(content) is LiteralNode else content
        return InheritedNode((*self.path, key), self.container, content, before)


def _points_inside(delta: Delta) -> bool:
    """Whether the delta of a list item refers to something inside the two lists, not to the lists themselves."""
    return isinstance(delta, (Ref, Compose)) or (isinstance(delta, Computed) and delta.side is not None)


def _matched_by_key(winner: Any, other: Any) -> bool:
    """Whether children of the two compete for the same path: by key they do, by position they do not."""
    return isinstance(winner, dict) and (isinstance(other, dict) or other is MISSING)


def members_of(node: Node, keys: Sequence[Any]) -> list[Node]:
    """The children at some keys of a mapping; of one that as many steps made, in one pass through these."""
    owners: dict[Any, Node] = {}
    while type(node) is MergedNode and type(node.delta) is MapDelta:
        for key in node.delta.entries:
            owners.setdefault(key, node)  # what is there comes from the last step that has an entry for it
        node = node.old
    return [owners.get(key, node).child(key) for key in keys]
