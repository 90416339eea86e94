"""Conversion of hierarchies: layers as path patterns with facts of nodes.

A pattern is kept if its facts lead every node to its file. Otherwise (a script, a glob, another case of characters) the
file of each node becomes a fact in the inventory.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.dialects.conversion import ConversionRemark, ConvertedFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lamina.origins import Origin

_FACT = re.compile(r"\{([^{}]*)\}")


class NodeFile(NamedTuple):
    """The file that an entry of a hierarchy leads a node to, and its name without its ending."""

    stem: str
    file: ConvertedFile


@dataclass(slots=True)
class ConvertedEntry:
    """One entry: as written, as a pattern without file extension if it is simple, and the file of each node.

    `facts` are the values of its facts for every node, even without a file.
    """

    text: str
    at: Origin | None
    template: str | None
    nodes: dict[str, NodeFile] = field(default_factory=dict)
    facts: dict[str, Mapping[str, str | None]] = field(default_factory=dict)


class HierarchyConversion:
    """Collects patterns, facts and files of a hierarchy. Entries are added from the highest to the lowest layer."""

    def __init__(self, entries: Sequence[ConvertedEntry], names: Iterable[str]) -> None:
        self.files: dict[str, ConvertedFile] = {}
        self.remarks: list[ConversionRemark] = []
        self.facts: dict[str, dict[str, Any]] = {name: {} for name in names}
        self.layers: dict[str, list[str]] = {name: [] for name in self.facts}
        self.entries: list[str] = []
        for number, entry in enumerate(reversed(entries), 1):
            self._add(entry, number)

    def _add(self, entry: ConvertedEntry, number: int) -> None:
        if not entry.nodes:
            return  # no node has it
        ending = self._ending(entry)
        for node, found in entry.nodes.items():
            name = found.stem + ending
            self.files[name] = ConvertedFile(name, found.file.value, found.file.source, found.file.rewritten)
            self.layers[node].append(name)
        template = entry.template if self._fits(entry) else None
        if template is not None:
            self.entries.append(template + ending)
            for node, facts in entry.facts.items():
                for fact, value in self._facts_as_spelled(entry, node, facts).items():
                    _set_fact(self.facts[node], fact, value)
            return
        fact = f"layer-{number}"
        self.entries.append(f"{{{fact}}}")
        for node, own in self.facts.items():
            own[fact] = entry.nodes[node].stem + ending if node in entry.nodes else None
        why = f"which file it is was found for each node, and is the fact {fact} in the inventory"
        self.remarks.append(ConversionRemark(what=f"the layer {entry.text}", why=why, at=entry.at))

    @staticmethod
    def _ending(entry: ConvertedEntry) -> str:
        """The file extension for all files of an entry: the most common one that the other system reads."""
        endings = Counter(posixpath.splitext(each.file.name)[1] for each in entry.nodes.values())
        usable = [ending for ending, _ in endings.most_common() if ending in (".yml", ".yaml", ".json", ".eyaml")]
        return usable[0] if usable else ".yaml"

    def _facts_as_spelled(
        self, entry: ConvertedEntry, node: str, facts: Mapping[str, str | None]
    ) -> Mapping[str, str | None]:
        """The facts of a node as they are spelled in its file name, which may differ in case."""
        found = entry.nodes.get(node)
        if found is None or entry.template is None:
            return facts
        match = _matcher(entry.template).fullmatch(found.stem)
        return {fact: match[f"f{at}"] for at, fact in enumerate(facts)} if match else facts

    def _fits(self, entry: ConvertedEntry) -> bool:
        """Whether the facts lead every node to its file, and do not contradict a fact that was already added."""
        if entry.template is None:
            return False
        for node, facts in entry.facts.items():
            spelled = self._facts_as_spelled(entry, node, facts)
            if not all(value is None or _is_usable(value) for value in spelled.values()):
                return False
            if any(_get(self.facts[node], fact, value) != value for fact, value in spelled.items()):
                return False
            found = entry.nodes.get(node)
            filled = None if None in spelled.values() else _filled(entry.template, {**spelled, "name": node})
            if (found.stem if found else None) != filled and (found or filled in _stems(entry)):
                return False
        return True


def _is_usable(value: str) -> bool:
    """Whether a fact can be a part of a path: not empty, and does not lead out of the folder."""
    return bool(value) and "{" not in value and not value.startswith("/") and ".." not in value.split("/")


def _stems(entry: ConvertedEntry) -> set[str]:
    return {each.stem for each in entry.nodes.values()}


def _matcher(template: str) -> re.Pattern[str]:
    """A regular expression that finds the facts in a path; repeated facts must be equal."""
    seen: dict[str, int] = {}
    parts: list[str] = []
    at = 0
    for match in _FACT.finditer(template):
        parts.append(re.escape(template[at : match.start()]))
        if match[1] == "name":
            parts.append(".+?")
        elif match[1] in seen:
            parts.append(f"(?P=f{seen[match[1]]})")
        else:
            seen[match[1]] = len(seen)
            parts.append(f"(?P<f{seen[match[1]]}>.+?)")
        at = match.end()
    return re.compile("".join((*parts, re.escape(template[at:]))), re.IGNORECASE)


def _filled(template: str, facts: Mapping[str, str | None]) -> str:
    return _FACT.sub(lambda match: str(facts[match[1]]), template)


def _get(facts: Mapping[str, Any], fact: str, default: Any) -> Any:
    value: Any = facts
    for step in fact.split("."):
        if not isinstance(value, dict) or step not in value:
            return default
        value = value[step]
    return value


def _set_fact(facts: dict[str, Any], fact: str, value: str | None) -> None:
    *steps, last = fact.split(".")
    inner = facts
    for step in steps:
        inner = inner.setdefault(step, {})
    inner[last] = value
