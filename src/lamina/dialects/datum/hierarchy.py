"""A hierarchy: its nodes, and for one node its layers and lookups in them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.dialects.datum import messages
from lamina.dialects.datum.build_values import node_properties, variables
from lamina.dialects.datum.datum_yml import Definition, definition_of, plain
from lamina.dialects.datum.equality import text_form
from lamina.dialects.datum.lookup import Hit, Lookup
from lamina.dialects.datum.lookup_options import entries_of
from lamina.dialects.datum.node_evaluator import NodeEvaluator, OwnData
from lamina.dialects.datum.precedence import Expansion, missing_layers
from lamina.dialects.datum.prepared_layers import prepared
from lamina.dialects.datum.tree import NODES_STORE, TreeFolder, TreeWalk, base_name
from lamina.engine.node import ComputedNode, LiteralNode, Node
from lamina.engine.plan import Stage
from lamina.engine.provenance import first_origin
from lamina.plugin.hierarchy import NamedNode, no_such_node
from lamina.sources.caseless_keys import caseless, folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.dialects.datum.lookup_options import Entries
    from lamina.dialects.datum.options import DatumOptions
    from lamina.dialects.datum.precedence import ResolvedPrefix
    from lamina.dialects.datum.tree import File, Position
    from lamina.errors import Note
    from lamina.sources.inputs import Inputs

_NAME, _NODE_NAME = caseless("Name"), caseless("NodeName")
TEMPLATE = "*"
"""The name of the file that is not a node but has settings for all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class NodeEntry(NamedNode):
    """A node of a hierarchy: its name, its file, and the content of the file.

    Nodes are named by their files; if several files have the same name, by their paths below the nodes.
    """

    file: File
    node: Node

    @property
    def own(self) -> OwnData:
        return OwnData(self.node, self.file)


def is_template(node: Node) -> bool:
    """Whether a file holds the settings for all nodes, as older builds have it."""
    return any(text_form(_plain_member(node, key)) == TEMPLATE for key in ("Name", "NodeName"))


class Hierarchy:
    """A definition with its option entries."""

    def __init__(self, inputs: Inputs, options: DatumOptions) -> None:
        self.inputs = inputs
        self.strict = options.strict
        self.definition: Definition = definition_of(inputs, options.strict)
        self.documented = options.documented
        self.as_built = options.as_built
        self._variables = variables(options, inputs) if options.variable else {}
        self._properties = node_properties(options, inputs) if options.node_property else {}
        self._for_all: tuple[Entries, Stage] | None = None

    @property
    def entries(self) -> Entries:
        """The option entries."""
        return (self._for_all or self._found_for_all())[0]

    @property
    def first_stage(self) -> Stage:
        """The stage that says what there is to note about the definition, for all nodes alike."""
        return (self._for_all or self._found_for_all())[1]

    def _found_for_all(self) -> tuple[Entries, Stage]:
        key = ("entries", self.documented)
        found: tuple[Entries, Stage] | None = self.definition.derived.find(key)
        if found is None:
            found = self.definition.derived.keep(key, _made_for_all(self.definition, self.documented))
        self._for_all = found
        return found

    def nodes(self) -> Iterator[NodeEntry]:
        """Every node, with its name and its data; a file with settings for all nodes is not one."""
        files = list(node_files(self.definition))
        if self.as_built:
            files.sort(key=lambda pair: pair[0].count("/"))  # breadth first, as builds list them
        names = Counter(folded(path.rpartition("/")[2]) for path, _ in files)
        for path, file in files:
            node = file.node(self.inputs.run)
            if node is None or not isinstance(node.value, dict):
                continue
            if not is_template(node):
                yield NodeEntry(self._name(path, names, node), first_origin(node), file, node)

    def unreadable_nodes(self) -> Iterator[tuple[str, File]]:
        """The files of nodes that cannot be read, with their names."""
        for path, file in node_files(self.definition):
            if file.node(self.inputs.run) is None and file.problem is not None:
                yield path.rpartition("/")[2], file

    def _name(self, path: str, names: Mapping[str, int], node: Node) -> str:
        name = path.rpartition("/")[2]
        if not self.as_built:
            return node_name(node) or name
        return name if names[folded(name)] == 1 else path

    def find_node(self, name: str) -> OwnData:
        """The data of a node, by the name of its file, by the path of it below the nodes, or by the node's own name."""
        for file in _files_called(self.definition, name):
            node = file.node(self.inputs.run)
            if node is not None and isinstance(node.value, dict):
                return OwnData(node, file)
        wanted, nodes = folded(name), list(self.nodes())
        for entry in nodes:
            if wanted in (folded(entry.name), folded(node_name(entry.node) or "")):
                return entry.own
        for file in self.definition.root.files():
            if (
                folded(str(file.key)) == wanted
                and (found := file.node(self.inputs.run)) is not None
                and isinstance(found.value, dict)
            ):
                return OwnData(found, file)
        for file in _files_called(self.definition, name):
            file.check_readable()
        raise no_such_node(name, [entry.name for entry in nodes], hint=None if nodes else "the inputs contain no nodes")

    def view(self, own: OwnData | None) -> NodeView:
        """The hierarchy as a node sees it."""
        return NodeView(self, own)

    def evaluator(self, own: OwnData | None, walk: TreeWalk) -> NodeEvaluator:
        """What evaluates the data of a node, and in its layers."""
        if own is not None:
            node = self._with_properties(own.node) if self._properties else own.node
            node = _named(node, own.file, as_built=self.as_built)
            own = own if node is own.node else OwnData(node, own.file)
        return NodeEvaluator(self.definition, own, walk, self._variables, on=self.as_built)

    def _with_properties(self, node: Node) -> Node:
        if not isinstance(node.value, dict):
            return node
        parts = {key: node.child(key) for key in node.value}
        parts |= {key: LiteralNode(value, (key,)) for key, value in self._properties.items()}
        return ComputedNode.of_parts({key: part.value for key, part in parts.items()}, (), parts)

    def same_names(self) -> Iterator[Note]:
        """Nodes that a build would confuse: two files with the same name, or two nodes with the same NodeName."""
        files: dict[str, NodeEntry] = {}
        names: dict[str, NodeEntry] = {}
        for entry in self.nodes():
            key = folded(str(entry.file.key))
            own = _plain_member(entry.node, "NodeName")
            if key in files:
                also = own == _plain_member(files[key].node, "NodeName") and own is not None
                hint = f"rename one of the files{', and change its NodeName' if also else ''}"
                yield _same_name(entry, files[key], f"the file name {entry.file.key}", hint)
            files.setdefault(key, entry)
            if isinstance(own, str) and own and "[x=" not in own.lower():
                if folded(own) in names and key != folded(str(names[folded(own)].file.key)):
                    yield _same_name(entry, names[folded(own)], f"the NodeName {own}", "change one NodeName")
                names.setdefault(folded(own), entry)


def _same_name(entry: NodeEntry, other: NodeEntry, what: str, hint: str) -> Note:
    one, second = entry.file.name, other.file.name
    related = (("the other node", first_origin(other.node)),)
    at = first_origin(entry.node)
    return messages.DUPLICATE_NODE_NAME.at(
        at, subject=entry.name, related=related, one=one, other=second, what=what, how=hint
    )


def _plain_member(node: Node, key: str) -> Any:
    return node.value.get(caseless(key)) if isinstance(node.value, dict) else None


def _made_for_all(definition: Definition, documented: bool) -> tuple[Entries, Stage]:
    """The option entries of a hierarchy, with everything computed from them, and its first stage."""
    options, default = definition.option("lookup_options"), definition.option("default_lookup_options")
    entries = entries_of(options, default, documented=documented)
    return entries, Stage(title="definition", outputs=(), notes=(*definition.notes, *entries.notes))


def _files_called(definition: Definition, name: str) -> list[File]:
    """The files of nodes that have a name, or a path below the nodes, both without case."""
    known: tuple[TreeFolder, dict[str, list[File]]] | None = definition.derived.find("by name")
    if known is None:
        store = _nodes_store(definition)
        if store is None:
            return []
        known = definition.derived.keep("by name", (store, _by_name(store)))
    if known[0].is_live:
        known[0].look_for(name.rpartition("/")[2])
    return known[1].get(folded(name), [])


def _by_name(store: TreeFolder) -> dict[str, list[File]]:
    found: dict[str, list[File]] = {}
    start = len(store.name) + 1
    for file in store.indexed_files():
        found.setdefault(file.key.bare, []).append(file)
        if "/" in file.name[start:]:
            found.setdefault(folded(_path_below(store, file)), []).append(file)
    return found


def node_files(definition: Definition) -> Iterator[tuple[str, File]]:
    """Every file of a node, with its path below the nodes, without the ending."""
    store = _nodes_store(definition)
    if store is not None:
        yield from ((_path_below(store, file), file) for file in store.files())


def _nodes_store(definition: Definition) -> TreeFolder | None:
    store = definition.root.members.get(caseless(NODES_STORE))
    return store if isinstance(store, TreeFolder) else None


def _path_below(store: TreeFolder, file: File) -> str:
    """The path of a file below the nodes, without the ending."""
    folder, _, name = file.name[len(store.name) :].lstrip("/").rpartition("/")
    return f"{folder}/{base_name(name)}" if folder else base_name(name)


def node_name(node: Node) -> str | None:
    """What a node calls itself."""
    for key in ("Name", "NodeName"):
        value = node.value.get(caseless(key)) if isinstance(node.value, dict) else None
        if value:
            return text_form(value)
    return None


class NodeView:
    """A hierarchy as one node sees it."""

    def __init__(self, hierarchy: Hierarchy, own: OwnData | None) -> None:
        self.hierarchy = hierarchy
        self._walk = TreeWalk(hierarchy.inputs.run)
        self.evaluator = hierarchy.evaluator(own, self._walk)
        self._expansion = Expansion(self.evaluator)
        self._prefixes: list[ResolvedPrefix] | None = None
        self.has_node = own is not None

    @property
    def node(self) -> Node | None:
        """The node's own data, evaluated."""
        return self.evaluator.own_data() if self.has_node else None

    @property
    def resolved_prefixes(self) -> list[ResolvedPrefix]:
        """Where each entry of the precedence leads, in order."""
        if self._prefixes is None:
            if self.has_node:
                self.evaluator.own_data()
            self._prefixes = self._expansion.resolved_prefixes()
        return self._prefixes

    def lookup(self, path: str) -> Lookup:
        """The lookup of a path in the layers."""
        entries, run = self.hierarchy.entries, self.hierarchy.inputs.run
        at = entries.lookup_of(path)
        hits = tuple(self._hits(at.names))
        if not (self.evaluator.rules.any and any(self.evaluator.has_scripts(hit.value) for hit in hits)):
            return Lookup(at, hits, entries, run, literal=True)
        nodes = prepared(self.evaluator, [hit.node for hit in hits])
        first = 0
        while len(nodes) > first + 2 and nodes[first].value is None:
            first += 2  # merged, a script that gives null and what it meets are null; the next value is then the first
        if len(nodes) > 1 and nodes[first].value is None:
            return Lookup(at, (hits[first],), entries, run)  # the state before the merge, which is not null, is used
        pairs = zip(nodes[first:], hits[first:], strict=True)
        found = tuple(Hit(node, hit.layer, hit.rank) for node, hit in pairs if node.value is not None)
        return Lookup(at, found, entries, run)

    def _hits(self, names: tuple[str, ...]) -> Iterator[Hit]:
        """What the layers have at a path, in order."""
        for rank, prefix in enumerate(self.resolved_prefixes):
            node = self.value_at(prefix, names)
            if node is not None:
                yield Hit(node, prefix.file or prefix.path, rank)

    def value_at(self, prefix: ResolvedPrefix, names: tuple[str, ...]) -> Node | None:
        """The node of a layer at a path."""
        position: Position | None = prefix.position
        for name in names:
            if position is None:
                return None
            position = self._walk.member(position, name)
        return None if position is None else self._walk.value(position)

    def names_at(self, names: tuple[str, ...]) -> list[str]:
        """All names the layers have below a path."""
        found = (self.value_at(prefix, names) for prefix in self.resolved_prefixes)
        return sorted({str(key) for node in found if node and isinstance(node.value, dict) for key in node.value})

    def notes(self) -> tuple[Note, ...]:
        """Notes on files that could not be read, wrong prefixes, values that could not be computed."""
        found = [*self._expansion.notes, *missing_layers(self.resolved_prefixes)]
        unique = {note.message: note for note in found}.values() if found else ()
        return (*unique, *self._walk.problems.values(), *self.evaluator.notes)


def _named(node: Node, file: File | None, *, as_built: bool) -> Node:
    """The node's data with a name: in builds that of its file; otherwise a missing NodeName is added."""
    if not isinstance(node.value, dict):
        return node
    name = node.value.get(_NAME)
    if as_built and file is not None:
        if isinstance(name, str) and name == file.key.text:
            return node
        other: Node = LiteralNode(file.key.text, (_NAME,))
    elif name not in (None, "") or node.value.get(_NODE_NAME) is None:
        return node
    else:
        other = node.child(_NODE_NAME)
    parts = {key: node.child(key) for key in node.value} | {_NAME: other}
    return ComputedNode.of_parts({key: part.value for key, part in parts.items()}, (), parts)


def node_of_data(value: Any) -> OwnData:
    """A node given as data rather than by name."""
    return OwnData(LiteralNode(plain(value), ()), None)
