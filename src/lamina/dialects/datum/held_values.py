"""Values of `$Node` and `$Datum` for scripts, evaluated on access.

Access is recorded as reading, and evaluates the value first if it is the node's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.expressions.values import HASHTABLE_TEXT, NO_MEMBER
from lamina.dialects.datum.handlers import Script, holds_script
from lamina.dialects.datum.tree import TreeFolder
from lamina.engine.node import Node
from lamina.paths import walk
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from lamina.dialects.datum.node_values import NodeValues
    from lamina.dialects.datum.tree import Position
    from lamina.paths import Path


class HeldTreeValue:
    """A value in the tree, found by a script; access is recorded as reading."""

    is_held = True

    def __init__(self, position: Position, values: NodeValues) -> None:
        self._position = position
        self._values = values

    @property
    def position(self) -> Position:
        return self._position

    def plain(self) -> Any:
        node = self._values.marked(self._node())
        self._values.note_read(node)
        if isinstance(node.value, str):
            return Script.of(node.value, self._values.file_of(node), node) if holds_script(node.value) else node.value
        return node.value

    def _node(self) -> Node:
        return self._values.walk.value(self._position)

    def member(self, name: str) -> Any:
        if isinstance(self._position, Node) and not isinstance(self._position.value, dict):
            return NO_MEMBER
        found = self._values.walk.member(self._position, name)
        if found is not None:
            return HeldTreeValue(found, self._values)
        if isinstance(self._position, TreeFolder):
            return None
        return NO_MEMBER if caseless(name) not in self._position.value else None

    def items(self) -> list[Any] | None:
        if isinstance(self._position, TreeFolder) or not isinstance(self._position.value, list):
            return None
        return [HeldTreeValue(self._position.child(at), self._values) for at in range(len(self._position.value))]

    def text(self) -> str | None:
        return "FileProvider" if isinstance(self._position, TreeFolder) else None


class HeldTree:
    """`$Datum`: the stores, and the definition."""

    is_held = True

    def __init__(self, values: NodeValues) -> None:
        self._values = values

    def plain(self) -> Any:
        return {}

    def member(self, name: str) -> Any:
        if name.lower() == "__definition":
            return HeldTreeValue(self._values.definition.node, self._values)
        found = self._values.walk.member(self._values.definition.root, name)
        return None if found is None else HeldTreeValue(found, self._values)

    def items(self) -> list[Any] | None:
        return None

    def text(self) -> str | None:
        return HASHTABLE_TEXT


class HeldOwn:
    """`$Node`, or a part of it: evaluated on access. Top-level names are case-sensitive."""

    is_held = True

    def __init__(self, path: Path, values: NodeValues) -> None:
        self._path = path
        self._values = values

    def node(self) -> Node | None:
        """The evaluated node; None if it is null."""
        found = self._values.own_at(self._path)
        return None if found.value is None else found

    def _raw(self) -> Any:
        return walk(self._values.own.value, self._path)

    def plain(self) -> Any:
        node = self._values.own_at(self._path)
        self._values.note_read(node)
        return node.value

    def member(self, name: str) -> Any:
        raw = self._raw()
        if holds_script(raw):
            return _inside(self.plain(), name)
        if not isinstance(raw, dict):
            return NO_MEMBER
        case_sensitive = not self._path and self._values.case_sensitive
        found = next((key for key in raw if key == name), None)
        if found is not None and case_sensitive and not str.__eq__(found, name):
            self._values.note_case(name, str(found), self._values.own.child(found))
            return NO_MEMBER
        return NO_MEMBER if found is None else HeldOwn((*self._path, found), self._values)

    def items(self) -> list[Any] | None:
        raw = self._raw()
        if holds_script(raw) or (isinstance(raw, list) and any(map(holds_script, raw))):
            found = self.plain()
            return found if isinstance(found, list) else None
        if not isinstance(raw, list):
            return None
        return [HeldOwn((*self._path, at), self._values) for at in range(len(raw))]

    def text(self) -> str | None:
        return None if self._path else HASHTABLE_TEXT


def _inside(value: Any, name: str) -> Any:
    return value.get(caseless(name), NO_MEMBER) if isinstance(value, dict) else NO_MEMBER
