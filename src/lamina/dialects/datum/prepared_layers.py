"""The values of layers, prepared for the merge: what scripts give takes part in it.

The value at the looked-up path is evaluated, and so are the items of lists that lists of other layers meet. A table in
such a list can evaluate its tuple keys, by which items are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.handlers import Script, holds_script
from lamina.dialects.datum.scripts_in_values import containers_with, rebuilt
from lamina.engine.node import ComputedNode, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.dialects.datum.node_evaluator import NodeEvaluator


def prepared(evaluator: NodeEvaluator, hits: Sequence[Node]) -> list[Node]:
    """The values of several layers at a looked-up path, prepared for the merge."""
    if not evaluator.rules.invoke or len(hits) < 2:
        return list(hits)
    return _Preparation(evaluator).prepared(hits)


class _Preparation:
    def __init__(self, evaluator: NodeEvaluator) -> None:
        self._evaluated = evaluator.evaluated_for_merge

    def prepared(self, hits: Sequence[Node]) -> list[Node]:
        found = [self._evaluated(hit) if isinstance(hit.value, str) else hit for hit in hits]
        return [self._lists_evaluated(node, [each for each in found if each is not node]) for node in found]

    def _lists_evaluated(self, node: Node, others: Sequence[Node]) -> Node:
        containers = containers_with(node.value, holds_script)
        return self._lists(node, containers, [other.value for other in others]) if containers else node

    def _lists(self, node: Node, containers: frozenset[int], others: Sequence[Any]) -> Node:
        value = node.value
        if id(value) not in containers or not others:
            return node
        if isinstance(value, dict):

            def member(key: Any) -> Node:
                other_lists = [other[key] for other in others if isinstance(other, dict) and key in other]
                return self._lists(node.child(key), containers, other_lists)

            return rebuilt(node, member)
        return rebuilt(node, lambda at: self._item(node.child(at), containers))

    def _item(self, item: Node, containers: frozenset[int]) -> Node:
        """An item of a list that is merged: a string is evaluated, a table can evaluate its tuple keys."""
        if isinstance(item.value, str):
            return self._evaluated(item)
        if not isinstance(item.value, dict) or id(item.value) not in containers:
            return item

        def member(key: Any) -> Node:
            inner = item.child(key)
            if holds_script(inner.value):
                return self._with_value(inner)
            if isinstance(inner.value, list) and id(inner.value) in containers:
                return rebuilt(inner, lambda at: self._item(inner.child(at), containers))
            return inner

        return rebuilt(item, member)

    def _with_value(self, node: Node) -> Node:
        """A script as written, which knows its value in case it is that of a tuple key."""
        known: list[Any] = []

        def value_of() -> Any:
            if not known:
                known.append(self._evaluated(node).value)
            return known[0]

        return ComputedNode(Script.of(node.value, None, node, value_of), node.path, (node,), "as written")
