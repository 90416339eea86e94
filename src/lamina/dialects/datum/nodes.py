"""Nodes: their layers, and their resultant sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.datum.hierarchy import Hierarchy
from lamina.dialects.datum.precedence import missing_layers
from lamina.dialects.datum.tree import File
from lamina.engine.provenance import first_origin
from lamina.errors import LaminaError
from lamina.protocol.extensions import FileStore, NodeLayer, NodeLayers
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.datum.hierarchy import NodeEntry
    from lamina.dialects.datum.options import DatumOptions
    from lamina.sources.inputs import Inputs


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


def data_stores(inputs: Inputs, options: DatumOptions) -> Iterator[FileStore]:
    """The files of each store: the manifest of a module next to the definition is not data."""
    named = {caseless(_store(layer.path)) for node in list_nodes(inputs, options) for layer in node.layers}
    for key, store in Hierarchy(inputs, options).definition.root.members.items():
        files = [store] if isinstance(store, File) else store.files()
        yield FileStore(frozenset(file.name for file in files), key in named)


def _store(path: str) -> str:
    return path.replace("/", "\\").partition("\\")[0]
