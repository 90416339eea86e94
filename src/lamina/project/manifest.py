"""Manifests: files that list the nodes of a fleet, for any dialect.

A manifest is a mapping in YAML or JSON: `dialect`, `options` of all nodes, `inputs` that come before each node's own,
and `nodes`, a list of `name`, `inputs` and `options`. Paths are relative to the folder of the manifest and must not
lead out of it, except to folders the caller allowed; options that lift a protection can be set only by the caller.
`nodes` may also name a file of JSON lines, one node per line, which is never loaded as a whole.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, BinaryIO

from lamina.dialects import registry as dialects
from lamina.dialects.data_options import Bounds, options_from_data
from lamina.engine.node import SourceNode
from lamina.errors import Diagnostic, InputError, UsageError
from lamina.project.manifest_schema import NODE_HINT, check_manifest, check_node, is_node, known_fields
from lamina.protocol.dialect import unknown
from lamina.protocol.extensions import FleetNode
from lamina.run import Run
from lamina.sources import document_cache
from lamina.sources.inputs import allowed_folders, read_file
from lamina.sources.json.reader import read_json
from lamina.sources.source import Shift, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lamina.engine.node import Node
    from lamina.origins import Origin
    from lamina.sources.inputs import Folders

_MARK = re.compile(rb"""^[\s{]*["']?(?:nodes|dialect)["']?\s*:""", re.MULTILINE)
_LONGEST_LINE = 1 << 20


@dataclass(frozen=True, slots=True)
class OpenFleet:
    """A fleet: the dialect, the options of all nodes, the folder of the inputs, and the nodes.

    `nodes` can be iterated more than once. `prefix` is put before the names of inputs in output.
    """

    dialect: str
    options: Mapping[str, Any]
    root: FilePath
    nodes: Callable[[], Iterator[FleetNode]]
    prefix: str = ""
    from_folder: bool = False
    """Whether nodes may be rendered from the whole folder."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """The options of the caller, which win over those of the manifest."""
    allowed: tuple[str, ...] = ()
    """Further folders in which inputs may name files."""
    ignore: tuple[str, ...] = ()
    """Patterns of files that are omitted when a folder is listed."""

    def with_options(self, options: Mapping[str, Any]) -> OpenFleet:
        """The fleet with some options of all nodes set by the caller."""
        return replace(self, options={**self.options, **options}, fixed={**self.fixed, **options})

    def with_defaults(self, options: Mapping[str, Any]) -> OpenFleet:
        """The fleet with some options of all nodes set where neither the manifest nor the caller did."""
        return replace(self, options={**options, **self.options})


@dataclass(frozen=True, slots=True)
class _Common:
    """What all nodes of a manifest have in common: their first inputs, and how their options are checked."""

    inputs: tuple[str, ...]
    options: Callable[[Mapping[str, Any], Callable[[str], Origin | None]], dict[str, Any]]


def open_fleet(
    path: str,
    dialect: str | None = None,
    options: Mapping[str, Any] | None = None,
    allow_paths: Folders = (),
) -> OpenFleet:
    """The fleet of a manifest; `options` win over those of the manifest and its nodes."""
    source, run = read_file(path, path), Run()
    allowed = allowed_folders(allow_paths)
    return manifest_fleet(source, path, dialect, allowed, run).with_options(options or {})


def is_manifest(source: Source, run: Run) -> bool:
    """Whether a file is a manifest: a mapping with a dialect and nodes, and only fields that a manifest has."""
    if not _MARK.search(source.data):
        return False
    try:
        value = document_cache.yaml_document(source, run).value
    except InputError:
        return False
    return isinstance(value, dict) and {"dialect", "nodes"} <= value.keys() <= known_fields()


def manifest_fleet(
    source: Source,
    path: str,
    dialect: str | None,
    allowed: tuple[str, ...],
    run: Run,
    read: Callable[[str], Source | None] | None = None,
) -> OpenFleet:
    """The fleet of a manifest at a path; `read` returns a file of lines next to it, if that is not on disk."""
    document = document_cache.yaml_document(source, run)
    manifest = SourceNode(document.value, (), document.positions, 0, source.name)
    check_manifest(manifest)
    named = manifest.value.get("dialect")
    if not dialect and named and named not in dialects.names():
        raise UsageError(replace(unknown("dialect", named, dialects.names()), at=manifest.child("dialect").origin()))
    if not (dialect or named):
        raise _bad_at("the manifest names no dialect", manifest, f"for example, write dialect: {dialects.names()[0]}")
    folder = FilePath() if path == "-" else FilePath(path).parent
    shown = "" if folder == FilePath() else f"{folder.as_posix().rstrip('/')}/"
    chosen = dialects.find(dialect or named)
    bounds = Bounds(str(folder.resolve()), shown, allowed)
    inputs = tuple(manifest.value.get("inputs", ()))
    common = _Common(inputs, lambda given, at: options_from_data(chosen, given, bounds, at))
    options = common.options(manifest.value.get("options", {}), lambda name: _option_origin(manifest, name))
    nodes = _nodes(manifest, folder, common, bounds, read)
    return OpenFleet(chosen.name, options, folder.resolve(), nodes, shown, allowed=allowed)


def _nodes(
    manifest: SourceNode,
    folder: FilePath,
    common: _Common,
    bounds: Bounds,
    read: Callable[[str], Source | None] | None,
) -> Callable[[], Iterator[FleetNode]]:
    listed = manifest.value["nodes"]
    if isinstance(listed, str):
        if read is not None and (source := read(listed)) is not None:
            return lambda: _from_lines(BytesIO(source.data), source.name, common)
        lines = _lines_file(manifest, bounds, listed)
        return lambda: _from_lines(lines.open("rb"), str(folder / listed), common)
    entries = manifest.child("nodes")
    return lambda: (_node(entries.child(at), common) for at in range(len(listed)))


def _lines_file(manifest: SourceNode, bounds: Bounds, name: str) -> FilePath:
    try:
        path = FilePath(bounds.resolved(name))
    except InputError:
        hint = "put the file beside the manifest or below it, or allow its folder with --allow-path DIR"
        raise _bad_at(f"{name} is outside the folder of the manifest", manifest.child("nodes"), hint) from None
    if not path.is_file():
        hint = "nodes is a list, or the name of a file of JSON lines beside the manifest"
        raise _bad_at(f"there is no file {name}", manifest.child("nodes"), hint)
    return path


def _from_lines(file: BinaryIO, shown: str, common: _Common) -> Iterator[FleetNode]:
    with file as lines:
        for number in range(1 << 60):
            line = lines.readline(_LONGEST_LINE + 1)
            if not line:
                return
            if line.strip():
                yield _from_line(Source(shown, b"").inner_source(None, line, Shift(line=number)), common)


def _from_line(line: Source, common: _Common) -> FleetNode:
    """The node of a line; positions are computed only if something is wrong with it."""
    try:
        if len(line.data) > _LONGEST_LINE:
            raise ValueError("the line is too long")
        value = json.loads(line.data)
    except (ValueError, RecursionError) as error:
        why = error.msg.lower() if isinstance(error, json.JSONDecodeError) else error
        raise InputError(_bad(f"this is not a JSON line: {why}", line.locate(0, 0))) from None
    if not is_node(value):
        check_node(_line_node(line))
    return _checked_node(value, line.locate(0, 0), common, lambda name: _option_origin(_line_node(line), name))


def _line_node(line: Source) -> SourceNode:
    document = read_json(line)
    return SourceNode(document.value, (), document.positions, 0, line.name)


def _node(node: Node, common: _Common) -> FleetNode:
    return _checked_node(node.value, node.origin(), common, lambda name: _option_origin(node, name))


def _option_origin(holder: Node, name: str) -> Origin | None:
    """Where an option is set in a manifest or in the entry of a node."""
    options = holder.child("options")
    return options.key_origin(name) if isinstance(options, SourceNode) else None


def _checked_node(
    value: dict[str, Any], at: Origin | None, common: _Common, option_at: Callable[[str], Origin | None]
) -> FleetNode:
    """A node from its entry, with its options checked."""
    inputs = (*common.inputs, *value.get("inputs", ()))
    if not inputs:
        raise InputError(_bad(f"{value['name']} has no inputs", at))
    given = value.get("options")
    options = common.options(given, option_at) if given else {}
    return FleetNode(name=value["name"], inputs=inputs, options=options, prefix=inputs[:-1])


def _bad_at(message: str, node: Node, hint: str) -> InputError:
    return InputError(_bad(message, node.origin(), hint))


def _bad(message: str, at: Origin | None, hint: str = NODE_HINT) -> Diagnostic:
    return Diagnostic(code="bad-manifest", message=message, at=at, hint=hint)
