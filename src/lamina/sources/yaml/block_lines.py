"""Where the lines of a YAML string are in the file it was written in.

A value may be a text of several lines: a script, or another configuration. This module finds, for each line of the
value, the line and column where it starts in the source, for all styles of scalars (block, folded, plain, quoted). In
cases it cannot follow it returns None, never a wrong position.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PROPERTIES: Final = re.compile(r"(?:[!&]\S*\s+)+")
_BLOCK: Final = re.compile(r"([|>])[-+0-9]*\s*(?:#.*)?$")
_SPACE: Final = re.compile(r"\s*")
_ESCAPES: Final = {"x": 2, "u": 4, "U": 8}

Starts = tuple[tuple[int, int], ...]
"""The line and column, from zero, at which each line starts."""


def line_starts(lines: list[str], line: int, column: int, value: str) -> Starts | None:
    """The starts of the lines of `value`, whose scalar starts at a position of a source; None if they are not known."""
    if line >= len(lines):
        return None
    properties = _PROPERTIES.match(lines[line], column)
    column = properties.end() if properties else column
    head = lines[line][column : column + 1]
    if head in ("|", ">"):
        return _block(lines, line, column, value)
    if head == '"':
        return _double_quoted(lines, line, column + 1, value)
    return _flow_scalar(lines, line, column, value, quoted=head == "'")


def _block(lines: list[str], line: int, column: int, value: str) -> Starts | None:
    header = _BLOCK.match(lines[line], column)
    first = next((number for number in range(line + 1, len(lines)) if lines[number].strip()), None)
    if header is None or first is None:
        return None
    if header[1] == ">":
        return _aligned(((number, 0, lines[number]) for number in range(first, len(lines))), value)
    return _literal(lines, line + 1, value)


def _literal(lines: list[str], start: int, value: str) -> Starts | None:
    """Each line of a literal block is a line of the source, less the indentation."""
    own = value.split("\n")
    filled = next((number for number, text in enumerate(own) if text.strip()), None)
    if filled is None or start + filled >= len(lines):
        return None
    indent = len(lines[start + filled]) - len(own[filled])
    for number, text in enumerate(own):
        at = start + number
        if text and (at >= len(lines) or indent < 0 or lines[at][indent:] != text):
            return None
    return tuple((start + number, indent) for number in range(len(own)))


def _flow_scalar(lines: list[str], line: int, column: int, value: str, *, quoted: bool) -> Starts | None:
    def pieces() -> Iterator[tuple[int, int, str]]:
        yield line, column + quoted, lines[line][column + quoted :]
        yield from ((number, 0, lines[number]) for number in range(line + 1, len(lines)))

    if not quoted:
        return _aligned(pieces(), value)
    return _aligned(((number, start, text.replace("''", "'")) for number, start, text in pieces()), value)


def _aligned(pieces: Iterable[tuple[int, int, str]], value: str) -> Starts | None:
    """Match the lines of a source with a value in which some of them are joined; a space may be a line break."""
    found: dict[int, tuple[int, int]] = {}
    at = own = 0
    for line, column, piece in pieces:
        text = piece.strip()
        blank = _SPACE.match(value, at)
        end = blank.end() if blank else at
        own += value.count("\n", at, end)
        at = end
        if at >= len(value):
            break
        if not text:
            continue
        length = min(len(text), len(value) - at)
        if value[at : at + length].rstrip() != text[:length].rstrip():
            return None
        indent = at - (value.rfind("\n", 0, at) + 1)
        if not value[at - indent : at].strip():
            found[own] = (line, max(0, column + len(piece) - len(piece.lstrip()) - indent))
        at += length
    return _filled(found, value.count("\n") + 1)


def _filled(found: dict[int, tuple[int, int]], count: int) -> Starts | None:
    """The starts of all lines: a blank line has the start of the line before it."""
    if not found:
        return None
    last = min(found.values())
    starts = []
    for number in range(count):
        last = found.get(number, last)
        starts.append(last)
    return tuple(starts)


def _double_quoted(lines: list[str], line: int, column: int, value: str) -> Starts | None:
    """Follow a double-quoted scalar character by character."""
    starts = [(line, column)]
    at = 0
    last_line = -1
    while at < len(value):
        text = lines[line]
        if line != last_line:
            # Once per line, which may be as long as the file.
            last_line, end, blank = line, len(text.rstrip("\r")), len(text.rstrip())
        if column >= end:
            line, column, at = _next_line(lines, line, value, at, starts)
            if line >= len(lines):
                return None
            continue
        width = _width(text, column)
        if width == 0:
            line, column = _continued(lines, line + 1)
            if line >= len(lines):
                return None
            continue
        if text[column] == '"':
            return None
        if text[column] in " \t" and column >= blank:
            column = len(text)
            continue
        if width == 1 and text[column] != value[at]:
            return None
        column, at = column + width, at + 1
        if value[at - 1] == "\n":
            starts.append((line, column))
    return tuple(starts)


def _width(text: str, column: int) -> int:
    """How many characters of the source make the next character of the value; 0 at an escaped line break."""
    if text[column] != "\\":
        return 1
    character = text[column + 1 : column + 2].rstrip("\r")
    return 2 + _ESCAPES.get(character, 0) if character else 0


def _continued(lines: list[str], line: int) -> tuple[int, int]:
    if line >= len(lines):
        return line, 0
    return line, len(lines[line]) - len(lines[line].lstrip())


def _next_line(lines: list[str], line: int, value: str, at: int, starts: list[tuple[int, int]]) -> tuple[int, int, int]:
    """Skip a line break, which reads as a space, or as a break for each blank line."""
    line += 1
    blank = 0
    while line < len(lines) and not lines[line].strip():
        line, blank = line + 1, blank + 1
    line, column = _continued(lines, line)
    for number in range(blank):
        if value[at + number : at + number + 1] != "\n":
            return len(lines), 0, at
        starts.append((line, column))
    if not blank and value[at : at + 1] != " ":
        return len(lines), 0, at
    return line, column, at + max(1, blank)
