"""Reading YAML line by line: the plain kind that most configuration is written in.

A line of it is blank, a comment, `---`, or an indent, perhaps a dash, perhaps a key, and perhaps a value that ends with
the line: plain text, quoted text without escapes, a flat flow list or mapping, or the start of literal text. Such text
needs no YAML parser, only one regular expression for its lines and a stack of indents, and is read several times as
fast. Whatever is not surely of this kind is left to the parser, a document with a repeated key, too: the answer is then
None. The values and places are those the parser would give.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from lamina.expressions import expression
from lamina.places import Tape
from lamina.sources.document import Document
from lamina.sources.scalars import MergeKeyError, OddScalarError

if TYPE_CHECKING:
    from lamina.sources.limits import Limits
    from lamina.sources.scalars import Memo, ScalarTable
    from lamina.sources.source import Source

_LINE = re.compile(
    r"^( *)"  # the indent
    r"(- +|-$)?"  # a dash
    # a key, and what parts it from its value
    r"(?:([A-Za-z0-9_][\w./-]{0,200}(?:::?[\w./-]{1,200}){0,4}|'[^'\n]{0,200}'|\"[^\"\\\n]{0,200}\"):( +|$))?"
    r"(.*)$",
    re.MULTILINE | re.ASCII,
)
_PLAIN = expression(
    r"""
    (?=[A-Za-z0-9_/.~+$(<^\\;=]|-[^\ ]|[^\x00-\x7f])  # no indicator first
    (?P<text>
        [^ :]+(?::+[^ :]+)*  # words: a colon is within them
        (?:\ +(?!\#)[^ :]+(?::+[^ :]+)*)*
    )
    \ *(?:\ \#.*)?
    """,
    re.VERBOSE,
)
_ITEM = r"""(?:[A-Za-z0-9_.][\w./-]*|-[A-Za-z0-9_.][\w./-]*|"[^"\\]*"|'[^']*')"""
_FLOW_LIST = expression(rf"\[ *(?:{_ITEM}(?: *, *{_ITEM})* *)?\]", re.ASCII)
_FLOW_ITEM = expression(_ITEM, re.ASCII)
_WORD = r"[A-Za-z0-9_][\w./-]{0,200}"
_FLOW_MAP = expression(rf"\{{ *(?:{_WORD}: +{_ITEM}(?: *, *{_WORD}: +{_ITEM})* *)?\}}", re.ASCII)
_FLOW_PAIR = expression(rf"({_WORD}): +({_ITEM})", re.ASCII)

MAPPING, SEQUENCE = True, False
"""Kinds of collections."""


def read_lines(source: Source, table: ScalarTable, limits: Limits) -> list[Document] | None:
    """The documents of a source that is written plainly; None where a parser has to read it."""
    try:
        text = source.data.decode()
    except UnicodeDecodeError:
        return None
    # Whatever is printable is so for YAML; tabs, carriage returns and odd breaks are not.
    if not text.endswith("\n") or not text.replace("\n", "").isprintable():
        return None
    # One level is left for a flow collection on a line.
    return _Lines(source, table, limits.depth - 1, text).documents()


class _NotPlainError(Exception):
    """Something only a parser can settle."""


class _Lines:
    """One pass over the lines of a source."""

    def __init__(self, source: Source, table: ScalarTable, depth: int, text: str) -> None:
        self.source = source
        self.memo: Memo = table.memo
        self.text_keys = table.text_keys
        self.depth = depth
        self.text = text
        self.rows: list[tuple[str, str, str, str, str]] = _LINE.findall(text)

    def documents(self) -> list[Document] | None:
        found: list[Document] = []
        at, end = 0, len(self.rows)
        if end != self.text.count("\n") + 1:
            return None
        try:
            while at < end:
                at = self.start(at)
                self.tape = Tape(self.source.locate)
                value, at = self.document(at)
                found.append(Document(value, self.tape))
        except (_NotPlainError, OddScalarError, MergeKeyError, ValueError, TypeError, KeyError, OverflowError):
            return None
        return found

    def start(self, at: int) -> int:
        """The first line of a document that says something."""
        begun = False
        for number in range(at, len(self.rows)):
            _, dash, key, _, rest = row = self.rows[number]
            if row == ("", "", "", "", "---") and not begun:
                begun = True
            elif dash or key:
                return number
            elif rest and rest[0] != "#":
                break
        raise _NotPlainError

    def document(self, start: int) -> tuple[Any, int]:  # noqa: PLR0912, PLR0915 - the hot loop
        """Read one document, and say on which line the next begins."""
        memo, tape, text_keys = self.memo, self.tape, self.text_keys
        lines, columns, sizes = tape.lines, tape.columns, tape.sizes
        add_line, add_column = lines.append, columns.append
        stack: list[tuple[list[Any], int, bool, int]] = []
        items: list[Any] = []
        add = items.append
        column, index, kind = len(self.rows[start][0]), 0, not self.rows[start][1]
        add_line(start)
        add_column(column)
        waiting = False
        place = (0, 0)
        """Whether a value is waited for, and the place of the nothing that it is if none comes."""
        numbered = enumerate(islice(self.rows, start, None), start)
        for at, (indent, dash, key, gap, rest) in numbered:
            here = len(indent)
            if dash or not key or waiting or here != column or not kind:
                if not dash and not key:
                    if not rest or rest[0] == "#":
                        continue
                    if rest == "---" and not here:
                        break
                    raise _NotPlainError
                if waiting:
                    waiting = False
                    if here > column or (dash and kind and here == column):
                        stack.append((items, index, kind, column))
                        items, index, kind, column = [], len(lines), not dash, here
                        add = items.append
                        add_line(at)
                        add_column(here)
                    else:
                        add_line(place[0])
                        add_column(place[1])
                        add(memo[""])
                while column > here or (column == here and kind is SEQUENCE and not dash):
                    value = _closed(items, kind)
                    sizes[index] = len(lines) - index
                    if not stack:
                        raise _NotPlainError
                    items, index, kind, column = stack.pop()
                    add = items.append
                    add(value)
                if here != column or (dash and kind):
                    raise _NotPlainError
                if dash:
                    here += len(dash)
                    if key:
                        stack.append((items, index, kind, column))
                        items, index, kind, column = [], len(lines), MAPPING, here
                        add = items.append
                        add_line(at)
                        add_column(here)
                    elif not rest or rest[0] == "#":
                        waiting, place = True, (at, column + 1)
                        continue
                if len(stack) >= self.depth:
                    raise _NotPlainError
            if key:
                add_line(at)
                add_column(here)
                add(memo[key] if key in memo and not text_keys else self.key(key))
                here += len(key) + 1
                if not rest or rest[0] == "#":
                    waiting, place = True, (at, here)
                    continue
                here += len(gap)
            add_line(at)
            add_column(here)
            if rest in memo:
                add(memo[rest])
            elif rest[0] == "|":
                value, following = self.literal(at + 1, column, rest)
                add(value)
                next(islice(numbered, following - at - 1, following - at - 1), None)
            else:
                add(self.value(rest, at, here))
        else:
            at = len(self.rows)
        if waiting:
            add_line(place[0])
            add_column(place[1])
            add(memo[""])
        while True:
            value = _closed(items, kind)
            sizes[index] = len(lines) - index
            if not stack:
                return value, at
            items, index, kind, column = stack.pop()
            items.append(value)

    def key(self, text: str) -> Any:
        if text[0] in "\"'":
            return text[1:-1]
        return text if self.text_keys else self.memo[text]

    def value(self, rest: str, line: int, column: int) -> Any:
        """What is written behind a key or a dash, on the same line."""
        first = rest[0]
        if first in "\"'":
            inner = rest[1:-1]
            if len(rest) < 2 or rest[-1] != first or first in inner or (first == '"' and "\\" in inner):
                raise _NotPlainError
            return inner
        if first == "[":
            return self.flow_list(rest, line, column)
        if first == "{":
            return self.flow_map(rest, line, column)
        match = _PLAIN.fullmatch(rest)
        if match is None:
            raise _NotPlainError
        return self.memo[match["text"]]

    def flow_list(self, rest: str, line: int, column: int) -> list[Any]:
        texts, offsets = _flow(rest, _FLOW_LIST, _FLOW_ITEM)
        self.flow_places(line, column, offsets)
        return [self.item(text) for text in texts]

    def flow_map(self, rest: str, line: int, column: int) -> dict[Any, Any]:
        texts, offsets = _flow(rest, _FLOW_MAP, _FLOW_PAIR)
        self.flow_places(line, column, offsets)
        keys = texts[::2] if self.text_keys else [self.memo[key] for key in texts[::2]]
        found = dict(zip(keys, map(self.item, texts[1::2]), strict=True))
        if len(found) != len(keys):
            raise _NotPlainError
        return found

    def flow_places(self, line: int, column: int, offsets: tuple[int, ...]) -> None:
        tape, count = self.tape, len(offsets)
        tape.sizes[len(tape.lines) - 1] = count + 1
        tape.lines.extend([line] * count)
        tape.columns.extend([column + offset for offset in offsets])

    def item(self, text: str) -> Any:
        return text[1:-1] if text[0] in "\"'" else self.memo[text]

    def literal(self, at: int, column: int, mark: str) -> tuple[str, int]:
        """Literal text that begins on a line, inside a collection at a column; and the line that follows it."""
        if mark not in ("|", "|-"):
            raise _NotPlainError
        raw = self.raw_lines()
        first = raw[at]
        indent = len(first) - len(first.lstrip(" "))
        if indent <= column or indent == len(first):
            raise _NotPlainError
        start, last = at, at
        prefix = " " * indent
        while at < len(raw):
            line = raw[at]
            if line.startswith(prefix):
                if len(line) > indent:
                    last = at
            elif line.strip(" "):
                break
            at += 1
        if last == len(raw) - 1:
            raise _NotPlainError
        text = "\n".join([line[indent:] for line in raw[start : last + 1]])
        return text if mark == "|-" else text + "\n", at

    def raw_lines(self) -> list[str]:
        raw: list[str] | None = getattr(self, "raw", None)
        if raw is None:
            raw = self.raw = self.text.split("\n")
        return raw


@lru_cache(maxsize=4096)
def _flow(text: str, whole: re.Pattern[str], piece: re.Pattern[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The texts inside a flat flow collection, and where in it they begin."""
    if not whole.fullmatch(text):
        raise _NotPlainError
    found = list(piece.finditer(text))
    groups = range(1, piece.groups + 1) if piece.groups else (0,)
    return (
        tuple(match[group] for match in found for group in groups),
        tuple(match.start(group) for match in found for group in groups),
    )


def _closed(items: list[Any], kind: bool) -> Any:
    if not kind:
        return items
    pairs = iter(items)
    value = dict(zip(pairs, pairs))  # noqa: B905 - they come in pairs
    if 2 * len(value) != len(items):
        raise _NotPlainError
    return value
