"""Converting a Hiera tree into layers of another system."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera.compile import view_of
from lamina.dialects.hiera.conversion_rules import rules_of_keys
from lamina.dialects.hiera.facts_files import node_files
from lamina.dialects.hiera.interpolation_conversion import StringConversion
from lamina.dialects.hiera.keys import segments_of
from lamina.dialects.hiera.lookup import OPTIONS_KEY
from lamina.dialects.hiera.ruby_text import to_s
from lamina.dialects.hiera.tree import within

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from lamina.dialects.hiera.config import Level
    from lamina.dialects.hiera.level_files import DataFile
    from lamina.dialects.hiera.lookup import HieraNodeView
    from lamina.dialects.hiera.options import HieraOptions

_EXPRESSION: Final = re.compile(r"%\{([^}]*)\}")
_ENDINGS: Final = (".yaml", ".yml", ".json", ".eyaml")


def convert_from(inputs: lp.Inputs, options: HieraOptions, name: str) -> lp.LayeredSet:
    """All nodes that have facts, with the files of their levels."""
    return _SiteConversion(inputs, options).layers(name)


class _SiteConversion:
    def __init__(self, inputs: lp.Inputs, options: HieraOptions) -> None:
        self._inputs = inputs
        self._options = options
        self._left_out: list[lp.ConvertedTarget] = []
        self._files: dict[str, DataFile] = {}
        self._remarks: list[lp.ConversionRemark] = []

    def layers(self, name: str) -> lp.LayeredSet:
        views = dict(self._views())
        entries = self._entries(views)
        kinds = self._kinds()
        strings = StringConversion(self._files.values(), self._keys_of_all(views))
        for entry in entries:
            for node, (stem, file) in entry.nodes.items():
                entry.nodes[node] = lp.NodeFile(stem, strings.converted(file, self._files[file.name]))
        found = lp.HierarchyConversion(entries, views)
        rules, remarks = rules_of_keys(kinds, views)
        targets = [
            lp.ConvertedTarget(name=node, layers=tuple(layers), facts=found.facts[node], options={"node": node})
            for node, layers in found.layers.items()
        ]
        settings = {"rules": rules}
        if not strings.has_references and any(lp.holds_reference(file.value) for file in found.files.values()):
            settings["references"] = False  # type: ignore[assignment]
        return lp.LayeredSet(
            about=f"the Hiera tree {name}".strip(),
            targets=(*targets, *self._left_out),
            files=found.files,
            entries=tuple(found.entries),
            settings=settings,
            remarks=(*self._remarks, *found.remarks, *remarks, *strings.remarks),
            reasons=(_reason_for(kinds.members),),
        )

    def _views(self) -> Iterator[tuple[str, HieraNodeView]]:
        for name in node_files(self._inputs, self._options):
            try:
                view = view_of(self._inputs, self._options, name)
                for layer in view.site.layers:
                    for level in layer.config.levels:
                        view.read(level)
                yield name, view
            except (lp.Reject, lp.InputError) as error:
                finding = error.diagnostics[0]
                remark = lp.ConversionRemark(
                    what=name, why=finding.message, at=finding.at, path=(), targets=frozenset({name})
                )
                self._left_out.append(lp.ConvertedTarget(name=name, left_out=remark))

    def _entries(self, views: Mapping[str, HieraNodeView]) -> list[lp.ConvertedEntry]:
        """One entry for each file of a level, the highest first."""
        entries: dict[tuple[int, int, int], lp.ConvertedEntry] = {}
        for name, view in views.items():
            for at, layer in enumerate(view.site.layers):
                for number, level in enumerate(layer.config.levels):
                    for position, file in enumerate(view.read(level)):
                        template = self._template(level, position, view)
                        converted = lp.ConvertedEntry(level.name, level.at, template)
                        entry = entries.setdefault((at, number, position), converted)
                        if entry.template is not None:
                            entry.facts[name] = _facts(level, position, view)
                        if file is not None:
                            self._add(entry, name, view, file)
        return [entry for _, entry in sorted(entries.items(), key=lambda pair: pair[0])]

    def _add(self, entry: lp.ConvertedEntry, name: str, view: HieraNodeView, file: DataFile) -> None:
        value = {key: each for key, each in file.value.items() if key != OPTIONS_KEY}
        stem, ending = posixpath.splitext(file.name)
        self._files.setdefault(file.name, file)
        source = view.site.tree.read(file.name) if ending in _ENDINGS else None
        entry.nodes[name] = lp.NodeFile(stem, lp.ConvertedFile(file.name, value, source))

    @staticmethod
    def _template(level: Level, position: int, view: HieraNodeView) -> str | None:
        """The path of a level as a pattern; None if it is one that files are searched with."""
        if level.kind not in ("path", "paths"):
            return None
        stem, ending = posixpath.splitext(level.paths_of_level[position].text)
        if ending not in _ENDINGS:
            return None
        environment = view.variables.environment

        def in_braces(match: re.Match[str]) -> str:
            fact = _fact(match[1])
            return environment if fact == "environment" else f"{{{fact}}}"

        written = posixpath.join(level.folder, level.datadir.text, stem)
        path = _EXPRESSION.sub(in_braces, written)
        full_path = view.files.mapped(path) if path.startswith("/") else within(path)
        return None if full_path is None or "{" in _EXPRESSION.sub("", written) else full_path

    def _kinds(self) -> lp.PathKinds:
        kinds = lp.PathKinds()
        for file in self._files.values():
            for key in file.value:
                if key != OPTIONS_KEY:
                    kinds.members.setdefault(key, lp.PathKinds((key,))).add(file.root.child(key))
        return kinds

    @staticmethod
    def _keys_of_all(views: Mapping[str, HieraNodeView]) -> set[str]:
        """The keys that every node has."""
        keys = [set(view.all_keys()) for view in views.values()]
        return set.intersection(*keys) if keys else set()


def _fact(expression: str) -> str:
    """What a variable is called as a fact."""
    plain = expression.strip().removeprefix("::")
    if plain == "trusted.certname":
        return "name"
    short = plain.removeprefix("facts.")
    return f"facts.{short}" if short in ("name", "environment") and plain != short else short


def _facts(level: Level, position: int, view: HieraNodeView) -> dict[str, str | None]:
    """The facts in the path of a level, with their values for a node."""
    expressions = _EXPRESSION.findall(level.datadir.text + level.paths_of_level[position].text)
    facts = {_fact(expression): expression for expression in expressions}
    return {fact: _value(view, each) for fact, each in facts.items() if fact not in ("name", "environment")}


def _value(view: HieraNodeView, expression: str) -> str | None:
    text = expression.strip()
    found = view.variables.value(segments_of(text), text)
    return None if found is None or found.value in ("", None) else to_s(found.value)


def _reason_for(keys: Collection[Any]) -> Callable[[lp.ConvertedDifference], str | None]:
    """Why a result differs, for a tree whose files have some keys."""

    def reason(difference: lp.ConvertedDifference) -> str | None:
        path, before, after, _ = difference
        if path and path[0] not in keys and after is lp.MISSING:
            return "only a module sets it"
        if before is not lp.MISSING and isinstance(after, str) and "%{" in after:
            return "the string interpolates a variable of the node"
        return None

    return reason
