"""Nodes: all there are, the layers each resolves to, and their resultant sets one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lamina.dialects.datum.hierarchy import Hierarchy
from lamina.dialects.extensions import NodeLayer, NodeLayers
from lamina.engine.provenance import first_origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.datum.options import DatumOptions
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result


def list_nodes(inputs: Inputs, options: DatumOptions) -> Iterator[NodeLayers]:
    """Every node with the layers it resolves to."""
    hierarchy = Hierarchy(inputs, options)
    for name, node in hierarchy.nodes():
        places = hierarchy.view(node).places
        layers = tuple(NodeLayer(place.prefix.text, place.path, place.file, place.prefix.origin) for place in places)
        yield NodeLayers(name, first_origin(node), layers)


def node_names(inputs: Inputs, options: DatumOptions) -> list[str]:
    """The names of all nodes, in the order of their files."""
    return [name for name, _ in Hierarchy(inputs, options).nodes()]


def render_node(inputs: Inputs, options: DatumOptions, name: str) -> Result:
    """The resultant set of one node, or the lookup the options ask for; no file is read again for it."""
    from lamina.dialects.datum.dialect import DIALECT
    from lamina.views.render import render_with

    return render_with(DIALECT, inputs, replace(options, node=name, all_nodes=False))


def render_nodes(inputs: Inputs, options: DatumOptions) -> Iterator[tuple[str, Result]]:
    """Every node with its resultant set, or with the lookup the options ask for; files are read once for all."""
    for name in node_names(inputs, options):
        yield name, render_node(inputs, options, name)
