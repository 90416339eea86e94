"""Secrecy: whether anything in a value, or in what it displaced, is in a source marked as secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.engine.node import ComputedNode, Gathered, InheritedNode, MergedNode, SourceNode

if TYPE_CHECKING:
    from lamina.engine.node import Node


def holds_secret(node: Node) -> bool:
    """Whether a node, or anything it was made from or instead of, is secret; rather once too often than too rarely."""
    seen: set[int] = set()
    keep: list[Node] = []
    stack: list[Node] = [node]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        keep.append(node)
        if isinstance(node, SourceNode):
            if node.holds_secret:
                return True
        elif isinstance(node, MergedNode):
            stack += (node.old, node.new)
        elif isinstance(node, ComputedNode):
            stack += node.bases
        elif isinstance(node, Gathered):
            stack += node.parts.values()
        elif isinstance(node, InheritedNode):
            stack += (node.content, node.before, node.container)
    return False
