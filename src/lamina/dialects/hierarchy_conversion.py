"""Conversion of hierarchies: layers by patterns with the facts of nodes.

A pattern is carried over where its facts lead every node to the file that it has. Where they do not (a script, a glob,
another case of letters), the file of each node is a fact of its own in the inventory.
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
    """One entry: as it is written, as a pattern without an ending where it is a simple one, and the file of each node.

    `facts` are the values of its facts for every node, also where there is no file.
    """

    text: str
    at: Origin | None
    template: str | None
    nodes: dict[str, NodeFile] = field(default_factory=dict)
    facts: dict[str, Mapping[str, str | None]] = field(default_factory=dict)


class HierarchyConversion:
    """Patterns, facts and files of a hierarchy under way. Entries are given from the highest to the lowest layer."""

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
                for fact, value in self._meant(entry, node, facts).items():
                    _put(self.facts[node], fact, value)
            return
        fact = f"layer-{number}"
        self.entries.append(f"{{{fact}}}")
        for node, own in self.facts.items():
            own[fact] = entry.nodes[node].stem + ending if node in entry.nodes else None
        why = f"which file it is was found for each node, and is the fact {fact} in the inventory"
        self.remarks.append(ConversionRemark(what=f"the layer {entry.text}", why=why, at=entry.at))

    @staticmethod
    def _ending(entry: ConvertedEntry) -> str:
        """The ending of all files of an entry: the most common one that another system reads."""
        endings = Counter(posixpath.splitext(each.file.name)[1] for each in entry.nodes.values())
        usable = [ending for ending, _ in endings.most_common() if ending in (".yml", ".yaml", ".json", ".eyaml")]
        return usable[0] if usable else ".yaml"

    def _meant(self, entry: ConvertedEntry, node: str, facts: Mapping[str, str | None]) -> Mapping[str, str | None]:
        """The facts of a node as its file spells them, which may be in another case."""
        found = entry.nodes.get(node)
        if found is None or entry.template is None:
            return facts
        match = _matcher(entry.template).fullmatch(found.stem)
        return {fact: match[f"f{at}"] for at, fact in enumerate(facts)} if match else facts

    def _fits(self, entry: ConvertedEntry) -> bool:
        """Whether the facts lead every node to its file, and no other fact of the name says something else."""
        if entry.template is None:
            return False
        for node, facts in entry.facts.items():
            meant = self._meant(entry, node, facts)
            if not all(value is None or _is_usable(value) for value in meant.values()):
                return False
            if any(_get(self.facts[node], fact, value) != value for fact, value in meant.items()):
                return False
            found = entry.nodes.get(node)
            filled = None if None in meant.values() else _filled(entry.template, {**meant, "name": node})
            if (found.stem if found else None) != filled and (found or filled in _stems(entry)):
                return False
        return True


def _is_usable(value: str) -> bool:
    """Whether a fact can be a part of a path: it does not lead out of the folder, and is not empty."""
    return bool(value) and "{" not in value and not value.startswith("/") and ".." not in value.split("/")


def _stems(entry: ConvertedEntry) -> set[str]:
    return {each.stem for each in entry.nodes.values()}


def _matcher(template: str) -> re.Pattern[str]:
    """A pattern that finds the facts in a path; a fact that is there twice must be the same."""
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
    here: Any = facts
    for step in fact.split("."):
        if not isinstance(here, dict) or step not in here:
            return default
        here = here[step]
    return here


def _put(facts: dict[str, Any], fact: str, value: str | None) -> None:
    *steps, last = fact.split(".")
    here = facts
    for step in steps:
        here = here.setdefault(step, {})
    here[last] = value
