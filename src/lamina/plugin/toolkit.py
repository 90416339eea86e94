"""Helpers for dialect authors: reading, rewriting strings, folding one output, and rejecting."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina._support import suggestions
from lamina.engine import fold
from lamina.engine.change import MergeChange
from lamina.engine.delta import Computed, Removed, value_of
from lamina.engine.log import moved
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.engine.plan import Directive, From, Merge, Output, Stage, Start
from lamina.engine.provenance import source_nodes_of
from lamina.engine.secret_keys import Secrecy
from lamina.engine.step_context import Ledger
from lamina.errors import Reject, Severity
from lamina.origins import PositionMap
from lamina.paths import MISSING, child
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from yaml.events import Event

    from lamina.engine.delta import Delta
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.plan import AnyStep, Results
    from lamina.engine.policy import Policy
    from lamina.engine.secret_keys import SecretKeys
    from lamina.engine.step_context import StepContext
    from lamina.errors import Message, Note
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.run import Run
    from lamina.sources.document import Document
    from lamina.sources.limits import Limits
    from lamina.sources.source import Source
    from lamina.sources.yaml.scalars import ScalarTable


_LISTED = 12
"""How many words a hint lists."""


@dataclass(frozen=True, slots=True)
class LayerDocument:
    """A document that was read: its plain value, which must not be changed, and the notes of the reader."""

    document: Document

    @property
    def value(self) -> Any:
        return self.document.value

    @property
    def notes(self) -> Sequence[Note]:
        """The notes of the reader (repeated keys); those of files that steps use are shown with the output."""
        return self.document.notes

    def root(self, layer: str, *, secret: bool = False, secret_keys: SecretKeys | None = None) -> SourceNode:
        """The node of the whole document; `layer` is its name for users; `secret` hides it in explanations, or
        `secret_keys` some of its members."""
        self.document.positions.notes = self.document.notes
        return SourceNode(self.value, (), self.document.positions, 0, layer, secret=secret, secret_keys=secret_keys)


def read_yaml(source: Source, run: Run, *, keep_tags: bool = False, anchors_again: bool = False) -> LayerDocument:
    """The only document of a YAML file; bad syntax is an error with its line.

    A tag that PyYAML does not know is an error, unless `keep_tags` makes its value a `Tagged`. An anchor that is
    defined again is one, too, unless `anchors_again` allows it.
    """
    if not keep_tags and not anchors_again:
        return LayerDocument(document_cache.yaml_document(source, run))
    read = document_cache.lenient_yaml_document
    return LayerDocument(read(source, run, keep_tags=keep_tags, anchors_again=anchors_again))


def read_all_yaml(source: Source, run: Run) -> list[LayerDocument]:
    """All documents of a YAML file."""
    return [LayerDocument(document) for document in document_cache.yaml_documents(source, run)]


def read_json(source: Source, run: Run) -> LayerDocument:
    """The value of a JSON file."""
    return LayerDocument(document_cache.json_document(source, run))


def read_toml(source: Source, run: Run) -> LayerDocument:
    """The table of a TOML file."""
    return LayerDocument(document_cache.toml_document(source, run))


def read_as(how: str, source: Source, run: Run, read: Callable[[Source, Limits], Document]) -> LayerDocument:
    """A document in your own format, read once in a session; `how` is the name of the format."""
    return LayerDocument(document_cache.cached_read(how, source, run, read, document_cache.weight_of))


def read_go_yaml(source: Source, run: Run) -> LayerDocument:
    """The first document of a YAML file as the tools of Kubernetes read it: to JSON first, with YAML 1.1's words."""
    from lamina.sources.yaml.go_reader import read_go_yaml as read

    return read_as("go", source, run, read)


def read_python_json(source: Source, limits: Limits) -> Document:
    """The value of a JSON file as Python reads it: NaN and Infinity are numbers."""
    from lamina.sources.json.reader import read_json as read

    return read(source, limits, python=True)


def read_table_yaml(source: Source, table: ScalarTable, limits: Limits) -> Document:
    """The only document of a YAML file as libyaml reads it, with your own scalars and tags."""
    from lamina.sources.yaml.reader import read_one

    return read_one(source, table, "c", limits)


def read_plain_yaml(source: Source, table: ScalarTable, limits: Limits) -> list[Document] | None:
    """All documents of a YAML file in the plain style, with your own scalars; None if it needs a parser."""
    from lamina.sources.yaml.fast_reader import read_lines

    limits.check_size(source)
    return read_lines(source, table, limits)


def yaml_events(source: Source, limits: Limits) -> Iterator[Event]:
    """The events of a YAML file, for your own reader; bad syntax is an error with its line."""
    from lamina.sources.yaml.pyyaml_reader import checked_events

    return checked_events(source, limits)


def written_at(values: Mapping[Any, Any], at: Origin, layer: str) -> SourceNode:
    """A mapping of values without parts that is written at one place, such as a line with several assignments."""
    positions = PositionMap(lambda line, column: at)  # noqa: ARG005
    for _ in range(1 + 2 * len(values)):
        positions.add(0, 0)
    positions.close(0)
    return SourceNode(dict(values), (), positions, 0, layer)


def start(value: Any = None, by: str = "", at: Origin | None = None) -> Start:
    """The first step of an output: a node, or a plain value that is in no file; an empty mapping by default.

    `by` is what `explain` and `plan` call it: by default the name of the node's layer.
    """
    node = value if isinstance(value, Node) else LiteralNode({} if value is None else value, ())
    named = node.layer if isinstance(node, SourceNode) else "the start" if node.value else "the empty start"
    return Start(directive=Directive(by or named, at), take=From(source=node))


_NO_FAULTS: Mapping[str, Message] = {}


def merge(
    node: Node,
    policy: Policy,
    by: str = "",
    at: Origin | None = None,
    path: Path = (),
    faults: Mapping[str, Message] = _NO_FAULTS,
) -> Merge:
    """The step that merges a node into the output at a path, which is created if it does not exist.

    `by` is the rule as `explain` and `plan` show it; `at` is where the input defines it. `faults` has the messages for
    what the policy may reject.
    """
    directive = Directive(by or policy.label, at or policy.origin)
    take = From(source=node)
    return Merge(directive=directive, take=take, policy=policy, path=path, create=bool(path), faults=faults)


def output(
    name: str, *steps: AnyStep, notes: Sequence[Note] = (), hidden: bool = False
) -> Generator[Stage, Results, Node]:
    """Fold one output and return its node: `node = yield from output(name, *steps)`.

    A hidden output is an intermediate value and not part of the result. An output that fails ends the compilation with
    its errors. What the readers of its files noticed is shown with it, and `notes` besides.
    """
    made = Output(name=name, steps=steps, hidden=hidden)
    results = yield Stage(title=name, outputs=(made,), notes=tuple(notes_of([made], notes)))
    folded = results[name]
    if folded.failed:
        raise Reject(*folded.faults)
    return folded.node


def notes_of(outputs: Iterable[Output], others: Iterable[Note] = ()) -> dict[Note, None]:
    """What the readers of the files in some outputs noticed, and what else there is to say; each once."""
    sources = (step.take.source for each in outputs for step in each.steps if isinstance(step, (Start, Merge)))
    maps = {id(node.positions): node.positions for node in sources if isinstance(node, SourceNode)}
    said = (note for positions in maps.values() for note in positions.notes)
    return dict.fromkeys((*said, *others))


def merged_into(context: StepContext, node: Node, policy: Policy, remarks: Severity = Severity.WARNING) -> Node:
    """For your own step: the current output with a node merged into it, which the step returns; `remarks` is how
    severe it is what operators say of the outcome.
    """
    old = context.node

    def merged(run: MergeContext) -> Node:
        delta = policy.combine(old.value, node.value, None, run)
        value = value_of(delta, old.value, node.value)
        return MergeChange(value, (), old, node, delta, context.ref, policy=policy)

    return context.merged(old, node, merged, remarks)


def folded(name: str, *steps: AnyStep, run: Run, path: Path = ()) -> Node:
    """Fold steps immediately, outside the plan: for a value that the compiler itself needs. Raises errors.

    `path` is where the value will be in an output, as `explain` shows it.
    """
    result = fold.fold_output(Output(name=name, steps=steps, hidden=True), {}, Ledger(run))
    if result.failed:
        raise Reject(*result.faults)
    return moved(result.node, path) if path else result.node


def gathered(parts: Mapping[Any, Node], kind: Callable[[dict[Any, Any]], Any] = dict) -> Node:
    """A mapping assembled from nodes, each of which keeps its history; with `items_of` as kind, a list."""
    return ComputedNode.of_parts(kind({key: node.value for key, node in parts.items()}), (), parts)


def items_of(members: dict[Any, Any]) -> list[Any]:
    """The list of values by position."""
    return list(members.values())


def secret(node: Node) -> Node:
    """The same value, hidden wherever values are explained."""
    first = next(source_nodes_of(node), None)
    if first is None:
        return node
    mark = SourceNode(first.value, first.path, first.positions, first.index, first.layer, secret=True)
    return ComputedNode(node.value, node.path, (node, mark), "secret")


def secret_where(node: SourceNode, is_secret: Callable[[Any], bool]) -> SourceNode:
    """The node with some of the values in it hidden wherever values are explained; the same node if there are none."""
    found: dict[Any, Any] = {}
    pending: list[tuple[Any, Path]] = [(node.value, ())]
    while pending:
        value, path = pending.pop()
        if path and is_secret(value):
            holder = found
            for step in path[:-1]:
                holder = holder.setdefault(step, {})
            holder[path[-1]] = Secrecy.ENCRYPTED
        elif isinstance(value, (dict, list)):
            members = value.items() if isinstance(value, dict) else enumerate(value)
            pending.extend((member, (*path, key)) for key, member in members)
    if not found:
        return node
    return SourceNode(node.value, node.path, node.positions, node.index, node.layer, secret_keys=found)


def written_for(node: Node) -> list[SourceNode]:
    """The source nodes that a node's value comes from, in order."""
    return list(source_nodes_of(node))


@contextmanager
def blamed_on(place: Node | Origin | None) -> Iterator[None]:
    """Findings without a location get this one."""
    try:
        yield
    except Reject as reject:
        at = place.origin() if isinstance(place, Node) else place
        raise Reject(*(each if each.at else replace(each, at=at) for each in reject.diagnostics)) from None


def did_you_mean(word: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """A hint with the most similar known word, or `otherwise`; without that a list of some of them."""
    words = list(known)
    listed = ", ".join(words[:_LISTED]) + (", …" if len(words) > _LISTED else "")
    if otherwise is None:
        otherwise = f"known: {listed}" if words else "there are none"
    return suggestions.did_you_mean(word, words, otherwise)


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """What a function of `rewrite` may return: a value, and the nodes it was made from besides the string.

    With `same`, the value is that of the only node, and its parts have that node's history.
    """

    value: Any
    nodes: Iterable[Node] = ()
    how: str = "computed"
    same: bool = False

    def node(self, written: Node, path: Path | None = None) -> Node:
        """The node that replaces the string."""
        kind = _SharedValue if self.same else ComputedNode
        return kind(self.value, written.path if path is None else path, (written, *self.nodes), self.how)


class _SharedValue(ComputedNode):
    """A value shared with another node; its parts come from the parts of that node."""

    __slots__ = ()

    def child(self, key: Any) -> Node:
        value, path = child(self.value, key), (*self.path, key)
        if value is MISSING:
            return LiteralNode(MISSING, path)
        written, owner = self.bases
        return _SharedValue(value, path, (written, owner.child(key)), self.how)


def computed(value: Any, how: str) -> Delta:
    """The delta for a value that an operator computed from both sides; `how` in a word or two."""
    return Computed(value, how)


def removed(verdict: str = "removed") -> Delta:
    """The delta for an operator that removes the value."""
    return Removed(verdict)


def rewrite(
    node: SourceNode,
    *,
    string: Callable[[str], Any] | None = None,
    key: Callable[[str], Any] | None = None,
    key_at: Callable[[Any, Path], Any] | None = None,
) -> Node:
    """The node with its strings and string keys replaced by functions; positions are kept.

    `key_at` is for all keys, also such as are no strings, and is given the path of the mapping below the node.

    The function for strings may return `MadeFrom`; then `explain` shows what else the value was made from. A function
    may raise `Reject` with a diagnostic without a location: it gets that of the string. If two keys of a mapping become
    equal, the last one is used.
    """
    rewriting = _Rewrite(node, string, key, key_at)
    return rewriting.node(node, rewriting.value(node.value, ()), node.path)


class _Rewrite:
    """One traversal of a value; the target of an alias is visited once, and unchanged parts are shared."""

    def __init__(
        self,
        root: SourceNode,
        string: Callable[[str], Any] | None,
        key: Callable[[str], Any] | None,
        key_at: Callable[[Any, Path], Any] | None,
    ) -> None:
        self._root, self._string, self._key, self._key_at = root, string, key, key_at
        self._known: dict[int, Any] = {}
        self.original_keys: dict[int, dict[Any, Any]] = {}
        """For each rewritten mapping, by its id: the original key of each key."""
        self._made_from: dict[str, MadeFrom] = {}
        """What strings became, as far as that was made from other nodes too."""

    def value(self, value: Any, path: Path) -> Any:
        if isinstance(value, str):
            return self._called(self._string, value, path)
        if not isinstance(value, (dict, list)):
            return value
        if id(value) not in self._known:
            inside = self._mapping(value, path) if isinstance(value, dict) else self._list(value, path)
            self._known[id(value)] = inside
        return self._known[id(value)]

    def node(self, before: Node, value: Any, path: Path) -> Node:
        """The node that replaces a node of the original; `value` is what its value became."""
        written = before.value
        if isinstance(written, str) and written in self._made_from:
            return self._made_from[written].node(before, path)
        if value is written and path == before.path:
            return before
        if not isinstance(before, SourceNode) or (isinstance(written, str) and isinstance(value, (dict, list))):
            return ComputedNode(value, path, (before,), "computed")
        if isinstance(value, (dict, list)) and value is not written:
            return _Rewritten(value, path, before, self)
        secret, keys = before.secret, before.secret_keys
        return SourceNode(value, path, before.positions, before.index, before.layer, secret=secret, secret_keys=keys)

    def trim(self, full: Any, trimmed: dict[Any, Any]) -> None:
        """Record that keys were removed from a rewritten mapping."""
        self._known[id(trimmed)] = trimmed
        self.original_keys[id(trimmed)] = {key: self.original_keys[id(full)][key] for key in trimmed}

    def _list(self, value: list[Any], path: Path) -> list[Any]:
        items = [self.value(item, (*path, position)) for position, item in enumerate(value)]
        return value if all(map(_is, items, value)) else items

    def _mapping(self, value: dict[Any, Any], path: Path) -> dict[Any, Any]:
        original_keys: dict[Any, Any] = {}
        members: dict[Any, Any] = {}
        for name, item in value.items():
            new = self._called(self._key, name, (*path, name)) if isinstance(name, str) else name
            if self._key_at is not None:
                new = self._key_at(new, path)
            original_keys[new] = name
            members[new] = self.value(item, (*path, name))
        same_keys = len(members) == len(value) and all(map(_is, members, value))
        if same_keys and all(map(_is, members.values(), value.values())):
            return value
        self.original_keys[id(members)] = original_keys
        return members

    def _called(self, function: Callable[[str], Any] | None, text: str, path: Path) -> Any:
        if function is None:
            return text
        try:
            replacement = function(text)
        except Reject as reject:
            at = self._root.at(path).origin()
            raise Reject(*(each if each.at else replace(each, at=at) for each in reject.diagnostics)) from None
        if isinstance(replacement, MadeFrom):
            self._made_from[text] = replacement
            replacement = replacement.value
        return text if type(replacement) is str and replacement == text else replacement


def _is(one: Any, other: Any) -> bool:
    return one is other


class _Rewritten(SourceNode):
    """A container of a source with some strings in it rewritten; `before` is the original node."""

    __slots__ = ("_before", "_rewriting")

    def __init__(self, value: Any, path: Path, before: SourceNode, rewriting: _Rewrite) -> None:
        super().__init__(
            value,
            path,
            before.positions,
            before.index,
            before.layer,
            secret=before.secret,
            secret_keys=before.secret_keys,
        )
        self._before = before
        self._rewriting = rewriting

    def child(self, key: Any) -> Node:
        value, path = child(self.value, key), (*self.path, key)
        if value is MISSING:
            return LiteralNode(MISSING, path)
        if isinstance(self.value, dict):
            key = self._rewriting.original_keys[id(self.value)][key]
        return self._rewriting.node(self._before.child(key), value, path)

    def key_origin(self, key: Any) -> Origin | None:
        original_keys = self._rewriting.original_keys.get(id(self.value), {})
        return self._before.key_origin(original_keys.get(key, key))

    def without(self, keys: Any) -> SourceNode:
        """This mapping without some keys."""
        if not keys:
            return self
        trimmed = {key: value for key, value in self.value.items() if key not in keys}
        self._rewriting.trim(self.value, trimmed)
        return _Rewritten(trimmed, self.path, self._before, self._rewriting)
