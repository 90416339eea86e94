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
from lamina.dialects.layers import documents, messages
from lamina.dialects.layers.detect import HIERARCHY_FILES
from lamina.plugin import hierarchy as lph
from lamina.plugin import settings as lps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.layers.settings import LayerSettings
    from lamina.plugin import formats as lpf

_FACT = re.compile(r"\{([^{}]*)\}")
_CODE = "invalid-hierarchy"
_FILES = 'a list of files, the lowest layer first, such as [common.yaml, "role/{role}.yaml"]'
_HIERARCHY = lps.Form(
    "a hierarchy",
    lps.strings("layers", _FILES, filled=True, needed=f"write layers: {_FILES}"),
    lps.text("inventory", "the name of a file"),
    lps.anything("nodes"),
    others=True,
)
_NODES = lps.Form("an inventory", others=True, hint="write web1: {role: web}")


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
        hierarchy = lps.Settings(settings.hierarchy, _HIERARCHY, _CODE)
        self.levels = tuple(_levels(hierarchy))
        self.nodes = {node.name: node for node in self._nodes(hierarchy, run)}
        hierarchy.finish()

    def _nodes(self, hierarchy: lps.Settings, run: lp.Run) -> Iterator[InventoryNode]:
        if ("nodes" in hierarchy) == ("inventory" in hierarchy):
            hint = "inventory names a file with the facts of each node; nodes holds them in this file"
            hierarchy.add_error(None, "a hierarchy needs either inventory or nodes", hint)
        elif "nodes" in hierarchy:
            yield from _inventory(hierarchy.node.child("nodes"), hierarchy)
        elif (name := hierarchy["inventory"]) is not None:
            source = self._files.read(name)
            if source is None:
                hierarchy.add_error("inventory", f"there is no file {name}", "its path starts at this folder")
            else:
                yield from _inventory(documents.read(source, run).root(source.name), hierarchy)

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
                raise lp.Reject(messages.MISSING_LAYER.at(path=path))
        return lph.ResolvedLevel(level, path, source)


def _levels(hierarchy: lps.Settings) -> Iterator[lph.Level]:
    for level in hierarchy["layers"]:
        rest = _FACT.sub("", level.text)
        if "{" in rest or "}" in rest or "" in _FACT.findall(level.text):
            hint = "put braces around the name of a fact, such as {role}"
            hierarchy.add_error(level.at, f"unbalanced braces in {level.text!r}", hint)
        else:
            yield lph.Level(level.text, level.at)


def _inventory(node: lp.Node, hierarchy: lps.Settings) -> Iterator[InventoryNode]:
    inventory = hierarchy.inner(node, _NODES)
    for name, facts in node.value.items() if isinstance(node.value, dict) else ():
        if not isinstance(name, str):
            inventory.add_error(inventory.key_place(name), "the name of a node must be a string", "put it in quotes")
        elif facts is not None and not isinstance(facts, dict):
            inventory.add_error(name, f"the facts of {name} must be a mapping", "write web1: {role: web}")
        else:
            yield InventoryNode(name, inventory.key_place(name), node.child(name))


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
    name, layer, related = node.name, level.pattern, [("the layer is here", level.origin)]
    if value is not lp.MISSING:
        kind = lp.word_for(value)
        raise lp.Reject(
            messages.FACT_TYPE.at(node.origin, related=related, name=name, fact=fact, layer=layer, kind=kind)
        )
    suggestion = lp.did_you_mean(fact, [str(key) for key in node.facts.value or ()])
    hint = f"{suggestion}{' A' if suggestion.endswith('?') else '; a'} fact that is null skips the layer"
    raise lp.Reject(
        messages.MISSING_FACT.at(node.origin, related=related, hint=hint, name=name, fact=fact, layer=layer)
    )
