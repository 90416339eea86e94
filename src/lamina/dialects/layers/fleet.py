"""The nodes of a folder, for `nodes` and `fleet`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina import plugin as lp
from lamina.dialects.layers import messages
from lamina.dialects.layers.hierarchy import LayerHierarchy, hierarchy_file
from lamina.dialects.layers.settings import settings_of
from lamina.plugin import extensions as lpx
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.layers.options import LayersOptions


def _hierarchy(inputs: lp.Inputs, options: LayersOptions) -> LayerHierarchy:
    file = hierarchy_file(inputs)
    if file is None:
        finding = messages.NO_NODES.at()
        raise lp.InputError(finding)
    return LayerHierarchy(settings_of(inputs, options, file), inputs.run)


def _nodes(inputs: lp.Inputs, options: LayersOptions) -> Iterator[lpx.FleetNode]:
    for node in _hierarchy(inputs, options).nodes.values():
        facts = node.facts.value or {}
        yield lpx.FleetNode(name=node.name, options={"node": node.name}, prefix=tuple(map(str, facts.values())))


def _layers(inputs: lp.Inputs, options: LayersOptions) -> Iterator[lpx.NodeLayers]:
    if hierarchy_file(inputs) is None:
        return  # files have no nodes, and all of them are layers
    hierarchy = _hierarchy(inputs, options)
    yield from lph.layers_of_nodes(
        hierarchy.nodes.values(), lambda node: ([level.as_layer() for level in hierarchy.resolve(node.name)], ())
    )


FLEET = lpx.Fleet(nodes=_nodes, layers=_layers)
