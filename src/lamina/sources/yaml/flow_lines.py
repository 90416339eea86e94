"""Reading flow collections of the plain kind: brackets, words and quoted texts without escapes, all on one line."""

from __future__ import annotations

import re
from typing import Any

from lamina._support.lazy_regex import expression
from lamina.paths import MISSING

_PIECE = expression(
    r"""
    ([\[{]\ *)  # an opening bracket
    | ([\]}]\ *)  # a closing one
    | (,\ *)
    | ([A-Za-z0-9_][\w./-]{0,200}:\ +)  # a key
    | ((?:[A-Za-z0-9_.][\w./-]*|-[A-Za-z0-9_.][\w./-]*|"[^"\\]*"|'[^']*')\ *)  # an item
    """,
    re.ASCII | re.VERBOSE,
)
_BRACKETS = {"[": "]", "{": "}"}
LEVELS = 4
"""How deep flow collections may be inside one another; the compiled reader has the same."""


class NotPlainError(Exception):
    """Something only a parser can settle."""


def read_flow(  # noqa: PLR0912 - one branch a kind of piece
    rest: str,
    tape: tuple[list[int], list[int], dict[int, int]],
    line: int,
    column: int,
    memo: dict[str, Any],
    keys: dict[str, Any] | None,
) -> Any:
    """A flow collection, whose own record is the last one; plain keys are what `keys` says, or else text."""
    lines, columns, sizes = tape
    items: list[Any] = []
    closing, index, here = _BRACKETS[rest[0]], len(lines) - 1, column
    stack: list[tuple[str, list[Any], int]] = []
    ready, keyed, value = False, False, MISSING
    for opening, closed, comma, key, item in _PIECE.findall(rest):
        if item or key:
            if not ready or (not key if closing == "}" and not keyed else key):
                raise NotPlainError
            lines.append(line)
            columns.append(here)
            if key:
                text = key.rstrip(" ")[:-1]
                items.append(text if keys is None else keys[text])
                keyed = True
            else:
                text = item.rstrip(" ")
                items.append(text[1:-1] if text[0] in "\"'" else memo[text])
                keyed = ready = False
            here += len(key or item)
        elif comma:
            if ready or value is not MISSING:
                raise NotPlainError
            ready = True
            here += len(comma)
        elif closed:
            if closed[0] != closing or keyed or (ready and items):
                raise NotPlainError
            sizes[index] = len(lines) - index
            inner = collected(items, closing == "}")
            here += len(closed)
            ready = False
            if stack:
                closing, items, index = stack.pop()
                items.append(inner)
                continue
            closing, value = "", inner
        else:
            if here != column:
                if not ready or (closing == "}" and not keyed) or len(stack) + 2 > LEVELS:
                    raise NotPlainError
                lines.append(line)
                columns.append(here)
                stack.append((closing, items, index))
                closing, items, index = _BRACKETS[opening[0]], [], len(lines) - 1
            keyed, ready = False, True
            here += len(opening)
    # Whatever is none of the pieces is missing from the sum of their lengths.
    if value is MISSING or here - column != len(rest):
        raise NotPlainError
    return value


def collected(items: list[Any], kind: bool) -> Any:
    """A collection of what was read: the items, or keys and values in turn."""
    if not kind:
        return items
    pairs = iter(items)
    value = dict(zip(pairs, pairs))  # noqa: B905 - they come in pairs
    if 2 * len(value) != len(items):
        raise NotPlainError
    return value
