"""Files of an input folder that nothing asks for, and layers that no node has."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lamina.dialects.extensions import fleet_of
from lamina.errors import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import Note
    from lamina.views.lint.context import Survey

DATA = frozenset({".yml", ".yaml", ".json", ".psd1"})
"""The endings of files that hold configuration."""


def unmatched(survey: Survey) -> Iterator[Note]:
    """A finding for each file and each layer that leads nowhere."""
    yield from unread_files(survey)
    yield from empty_layers(survey)


def empty_layers(survey: Survey) -> Iterator[Note]:
    """A finding for each entry in the order of layers that comes to no file, whatever the node."""
    fleet = fleet_of(survey.rendered.dialect)
    listed = fleet.layers(survey.inputs, survey.rendered.options) if fleet and fleet.layers else ()
    layers = [layer for node in listed for layer in node.layers]
    there = {layer.origin for layer in layers if layer.file is not None}
    for origin, entry in {layer.origin: layer.entry for layer in layers}.items():
        if origin is not None and origin not in there:
            yield Diagnostic(
                code="never-matches",
                message=f"the layer {entry} matches no file for any node",
                at=origin,
                hint="check its spelling and the names of the files, or remove it",
            )


def unread_files(survey: Survey) -> Iterator[Note]:
    """A finding for each configuration file below an input folder that was never read."""
    known = _judged(survey)
    for folder, name in survey.record.unread:
        source = folder.files.read(name) if _is_data(name) and (known is None or name in known) else None
        if source is not None:
            survey.record.sources[source.name] = source
            yield Diagnostic(
                code="never-matches",
                message=f"nothing uses {name}",
                at=source.locate(0, 0),
                hint="no layer, parent or node refers to it; check the names, or remove it",
            )


def _judged(survey: Survey) -> set[str] | None:
    """The files that something could lead to; None for all.

    A store that no layer of any node leads to and of which nothing was read, such as recorded results, is not part of
    the configuration; nor is any where there are no nodes, since their lookups are made elsewhere.
    """
    fleet = fleet_of(survey.rendered.dialect)
    if fleet is None or fleet.stores is None:
        return None
    unread = {name for _, name in survey.record.unread}
    stores = fleet.stores(survey.inputs, survey.rendered.options)
    return {name for store in stores if store.has_layers or store.files - unread for name in store.files}


def _is_data(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lower() in DATA and not any(part.startswith(".") for part in path.parts)
