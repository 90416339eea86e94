"""Helpers for those who write dialects: reading, rewriting strings, folding one output, and rejecting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina.engine.delta import Computed, Removed
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.engine.plan import Directive, From, Merge, Output, Stage, Start
from lamina.errors import MergeError
from lamina.paths import MISSING, child
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from lamina.engine.delta import Delta
    from lamina.engine.plan import AnyStep, Results
    from lamina.engine.policy import Policy
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.sources.document import Document
    from lamina.sources.source import Source


class Reject(MergeError):
    """The inputs cannot be rendered; raised while compiling, with one finding or several."""


@dataclass(frozen=True, slots=True)
class LayerDocument:
    """A document that was read: its plain value, which is not to be changed, and what the reader noticed."""

    document: Document

    @property
    def value(self) -> Any:
        return self.document.value

    @property
    def notes(self) -> Sequence[Note]:
        """What the reader noticed (a key written twice); hand them on as notes of a stage."""
        return self.document.notes

    def root(self, layer: str, *, secret: bool = False) -> SourceNode:
        """The node of the whole document; `layer` is what people call it, `secret` that it is not to be shown."""
        return SourceNode(self.value, (), self.document.tape, 0, layer, secret=secret)


def read_yaml(source: Source) -> LayerDocument:
    """The only document of a YAML file; bad syntax is an error with its line."""
    return LayerDocument(document_cache.yaml_document(source))


def read_all_yaml(source: Source) -> list[LayerDocument]:
    """All documents of a YAML file."""
    return [LayerDocument(document) for document in document_cache.yaml_documents(source)]


def read_json(source: Source) -> LayerDocument:
    """The value of a JSON file."""
    return LayerDocument(document_cache.json_document(source))


def start(value: Any = None, by: str = "the empty start", at: Origin | None = None) -> Start:
    """The step an output begins with: a node, or a plain value that no file holds; an empty mapping if not given."""
    node = value if isinstance(value, Node) else LiteralNode({} if value is None else value, ())
    return Start(directive=Directive(by, at), take=From(source=node))


def merge(node: Node, policy: Policy, by: str = "", at: Origin | None = None, path: Path = ()) -> Merge:
    """The step that merges a node into what is there, at a path of it that is made where it does not exist.

    `by` is the rule as `explain` and `plan` show it, and `at` where the input says so.
    """
    directive = Directive(by or policy.label, at or policy.origin)
    return Merge(directive=directive, take=From(source=node), policy=policy, path=path, create=bool(path))


def output(
    name: str, *steps: AnyStep, notes: Sequence[Note] = (), hidden: bool = False
) -> Generator[Stage, Results, Node]:
    """Fold one output and give its node: `node = yield from output(name, *steps)`.

    A hidden output is needed on the way and is not part of the result. An output that fails ends the compilation with
    what is wrong.
    """
    results = yield Stage(title=name, outputs=(Output(name=name, steps=steps, hidden=hidden),), notes=tuple(notes))
    folded = results[name]
    if folded.failed:
        raise Reject(*folded.faults)
    return folded.node


def computed(value: Any, how: str) -> Delta:
    """The answer of an operator that computes a value from both sides; `how` in a word or two."""
    return Computed(value, how)


def removed(verdict: str = "deleted") -> Delta:
    """The answer of an operator that leaves nothing."""
    return Removed(verdict)


def rewrite(
    node: SourceNode, *, string: Callable[[str], Any] | None = None, key: Callable[[str], str] | None = None
) -> SourceNode:
    """The node with its strings, and the strings among its keys, put through functions; positions are kept.

    A function may raise `Reject` with a diagnostic that has no location: it gets that of the string at fault. Where two
    keys of a mapping become the same, the last one counts.
    """
    rewriting = _Rewrite(node, string, key)
    value = rewriting.value(node.value, ())
    return node if value is node.value else _Rewritten(value, node, rewriting)


class _Rewrite:
    """One pass over a value; what an alias stands for is gone through once, and what does not change stays the same."""

    def __init__(self, root: SourceNode, string: Callable[[str], Any] | None, key: Callable[[str], str] | None) -> None:
        self._root, self._string, self._key = root, string, key
        self._known: dict[int, Any] = {}
        self.former: dict[int, dict[Any, Any]] = {}
        """The keys of mappings that were rewritten, by the identity of the new mapping: from each to what it was."""

    def value(self, value: Any, path: Path) -> Any:
        if isinstance(value, str):
            return self._called(self._string, value, path)
        if not isinstance(value, (dict, list)):
            return value
        if id(value) not in self._known:
            inside = self._mapping(value, path) if isinstance(value, dict) else self._list(value, path)
            self._known[id(value)] = inside
        return self._known[id(value)]

    def trim(self, whole: Any, trimmed: dict[Any, Any]) -> None:
        """A mapping that was rewritten has lost some keys."""
        self._known[id(trimmed)] = trimmed
        self.former[id(trimmed)] = {key: self.former[id(whole)][key] for key in trimmed}

    def _list(self, value: list[Any], path: Path) -> list[Any]:
        made = [self.value(item, (*path, position)) for position, item in enumerate(value)]
        return value if all(map(_is, made, value)) else made

    def _mapping(self, value: dict[Any, Any], path: Path) -> dict[Any, Any]:
        former: dict[Any, Any] = {}
        made: dict[Any, Any] = {}
        for name, item in value.items():
            new = self._called(self._key, name, (*path, name)) if isinstance(name, str) else name
            former[new] = name
            made[new] = self.value(item, (*path, name))
        if len(made) == len(value) and all(map(_is, made, value)) and all(map(_is, made.values(), value.values())):
            return value
        self.former[id(made)] = former
        return made

    def _called(self, function: Callable[[str], Any] | None, text: str, path: Path) -> Any:
        if function is None:
            return text
        try:
            made = function(text)
        except Reject as reject:
            at = self._root.at(path).origin()
            raise Reject(*(each if each.at else replace(each, at=at) for each in reject.diagnostics)) from None
        return text if type(made) is str and made == text else made


def _is(one: Any, other: Any) -> bool:
    return one is other


class _Rewritten(SourceNode):
    """A container of a source with some strings in it rewritten; `before` is the node as it was written."""

    __slots__ = ("_before", "_rewriting")

    def __init__(self, value: Any, before: SourceNode, rewriting: _Rewrite) -> None:
        super().__init__(value, before.path, before.tape, before.index, before.layer, secret=before.secret)
        self._before = before
        self._rewriting = rewriting

    def child(self, key: Any) -> Node:
        value, path = child(self.value, key), (*self.path, key)
        if value is MISSING:
            return LiteralNode(MISSING, path)
        if isinstance(self.value, dict):
            key = self._rewriting.former[id(self.value)][key]
        before = self._before.child(key)
        assert isinstance(before, SourceNode)
        if value is before.value and path == before.path:
            return before
        if isinstance(before.value, (dict, list)) and value is not before.value:
            inside = _Rewritten(value, before, self._rewriting)
            inside.path = path
            return inside
        if isinstance(value, (dict, list)) and value is not before.value:
            return ComputedNode(value, path, (before,), "computed")
        return SourceNode(value, path, before.tape, before.index, before.layer, secret=before.secret)

    def key_origin(self, key: Any) -> Origin | None:
        former = self._rewriting.former.get(id(self.value), {})
        return self._before.key_origin(former.get(key, key))

    def without(self, keys: Any) -> SourceNode:
        """This mapping with some keys taken out."""
        if not keys:
            return self
        trimmed = {key: value for key, value in self.value.items() if key not in keys}
        self._rewriting.trim(self.value, trimmed)
        made = _Rewritten(trimmed, self._before, self._rewriting)
        made.path = self.path
        return made
