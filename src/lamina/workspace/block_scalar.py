"""Block scalars: which line of a YAML file a line of a text over several lines belongs to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADER: Final = re.compile(r"(?:^|[\s:-])[|>](?:[+-]?[1-9]?|[1-9][+-])\s*(?:#.*)?$")


def start_of(lines: Sequence[str], line: int) -> int:
    """The line that a block scalar begins on, where the line is inside one; else the line itself. Lines count from 1.

    Nothing but a block scalar can be below its first line and further to the right, so the lines above with smaller and
    smaller margins decide.
    """
    if not 1 <= line <= len(lines):
        return line
    indent = _indent(lines[line - 1])
    for at in range(line - 1, 0, -1):
        text = lines[at - 1]
        if indent == 0:
            break
        if text.strip() and _indent(text) < indent:
            if _HEADER.search(text):
                return at
            indent = _indent(text)
    return line


def _indent(text: str) -> int:
    """How far to the right a line begins; one without text is as far as any."""
    return len(text) - len(text.lstrip(" ")) if text.strip() else 1 << 30
