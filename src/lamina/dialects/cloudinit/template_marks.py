"""Marks in the text of a template: what stands in the place of an expression whose value is not known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina.engine.node import ComputedNode, LiteralNode, SourceNode
from lamina.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.engine.node import Node
    from lamina.origins import Origin

_OPEN, _CLOSE = "\ue0f2", "\ue0f3"
_MARK: Final = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")


def mark(number: int) -> str:
    """What stands for the expression of a number."""
    return f"{_OPEN}{number}{_CLOSE}"


def has_mark(text: str) -> bool:
    """Whether a text has a hole, or a part of one."""
    return _OPEN in text or _CLOSE in text


def filled(text: str, expressions: Sequence[str]) -> tuple[str, list[str]]:
    """A text with the expressions as they are written in the place of the marks, and these expressions, each once."""
    names = dict.fromkeys(expressions[int(found[1])] for found in _MARK.finditer(text))
    return _MARK.sub(lambda found: expressions[int(found[1])], text), list(names) or ["a template"]


def unknown_node(node: Node, reason: str, text: str | None, hint: str, at: Origin | None = None) -> Node:
    """The node of a value that is not known, in the place of another; `at` is where that is said, if it is nowhere."""
    if isinstance(node, SourceNode):
        return ComputedNode(Unknown(reason, node.origin(), text, hint), node.path, (node,), "unknown")
    return LiteralNode(Unknown(reason, at, text, hint), node.path)
