"""The evaluator of one node's data: its own, its layers', and the result's.

A node's own data is evaluated first, at all levels, each value on access, so that what a script reads of the node is
evaluated before the script. Nested tables of the node's file are then evaluated wherever the file is looked up; its
top-level strings are not. Before layers merge, the value at the looked-up path, and items of lists on both sides, are
evaluated (`prepared_layers`). At the end everything is evaluated once.

A string that a table merge takes from a lower layer no longer knows its file. Golden cases in handlers.json.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum import messages
from lamina.dialects.datum.expressions.errors import (
    ExpressionError,
    ExpressionTooLarge,
    NotKnown,
    ScriptFailed,
    SelfReference,
)
from lamina.dialects.datum.expressions.limits import to_evaluate
from lamina.dialects.datum.expressions.values import FileItem
from lamina.dialects.datum.handlers import NO_HANDLERS, Runner, holds_script, is_protected
from lamina.dialects.datum.script_variables import DatumVariable, NodeVariable
from lamina.dialects.datum.scripts_in_values import (
    any_string,
    containers_with,
    most_specific,
    rebuilt,
    was_item,
)
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.engine.provenance import first_origin, layer_of, source_nodes_of
from lamina.errors import MergeError
from lamina.paths import show
from lamina.plugin.references import Chain
from lamina.sources.caseless_keys import caseless
from lamina.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lamina.dialects.datum.datum_yml import Definition
    from lamina.dialects.datum.tree import File, TreeWalk
    from lamina.errors import Diagnostic, Message, Note
    from lamina.paths import Path

_SHOWN: Final = 80
_MOST_READS: Final = 32
_MOST_WAITING: Final = 40
"""How many values of a node may wait for one another."""
_NULLS: Final = frozenset({"propertypath", "datumtree", "$", "^"})
"""Variables that are null in a build; the last two are words of what was typed before."""
COMPUTED: Final = "computed"
_ELSEWHERE: Final = "use Datum to resolve it; --unknown null prints null in its place, --unknown omit leaves it out"
_ONLY_MARKED: Final = "--unknown null prints null in its place, --unknown omit leaves it out"


@dataclass(slots=True, eq=False)  # for each node: a frozen one takes three times as long to make
class OwnData:
    """The content of a node's file, and where it is."""

    node: Node
    file: File | None


@dataclass(slots=True, eq=False)
class EvaluationScope:
    """What is being evaluated: a text, or the path of a layer."""

    text: Node | None = None
    chooses_layer: bool = False
    """Whether it decides a layer, so that nothing in it may be unknown."""
    reads: list[Node] = field(default_factory=list)
    """What it has read of the node and of the tree."""


@dataclass(slots=True, eq=False)
class EvaluationState:
    """What the evaluation of a node has come to."""

    waiting: Chain[Path]
    """The own values that are being evaluated, each for the one before it."""
    scope: EvaluationScope = field(default_factory=EvaluationScope)
    """What is being evaluated now."""
    own: dict[Path, Node] = field(default_factory=dict)
    """The node's own values that were evaluated."""
    spellings: dict[Path, dict[Any, Any]] = field(default_factory=dict)
    """The keys of own tables that scripts look into, by themselves: each is spelt in its own way."""
    notes: dict[tuple[str, str], Note] = field(default_factory=dict)


class NodeEvaluator:
    """Evaluates the scripts in the data of one node."""

    def __init__(
        self,
        definition: Definition,
        own: OwnData | None,
        walk: TreeWalk,
        variables: Mapping[str, Any],
        *,
        on: bool,
    ) -> None:
        self.definition = definition
        self.rules = definition.handlers if on else NO_HANDLERS
        self.case_sensitive = on
        self.own = own.node if own is not None else LiteralNode({}, ())
        self.own_file = own.file if own is not None else None
        self.walk = walk
        self._variables = variables
        if self.rules.any and own is not None and own.file is not None:
            walk.overlay = self._own_view

    @cached_property
    def state(self) -> EvaluationState:
        """What it has come to; most nodes have no scripts, and never have it."""
        return EvaluationState(Chain(_MOST_WAITING, self._cycle, _too_many))

    @property
    def notes(self) -> Sequence[Note]:
        """What is to be noted of the values."""
        return tuple(self.state.notes.values()) if "state" in self.__dict__ else ()

    # The node's own data

    def own_data(self) -> Node:
        """The node's own data, evaluated at all levels."""
        return self.own_at(()) if self._evaluates_own else self.own

    @cached_property
    def _evaluates_own(self) -> bool:
        return self.has_scripts(self.own.value)

    @cached_property
    def _runner(self) -> Runner:
        # Made on demand: it leads back here, and most nodes have no scripts and can be freed without it at once.
        return Runner(self._variable)

    def own_at(self, path: Path) -> Node:
        """A part of the node's own data, evaluated."""
        if not self._evaluates_own:
            return self.own.at(path)
        known = self.state.own
        if path not in known:
            node = self.own.at(path)
            known[path] = (
                self._own_string(node, path)
                if isinstance(node.value, str)
                else rebuilt(node, lambda key: self.own_at((*path, key)))
            )
        return known[path]

    def _own_string(self, node: Node, path: Path) -> Node:
        with self.state.waiting.under(path):
            return self._evaluated_string(node, None if self.rules.at_load else self.file_of(node))

    def _own_view(self, file: File, node: Node) -> Node:
        """A file as this node sees it: its own file is evaluated below its top-level strings."""
        if file is not self.own_file:
            scripts = self.rules.at_load and self.has_scripts(node.value)
            return self.evaluated(node, knows_file=False) if scripts else node
        if not isinstance(self.own.value, dict) or (self.own is node and not self._evaluates_own):
            return node
        if "state" in self.__dict__ and self.state.waiting.names:
            return node
        parts = {key: self._nested(key) for key in self.own.value}
        return ComputedNode.of_parts({key: part.value for key, part in parts.items()}, (), parts)

    def _nested(self, key: Any) -> Node:
        raw = self.own.child(key)
        if isinstance(raw.value, dict):
            return self.own_at((key,))
        if isinstance(raw.value, list):
            return rebuilt(raw, lambda at: raw.child(at) if isinstance(raw.value[at], str) else self.own_at((key, at)))
        return self.marked(raw)

    # Strings

    def _evaluated_string(self, node: Node, file: FileItem | None) -> Node:
        """A string, evaluated if a script is in it: unknown where it cannot be, as written where PowerShell fails."""
        if not (self.rules.invoke and holds_script(node.value)):
            return self.marked(node)
        try:
            with self._within(EvaluationScope(node)) as scope:
                value = self._runner.result(str(node.value), file, to_evaluate())
            return self.marked(ComputedNode(value, node.path, (node, *scope.reads), COMPUTED))
        except SelfReference as error:
            raise MergeError(_about(messages.HANDLER_LOOP, node, names=error.reason)) from None
        except ScriptFailed as error:
            if self.rules.throw:
                raise MergeError(_about(messages.HANDLER_FAILED, node, reason=error.reason)) from None
            self._add(_about(messages.HANDLER_ERROR, node, reason=error.reason))
        except NotKnown as error:
            return _unknown(node, error.reason, error.hint)
        except ExpressionError as error:
            return _unknown(node, f"the script cannot be evaluated here: {error.reason}", _ELSEWHERE)
        return node

    def evaluated_for_merge(self, node: Node) -> Node:
        """A string evaluated for a merge: its result is evaluated as well."""
        evaluated_node = self._evaluated_string(node, self.file_of(node))
        return self.evaluated(evaluated_node) if evaluated_node is not node else node

    def marked(self, node: Node) -> Node:
        """A protected value as a secret that is not known."""
        if not (self.rules.protected and is_protected(node.value)):
            return node
        written = next(source_nodes_of(node), None)
        secret = written and SourceNode(
            written.value, written.path, written.positions, written.index, written.layer, secret=True
        )
        return _unknown(secret or node, "it is encrypted, and only a build has the key", _ONLY_MARKED, node.path)

    # Whole values

    def evaluated(self, node: Node, *, knows_file: bool = True) -> Node:
        """A value with every script in it evaluated once."""
        if not self.rules.any:
            return node
        containers = containers_with(node.value, self._needs_evaluation)
        return self._evaluated(node, containers, knows_file) if containers else node

    def has_scripts(self, value: Any) -> bool:
        """Whether there is anything in a value that is evaluated, or marked as a secret; it must not be changed."""
        if not self.rules.any:
            return False
        if not isinstance(value, (dict, list)):
            return self._needs_evaluation(value)
        return any_string(value, self._needs_evaluation)

    def _needs_evaluation(self, value: Any) -> bool:
        return holds_script(value) or (self.rules.protected and is_protected(value))

    def _evaluated(self, node: Node, containers: frozenset[int], knows_file: bool) -> Node:
        value = node.value
        if isinstance(value, str):
            return self._evaluated_string(node, self.file_of(node) if knows_file else None)
        if not isinstance(value, (dict, list)) or id(value) not in containers:
            return node
        specific = most_specific(node).value if isinstance(value, dict) else None

        def part(key: Any) -> Node:
            inner = node.child(key)
            # A string that a merge took from a lower layer has lost its file (case handler-file-lost).
            lost = isinstance(inner.value, str) and isinstance(specific, dict) and key not in specific
            return self._evaluated(inner, containers, knows_file and not (lost and not was_item(inner)))

        return rebuilt(node, part)

    # What scripts may ask for

    def script(self, text: str) -> Any:
        """The value of a script outside any file."""
        return self._runner.result(text, None, to_evaluate())

    def prefix_variable(self, name: str) -> Any:
        """A variable in a prefix, which has no file."""
        return self._variable(name, None, "")

    def _variable(self, written: str, file: FileItem | None, script: str) -> Any:
        name = written.lower()
        match name:
            case "node" | "currentdatumnode":
                return NodeVariable((), self)
            case "datum":
                return DatumVariable(self)
            case "file" | "currentdatumfile":
                return file
            case "inputobject" | "value":
                return script
        if name in self._variables:
            return self._variables[name]
        if name in _NULLS and not self.state.scope.chooses_layer:
            return None
        hint = f"if your build sets it, add --variable {written}=VALUE or {written}=@FILE"
        raise NotKnown(f"the variable ${written} is not set", hint)

    @contextmanager
    def _within(self, scope: EvaluationScope) -> Iterator[EvaluationScope]:
        outer, self.state.scope = self.state.scope, scope
        try:
            yield scope
        finally:
            self.state.scope = outer

    @contextmanager
    def choosing_layer(self) -> Iterator[list[Node]]:
        """A context in which the path of a layer is computed: collects what is read, rejects unknown variables."""
        with self._within(EvaluationScope(self.state.scope.text, chooses_layer=True)) as scope:
            yield scope.reads

    def note_read(self, node: Node) -> None:
        """Record what a script has read."""
        reads = self.state.scope.reads
        if len(reads) < _MOST_READS and all(node is not each for each in reads):
            reads.append(node)

    def own_key(self, path: Path, table: dict[Any, Any], name: str) -> Any:
        """The key of a name in a table of the node's own data, as it is spelt there; None if there is none."""
        spellings = self.state.spellings.get(path)
        if spellings is None:
            spellings = self.state.spellings[path] = {key: key for key in table}
        return spellings.get(caseless(name))

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
        self._add(messages.PROPERTY_CASE.at(first_origin(node), requested=requested, name=name))

    def _cycle(self, around: Sequence[Path]) -> MergeError:
        names = " -> ".join(map(show, around))
        return MergeError(_about(messages.HANDLER_LOOP, self.own.at(around[-1]), names=names))

    def _add(self, note: Note) -> None:
        self.state.notes.setdefault((note.code, str(note.at) if note.at else note.message), note)


def _unknown(node: Node, reason: str, hint: str | None, path: Path | None = None) -> Node:
    """What stands for a text whose value is not known."""
    unknown = Unknown(reason, first_origin(node), str(node.value), hint)
    return ComputedNode(unknown, node.path if path is None else path, (node,), "unknown")


def _too_many(path: Path) -> ExpressionTooLarge:  # noqa: ARG001 - what is said of it names no value
    return ExpressionTooLarge(f"more than {_MOST_WAITING} values of the node wait for one another")


def _about(message: Message, node: Node, *, reason: str = "", names: str = "") -> Diagnostic:
    """A finding on a script."""
    script = _short(node.value)
    return message.at(first_origin(node), where=_where(node), script=script, reason=reason, names=names)


def _where(node: Node) -> str:
    return show(node.path) if node.path else "the value"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
