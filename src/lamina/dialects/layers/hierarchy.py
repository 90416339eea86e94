"""Hierarchies: a folder whose file `layers.yaml` says which layers a node has, by patterns with the node's facts.

    layers: [common.yaml, "region/{region}.yaml", "role/{role}.yaml", "node/{name}.yaml"]
    inventory: inventory.yaml

The inventory is a mapping from names of nodes to their facts. `{name}` is the name of the node, everything else a fact.
A layer with a fact in its name may be missing; one without must exist. A fact that is null skips the layer, and a fact
that a node does not have is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina import plugin as lp
from lamina.dialects.layers import documents
from lamina.dialects.layers.detect import HIERARCHY_FILES
from lamina.dialects.layers.settings import Reader
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.layers.settings import LayerSettings
    from lamina.plugin import formats as lpf

_FACT = re.compile(r"\{([^{}]*)\}")
_CODE = "invalid-hierarchy"


def hierarchy_file(inputs: lp.Inputs) -> tuple[lp.Source, lpf.Files] | None:
    """The file of a folder that says which layers there are, and the files of the folder."""
    stores = [folder.files for folder in inputs.folders] or ([] if inputs.items else [inputs.files])
    for files in stores:
        names = set(files.names())
        for name in HIERARCHY_FILES:
            if name in names and (source := files.read(name)) is not None:
                return source, files
    return None


@dataclass(frozen=True, slots=True)
class InventoryNode(lph.NamedNode):
    """A node of the inventory and its facts."""

    facts: lp.Node


class LayerHierarchy:
    """The layers and nodes of a folder."""

    def __init__(self, settings: LayerSettings, run: lp.Run) -> None:
        assert settings.hierarchy is not None
        assert settings.files is not None
        self._files = settings.files
        reader = Reader(settings.hierarchy, _CODE)
        self.levels = tuple(_levels(reader))
        self.nodes = {node.name: node for node in self._nodes(reader, run)}
        reader.finish()

    def _nodes(self, reader: Reader, run: lp.Run) -> Iterator[InventoryNode]:
        root = reader.node
        if ("nodes" in root.value) == ("inventory" in root.value):
            hint = "inventory names a file with the facts of each node; nodes holds them in this file"
            reader.add_error((), "a hierarchy needs either inventory or nodes", hint)
            return
        if "nodes" in root.value:
            yield from _inventory(root.at(("nodes",)), reader)
            return
        name = reader.value(("inventory",), str, "the name of a file")
        if name is None:
            return
        source = self._files.read(name)
        if source is None:
            reader.add_error(("inventory",), f"there is no file {name}", "its path starts at this folder")
            return
        yield from _inventory(documents.read(source, run).root(source.name), reader)

    def resolve(self, name: str) -> list[lph.ResolvedLevel]:
        """The layers of a node, the lowest first; what is wrong is reported for all of them at once."""
        node = lph.node_named(name, self.nodes)
        found: list[lph.ResolvedLevel] = []
        errors: list[lp.Diagnostic] = []
        for level in self.levels:
            try:
                path = filled(level, node)
                if path is not None:
                    found.append(self._resolved(level, path))
            except lp.Reject as error:
                errors += error.diagnostics
        if errors:
            raise lp.Reject(*errors)
        return found

    def _resolved(self, level: lph.Level, path: str) -> lph.ResolvedLevel:
        with lp.blamed_on(level.origin):
            try:
                source = self._files.read(path)
            except lp.InputError as error:
                raise lp.Reject(*error.diagnostics) from None
            if source is None and not _FACT.search(level.pattern):
                hint = "correct the name; only a layer with a fact in its name may be missing"
                raise lp.Reject(lp.Diagnostic(code="missing-file", message=f"there is no file {path}", hint=hint))
        return lph.ResolvedLevel(level, path, source)


def _levels(reader: Reader) -> Iterator[lph.Level]:
    expected = 'a list of files, the lowest layer first, such as [common.yaml, "role/{role}.yaml"]'
    if not reader.node.value.get("layers"):
        reader.add_error(("layers",), "a hierarchy needs layers", f"write layers: {expected}")
    for path, text in reader.strings(("layers",), expected):
        if "{" in _FACT.sub("", text) or "}" in _FACT.sub("", text) or "" in _FACT.findall(text):
            reader.add_error(
                path, f"unbalanced braces in {text!r}", "put braces around the name of a fact, such as {role}"
            )
        else:
            yield lph.Level(text, reader.node.at(path).origin())


def _inventory(node: lp.Node, reader: Reader) -> Iterator[InventoryNode]:
    node_reader = Reader(node, _CODE)
    if not isinstance(node.value, dict):
        node_reader.add_error(
            (), f"an inventory must be a mapping, not {lp.word_for(node.value)}", "write web1: {role: web}"
        )
    for name, facts in node.value.items() if isinstance(node.value, dict) else ():
        at = node.key_origin(name) if isinstance(node, lp.SourceNode) else None
        if not isinstance(name, str):
            node_reader.add_error((name,), "the name of a node must be a string", "put it in quotes")
        elif facts is not None and not isinstance(facts, dict):
            node_reader.add_error((name,), f"the facts of {name} must be a mapping", "write web1: {role: web}")
        else:
            yield InventoryNode(name, at, node.child(name))
    reader.findings += node_reader.findings


def filled(level: lph.Level, node: InventoryNode) -> str | None:
    """The path of a level for a node; None if a fact is null."""
    values: dict[str, str] = {"name": node.name}
    for fact in _FACT.findall(level.pattern):
        if fact in values:
            continue
        value = _fact(fact, level, node)
        if value is None:
            return None
        values[fact] = value
    return _FACT.sub(lambda match: values[match[1]], level.pattern)


def _fact(fact: str, level: lph.Level, node: InventoryNode) -> str | None:
    value: Any = lp.walk(node.facts.value, lp.parse_path(fact)) if node.facts.value is not None else lp.MISSING
    if value is None or (isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""):
        return None if value is None else str(value)
    known = [str(key) for key in node.facts.value or ()]
    message = f"{node.name} has no fact {fact}, which the layer {level.pattern} needs"
    suggestion = lp.did_you_mean(fact, known)
    hint = f"{suggestion}{' A' if suggestion.endswith('?') else '; a'} fact that is null skips the layer"
    if value is not lp.MISSING:
        message = f"the fact {fact} of {node.name} must be a string or a number, not {lp.word_for(value)}"
        hint = f"the layer {level.pattern} needs it"
    related = (("the layer is here", level.origin),) if level.origin else ()
    raise lp.Reject(lp.Diagnostic(code="missing-fact", message=message, at=node.origin, related=related, hint=hint))
