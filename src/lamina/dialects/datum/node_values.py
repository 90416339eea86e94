"""The computed values of one node: its own data, its layers, and the result.

A node's own data is evaluated first, at all levels, each value on access, so that what a script reads of the node is
evaluated before the script. Nested tables of the node's file are then evaluated wherever the file is looked up; its
top-level strings are not. Before layers merge, the value at the looked-up path, and items of lists on both sides, are
evaluated. At the end everything is evaluated once.

A string that a table merge takes from a lower layer no longer knows its file. Golden cases in handlers.json.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum.expressions.errors import ExpressionError, OutsideSubset, ScriptFailed, SelfReference
from lamina.dialects.datum.expressions.limits import to_evaluate
from lamina.dialects.datum.expressions.values import FileItem
from lamina.dialects.datum.handlers import NO_HANDLERS, Runner, Script, holds_script, is_protected
from lamina.dialects.datum.held_values import HeldOwn, HeldTree
from lamina.engine.change import MergeChange, PartOfChange
from lamina.engine.delta import NEW, Compose, Computed, Ref
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.engine.provenance import first_origin, layer_of, source_nodes_of
from lamina.errors import Diagnostic, MergeError, Severity
from lamina.paths import MISSING, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lamina.dialects.datum.datum_yml import Definition
    from lamina.dialects.datum.tree import File, TreeWalk
    from lamina.errors import Note
    from lamina.paths import Path

_SHOWN: Final = 80
_MOST_READS: Final = 32
_NULLS: Final = frozenset({"propertypath", "datumtree", "$", "^"})
"""Variables that are null in a build; the last two are words of what was typed before."""
"""What an answer takes, and each value in what it keeps, in bytes, about."""
COMPUTED: Final = "computed"
PROTECTED: Final = "protected"


@dataclass(slots=True, eq=False)  # for each node: a frozen one takes three times as long to make
class OwnData:
    """The content of a node's file, and where it is."""

    node: Node
    file: File | None


class NodeValues:
    """Everything that is computed for one node."""

    def __init__(
        self,
        definition: Definition,
        own: OwnData | None,
        walk: TreeWalk,
        given: Mapping[str, Any],
        *,
        on: bool,
        title: str = "",
    ) -> None:
        self.definition = definition
        self.rules = definition.handlers if on else NO_HANDLERS
        self.case_sensitive = on
        self.own = own.node if own is not None else LiteralNode({}, ())
        self.own_file = own.file if own is not None else None
        self.walk = walk
        self.title = title
        self.notes: dict[tuple[str, str], Note] = {}
        self._given = given
        self._known: dict[Path, Node] = {}
        self._open: list[Path] = []
        self._reads: list[Node] = []
        self._deciding = False
        self._unknown: set[str] = set()
        self._current: Node | None = None
        """The text that is being evaluated."""
        self.not_run: dict[Path, str] = {}
        """Own values that could not be evaluated, and why."""
        if self.rules.any and own is not None and own.file is not None:
            walk.overlay = self._own_view

    # The node's own data

    def own_data(self) -> Node:
        """The node's own data, evaluated at all levels."""
        return self.own_at(()) if self.rules.any and self._holds_scripts else self.own

    @property
    def _holds_own_words(self) -> bool:
        return self.rules.any and self._holds_scripts

    @cached_property
    def _holds_scripts(self) -> bool:
        return self.has_scripts(self.own.value)

    @cached_property
    def _runner(self) -> Runner:
        # Made on demand: it leads back here, and most nodes have no scripts and can be freed without it at once.
        return Runner(self._variable)

    def own_at(self, path: Path) -> Node:
        """A part of the node's own data, evaluated."""
        if not self.rules.any:
            return self.own.at(path)
        if path not in self._known:
            node = self.own.at(path)
            if not self._holds_own_words:
                self._known[path] = node
            elif isinstance(node.value, str):
                self._known[path] = self._own_value(node, path)
            else:
                self._known[path] = self._rebuilt(node, lambda key: self.own_at((*path, key)))
        return self._known[path]

    def _own_value(self, node: Node, path: Path) -> Node:
        if path in self._open:
            names = " -> ".join(show(each) for each in (*self._open[self._open.index(path) :], path))
            raise MergeError(self._loop(node, names))
        self._open.append(path)
        try:
            file = None if self.rules.at_load else self.file_of(node)
            return self._evaluated_string(node, file, lambda reason: self.not_run.__setitem__(path, reason))
        finally:
            self._open.pop()

    def _own_view(self, file: File, node: Node) -> Node:
        """A file as this node sees it: its own file is evaluated below its top-level strings."""
        if file is not self.own_file:
            words = self.rules.at_load and self.has_scripts(node.value)
            return self.evaluated(node, knows_file=False) if words else node
        if not isinstance(self.own.value, dict) or self._open or (self.own is node and not self._holds_own_words):
            return node
        parts = {key: self._nested(key) for key in self.own.value}
        return ComputedNode.of_parts({key: part.value for key, part in parts.items()}, (), parts)

    def _nested(self, key: Any) -> Node:
        raw = self.own.child(key)
        if isinstance(raw.value, dict):
            return self.own_at((key,))
        if isinstance(raw.value, list):
            return self._rebuilt(
                raw, lambda at: raw.child(at) if isinstance(raw.value[at], str) else self.own_at((key, at))
            )
        return self.marked(raw)

    # Single words

    def _evaluated_string(self, node: Node, file: FileItem | None, failed: Callable[[str], None] | None = None) -> Node:
        """A string, evaluated if a script is in it; as written, with a note, where it cannot be."""
        if not (self.rules.invoke and holds_script(node.value)):
            return self.marked(node)
        outer, self._reads = self._reads, []
        before, self._deciding = self._deciding, False
        around, self._current = self._current, node
        try:
            value = self._runner.result(str(node.value), file, to_evaluate())
            return ComputedNode(value, node.path, (node, *self._reads), COMPUTED)
        except SelfReference as error:
            raise MergeError(self._loop(node, error.reason)) from None
        except ScriptFailed as error:
            self._failed(node, error.reason)
            if failed is not None:
                failed(error.reason)
        except ExpressionError as error:
            self._not_run(node, error.reason)
            if failed is not None:
                failed(error.reason)
        finally:
            self._reads, self._deciding, self._current = outer, before, around
        return node

    def marked(self, node: Node) -> Node:
        """A protected value as a secret."""
        if not (self.rules.protected and is_protected(node.value)):
            return node
        self._note(
            "protected-value",
            f"{self._location(node)} is encrypted; Lamina does not decrypt it",
            node,
            "nothing to do: the result contains the encrypted value",
            Severity.INFO,
        )
        written = next(source_nodes_of(node), None)
        if written is None or written.secret:
            return node
        secret = SourceNode(written.value, written.path, written.positions, written.index, written.layer, secret=True)
        return secret if node is written else ComputedNode(node.value, node.path, (secret,), PROTECTED)

    def _variable(self, written: str, file: FileItem | None, script: str) -> Any:
        name = written.lower()
        match name:
            case "node" | "currentdatumnode":
                return HeldOwn((), self)
            case "datum":
                return HeldTree(self)
            case "file" | "currentdatumfile":
                return file
            case "inputobject" | "value":
                return script
        if name in self._given:
            return self._given[name]
        if self._deciding:
            raise OutsideSubset(f"unknown variable ${written}")
        if name not in _NULLS and name not in self._unknown:
            self._unknown.add(name)
            self._note(
                "unknown-variable",
                f"the variable ${written} is not set, so it is null",
                self._current,
                f"if your build sets it, add --variable {written}=VALUE or {written}=@FILE",
                Severity.WARNING,
            )
        return None

    # What decides a layer

    @contextmanager
    def deciding_layer(self) -> Iterator[list[Node]]:
        """A context in which the path of a layer is computed: collects what is read, rejects unknown variables."""
        outer, self._reads = self._reads, []
        before, self._deciding = self._deciding, True
        try:
            yield self._reads
        finally:
            self._reads, self._deciding = outer, before

    def prefix_variable(self, name: str) -> Any:
        """A variable in a prefix, which has no file."""
        return self._variable(name, None, "")

    def script(self, text: str) -> Any:
        """The value of a script outside any file."""
        return self._runner.result(text, None, to_evaluate())

    def note_read(self, node: Node) -> None:
        """Record what a script has read."""
        if len(self._reads) < _MOST_READS and all(node is not each for each in self._reads):
            self._reads.append(node)

    def file_of(self, node: Node) -> FileItem | None:
        """The file a value is in."""
        layer = layer_of(node)
        if layer is None:
            return None
        base = self.definition.base
        return FileItem(tuple(layer.removeprefix(base).split("/")))

    # Findings

    def note_case(self, requested: str, name: str, node: Node) -> None:
        """Add a note on a property of the node that is accessed with another case than it is written."""
        self._note(
            "property-case",
            f"$Node.{requested} is null: the node has {name}, and property names are case-sensitive",
            node,
            f"write $Node.{name}",
            Severity.WARNING,
        )

    def _failed(self, node: Node, reason: str) -> None:
        message = f"{self._location(node)}: the script {_short(node.value)} fails: {reason}"
        if self.rules.throw:
            raise MergeError(
                Diagnostic(
                    code="handler-failed",
                    message=message,
                    at=first_origin(node),
                    hint="correct the script; with DatumHandlersThrowOnError, a failing script fails the node",
                    subject=self.title or None,
                )
            )
        self._note(
            "handler-error", f"{message}; the value stays as written", node, "correct the script", Severity.WARNING
        )

    def _not_run(self, node: Node, reason: str) -> None:
        self._note(
            "handler-not-run",
            f"{self._location(node)}: the script {_short(node.value)} stays as written: {reason}",
            node,
            "Lamina evaluates only a safe subset of PowerShell; use Datum to resolve this value",
            Severity.WARNING,
        )

    def _loop(self, node: Node, detail: str) -> Diagnostic:
        return Diagnostic(
            code="handler-loop",
            message=f"{self._location(node)}: the script {_short(node.value)} depends on itself: {detail}",
            at=first_origin(node),
            hint="break the cycle; Datum would loop forever",
            subject=self.title or None,
        )

    def _note(self, code: str, message: str, node: Node | None, hint: str, severity: Severity) -> None:
        at = None if node is None else first_origin(node)
        note = Diagnostic(code=code, message=message, at=at, hint=hint, severity=severity)
        self.notes.setdefault((code, str(at) if at else message), note)

    def _location(self, node: Node) -> str:
        return show(node.path) if node.path else "the value"

    # Whole values

    def evaluated(self, node: Node, *, knows_file: bool = True) -> Node:
        """A value with every script in it evaluated once."""
        if not self.rules.any:
            return node
        marked = _containers_with_scripts(node.value, self._needs_evaluation)
        return self._evaluated(node, marked, knows_file) if marked else node

    def has_scripts(self, value: Any) -> bool:
        """Whether there is anything in a value that is evaluated, or marked as a secret; it must not be changed."""
        if not self.rules.any:
            return False
        if not isinstance(value, (dict, list)):
            return self._needs_evaluation(value)
        return _any_word(value, self._needs_evaluation)

    def _needs_evaluation(self, value: Any) -> bool:
        return holds_script(value) or (self.rules.protected and is_protected(value))

    def _evaluated(self, node: Node, marked: frozenset[int], knows_file: bool) -> Node:
        value = node.value
        if isinstance(value, str):
            return self._evaluated_string(node, self.file_of(node) if knows_file else None)
        if not isinstance(value, (dict, list)) or id(value) not in marked:
            return node
        specific = _specific(node).value if isinstance(value, dict) else None

        def part(key: Any) -> Node:
            inner = node.child(key)
            # A string that a merge took from a lower layer has lost its file (case handler-file-lost).
            lost = isinstance(inner.value, str) and isinstance(specific, dict) and key not in specific
            return self._evaluated(inner, marked, knows_file and not (lost and not _was_item(inner)))

        return self._rebuilt(node, part)

    def _rebuilt(self, node: Node, part: Callable[[Any], Node]) -> Node:
        """A table or list with its parts computed; a script that gives a list is spliced into the list it is in."""
        value = node.value
        if isinstance(value, dict):
            parts = {key: part(key) for key in value}
            if all(parts[key].value is value[key] for key in value) and not any(map(_is_marked, parts.values())):
                return node
            return ComputedNode.of_parts({key: each.value for key, each in parts.items()}, node.path, parts)
        if not isinstance(value, list):
            return node
        row: list[Node] = []
        for at, raw in enumerate(value):
            found = part(at)
            if isinstance(raw, str) and isinstance(found.value, list):
                row.extend(found.child(each) for each in range(len(found.value)))
            else:
                row.append(found)
        if len(row) == len(value) and all(
            each.value is raw and not _is_marked(each) for each, raw in zip(row, value, strict=True)
        ):
            return node
        return ComputedNode.of_parts([each.value for each in row], node.path, dict(enumerate(row)))

    # Layers that merge

    def prepared(self, hits: Sequence[Node]) -> list[Node]:
        """The values of several layers at a looked-up path, prepared for the merge."""
        if not self.rules.invoke or len(hits) < 2:
            return list(hits)
        found = [self._evaluated_for_merge(hit) if isinstance(hit.value, str) else hit for hit in hits]
        return [self._lists_evaluated(node, [each for each in found if each is not node]) for node in found]

    def _evaluated_for_merge(self, node: Node) -> Node:
        """A string evaluated for a merge: its result is evaluated as well."""
        evaluated_node = self._evaluated_string(node, self.file_of(node))
        return self.evaluated(evaluated_node) if evaluated_node is not node else node

    def _lists_evaluated(self, node: Node, others: Sequence[Node]) -> Node:
        marked = _containers_with_scripts(node.value, holds_script)
        return self._lists(node, marked, [other.value for other in others]) if marked else node

    def _lists(self, node: Node, marked: frozenset[int], others: Sequence[Any]) -> Node:
        value = node.value
        if id(value) not in marked or not others:
            return node
        if isinstance(value, dict):

            def member(key: Any) -> Node:
                other_lists = [other[key] for other in others if isinstance(other, dict) and key in other]
                return self._lists(node.child(key), marked, other_lists)

            return self._rebuilt(node, member)
        return self._rebuilt(node, lambda at: self._item(node.child(at), marked))

    def _item(self, item: Node, marked: frozenset[int]) -> Node:
        """An item of a list that is merged: a string is evaluated, a table can evaluate its tuple keys."""
        if isinstance(item.value, str):
            return self._evaluated_for_merge(item)
        if not isinstance(item.value, dict) or id(item.value) not in marked:
            return item

        def member(key: Any) -> Node:
            inner = item.child(key)
            if holds_script(inner.value):
                return self._with_script_tuple_keys(inner)
            if isinstance(inner.value, list) and id(inner.value) in marked:
                return self._rebuilt(inner, lambda at: self._item(inner.child(at), marked))
            return inner

        return self._rebuilt(item, member)

    def _with_script_tuple_keys(self, node: Node) -> Node:
        known: list[Any] = []

        def value_of() -> Any:
            if not known:
                known.append(self._evaluated_for_merge(node).value)
            return known[0]

        return ComputedNode(Script.of(node.value, None, node, value_of), node.path, (node,), "as written")


def _is_marked(node: Node) -> bool:
    if isinstance(node, SourceNode):
        return bool(node.secret)
    return isinstance(node, ComputedNode) and node.how == PROTECTED


def _any_word(root: Any, concerns: Callable[[Any], bool]) -> bool:
    """Whether such a word is anywhere in a value."""
    pending = [root]
    while pending:
        here = pending.pop()
        inside = here.values() if isinstance(here, dict) else here
        for value in inside:
            if isinstance(value, (dict, list)):
                pending.append(value)
            elif isinstance(value, str) and concerns(value):
                return True
    return False


def _containers_with_scripts(root: Any, needs_evaluation: Callable[[Any], bool]) -> frozenset[int]:
    """The ids of all containers with such a string at any depth, and of the root itself if it is one."""
    found: set[int] = set()
    if isinstance(root, str):
        return frozenset({id(root)}) if needs_evaluation(root) else frozenset()
    done: set[int] = set()

    def visit(value: Any) -> bool:
        if isinstance(value, str):
            return needs_evaluation(value)
        if not isinstance(value, (dict, list)):
            return False
        if id(value) not in done:
            done.add(id(value))
            hits = [visit(inner) for inner in (value.values() if isinstance(value, dict) else value)]
            if any(hits):
                found.add(id(value))
        return id(value) in found

    visit(root)
    return frozenset(found)


def _specific(node: Node) -> Node:
    """The most specific table of a merge, which has the merged table's own strings."""
    while True:
        node = node.resolved()
        if isinstance(node, MergeChange):
            if node.delta is NEW or node.old.value is MISSING:
                node = node.new
            elif isinstance(node.delta, (Ref, Computed, Compose)):
                node = node.node_of(node.delta)
            else:
                node = node.old
        elif isinstance(node, PartOfChange):
            node = node.content
        else:
            return node


def _was_item(node: Node) -> bool:
    """Whether a value was written as the item of a list: a list of one item may have become the item."""
    written = next(source_nodes_of(node), None)
    return written is not None and bool(written.path) and isinstance(written.path[-1], int)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
