"""The outline of a YAML file: its keys with the lines that belong to each, also where it cannot be parsed.

A line is taken by its indentation alone, so that a file in the middle of an edit has an outline, too. JSON has one as
far as it is written with a key on each line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.paths import Path

_KEY: Final = re.compile(
    r"""(?P<indent>(?:[ ]|-[ ])*)
    (?P<key>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s\#'"\[\]{},&*!|>%@`-][^\#]*?|-[^\s\#][^\#]*?)
    :(?P<rest>\s.*|)$""",
    re.VERBOSE,
)
_ITEM: Final = re.compile(r"(?P<indent>(?:[ ]|-[ ])*)-(?:[ ]|$)")
_BLOCK: Final = re.compile(r"(?:.*\s)?[|>][-+0-9]*\s*(?:\#.*)?$")
_MOST: Final = 20_000
"""How many lines are looked at."""
_LONGEST: Final = 1_000
"""How many characters of a line."""


@dataclass(slots=True)
class OutlineEntry:
    """A key, or a document of a file with several: its path in the document, where it is, and what is inside.

    Lines and columns count from one; the last line is the last one that belongs to it.
    """

    name: str
    path: Path
    line: int
    column: int
    last_line: int
    is_document: bool = False
    inside: list[OutlineEntry] = field(default_factory=list)


@dataclass(slots=True)
class _Open:
    indent: int
    entry: OutlineEntry
    items: int = -1
    items_at: int = -1


def outline_of(text: str) -> list[OutlineEntry]:
    """The documents of a text with their keys; of a text with one document, its keys."""
    documents: list[OutlineEntry] = []
    opened: list[_Open] = []
    block = last = -1
    for number, whole in enumerate(re.split(r"\r\n|\r|\n", text)[:_MOST], start=1):
        line = whole[:_LONGEST]
        stripped = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        if block >= 0 and (not stripped or indent > block):
            last = number if stripped else last
            continue
        block = -1
        if not stripped or stripped.startswith("#"):
            continue
        if re.match(r"---(\s|$)", line) or not documents:
            _close(opened, -1, last)
            name = f"document {len(documents) + 1}"
            documents.append(OutlineEntry(name, (), number, 1, number, is_document=True))
            opened = [_Open(-1, documents[-1])]
            if line.startswith("---"):
                last = number
                continue
        block = _add(opened, line, number, last)
        last = number
    _close(opened, -1, last)
    return documents if len(documents) > 1 else documents[0].inside if documents else []


def _add(opened: list[_Open], line: str, number: int, last: int) -> int:
    """Add the key that begins on a line; the indentation of the block scalar that begins there, or -1."""
    item = _ITEM.match(line)
    if item is not None:
        at = len(line) - len(line.lstrip(" "))
        _close(opened, at + 1, last)  # the items of a list may be written below its key, not further in
        holder = opened[-1]
        if holder.items_at != at:
            holder.items_at, holder.items = at, -1
        holder.items += 1
    found = _KEY.match(line)
    if found is None:
        return len(line) - len(line.lstrip(" ")) if _BLOCK.match(line) else -1
    column = len(found["indent"])
    _close(opened, column, last)
    holder = opened[-1]
    step: Path = (holder.items,) if "-" in found["indent"] and holder.items >= 0 else ()
    if not step and 0 <= holder.items_at < column:
        step = (holder.items,)
    key = found["key"].rstrip()
    name = key.strip("'\"") if key[:1] in "'\"" else key
    entry = OutlineEntry(name, (*holder.entry.path, *step, name), number, column + 1, number)
    holder.entry.inside.append(entry)
    opened.append(_Open(column, entry))
    return column if _BLOCK.match(found["rest"]) else -1


def _close(opened: list[_Open], indent: int, last: int) -> None:
    """Close all that is not less indented; the document itself ends with the text."""
    for each in opened if indent < 0 else ():
        each.entry.last_line = max(each.entry.line, last)
    while len(opened) > 1 and opened[-1].indent >= indent >= 0:
        closed = opened.pop()
        closed.entry.last_line = max(closed.entry.line, last)


def entries_of(outline: list[OutlineEntry]) -> Iterator[OutlineEntry]:
    """All entries of an outline, the outer ones first."""
    for entry in outline:
        yield entry
        yield from entries_of(entry.inside)
