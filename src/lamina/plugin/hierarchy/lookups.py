"""Lookups: the values that the layers of a node have for a key, and what is made of them.

A hit knows its value at once; where it comes from is made when somebody asks, since of a node with thousands of keys
hardly any is ever explained. A lookup is the step that brings what hits came to: the outputs that merged them are in
its `inner` ones, so that a plan shows each merge with its rule and its line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.engine.node import ComputedNode, Node, PartsOnDemand
from lamina.engine.plan import From, Output, Start

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence


class Hit:
    """The value that a layer has for a key, or that a lookup came to."""

    __slots__ = ("_node", "layer", "outputs", "value")

    def __init__(
        self,
        value: Any,
        node: Node | Callable[[], Node],
        layer: str = "",
        outputs: Callable[[], Iterable[Output]] = tuple,
    ) -> None:
        self.value = value
        self._node = node
        self.layer = layer
        """What it is called in plans: a file, or the output of a merge."""
        self.outputs = outputs
        """The outputs that it was made by, the first one first."""

    @property
    def node(self) -> Node:
        """The value with where it comes from."""
        if not isinstance(self._node, Node):
            self._node = self._node()
        return self._node

    @property
    def take(self) -> From:
        """What a step takes."""
        return From(source=self.node, layer=self.layer)


@dataclass(slots=True, kw_only=True, eq=False)
class Lookup(Start):
    """The step that brings what was looked up."""

    made_by: Callable[[], Iterable[Output]] = tuple

    def inner(self) -> Iterable[Output]:
        """The outputs of the lookup, each once."""
        return {output.name: output for output in self.made_by()}.values()


def looked_up(
    values: Mapping[Any, Any], node_of: Callable[[Any], Node], may_be_secret: Collection[Any] = ()
) -> ComputedNode:
    """A mapping of values that were looked up by key; their nodes are made when somebody asks."""
    return ComputedNode.of_parts(values, (), PartsOnDemand(values, node_of, may_be_secret))


def first_of(layers: Sequence[Mapping[Any, Any]]) -> dict[Any, Any]:
    """What the highest layer has for each key, the highest layer first; the keys are in the order in which they are
    met."""
    found: dict[Any, Any] = {}
    for layer in layers:
        found.update(layer)
    for layer in reversed(layers):
        found.update(layer)
    return found
