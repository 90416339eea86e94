"""Prefix templates: prefixes of the precedence that consist of names and properties of the node, as nearly all do.

They are prepared once for a hierarchy: the folder that their first names lead to for every node, and the
names and properties that follow. Other prefixes take an evaluator; see `precedence_paths`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lamina.dialects.datum.handlers import holds_script
from lamina.dialects.datum.tree import TreeFolder
from lamina.engine.node import ComputedNode, SourceNode
from lamina.sources.caseless_keys import CaselessKey, caseless

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.dialects.datum.datum_yml import Definition, Prefix
    from lamina.dialects.datum.node_values import NodeValues
    from lamina.dialects.datum.tree import Position, TreeWalk
    from lamina.engine.node import Node

NODES_STORE: Final = "AllNodes"
WITHOUT_NODES: Final = (
    f"put each node into a file below {NODES_STORE}, or name a file of another folder with --node NAME"
)
"""What to do if a tree has no nodes."""
_OWN = re.compile(r"\$\(\$Node\.(?P<name>[A-Za-z_]\w*)\)", re.IGNORECASE | re.ASCII)
"""A property of the node and nothing else: nearly every segment with a variable is written so."""
_BLOCK = re.compile(r"<%=(?P<expression>.*?)%>", re.DOTALL)
_NamedSegment: TypeAlias = tuple[str, bool]
"""A name, or with true the name of a property of the node."""
OwnNames: TypeAlias = "tuple[list[str], list[CaselessKey]]"
"""The values of properties of a node, all of them strings, and their keys."""


@dataclass(slots=True, eq=False)  # several for each node: a frozen one takes three times as long to make
class ResolvedPrefix:
    """Where a prefix leads for a node: the names it was expanded to, and what is there."""

    prefix: Prefix
    names: Sequence[str]
    position: Position | None
    several: tuple[str, ...] = ()
    """The files and folders of a prefix that leads to a list of them."""
    missing: tuple[str, Position] | None = None
    """The first step that leads nowhere, and the position it was looked up in."""
    nodes: Sequence[Node] = ()
    """The node's own values that decided where it leads, as far as an evaluator read them."""
    keys: Sequence[CaselessKey] = ()
    """The keys of the others; nodes that have the same values there have the prefix in common."""

    @property
    def path(self) -> str:
        """The path as expanded."""
        return "\\".join(self.names)

    def reads(self, values: NodeValues) -> tuple[Node, ...]:
        """The node's own values that decided where it leads."""
        return (*self.nodes, *(values.own_at((key,)) for key in self.keys))

    @property
    def file(self) -> str | None:
        """The file or folder that is there."""
        if type(self.position) is SourceNode:
            return self.position.layer
        if self.several and self.position is not None:
            return ", ".join(self.several)
        if isinstance(self.position, TreeFolder):
            return self.position.name
        node = self.position
        while isinstance(node, ComputedNode) and node.parts:
            node = next(iter(node.parts.values()))
        return getattr(node, "layer", None)


@dataclass(frozen=True, slots=True)
class PrefixTemplate:
    """A prefix of names and properties: the folder that its first names lead to for every node, and what follows."""

    folder: TreeFolder
    shown: tuple[str, ...]
    segments: tuple[_NamedSegment, ...]
    properties: tuple[str, ...]
    """The names of the properties, in order."""


def prefix_templates_of(definition: Definition) -> list[tuple[Prefix, PrefixTemplate | None]]:
    """The prefixes of a hierarchy, each with its template; None for those that take an evaluator."""
    return definition.derived.once(
        "templates", lambda: [(each, _prefix_template(definition.root, each.text)) for each in definition.precedence]
    )


def _prefix_template(root: TreeFolder, text: str) -> PrefixTemplate | None:
    segments = _named_segments(text)
    if segments is None:
        return None
    folder, depth = root, 0
    for name, own in segments:
        inner = None if own else folder.members.get(caseless(name))
        if not isinstance(inner, TreeFolder):
            break
        folder, depth = inner, depth + 1
    properties = tuple(name for name, own in segments if own)
    return PrefixTemplate(folder, tuple(name for name, _ in segments[:depth]), segments[depth:], properties)


def _named_segments(text: str) -> tuple[_NamedSegment, ...] | None:
    """The segments of a prefix that has only names and properties of the node; None for others."""
    if holds_script(text) or is_handler(text):
        return None
    found: list[_NamedSegment] = []
    for segment, expression in segments_of(text):
        match = _OWN.fullmatch(segment)
        if expression is not None or "<%=" in segment or (match is None and ("$" in segment or "`" in segment)):
            return None
        found.append((match["name"], True) if match else (segment, False))
    return tuple(found)


def is_handler(text: str) -> bool:
    """Whether a prefix is something that a handler would evaluate."""
    stripped = text.strip()
    return stripped.startswith("[") and stripped.endswith("=]") and "=" in stripped[:12]


def segments_of(text: str) -> list[tuple[str, str | None]]:
    """The prefix cut at separators, except inside expressions; with the expression of a segment that is one."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    bare = re.sub(r"<%=.*?%>|\$\((?:[^()]|\([^()]*\))*\)", keep, text, flags=re.DOTALL)
    parts = re.split(r"[\\/]", bare)
    if len(parts) > 1 and not parts[-1]:
        parts.pop()  # one separator at the end is ignored
    return [_segment(re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], part)) for part in parts]


def _segment(text: str) -> tuple[str, str | None]:
    block = _BLOCK.fullmatch(text.strip())
    return (text.strip(), block["expression"].strip()) if block else (text, None)


def own_keys(own: Any) -> dict[str, CaselessKey]:
    """The keys of a node's properties by their names, which differ by case here."""
    return {key.text: key for key in own if type(key) is CaselessKey} if isinstance(own, dict) else {}


def own_names(own: Any, properties: Sequence[str], keys: Mapping[str, CaselessKey]) -> OwnNames | None:
    """What some properties of a node are, given its data and its `own_keys`; None where one takes an evaluator."""
    names, used = [], []
    for each in properties:
        key = keys.get(each)
        if key is None or type(name := own[key]) is not str or ("[" in name and holds_script(name)):
            return None
        names.append(name)
        used.append(key)
    return names, used


def located(prefix: Prefix, template: PrefixTemplate, own: OwnNames, walk: TreeWalk) -> ResolvedPrefix:
    """Where a prefix with a template leads, given what the properties in it are."""
    names, keys = own
    position: Position | None = template.folder
    missing: tuple[str, Position] | None = None
    shown, given = [*template.shown], iter(names)
    for text, is_own in template.segments:
        name = next(given) if is_own else text
        shown.append(name)
        if position is not None:
            here, position = position, walk.member(position, name)
            if position is None:
                missing = name, here
    return ResolvedPrefix(prefix, shown, position, (), missing, (), keys)
