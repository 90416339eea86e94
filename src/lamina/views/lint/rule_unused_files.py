"""Files of an input folder that nothing asks for, and layers that no node has.

A location without a node, or a layer that no environment uses yet, is an ordinary state of a repository and only worth
a note. It is likely a mistake where the name is nearly that of a file that is used or missed, or where the layer is the
same for every node and still has no file.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lamina._support.misspelling import is_similar
from lamina.errors import Diagnostic, InputError, Severity
from lamina.protocol.extensions import fleet_of, layer_names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.protocol.extensions import NodeLayer
    from lamina.views.lint.context import Survey

DATA = frozenset({".yml", ".yaml", ".json", ".psd1"})
"""The endings of files that hold configuration."""


def unmatched(survey: Survey) -> Iterator[Note]:
    """A finding for each file and each layer that leads nowhere."""
    layers = _node_layers(survey)
    yield from unread_files(survey, layers)
    yield from empty_layers(survey, layers)


def _node_layers(survey: Survey) -> list[NodeLayer]:
    fleet = fleet_of(survey.rendered.dialect)
    listed = fleet.layers(survey.inputs, survey.rendered.options) if fleet and fleet.layers else ()
    return [layer for node in listed for layer in node.layers]


def empty_layers(survey: Survey, layers: list[NodeLayer]) -> Iterator[Note]:
    """A finding for each entry in the order of layers without a file for any node."""
    there = {layer.origin for layer in layers if layer.file is not None}
    unread = {_stem(name) for _, name in survey.record.unread if _is_data(name)}
    by_origin: dict[object, list[NodeLayer]] = {}
    for layer in layers:
        by_origin.setdefault(layer.origin, []).append(layer)
    for origin, each in by_origin.items():
        if origin is not None and origin not in there:
            paths = {_stem(layer.path) for layer in each}
            suspect = paths == {_stem(each[0].entry)} or any(
                is_similar(path, name) for path in paths for name in unread
            )
            yield Diagnostic(
                code="never-used",
                message=f"the layer {each[0].entry} matches no file for any node",
                at=each[0].origin,
                hint="check its spelling and the names of the files, or remove it",
                severity=Severity.WARNING if suspect else Severity.INFO,
            )


def unread_files(survey: Survey, layers: list[NodeLayer]) -> Iterator[Note]:
    """A finding for each configuration file below an input folder that was never read."""
    known, could_be = _checked_files(survey), layer_names_of(survey.rendered.dialect)
    unread = {name for _, name in survey.record.unread}
    missed = {_stem(layer.path) for layer in layers if layer.file is None}
    used = {
        id(folder): [_stem(each) for each in folder.files.names() if each not in unread]
        for folder in {id(folder): folder for folder, _ in survey.record.unread}.values()
    }
    for folder, name in survey.record.unread:
        try:
            counts = _is_data(name) and could_be(name) and (known is None or name in known)
            source = folder.files.read(name) if counts else None
        except InputError as error:  # a link that leads nowhere
            yield replace(error.diagnostic, severity=Severity.WARNING)
            continue
        if source is not None:
            survey.record.sources[source.name] = source
            at = source.locate(0, 0)
            yield _unused(name, at, _similar_name(name, missed), _similar_name(name, used[id(folder)]))


def _unused(name: str, at: Origin, missed: str | None, used: str | None) -> Note:
    if missed:
        hint = f"rename it to {missed}{PurePosixPath(name).suffix}, which is missing"
    elif used:
        hint = f"{used} is used: correct what should refer to this file, or remove it"
    else:
        hint = "no layer, parent or node refers to it; check the names, or remove it"
    return Diagnostic(
        code="never-used",
        message=f"nothing uses {name}",
        at=at,
        hint=hint,
        severity=Severity.WARNING if missed or used else Severity.INFO,
    )


def _similar_name(name: str, others: Iterable[str]) -> str | None:
    stem = _stem(name)
    length = len(stem)
    return next((other for other in others if abs(len(other) - length) < 2 and is_similar(stem, other)), None)


def _stem(name: str) -> str:
    """A path without the ending of a file of data, as layers name it."""
    path = name.replace("\\", "/").removeprefix("./")
    return path[: -len(PurePosixPath(path).suffix)] if _is_data(path) else path


def _checked_files(survey: Survey) -> set[str] | None:
    """The files that something could lead to; None for all.

    A store that no layer of any node leads to is read by expressions and by the scripts of a build, or holds recorded
    results; nor is any judged if there are no nodes, since their lookups are made elsewhere.
    """
    fleet = fleet_of(survey.rendered.dialect)
    if fleet is None or fleet.stores is None:
        return None
    stores = fleet.stores(survey.inputs, survey.rendered.options)
    return {name for store in stores if store.has_layers for name in store.files}


def _is_data(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lower() in DATA and not any(part.startswith(".") for part in path.parts)
