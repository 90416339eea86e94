"""Secrecy: which values are hidden wherever values are explained.

A value in a source is secret or not. Whatever was made from a secret value is secret too, through any number of
outputs; values that it replaced, or that are next to it, are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.engine.node import SourceNode
from lamina.engine.provenance import FirstSourceNode, node_taken

if TYPE_CHECKING:
    from lamina.engine.node import Node

SECRET: Final = "(secret)"
"""Shown instead of a secret."""


def secret_sources() -> FirstSourceNode:
    """Finds the first secret source node that a node's value was made from; visits each node once."""
    return FirstSourceNode(lambda source: source.holds_secret)


def is_secret(node: Node) -> bool:
    """Whether anything a node's value was made from is secret, or contains something that is."""
    node = node_taken(node)
    return node.holds_secret if type(node) is SourceNode else secret_sources().of(node) is not None
