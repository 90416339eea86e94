"""Provenance: the sources that the content of a value comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.engine.change import MergeChange, PartOfChange
from lamina.engine.delta import NEW, OLD, Compose, Computed, Delta, ListDelta, MapDelta, Ref, Slice
from lamina.engine.log import Place
from lamina.engine.node import ComputedNode, Node, SourceNode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from lamina.engine.delta import SideName
    from lamina.origins import Origin


class VisitedNodes:
    """The nodes that a walk through histories has come to."""

    def __init__(self) -> None:
        self._places: set[Hashable] = set()
        self._keys: set[Hashable] = set()
        self._alive: list[Node] = []
        """Nodes that are known by their id, which is unique only while they exist."""

    def arrive(self, node: Node) -> Node | None:
        """What a node is resolved to; None if the walk was there before."""
        if type(node) is Place:
            if node.key in self._places:
                return None
            self._places.add(node.key)
        node = node.resolved()
        key = identity(node)
        if key in self._keys:
            return None
        self._keys.add(key)
        self._alive.append(node)
        return node


def identity(node: Node) -> Hashable:
    """What identifies a resolved node while it exists."""
    if isinstance(node, (MergeChange, PartOfChange)) and node.key is not None:
        return node.key
    if isinstance(node, PartOfChange) and node.container.key is not None:
        log, number, path = node.container.key
        return log, number, (*path, *node.path[len(node.container.path) :])
    return id(node)


def origins_of(node: Node) -> list[Origin]:
    """Every origin that a node's value comes from, in the order of the value."""
    node = node_taken(node)
    if type(node) is SourceNode:  # most values come from one place
        return [node.origin()]
    return list(dict.fromkeys(written.origin() for written in source_nodes_of(node)))


def node_taken(node: Node) -> Node:
    """The node that a value comes from as it is, through any number of changes."""
    node = node.resolved()
    while type(node) is MergeChange and (node.delta is NEW or node.delta is OLD):
        node = (node.new if node.delta is NEW else node.old).resolved()
    return node


def source_nodes_of(node: Node) -> Iterator[SourceNode]:
    """Every source node that a node's value comes from, in the order of the value."""
    node = node_taken(node)
    if type(node) is SourceNode:
        return iter((node,))
    return (each for each in walk_back(node, _sources) if isinstance(each, SourceNode))


def whole_parts_of(node: Node) -> Iterator[SourceNode]:
    """What a value consists of: its largest parts that are in one source as they are.

    Of a part that was made from several sources each of them is reported.
    """
    pending = [node]
    while pending:
        here = node_taken(pending.pop())
        value = here.value
        if type(here) is SourceNode:
            yield here
        elif value and isinstance(value, dict):
            pending.extend(_members(here))
        elif value and isinstance(value, (list, tuple)):
            pending.extend(here.child(position) for position in range(len(value)))
        else:
            yield from source_nodes_of(here)


def _members(node: Node) -> Iterator[Node]:
    """The members of a mapping. What a change left alone was there before, which is looked up once for all of them."""
    left = [*node.value]
    while type(node) is MergeChange and type(node.delta) is MapDelta:
        entries = node.delta.entries
        yield from (node.child(key) for key in left if key in entries)
        left = [key for key in left if key not in entries]
        node = node_taken(node.old)
    yield from map(node.child, left)


def walk_back(node: Node, origins: Callable[[Node], Sequence[Node]]) -> Iterator[Node]:
    """A node and all nodes it was made from, each once, depth first; `origins` returns the direct ones of a node."""
    visited = VisitedNodes()
    pending: list[Node] = [node]
    while pending:
        here = visited.arrive(pending.pop())
        if here is not None:
            yield here
            pending.extend(reversed(origins(here)))


def source_nodes_behind(node: Node) -> list[SourceNode]:
    """Every source node in the history of a node, whether its value was used or replaced."""
    return [each for each in walk_back(node, predecessors_of) if isinstance(each, SourceNode)]


def predecessors_of(node: Node) -> Sequence[Node]:
    """The nodes that a resolved node was made from, and those it replaced."""
    if isinstance(node, MergeChange):
        return (node.old, node.new)
    if isinstance(node, ComputedNode):
        return node.bases
    if isinstance(node, PartOfChange):
        return (node.content, node.before, node.container)
    return ()


def _sources(node: Node) -> list[Node]:
    """The nodes that the value of a resolved node comes from."""
    if isinstance(node, ComputedNode):
        return list(node.bases)
    if isinstance(node, PartOfChange):
        return [node.content]
    if isinstance(node, MergeChange):
        return _sources_of_delta(node, node.delta)
    return []


def _sources_of_delta(node: MergeChange, delta: Delta) -> list[Node]:
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
    if isinstance(delta, ListDelta):
        return _sources_of_list(node, delta)
    return []


def _sources_of_list(node: MergeChange, delta: ListDelta) -> list[Node]:
    # An empty list is the old one: no item was added.
    sides = dict.fromkeys(side for item in delta.items for side in _sides_of(item)) or {"old": None}
    return [node.side(side) for side in sides]


def _sides_of(item: Slice | Delta | Node) -> tuple[SideName, ...]:
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
        self._known: dict[Hashable, tuple[Node, SourceNode | None]] = {}
        """The result for each node; with the node, because an id is unique only while its object exists."""

    def of(self, node: Node) -> SourceNode | None:
        """The first source node of a node, if there is one."""
        node = node.resolved()
        if isinstance(node, SourceNode):
            return node if self._test(node) else None
        known = self._known.get(identity(node))
        if known is not None:
            return known[1]
        if len(self._known) > _MAX_CACHED:
            self._known.clear()
        stack = [(node, iter(_sources(node)))]
        while stack:
            source = next(stack[-1][1], None)
            if source is None:
                self._store(stack.pop()[0], None)
                continue
            source = source.resolved()
            known = self._known.get(identity(source))
            if isinstance(source, SourceNode):
                if self._test(source):
                    return self._found(source, stack)
            elif known is None:
                stack.append((source, iter(_sources(source))))
            elif known[1] is not None:
                return self._found(known[1], stack)
        return None

    def _found(self, written: SourceNode, stack: list[tuple[Node, Iterator[Node]]]) -> SourceNode:
        """Store the result for every node on the way to it: their earlier branches had none."""
        for node, _ in stack:
            self._store(node, written)
        return written

    def _store(self, node: Node, written: SourceNode | None) -> None:
        self._known[identity(node)] = node, written


def layer_of(node: Node) -> str | None:
    """The layer of the first source node that a node's value comes from, if any."""
    first = next(source_nodes_of(node), None)
    return first.layer if first else None


def first_origin(node: Node) -> Origin | None:
    """The first origin of a node's value, if any."""
    first = next(source_nodes_of(node), None)
    return first.origin() if first else None


def key_origin(node: SourceNode) -> Origin:
    """The origin to show for a written value: that of its key if it has one, else its own."""
    if node.path and isinstance(node.path[-1], str) and node.index > 0:
        return node.positions.origin(node.index - 1)
    return node.origin()
