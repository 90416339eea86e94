"""`lamina targets`: what there is to work on, and the layers each target is made of."""

from __future__ import annotations

import os
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import text_of
from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options
from lamina.cli.notes import show_notes
from lamina.cli.output import echo, echo_json, status_of
from lamina.cli.target_request import selected_targets
from lamina.cli.terminal import fits_width
from lamina.project.target_layers import layers_of_targets
from lamina.protocol.extensions import fleet_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.cli.tables import Row
    from lamina.project.target import Target
    from lamina.protocol.extensions import NodeLayers
    from lamina.views.schemas.places import TargetData

    Listed = list[tuple[Target, NodeLayers]]


@click.command("targets", cls=DialectCommand, epilog=example("lamina targets DatumRepo/"))
@format_option()
@inputs_and_options
def command(form: str, **given: Any) -> int:
    """List the targets, with the layers each is made of and which of them exist.

    Targets are those of a project or a manifest, the nodes of a folder, or the inputs as one.
    """
    selected = selected_targets(given, by_node=True)
    targets = selected.targets()
    _check_whole(targets)
    found = list(zip(targets, layers_of_targets(targets, selected.project.view), strict=True))
    if form == "json":
        echo_json(_as_json(found))
    else:
        layers = [layers for _, layers in found]
        echo(_as_table(layers) if fits_width(_WIDTHS) else _as_text(layers))
    notes = list(dict.fromkeys(note for target, layers in found for note in (*target.notes, *layers.notes)))
    show_notes(notes)
    return status_of(notes)


def _check_whole(targets: Sequence[Target]) -> None:
    """Reject a folder of a system that knows no nodes: whether there is anything in it, only rendering can say."""
    for target in targets:
        folders = [path for path in target.given.paths if os.path.isdir(path)] if target.given else []  # noqa: PTH112
        if folders and fleet_of(target.system) is None:
            raise click.UsageError(f"{target.dialect} has no nodes in a folder; lamina render shows the result.")


_WIDTHS = (12, 24, 24)


def _as_table(targets: list[NodeLayers]) -> str:
    from lamina.cli.tables import Column, table, written
    from lamina.views.diff.phrases import count

    columns = [Column(title, least) for title, least in zip(("target", "layer", "file"), _WIDTHS, strict=True)]
    return written(table(columns, map(_rows, targets)), "", count(len(targets), "target"))


def _rows(target: NodeLayers) -> Iterator[Row]:
    """A row for each layer; beside the first ones the name of the target and its location."""
    from lamina.cli.tables import text

    header = [text(target.name, "bold"), *([text(str(target.origin), "dim")] if target.origin else [])]
    layers = [(layer.path, layer.file or text("missing", "yellow")) for layer in target.layers]
    for head, layer in zip_longest(header, layers):
        yield (head or "", *(layer or ("", "")))


def _as_text(targets: list[NodeLayers]) -> str:
    return text_of(line for target in targets for line in _lines(target))


def _lines(target: NodeLayers) -> list[str]:
    lines = [f"{target.name} ({target.origin})" if target.origin else target.name]
    lines.extend(f"  {layer.path}: {layer.file or 'missing'}" for layer in target.layers)
    return lines


def _as_json(found: Listed) -> str:
    from lamina.origins import data_or_none
    from lamina.sources.json.writer import dump

    data: list[TargetData] = [
        {
            "name": target.name,
            "dialect": target.dialect,
            "origin": data_or_none(layers.origin),
            "layers": [
                {"entry": layer.entry, "path": layer.path, "file": layer.file, "exists": layer.file is not None}
                for layer in layers.layers
            ],
        }
        for target, layers in found
    ]
    return dump({"version": 1, "targets": data})
