"""Later json values on their way through JSON text, as Heat sends them.

A text is read as JSON. Anything else is written as JSON and read back: keys become texts, tuples and sets become lists,
bytes become text, and nothing is shared any more with other places of the file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.heat.seen import Respelled
from lamina.engine.node import ComputedNode, SourceNode
from lamina.values import SCALARS

if TYPE_CHECKING:
    from lamina.engine.node import Node

MAX_DEPTH: Final = 200
"""How deep JSON text may be nested."""
_TEXT: Final = frozenset((str,))


class NotJsonError(ValueError):
    """The text is no JSON, or the value cannot be written as JSON."""


def changes(value: Any) -> bool:
    """Whether a later json value is another one after the way through JSON text, sharing aside."""
    return value != "" if isinstance(value, str) else not _is_plain(value)


def through_json(node: Node) -> Node:
    """The node of a later json value as Heat sees it."""
    value = node.value
    if value == "":
        return node
    if isinstance(value, str):
        return ComputedNode(read_json(value), node.path, (node,), "read from JSON text")
    assert isinstance(node, SourceNode)
    return Respelled(node, _written_and_read(value), spell)


def read_json(text: str) -> Any:
    """The value of JSON text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotJsonError(str(error)) from None
    if _is_too_deep(value):
        raise NotJsonError(f"nested more than {MAX_DEPTH} deep")
    return value


def spell(key: Any) -> str:
    """A key as JSON spells it."""
    if isinstance(key, str):
        return key
    return json.dumps(key) if key is None or isinstance(key, (bool, int, float)) else str(key)


def _is_plain(value: Any) -> bool:
    """Whether writing and reading would give the same value again."""
    todo = [value]
    for item in todo:  # which grows meanwhile
        kind = type(item)
        if kind is dict:
            if not _TEXT.issuperset(map(type, item)):
                return False
            if not SCALARS.issuperset(map(type, item.values())):
                todo += item.values()
        elif kind is list:
            if not SCALARS.issuperset(map(type, item)):
                todo += item
        elif kind not in SCALARS:
            return False
    return True


def _written_and_read(value: Any) -> Any:
    if isinstance(value, dict):
        return {spell(key): _written_and_read(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_written_and_read(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return [_written_and_read(item) for item in sorted(value, key=repr)]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise NotJsonError(str(error)) from None
    return value if isinstance(value, (str, int, bool, float)) or value is None else str(value)


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for item in level
            if isinstance(item, (dict, list))
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True
