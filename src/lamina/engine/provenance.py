"""Lineage: which origins the content of a value has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.engine.delta import NEW, OLD, Compose, Computed, Delta, ListDelta, MapDelta, Ref, Slice, TextDelta
from lamina.engine.node import ComputedNode, DeferredNode, InheritedNode, MergedNode, Node, SourceNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.engine.delta import SideName
    from lamina.engine.node import Later
    from lamina.origins import Origin
    from lamina.paths import Path


def origins_of(node: Node) -> list[Origin]:
    """Every origin of the content of a node's value, in the order of the value."""
    while type(node) is MergedNode and (node.delta is NEW or node.delta is OLD):
        node = node.new if node.delta is NEW else node.old
    if type(node) is SourceNode:  # most values come from one place
        return [node.origin()]
    return list(dict.fromkeys(written.origin() for written in writings_of(node)))


def writings_of(node: Node) -> Iterator[SourceNode]:
    """Every node of a source that the content of a node's value comes from, in the order of the value."""
    return (each for each in walk_back(node, _sources) if isinstance(each, SourceNode))


def walk_back(node: Node, origins: Callable[[Node], Sequence[Node]]) -> Iterator[Node]:
    """A node and all nodes it was made from, each once, depth first; `origins` gives the direct ones of one node."""
    seen: dict[int, Node] = {}
    pending: list[Node] = [node]
    while pending:
        node = pending.pop()
        if id(node) not in seen:
            seen[id(node)] = node  # it is held, since its identity is unique only while it lives
            yield node
            pending.extend(reversed(origins(node)))


def past_of(node: Node) -> Sequence[Node]:
    """All that a node was made from or instead of."""
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
    """The nodes a node's content comes from."""
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
        return [node.opened(delta)]
    if isinstance(delta, MapDelta):
        return [node.old, node.new] if any(entry is not OLD for entry in delta.entries.values()) else [node.old]
    if isinstance(delta, TextDelta):
        return [source for part in delta.parts if not isinstance(part, str) for source in _sources_of_delta(node, part)]
    if isinstance(delta, ListDelta):
        return _sources_of_list(node, delta)
    return []


def _sources_of_list(node: MergedNode, delta: ListDelta) -> list[Node]:
    # An empty list is the old one: nothing came in.
    sides = dict.fromkeys(side for item in delta.items for side in _sides_of(item)) or {"old": None}
    return [node.side(side) for side in sides]


def _sides_of(item: Slice | Delta | Node | Later) -> tuple[SideName, ...]:
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


_MANY = 1 << 16
"""Nodes to remember; more than the history of one value has."""


class FirstWriting:
    """Finds the first node of a source that a node's value comes from and that passes a test.

    Each node is visited once, however many others come from it, so that a long history costs no more than its length.
    """

    def __init__(self, test: Callable[[SourceNode], bool] = lambda written: True) -> None:  # noqa: ARG005 - any will do
        self._test = test
        self._known: dict[int, tuple[Node, SourceNode | None]] = {}
        """What was found for each node; the node is held, since its identity is unique only while it lives."""

    def of(self, node: Node) -> SourceNode | None:
        """The first one, if there is any."""
        if isinstance(node, SourceNode):
            return node if self._test(node) else None
        if id(node) in self._known:
            return self._known[id(node)][1]
        if len(self._known) > _MANY:
            self._known.clear()
        way = [(node, iter(_sources(node)))]
        while way:
            source = next(way[-1][1], None)
            if source is None:
                self._keep(way.pop()[0], None)
            elif isinstance(source, SourceNode):
                if self._test(source):
                    return self._found(source, way)
            elif id(source) not in self._known:
                way.append((source, iter(_sources(source))))
            elif found := self._known[id(source)][1]:
                return self._found(found, way)
        return None

    def _found(self, written: SourceNode, way: list[tuple[Node, Iterator[Node]]]) -> SourceNode:
        """What was found is the first one for every node on the path to it: their earlier candidates had none."""
        for node, _ in way:
            self._keep(node, written)
        return written

    def _keep(self, node: Node, written: SourceNode | None) -> None:
        self._known[id(node)] = node, written


def layer_of(node: Node) -> str | None:
    """What the user calls the layer of a node: that of the first place its value was written in, if any."""
    first = next(writings_of(node), None)
    return first.layer if first else None


def first_origin(node: Node) -> Origin | None:
    """The first place the node's value was written in, if any."""
    first = next(writings_of(node), None)
    return first.origin() if first else None


class PathWalk:
    """Looks up path after path of one node; the common prefix of two consecutive paths is looked up once."""

    __slots__ = ("_nodes", "_path")

    def __init__(self, root: Node) -> None:
        self._nodes = [root]
        self._path: Path = ()

    def to(self, path: Path) -> Node:
        """The node at a path from the root."""
        common = 0
        for mine, other in zip(self._path, path, strict=False):
            if mine != other or type(mine) is not type(other):
                break
            common += 1
        del self._nodes[common + 1 :]
        for step in path[common:]:
            self._nodes.append(self._nodes[-1].child(step))
        self._path = path
        return self._nodes[-1]
