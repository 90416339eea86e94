"""Scripts in whole values: which containers hold some, and values with parts of them computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.change import MergeChange, PartOfChange
from lamina.engine.delta import NEW, Compose, Computed, Ref
from lamina.engine.node import ComputedNode, Node
from lamina.engine.provenance import source_nodes_of
from lamina.paths import MISSING
from lamina.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Callable


def any_string(root: Any, concerns: Callable[[Any], bool]) -> bool:
    """Whether such a string is anywhere in a container."""
    pending = [root]
    while pending:
        here = pending.pop()
        inside = here.values() if isinstance(here, dict) else here
        for value in inside:
            if isinstance(value, (dict, list)):
                pending.append(value)
            elif isinstance(value, str) and concerns(value):
                return True
    return False


def containers_with(root: Any, concerns: Callable[[Any], bool]) -> frozenset[int]:
    """The ids of all containers with such a string at any depth, and of the root itself if it is one."""
    found: set[int] = set()
    if isinstance(root, str):
        return frozenset({id(root)}) if concerns(root) else frozenset()
    done: set[int] = set()

    def visit(value: Any) -> bool:
        if isinstance(value, str):
            return concerns(value)
        if not isinstance(value, (dict, list)):
            return False
        if id(value) not in done:
            done.add(id(value))
            hits = [visit(inner) for inner in (value.values() if isinstance(value, dict) else value)]
            if any(hits):
                found.add(id(value))
        return id(value) in found

    visit(root)
    return frozenset(found)


def rebuilt(node: Node, part: Callable[[Any], Node]) -> Node:
    """A table or list with its parts computed; a script that gives a list is spliced into the list it is in, so that a
    list with a script whose value is not known is unknown."""
    value = node.value
    if isinstance(value, dict):
        parts = {key: part(key) for key in value}
        if all(parts[key].value is value[key] for key in value):
            return node
        return ComputedNode.of_parts({key: each.value for key, each in parts.items()}, node.path, parts)
    if not isinstance(value, list):
        return node
    row: list[Node] = []
    for at, raw in enumerate(value):
        found = part(at)
        if isinstance(found.value, Unknown) and isinstance(raw, str) and raw.lstrip().lower().startswith("[x="):
            return ComputedNode(found.value, node.path, (found,), "unknown")
        if isinstance(raw, str) and isinstance(found.value, list):
            row.extend(found.child(each) for each in range(len(found.value)))
        else:
            row.append(found)
    if len(row) == len(value) and all(each.value is raw for each, raw in zip(row, value, strict=True)):
        return node
    return ComputedNode.of_parts([each.value for each in row], node.path, dict(enumerate(row)))


def most_specific(node: Node) -> Node:
    """The most specific table of a merge, which has the merged table's own strings."""
    while True:
        node = node.resolved()
        if isinstance(node, MergeChange):
            if node.delta is NEW or node.old.value is MISSING:
                node = node.new
            elif isinstance(node.delta, (Ref, Computed, Compose)):
                node = node.node_of(node.delta)
            else:
                node = node.old
        elif isinstance(node, PartOfChange):
            node = node.content
        else:
            return node


def was_item(node: Node) -> bool:
    """Whether a value was written as the item of a list: a list of one item may have become the item."""
    written = next(source_nodes_of(node), None)
    return written is not None and bool(written.path) and isinstance(written.path[-1], int)
