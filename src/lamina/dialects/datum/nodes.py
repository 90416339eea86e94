"""Nodes: their layers, and their resultant sets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lamina.dialects.datum.hierarchy import Hierarchy
from lamina.dialects.datum.precedence import missing_layers
from lamina.dialects.datum.tree import File
from lamina.dialects.extensions import FileStore, NodeLayer, NodeLayers
from lamina.engine.provenance import first_origin
from lamina.errors import LaminaError
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.datum.hierarchy import NodeEntry
    from lamina.dialects.datum.options import DatumOptions
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result


def list_nodes(inputs: Inputs, options: DatumOptions) -> Iterator[NodeLayers]:
    """Every node with the layers it resolves to."""
    hierarchy = Hierarchy(inputs, options)
    for entry in hierarchy.nodes():
        yield _layers_of(hierarchy, entry)


def _layers_of(hierarchy: Hierarchy, entry: NodeEntry) -> NodeLayers:
    view, origin = hierarchy.view(entry.own), first_origin(entry.node)
    try:
        layers = tuple(
            NodeLayer(prefix.prefix.written or prefix.prefix.text, prefix.path, prefix.file, prefix.prefix.origin)
            for prefix in view.resolved_prefixes
        )
        return NodeLayers(entry.name, origin, layers, tuple(missing_layers(view.resolved_prefixes)))
    except LaminaError as error:
        return NodeLayers(entry.name, origin, (), error.diagnostics)


def node_names(inputs: Inputs, options: DatumOptions) -> list[str]:
    """The names of all nodes, in the order of their files."""
    return [entry.name for entry in Hierarchy(inputs, options).nodes()]


def render_node(inputs: Inputs, options: DatumOptions, name: str) -> Result:
    """The resultant set of one node, or the lookup that the options select; files are read once."""
    from lamina.dialects.datum.dialect import DIALECT
    from lamina.views.render import render_with

    return render_with(DIALECT, inputs, replace(options, node=name, all_nodes=False))


def render_nodes(inputs: Inputs, options: DatumOptions) -> Iterator[tuple[str, Result]]:
    """Every node with its resultant set, or with the lookup that the options select; files are read once."""
    for name in node_names(inputs, options):
        yield name, render_node(inputs, options, name)


def data_stores(inputs: Inputs, options: DatumOptions) -> Iterator[FileStore]:
    """The files of each store: the manifest of a module next to the definition is not data."""
    named = {caseless(_store(layer.path)) for node in list_nodes(inputs, options) for layer in node.layers}
    for key, store in Hierarchy(inputs, options).definition.root.members.items():
        files = [store] if isinstance(store, File) else store.files()
        yield FileStore(frozenset(file.name for file in files), key in named)


def _store(path: str) -> str:
    return path.replace("/", "\\").partition("\\")[0]
