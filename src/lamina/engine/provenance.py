"""Provenance: the sources that the content of a value comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.engine.delta import NEW, OLD, Compose, Computed, Delta, ListDelta, MapDelta, Ref, Slice, TextDelta
from lamina.engine.merged_node import InheritedNode, MergedNode
from lamina.engine.node import ComputedNode, DeferredNode, LiteralNode, Node, SourceNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.engine.delta import SideName
    from lamina.engine.merged_node import LazyLookup
    from lamina.origins import Origin


def origins_of(node: Node) -> list[Origin]:
    """Every origin that a node's value comes from, in the order of the value."""
    node = node_taken(node)
    if type(node) is SourceNode:  # most values come from one place
        return [node.origin()]
    return list(dict.fromkeys(written.origin() for written in source_nodes_of(node)))


def node_taken(node: Node) -> Node:
    """The node that a value comes from as it is, through any number of merges."""
    while type(node) is MergedNode and (node.delta is NEW or node.delta is OLD):
        node = node.new if node.delta is NEW else node.old
    return node


def source_nodes_of(node: Node) -> Iterator[SourceNode]:
    """Every source node that a node's value comes from, in the order of the value."""
    node = node_taken(node)
    if type(node) is SourceNode:
        return iter((node,))
    return (each for each in walk_back(node, _sources) if isinstance(each, SourceNode))


def walk_back(node: Node, origins: Callable[[Node], Sequence[Node]]) -> Iterator[Node]:
    """A node and all nodes it was made from, each once, depth first; `origins` returns the direct ones of a node."""
    seen: dict[int, Node] = {}
    pending: list[Node] = [node]
    while pending:
        node = pending.pop()
        if id(node) not in seen:
            seen[id(node)] = node  # a reference is kept because an id is unique only while its object exists
            yield node
            pending.extend(reversed(origins(node)))


def source_nodes_behind(node: Node) -> list[SourceNode]:
    """Every source node in the history of a node, whether its value was used or replaced, in the order of `walk_back`.

    The same as walking back by `predecessors_of`, without a call for each node: most histories consist of merges.
    """
    found: list[SourceNode] = []
    seen: dict[int, Node] = {}
    pending: list[Node] = [node]
    while pending:
        node = pending.pop()
        if type(node) is MergedNode:
            node = node.followed_back(seen, pending)
        key = id(node)
        if type(node) is LiteralNode or key in seen:
            continue
        seen[key] = node
        if isinstance(node, SourceNode):
            found.append(node)
        else:
            pending.extend(reversed(predecessors_of(node)))
    return found


def predecessors_of(node: Node) -> Sequence[Node]:
    """The nodes that a node was made from, and those it replaced."""
    if isinstance(node, MergedNode):
        return (node.old, node.new)
    if isinstance(node, ComputedNode):
        return node.bases
    if isinstance(node, InheritedNode):
        return (node.content, node.before, node.container)
    if isinstance(node, DeferredNode):
        return (node.resolved(),)
    return ()


def _sources(node: Node) -> list[Node]:
    """The nodes that a node's value comes from."""
    if isinstance(node, ComputedNode):
        return list(node.bases)
    if isinstance(node, InheritedNode):
        return [node.content]
    if isinstance(node, MergedNode):
        return _sources_of_delta(node, node.delta)
    if isinstance(node, DeferredNode):
        return [node.resolved()]
    return []


def _sources_of_delta(node: MergedNode, delta: Delta) -> list[Node]:
    if delta is OLD:
        return [node.old]
    if delta is NEW:
        return [node.new]
    if isinstance(delta, Computed) and delta.side is None:
        return [node.old, node.new]
    if isinstance(delta, (Ref, Computed, Compose)):
        return [node.node_of(delta)]
    if isinstance(delta, MapDelta):
        return [node.old, node.new] if any(entry is not OLD for entry in delta.entries.values()) else [node.old]
    if isinstance(delta, TextDelta):
        return [source for part in delta.parts if not isinstance(part, str) for source in _sources_of_delta(node, part)]
    if isinstance(delta, ListDelta):
        return _sources_of_list(node, delta)
    return []


def _sources_of_list(node: MergedNode, delta: ListDelta) -> list[Node]:
    # An empty list is the old one: no item was added.
    sides = dict.fromkeys(side for item in delta.items for side in _sides_of(item)) or {"old": None}
    return [node.side(side) for side in sides]


def _sides_of(item: Slice | Delta | Node | LazyLookup) -> tuple[SideName, ...]:
    if isinstance(item, Slice):
        return (item.side,) if item.stop > item.start else ()
    if isinstance(item, (Ref, Computed)) and item.side is not None:
        return (item.side,)
    if isinstance(item, Compose):
        if item.delta is OLD:
            return _sides_of(item.old)
        if item.delta is NEW:
            return _sides_of(item.new)
        return (*_sides_of(item.old), *_sides_of(item.new))
    return ("old", "new")


_MAX_CACHED = 1 << 16
"""How many nodes are cached; more than the history of one value has."""


class FirstSourceNode:
    """Finds the first source node that a node's value comes from and that passes a test.

    Each node is visited once, however many others come from it, so the cost is linear in the length of the history.
    """

    def __init__(self, test: Callable[[SourceNode], bool] = lambda written: True) -> None:  # noqa: ARG005 - any will do
        self._test = test
        self._known: dict[int, tuple[Node, SourceNode | None]] = {}
        """The result for each node; with the node, because an id is unique only while its object exists."""

    def of(self, node: Node) -> SourceNode | None:
        """The first source node of a node, if there is one."""
        if isinstance(node, SourceNode):
            return node if self._test(node) else None
        if id(node) in self._known:
            return self._known[id(node)][1]
        if len(self._known) > _MAX_CACHED:
            self._known.clear()
        stack = [(node, iter(_sources(node)))]
        while stack:
            source = next(stack[-1][1], None)
            if source is None:
                self._store(stack.pop()[0], None)
            elif isinstance(source, SourceNode):
                if self._test(source):
                    return self._found(source, stack)
            elif id(source) not in self._known:
                stack.append((source, iter(_sources(source))))
            elif found := self._known[id(source)][1]:
                return self._found(found, stack)
        return None

    def _found(self, written: SourceNode, stack: list[tuple[Node, Iterator[Node]]]) -> SourceNode:
        """Store the result for every node on the way to it: their earlier branches had none."""
        for node, _ in stack:
            self._store(node, written)
        return written

    def _store(self, node: Node, written: SourceNode | None) -> None:
        self._known[id(node)] = node, written


def layer_of(node: Node) -> str | None:
    """The layer of the first source node that a node's value comes from, if any."""
    first = next(source_nodes_of(node), None)
    return first.layer if first else None


def first_origin(node: Node) -> Origin | None:
    """The first origin of a node's value, if any."""
    first = next(source_nodes_of(node), None)
    return first.origin() if first else None
