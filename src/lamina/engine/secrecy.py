"""Secrecy: what must not be shown to those who only ask where values come from.

Secrecy belongs to what was written. Whatever was made from something secret is secret too, however many outputs it went
through; what was replaced by it, or is beside it, is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.engine.node import SourceNode
from lamina.engine.provenance import FirstWriting, past_of, walk_back

if TYPE_CHECKING:
    from lamina.engine.node import Node

SECRET: Final = "(secret)"
"""What is shown in a secret's place."""
_FEW: Final = 256
"""Collections of which is remembered what is left."""


def is_secret(node: Node) -> bool:
    """Whether anything a node's value was made from is secret, or holds something that is."""
    return Secrets().are_in(node)


def has_secret_past(node: Node) -> bool:
    """Whether a node, or anything it was made from or instead of, is secret; rather once too often than too rarely."""
    return any(isinstance(each, SourceNode) and each.holds_secret for each in walk_back(node, past_of))


def without_secrets(node: Node) -> Any:
    """The value of a node with everything secret in it left out."""
    return Secrets().left_out(node)


class Secrets:
    """Finds the secrets in nodes that share a past, each node of it looked at once."""

    def __init__(self) -> None:
        self._first = FirstWriting(lambda written: written.holds_secret)
        self._known: dict[int, tuple[Node, Any]] = {}
        """What is left of some collections: that of a list is asked for once for each of its items."""

    def are_in(self, node: Node) -> bool:
        """Whether anything a node's value was made from is secret, or holds something that is."""
        return self._first.of(node) is not None

    def left_out(self, node: Node) -> Any:
        """The value of a node with everything secret in it left out."""
        if not isinstance(node.value, (dict, list)) or not self.are_in(node):
            return self._left_out(node)
        if id(node) not in self._known:
            if len(self._known) >= _FEW:
                self._known.clear()
            self._known[id(node)] = node, self._left_out(node)
        return self._known[id(node)][1]

    def _left_out(self, node: Node) -> Any:
        value = node.value
        if not self.are_in(node):
            return value
        if isinstance(value, dict) and value:
            return {key: self._left_out(node.child(key)) for key in value}
        if isinstance(value, list) and value:
            return [self._left_out(node.child(position)) for position in range(len(value))]
        return SECRET
