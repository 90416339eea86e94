"""Values with their secrets replaced, for everything that shows values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.engine.node import ComputedNode, PartsOnDemand
from lamina.engine.provenance import node_taken, source_nodes_behind
from lamina.engine.secrecy import SECRET, secret_sources
from lamina.values import Unknown

if TYPE_CHECKING:
    from lamina.engine.node import Node
    from lamina.engine.provenance import FirstSourceNode

_MAX_CACHED: Final = 256
"""How many redacted collections are cached."""


def has_secret_history(node: Node) -> bool:
    """Whether a node, or anything it was made from or replaced, is secret; errs on the side of caution."""
    return any(each.holds_secret for each in source_nodes_behind(node))


class Redactor:
    """Redacts nodes with a common history, each node of which is visited once."""

    def __init__(self, first: FirstSourceNode | None = None) -> None:
        """`first` finds what is to be replaced; by default, all that is secret."""
        self._first = first or secret_sources()
        self._cache: dict[int, tuple[Node, Any]] = {}
        """Redacted collections by the id of their node: a list is needed once for each of its items."""

    def is_secret(self, node: Node) -> bool:
        """Whether anything a node's value was made from is secret, or contains something that is."""
        return self._first.of(node) is not None

    def redacted(self, node: Node) -> Any:
        """The value of a node with every secret in it replaced."""
        if not isinstance(node.value, (dict, list)) or _parts_on_demand(node) or not self.is_secret(node):
            return self._redacted(node)
        if id(node) not in self._cache:
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            self._cache[id(node)] = node, self._redacted(node)
        return self._cache[id(node)][1]

    def _redacted(self, node: Node) -> Any:
        value = node.value
        if isinstance(value, dict) and (parts := _parts_on_demand(node)) is not None:
            return {**value, **{key: self._redacted(node.child(key)) for key in parts.may_be_secret}}
        if not self.is_secret(node):
            return value
        if isinstance(value, dict) and value:
            return {key: self._redacted(node.child(key)) for key in value}
        if isinstance(value, list) and value:
            return [self._redacted(node.child(position)) for position in range(len(value))]
        # The text of an unknown value may quote what is secret, the reason does not.
        return Unknown(value.reason, value.at, None, value.hint) if isinstance(value, Unknown) else SECRET


def _parts_on_demand(node: Node) -> PartsOnDemand | None:
    """The parts of a node that knows which of them may be secret."""
    taken = node_taken(node)
    parts = taken.parts if type(taken) is ComputedNode else None
    return parts if isinstance(parts, PartsOnDemand) else None
