"""Levels: the entries of a hierarchy as they are written, and what they resolve to for a node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from lamina.errors import LaminaError
from lamina.protocol.extensions import NodeLayer, NodeLayers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.sources.source import Source


@dataclass(frozen=True, slots=True)
class Level:
    """One entry of a hierarchy: its pattern, with variables in it, and where it is written."""

    pattern: str
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class ResolvedLevel:
    """A level of one node: the path it resolves to, and the file, if there is one."""

    level: Level
    path: str
    source: Source | None

    def as_layer(self) -> NodeLayer:
        """What commands show of it."""
        file = None if self.source is None else self.source.name
        return NodeLayer(self.level.pattern, self.path, file, self.level.origin)


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A node of a hierarchy, and where it is written."""

    name: str
    origin: Origin | None


AnyNode = TypeVar("AnyNode", bound=NamedNode)


def layers_of_nodes(
    nodes: Iterable[AnyNode], resolve: Callable[[AnyNode], tuple[Iterable[NodeLayer], Iterable[Note]]]
) -> Iterator[NodeLayers]:
    """Every node with the layers it resolves to and what is worth noting of them; one whose layers cannot be found has
    the reason instead."""
    for node in nodes:
        try:
            layers, notes = resolve(node)
            yield NodeLayers(node.name, node.origin, tuple(layers), tuple(notes))
        except LaminaError as error:
            yield NodeLayers(node.name, node.origin, (), tuple(error.diagnostics))
