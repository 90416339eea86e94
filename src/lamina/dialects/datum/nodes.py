"""Nodes: their layers, and their resultant sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.datum.hierarchy import Hierarchy
from lamina.dialects.datum.precedence import missing_layers
from lamina.dialects.datum.tree import File
from lamina.plugin.hierarchy import layers_of_nodes
from lamina.protocol.extensions import FileStore
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.datum.hierarchy import NodeEntry
    from lamina.dialects.datum.options import DatumOptions
    from lamina.errors import Note
    from lamina.protocol.extensions import NodeLayer, NodeLayers
    from lamina.sources.inputs import Inputs


def list_nodes(inputs: Inputs, options: DatumOptions) -> Iterator[NodeLayers]:
    """Every node with the layers it resolves to."""
    hierarchy = Hierarchy(inputs, options)

    def resolved(entry: NodeEntry) -> tuple[list[NodeLayer], Iterator[Note]]:
        prefixes = hierarchy.view(entry.own).resolved_prefixes
        return [prefix.as_layer() for prefix in prefixes], missing_layers(prefixes)

    return layers_of_nodes(hierarchy.nodes(), resolved)


def data_stores(inputs: Inputs, options: DatumOptions) -> Iterator[FileStore]:
    """The files of each store: the manifest of a module next to the definition is not data."""
    named = {caseless(_store(layer.path)) for node in list_nodes(inputs, options) for layer in node.layers}
    for key, store in Hierarchy(inputs, options).definition.root.members.items():
        files = [store] if isinstance(store, File) else store.files()
        yield FileStore(frozenset(file.name for file in files), key in named)


def _store(path: str) -> str:
    return path.replace("/", "\\").partition("\\")[0]
