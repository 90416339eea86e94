"""One hierarchy asked for one node: its layers, and lookups in them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from lamina._support import suggestions
from lamina.dialects.datum.datum_yml import Definition, definition_of, plain
from lamina.dialects.datum.equality import text_form
from lamina.dialects.datum.lookup import Hit, Lookup
from lamina.dialects.datum.lookup_options import entries_of, split
from lamina.dialects.datum.precedence_paths import ResolvedPrefix, Scope, locate
from lamina.dialects.datum.tree import TreeFolder, base_name
from lamina.engine.node import Gathered, LiteralNode, Node
from lamina.errors import Diagnostic, UsageError
from lamina.paths import MISSING
from lamina.sources.powershell.case_insensitive import caseless, folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.datum.lookup_options import Entries
    from lamina.dialects.datum.options import DatumOptions
    from lamina.dialects.datum.tree import File, Position
    from lamina.errors import Note
    from lamina.sources.inputs import Inputs

NODES_STORE = "AllNodes"


class Hierarchy:
    """A definition with its option entries."""

    def __init__(self, inputs: Inputs, options: DatumOptions) -> None:
        self.definition: Definition = definition_of(inputs, options.strict)
        self.documented = options.documented

    @property
    def entries(self) -> Entries:
        return _entries(self.definition, self.documented)

    def nodes(self) -> Iterator[tuple[str, Node]]:
        """Every node there is: its name and its data."""
        store = self.definition.root.members.get(caseless(NODES_STORE))
        for file in store.files() if isinstance(store, TreeFolder) else ():
            node = file.node()
            if node is not None and isinstance(node.value, dict):
                yield node_name(node) or str(file.key), node

    def find_node(self, name: str) -> Node:
        """The data of a node, by the name of its file, by the path of it below the nodes, or by the node's own name."""
        wanted = folded(name)
        for file in _by_name(self.definition).get(wanted, ()):
            node = file.node()
            if node is not None and isinstance(node.value, dict):
                return node
        nodes = list(self.nodes())
        for node in (node for known, node in nodes if folded(known) == wanted):
            return node
        for file in self.definition.root.files():
            if folded(str(file.key)) == wanted and (found := file.node()) is not None and isinstance(found.value, dict):
                return found
        for file in _by_name(self.definition).get(wanted, ()):
            file.insist()
        raise UsageError(_no_such_node(name, [known for known, _ in nodes]))

    def view(self, node: Node | None) -> NodeView:
        """The hierarchy as a node sees it."""
        return NodeView(self, node)


def _entries(definition: Definition, documented: bool) -> Entries:
    """The option entries of a hierarchy, with all that is found out about them, for all nodes."""

    def made() -> Entries:
        options, default = definition.option("lookup_options"), definition.option("default_lookup_options")
        return entries_of(options, default, documented=documented)

    return definition.derived.once(("entries", documented), made)


def _by_name(definition: Definition) -> dict[str, list[File]]:
    """The files of nodes, by name and by path below the nodes, both without case."""
    return definition.derived.once("by name", lambda: _listed_by_name(definition))


def _listed_by_name(definition: Definition) -> dict[str, list[File]]:
    found: dict[str, list[File]] = {}
    for path, file in node_files(definition):
        found.setdefault(folded(str(file.key)), []).append(file)
        if "/" in path:
            found.setdefault(folded(path), []).append(file)
    return found


def node_files(definition: Definition) -> Iterator[tuple[str, File]]:
    """Every file of a node, with its path below the nodes, without the ending."""
    store = definition.root.members.get(caseless(NODES_STORE))
    if isinstance(store, TreeFolder):
        for file in store.files():
            folder, _, name = file.name[len(store.name) :].lstrip("/").rpartition("/")
            yield f"{folder}/{base_name(name)}" if folder else base_name(name), file


def node_name(node: Node) -> str | None:
    """What a node calls itself."""
    for key in ("Name", "NodeName"):
        value = node.value.get(caseless(key)) if isinstance(node.value, dict) else None
        if value:
            return text_form(value)
    return None


def _no_such_node(name: str, known: list[str]) -> Diagnostic:
    listed = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
    return Diagnostic(
        code="no-such-node",
        message=f"there is no node {name}",
        hint=suggestions.meant(name, known, f"the nodes are {listed}" if known else "there is no node at all"),
    )


class NodeView:
    """A hierarchy as one node sees it."""

    def __init__(self, hierarchy: Hierarchy, node: Node | None) -> None:
        self.hierarchy = hierarchy
        self.node = node
        self._scope = Scope(_named(node), hierarchy.definition.root)

    @cached_property
    def places(self) -> list[ResolvedPrefix]:
        """Where each entry of the precedence leads, in order."""
        return [locate(prefix, self._scope) for prefix in self.hierarchy.definition.precedence]

    def lookup(self, path: str) -> Lookup:
        """What the layers have at a path."""
        names = split(path)
        hits = tuple(hit for place in self.places if (hit := self._hit(place, names)) is not None)
        return Lookup(names, hits, self.hierarchy.entries)

    def _hit(self, place: ResolvedPrefix, names: tuple[str, ...]) -> Hit | None:
        position: Position | None = place.position
        for name in names:
            if position is None:
                return None
            position = self._scope.walk.member(position, name)
        if position is None:
            return None
        node = self._scope.walk.value(position)
        return Hit(node, place.file or place.path)

    def said(self, place: ResolvedPrefix, names: tuple[str, ...]) -> Node | None:
        """What the layer at a place has at a path."""
        hit = self._hit(place, names)
        return None if hit is None else hit.node

    def names_at(self, names: tuple[str, ...]) -> list[str]:
        """All names the layers have below a path."""
        found = (self.said(place, names) for place in self.places)
        return sorted({str(key) for node in found if node and isinstance(node.value, dict) for key in node.value})

    def notes(self) -> tuple[Note, ...]:
        """What was worth a note on the way: files that could not be read, odd prefixes."""
        unique = {note.message: note for note in self._scope.notes}
        return (*unique.values(), *self._scope.walk.problems.values())


def _named(node: Node | None) -> Node | None:
    """The node's data with a name: the program takes NodeName where Name is missing."""
    if node is None or not isinstance(node.value, dict):
        return node
    name, other = node.child(caseless("Name")), node.child(caseless("NodeName"))
    if name.value not in (None, MISSING, "") or other.value in (None, MISSING):
        return node
    parts = {key: node.child(key) for key in node.value} | {caseless("Name"): other}
    return Gathered({key: part.value for key, part in parts.items()}, (), parts)


def given_node(value: Any) -> Node:
    """A node given as data rather than by name."""
    return LiteralNode(plain(value), ())
