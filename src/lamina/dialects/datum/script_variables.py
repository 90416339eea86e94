"""The variables `$Node` and `$Datum` of scripts, and what is in them, evaluated on access.

Access is recorded as reading, and evaluates the value first if it is the node's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum.expressions.errors import NotKnown
from lamina.dialects.datum.expressions.values import HASHTABLE_TEXT, NO_MEMBER
from lamina.dialects.datum.handlers import Script, holds_script
from lamina.dialects.datum.tree import TreeFolder
from lamina.engine.node import Node
from lamina.paths import walk
from lamina.sources.caseless_keys import caseless
from lamina.values import holds_unknown, unknown_values

if TYPE_CHECKING:
    from lamina.dialects.datum.node_evaluator import NodeEvaluator
    from lamina.dialects.datum.tree import Position
    from lamina.paths import Path

_NEEDS: Final = "it needs a value that is unknown: "


class TreeValue:
    """A value in the tree, found by a script; access is recorded as reading."""

    is_located = True

    def __init__(self, position: Position, evaluator: NodeEvaluator) -> None:
        self._position = position
        self._evaluator = evaluator

    @property
    def position(self) -> Position:
        return self._position

    def plain(self) -> Any:
        node = _known(self._evaluator.marked(self._node()))
        self._evaluator.note_read(node)
        if isinstance(node.value, str):
            return (
                Script.of(node.value, self._evaluator.file_of(node), node) if holds_script(node.value) else node.value
            )
        return node.value

    def _node(self) -> Node:
        return self._evaluator.walk.value(self._position)

    def member(self, name: str) -> Any:
        if isinstance(self._position, Node) and not isinstance(self._position.value, dict):
            return NO_MEMBER
        found = self._evaluator.walk.member(self._position, name)
        if found is not None:
            return TreeValue(found, self._evaluator)
        if isinstance(self._position, TreeFolder):
            return None
        return NO_MEMBER if caseless(name) not in self._position.value else None

    def items(self) -> list[Any] | None:
        if isinstance(self._position, TreeFolder) or not isinstance(self._position.value, list):
            return None
        return [TreeValue(self._position.child(at), self._evaluator) for at in range(len(self._position.value))]

    def text(self) -> str | None:
        return "FileProvider" if isinstance(self._position, TreeFolder) else None


class DatumVariable:
    """`$Datum`: the stores, and the definition."""

    is_located = True

    def __init__(self, evaluator: NodeEvaluator) -> None:
        self._evaluator = evaluator

    def plain(self) -> Any:
        return {}

    def member(self, name: str) -> Any:
        if name.lower() == "__definition":
            return TreeValue(self._evaluator.definition.node, self._evaluator)
        found = self._evaluator.walk.member(self._evaluator.definition.root, name)
        return None if found is None else TreeValue(found, self._evaluator)

    def items(self) -> list[Any] | None:
        return None

    def text(self) -> str | None:
        return HASHTABLE_TEXT


class NodeVariable:
    """`$Node`, or a part of it: evaluated on access. Top-level names are case-sensitive."""

    is_located = True

    def __init__(self, path: Path, evaluator: NodeEvaluator) -> None:
        self._path = path
        self._evaluator = evaluator

    def node(self) -> Node | None:
        """The evaluated node; None if it is null."""
        found = self._evaluator.own_at(self._path)
        return None if found.value is None else found

    def _raw(self) -> Any:
        return walk(self._evaluator.own.value, self._path)

    def plain(self) -> Any:
        node = _known(self._evaluator.own_at(self._path))
        self._evaluator.note_read(node)
        return node.value

    def member(self, name: str) -> Any:
        raw = self._raw()
        if holds_script(raw):
            return _inside(self.plain(), name)
        if not isinstance(raw, dict):
            return NO_MEMBER
        case_sensitive = not self._path and self._evaluator.case_sensitive
        found = self._evaluator.own_key(self._path, raw, name)
        if found is not None and case_sensitive and not str.__eq__(found, name):
            self._evaluator.note_case(name, str(found), self._evaluator.own.child(found))
            return NO_MEMBER
        return NO_MEMBER if found is None else NodeVariable((*self._path, found), self._evaluator)

    def items(self) -> list[Any] | None:
        raw = self._raw()
        if holds_script(raw) or (isinstance(raw, list) and any(map(holds_script, raw))):
            found = self.plain()
            return found if isinstance(found, list) else None
        if not isinstance(raw, list):
            return None
        return [NodeVariable((*self._path, at), self._evaluator) for at in range(len(raw))]

    def text(self) -> str | None:
        return None if self._path else HASHTABLE_TEXT


def _known(node: Node) -> Node:
    """A value that a script reads; what needs one that is not known is not known either."""
    if holds_unknown(node.value):
        _, unknown = next(unknown_values(node.value))
        raise NotKnown(f"{_NEEDS}{unknown.reason.removeprefix(_NEEDS)}", unknown.hint)
    return node


def _inside(value: Any, name: str) -> Any:
    return value.get(caseless(name), NO_MEMBER) if isinstance(value, dict) else NO_MEMBER
