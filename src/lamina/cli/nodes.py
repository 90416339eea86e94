"""`lamina nodes`: the nodes of a folder and the layers each resolves to."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import text_of
from lamina.cli.click_options import DialectCommand, inputs_and_options
from lamina.cli.format_option import format_option
from lamina.cli.help_sections import example
from lamina.cli.notes import show_notes, status_of
from lamina.cli.output import echo, echo_json
from lamina.cli.render_request import no_nodes, render_request_of
from lamina.cli.target_request import selected_targets_of
from lamina.cli.terminal import fits_width
from lamina.dialects.extensions import fleet_of
from lamina.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.cli.render_request import RenderRequest
    from lamina.cli.tables import Row
    from lamina.dialects.extensions import NodeLayers


@click.command("nodes", cls=DialectCommand, epilog=example("lamina nodes DatumRepo/"))
@format_option()
@inputs_and_options
def command(form: str, **given: Any) -> int:
    """List the nodes of a folder, with the layers each resolves to and which of them exist.

    In a project, or for a fleet manifest, the targets are listed, whatever their dialect.
    """
    targets = selected_targets_of(given)
    if targets is not None:
        from lamina.project.target_layers import layers_of_targets

        found = list(layers_of_targets(targets.targets(), targets.project.view))
    else:
        found = _nodes_of(render_request_of(given))
    if form == "json":
        echo_json(_as_json(found))
    else:
        echo(_as_table(found) if fits_width(_WIDTHS) else _as_text(found))
    notes = list(dict.fromkeys(note for node in found for note in node.notes))
    show_notes(notes)
    return status_of(notes)


def _nodes_of(request: RenderRequest) -> list[NodeLayers]:
    fleet = fleet_of(request.dialect)
    if fleet is None:
        raise click.UsageError(f"{request.dialect.name} has no nodes; lamina render shows the result.")
    found = list(fleet.layers_of_nodes(request.inputs, request.options()))
    if not found:
        raise InputError(no_nodes(request.dialect, ", ".join(item.name for item in request.inputs.items)))
    return found


_WIDTHS = (12, 24, 24)


def _as_table(nodes: list[NodeLayers]) -> str:
    from lamina.cli.tables import Column, table, written

    columns = [Column(title, least) for title, least in zip(("node", "layer", "file"), _WIDTHS, strict=True)]
    return written(table(columns, map(_rows, nodes)), "", f"{len(nodes):,} node{'' if len(nodes) == 1 else 's'}")


def _rows(node: NodeLayers) -> Iterator[Row]:
    """A row for each layer; beside the first ones the name of the node and its location."""
    from lamina.cli.tables import text

    header = [text(node.name, "bold"), *([text(str(node.origin), "dim")] if node.origin else [])]
    layers = [(layer.path, layer.file or text("missing", "yellow")) for layer in node.layers]
    for head, layer in zip_longest(header, layers):
        yield (head or "", *(layer or ("", "")))


def _as_text(nodes: list[NodeLayers]) -> str:
    return text_of(line for node in nodes for line in _node_lines(node))


def _node_lines(node: NodeLayers) -> list[str]:
    lines = [f"{node.name} ({node.origin})" if node.origin else node.name]
    lines.extend(f"  {layer.path}: {layer.file or 'missing'}" for layer in node.layers)
    return lines


def _as_json(nodes: list[NodeLayers]) -> str:
    from lamina.sources.json.writer import dump
    from lamina.views.explain import origin_data

    data = [
        {
            "name": node.name,
            "origin": origin_data(node.origin) if node.origin else None,
            "layers": [
                {"entry": layer.entry, "path": layer.path, "file": layer.file, "exists": layer.file is not None}
                for layer in node.layers
            ],
        }
        for node in nodes
    ]
    return dump({"version": 1, "nodes": data})
