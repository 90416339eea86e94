"""What a row of the page holds: its kind, its text, and keys that it no longer has. The explorer shows the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.history import events_of
from lamina.engine.node import LiteralNode
from lamina.paths import MISSING
from lamina.views.report.value_text import full

if TYPE_CHECKING:
    from lamina.engine.history import Event
    from lamina.engine.node import Node

KINDS = ("mapping", "list", "text", "other", "gone", "secret")
MAPPING, LIST, TEXT, OTHER, GONE, SECRET = range(len(KINDS))
"""What a row holds; the page knows these numbers."""
LEAF_OF_PATTERN, KEYS_OF_PATTERN, ITEMS_OF_PATTERN = range(len(KINDS), len(KINDS) + 3)
"""Rows that the page fills in by a pattern: a value, a mapping, a list with its items."""

WITHHELD = "withheld: secret"
WORDS = {"kept": "ignored", "dropped": "ignored", "deleted": "removed", "looked up": "set"}
"""Verdicts as the page words them: none may read as if a layer had won that lost."""


def has_history(node: Node) -> bool:
    """Whether anything ever happened to a node."""
    return type(node) is not LiteralNode and next(events_of(node), None) is not None


def removed_keys_of(value: dict[Any, Any], events: list[Event]) -> dict[Any, None]:
    """The keys that some layer set in a mapping that no longer has them."""
    mappings = (
        old_mapping
        for event in events
        for old_mapping in (event.value, event.displaced)
        if isinstance(old_mapping, dict) and not old_mapping.keys() <= value.keys()
    )
    return dict.fromkeys(key for mapping in mappings for key in mapping if key not in value)


def size_of(value: Any) -> str:
    """How much a collection holds."""
    count = len(value)
    return f"{count} {'key' if isinstance(value, dict) else 'item'}{'s' * (count != 1)}"


def content_of(node: Node, opens: bool, *, secret: bool) -> tuple[int, str]:
    """The kind of a row and its text."""
    value = node.value
    if value is MISSING:
        return GONE, ""
    if opens:
        return (MAPPING if isinstance(value, dict) else LIST), size_of(value)
    if secret:
        return SECRET, WITHHELD
    return (TEXT if isinstance(value, str) else OTHER), full(value)
