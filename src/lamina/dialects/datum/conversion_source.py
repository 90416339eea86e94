"""Converting a Datum tree into layers of another system."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.conversion import (
    ConversionRemark,
    ConvertedDifference,
    ConvertedFile,
    ConvertedTarget,
    LayeredSet,
    holds_reference,
)
from lamina.dialects.datum.conversion_rules import rules_of_entries
from lamina.dialects.datum.fleet import fleet
from lamina.dialects.datum.handlers import holds_script
from lamina.dialects.datum.hierarchy import Hierarchy
from lamina.dialects.datum.rsop import COMPOSITION
from lamina.dialects.datum.tree import File, TreeFolder, base_name
from lamina.dialects.hierarchy_conversion import ConvertedEntry, HierarchyConversion, NodeFile
from lamina.dialects.path_kinds import PathKinds
from lamina.errors import LaminaError
from lamina.paths import MISSING
from lamina.sources.powershell.case_insensitive import caseless, folded, with_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.dialects.datum.hierarchy import NodeView
    from lamina.dialects.datum.options import DatumOptions
    from lamina.dialects.datum.prefix_templates import ResolvedPrefix
    from lamina.engine.node import Node
    from lamina.paths import Path
    from lamina.sources.inputs import Inputs

_VARIABLE: Final = re.compile(r"\$\(\$Node\.(\w+)\)")
_NAMES: Final = "names.yaml"
"""The layer that sets the Name of every node, as Datum does."""


def convert_from(inputs: Inputs, options: DatumOptions, name: str) -> LayeredSet:
    """All nodes of a tree, with the layers that they resolve to."""
    return _TreeConversion(Hierarchy(inputs, options), inputs, options).layers(name)


class _TreeConversion:
    def __init__(self, hierarchy: Hierarchy, inputs: Inputs, options: DatumOptions) -> None:
        self._hierarchy = hierarchy
        self._inputs = inputs
        self._names = [node.name for node in fleet(inputs, options)]
        self._kinds = PathKinds()
        self._files: dict[str, tuple[ConvertedFile, Node]] = {}
        self._left_out: dict[str, ConversionRemark] = {}
        self._remarks: list[ConversionRemark] = []

    def layers(self, name: str) -> LayeredSet:
        views = dict(self._views())
        found = HierarchyConversion(list(self._entries(views)), views)
        for _, node in self._files.values():
            self._kinds.add(node)
        rules, remarks = rules_of_entries(self._hierarchy.entries, self._kinds)
        settings: dict[str, Any] = {"rules": rules} if rules else {}
        self._add_names(found, views, settings)
        targets = [
            ConvertedTarget(
                name=each, layers=tuple(found.layers[each]), facts=found.facts[each], options={"node": each}
            )
            for each in views
        ]
        left_out = [ConvertedTarget(name=each, left_out=why) for each, why in self._left_out.items()]
        return LayeredSet(
            about=f"the Datum tree {name}".strip(),
            targets=(*targets, *left_out),
            files=found.files,
            entries=tuple(found.entries),
            settings=settings,
            remarks=(*self._remarks, *found.remarks, *remarks),
            reasons=(_reason,),
        )

    def _views(self) -> Iterator[tuple[str, NodeView]]:
        for name in self._names:
            try:
                view = self._hierarchy.view(self._hierarchy.find_node(name))
                assert view.resolved_prefixes is not None
                yield name, view
            except LaminaError as error:
                finding = error.diagnostics[0]
                self._left_out[name] = ConversionRemark(
                    what=name, why=finding.message, at=finding.at, path=(), targets=frozenset({name})
                )

    def _entries(self, views: Mapping[str, NodeView]) -> Iterator[ConvertedEntry]:
        """The entries of the precedence, the most specific first; then the files of nodes that no entry leads to."""
        order = [prefix.text for prefix in self._hierarchy.definition.precedence]
        entries: dict[tuple[int, int], ConvertedEntry] = {}
        for name, view in views.items():
            counted: Counter[int] = Counter()
            for resolved in view.resolved_prefixes:
                text = resolved.prefix.written or resolved.prefix.text
                number = order.index(text)
                counted[number] += 1
                entry = ConvertedEntry(text, resolved.prefix.origin, _template(resolved))
                self._add_file(entries.setdefault((number, counted[number]), entry), name, view, resolved)
        yield from (entry for _, entry in sorted(entries.items(), key=lambda pair: pair[0]))
        own = ConvertedEntry("the node's own file", None, None)
        for name, view in views.items():
            file = view.values.own_file
            found = [entry.nodes[name].file.name for entry in entries.values() if name in entry.nodes]
            if file is not None and file.name not in found:
                self._found(own, name, file)
        yield own

    def _add_file(self, entry: ConvertedEntry, name: str, view: NodeView, prefix: ResolvedPrefix) -> None:
        if entry.template is not None:
            entry.facts[name] = {fact: _fact(view, fact) for fact in _VARIABLE.findall(prefix.prefix.text)}
        position: Any = self._hierarchy.definition.root
        for step in prefix.path.replace("/", "\\").split("\\"):
            position = position.members.get(caseless(step)) if isinstance(position, TreeFolder) else None
        if isinstance(position, (File, TreeFolder)) and not prefix.several:
            self._found(entry, name, position)
        elif prefix.position is not None:
            why = "it leads to a part of a file, or to several files at once"
            self._remarks.append(
                ConversionRemark(what=entry.text, why=why, at=entry.at, path=(), targets=frozenset({name}))
            )

    def _found(self, entry: ConvertedEntry, name: str, position: File | TreeFolder) -> None:
        """Add the file of a node; a folder is one file with what is in it."""
        if position.name not in self._files:
            node = position.node() if isinstance(position, File) else position.table()
            if node is None or not isinstance(node.value, dict):
                return
            source = self._source(position) if isinstance(position, File) else None
            self._files[position.name] = ConvertedFile(position.name, with_case(node.value), source), node
        file, _ = self._files[position.name]
        stem = base_name(position.name) if isinstance(position, File) else position.name
        entry.nodes[name] = NodeFile(stem, file)

    def _source(self, file: File) -> Any:
        return self._inputs.folders[0].files.read(file.name) if self._inputs.folders else None

    def _add_names(self, found: HierarchyConversion, views: Mapping[str, NodeView], settings: dict[str, Any]) -> None:
        """A layer for `Name`, which Datum sets where it is missing."""
        has_references = any(holds_reference(file.value) for file in found.files.values())
        own = [view.node.value if view.node is not None else {} for view in views.values()]
        unnamed = [each for each in own if caseless("NodeName") in each]
        if has_references:
            settings["references"] = False
        elif own and len(unnamed) == len(own) and _NAMES not in found.files:
            found.files[_NAMES] = ConvertedFile(_NAMES, {"Name": "${NodeName}"})
            found.entries.insert(0, _NAMES)
            for layers in found.layers.values():
                layers.insert(0, _NAMES)


def _template(prefix: ResolvedPrefix) -> str | None:
    """A prefix as a pattern: names, and properties of the node as facts; None for anything else."""
    text = prefix.prefix.text
    rest = _VARIABLE.sub("", text)
    if prefix.prefix.written is not None or any(sign in rest for sign in "$`<>[]{}"):
        return None
    return _VARIABLE.sub(r"{\1}", text).replace("\\", "/").rstrip("/")


def _fact(view: NodeView, name: str) -> str | None:
    node = view.node
    value = None if node is None else node.value.get(caseless(name))
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "" else None


def _is_listed(path: Path, result: Any) -> bool:
    """Whether the key of a path is looked up: it is listed, or no keys are."""
    by_name = {folded(str(key)): value for key, value in result.items()} if isinstance(result, dict) else {}
    listed = by_name.get(folded(COMPOSITION))
    names = listed if isinstance(listed, list) else [listed]
    return listed is None or not path or folded(str(path[0])) in {folded(str(name)) for name in (*names, COMPOSITION)}


def _holds_handler(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_handler, value.values()))
    if isinstance(value, list):
        return any(map(_holds_handler, value))
    return isinstance(value, str) and (holds_script(value) or value.startswith("[ENC="))


def _reason(difference: ConvertedDifference) -> str | None:
    """The reason for a difference that no rule by path can reproduce."""
    path, before, after, result = difference
    if not _is_listed(path, result) and (before is MISSING or len(path) > 1):
        return "it is not in Configurations: Datum's result has of it what the node's own file says, if anything"
    if before == {} and after is MISSING and len(path) == 1:
        return "a configuration that no file has data for is an empty table in Datum's result"
    if after is MISSING and len(path) == 1 and folded(str(path[0])) in ("name", "lcmconfig"):
        return f"Datum itself sets {path[0]}"
    if _holds_handler(after):
        return "the value is a script or an encrypted one, which a handler of Datum evaluates"
    if isinstance(after, list) and after == [before]:
        return "Datum returns a list of one item as that item"
    if after == [] and before is None:
        return "Datum returns an empty list as null"
    return None
