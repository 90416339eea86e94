"""Events on containers: a change of something inside says the same of every container on the way there.

Where values are put into others one by one (substitutions, patches), most events of a page are of this kind: each is
worked out once, and only the path differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.change import MergeChange
from lamina.engine.delta import MapDelta, Removed
from lamina.engine.history import verdict_of
from lamina.engine.plan import Step

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lamina.engine.node import Node


class CarriedEvents:
    """The events on containers that are known already, as the page has them."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[Node, tuple[Any, ...]]] = {}
        """With the node, since what it is found by is unique only while it lives."""

    def find(self, node: Node) -> tuple[Any, ...] | None:
        """The event of a node, if it is known; its path is that of another container."""
        known = self._known.get(_key(node))
        return known and known[1]

    def add(self, node: Node, fields: tuple[Any, ...]) -> None:
        """Remember an event, which containers further inside may have, too."""
        self._known[_key(node)] = node, fields


def _key(node: Node) -> Hashable:
    """What is the same for nodes with the same event.

    What happened to a value before it was put somewhere is the same node in every container.
    """
    if type(node) is MergeChange and type(node.delta) is MapDelta and _is_carried(node, node.delta):
        return id(node.cause), id(node.new), id(node.policy), verdict_of(node)
    return id(node)


def _is_carried(change: MergeChange, delta: MapDelta) -> bool:
    """Whether a change took its new side to a place inside, and nothing else is to be said of it."""
    return (
        delta.outer
        and change.marker is None
        and Removed not in map(type, delta.entries.values())
        and type(change.cause.step).directive_at is Step.directive_at
    )
