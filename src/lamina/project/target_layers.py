"""The layers of each target: as the dialect resolves them for its nodes, else its inputs in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects import registry as dialects
from lamina.errors import LaminaError
from lamina.protocol.extensions import NodeLayer, NodeLayers, fleet_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.project.file_view import FileView
    from lamina.project.target import Target


def layers_of_targets(targets: Sequence[Target], view: FileView) -> Iterator[NodeLayers]:
    """Every target with its layers."""
    known: dict[object, dict[str, NodeLayers]] = {}
    for target in targets:
        own = None
        if target.common is not None:
            key = target.dialect, target.inputs, repr(target.common)
            if key not in known:
                known[key] = _of_nodes(target, view)
            selected = [str(value) for name, value in target.options.items() if name not in target.common]
            own = next((known[key][name] for name in selected if name in known[key]), None)
        yield own._replace(name=target.name) if own else NodeLayers(target.name, target.at, _inputs(target, view))


def _of_nodes(target: Target, view: FileView) -> dict[str, NodeLayers]:
    """The nodes in the inputs of a target, by name."""
    chosen = target.system
    fleet, inputs = fleet_of(chosen), target.gathered(view)
    if fleet is None or fleet.layers is None or inputs is None:
        return {}
    return {node.name: node for node in fleet.layers(inputs, dialects.make_options(chosen, target.common or {}))}


def _inputs(target: Target, view: FileView) -> tuple[NodeLayer, ...]:
    if target.given is not None:
        return tuple(NodeLayer(path, path, path) for path in target.given.paths if target.gathered(view) is not None)
    return tuple(NodeLayer(path or ".", path or ".", _found(path, view)) for path in target.inputs)


def _found(path: str, view: FileView) -> str | None:
    try:
        return (view.prefix + path or ".") if view.type_of(path) else None
    except LaminaError:  # it leads out of the project, which rendering says
        return None
