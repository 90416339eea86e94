"""Reading plainly written YAML line by line, in Python: what is plain is defined here.

A line of it is blank, a comment, `---`, or an indent, perhaps a dash, perhaps a key, and perhaps a value that ends with
the line: plain text, quoted text without escapes, a simple flow collection, or the start of literal text. Such text
needs no YAML parser, only one regular expression for its lines and a stack of indents, and is read several times as
fast. Whatever is not surely of this kind is left to the parser, a document with a repeated key, too: the answer is then
None. The values and places are those the parser would give. `_plain_lines.c` does the same, compiled.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from lamina._support.lazy_regex import expression
from lamina.sources.yaml.flow_lines import LEVELS, NotPlainError, collected, read_flow

if TYPE_CHECKING:
    from collections.abc import Iterator

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
MAPPING, SEQUENCE = True, False
"""Kinds of collections."""


def read(
    text: str,
    memo: dict[str, Any],
    starts: str,  # noqa: ARG001 - the memo goes by it, too; here nothing is won by asking first
    text_keys: bool,
    keys: dict[str, Any] | None,
    depth: int,
) -> list[tuple[Any, list[int], list[int], dict[int, int]]] | None:
    """The value, lines, columns and sizes of each document of a text that is written plainly; None if it is not.

    Plain scalars mean what `memo` says, and so do plain keys unless `text_keys`. With `keys`, every key is what that
    says. Plain text that begins with none of `starts` is known to be text.
    """
    # Whatever is printable is so for YAML; tabs, carriage returns and odd breaks are not.
    if not text.endswith("\n") or not text.replace("\n", "").isprintable():
        return None
    try:
        return [_Lines(memo, text_keys, keys, depth - LEVELS, part, first).document() for first, part in _parts(text)]
    except NotPlainError:
        return None


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """The text of each document, and the line it begins on."""
    parts = text.split("\n---\n")
    headed = text.startswith("---\n")
    if headed:
        parts[0] = parts[0][len("---\n") :]
    line, last = int(headed), len(parts) - 1
    for number, part in enumerate(parts):
        whole = part if number == last else part + "\n"
        # What stands before the first marker is a document only if it is more than comments.
        if number or headed or not last or _says_something(whole):
            yield line, whole
        line += whole.count("\n") + 1


def _says_something(text: str) -> bool:
    return any(line.strip(" ") and not line.lstrip(" ").startswith("#") for line in text.split("\n"))


class _Lines:
    """One pass over the lines of a document; `first` is its first line in the source."""

    def __init__(
        self, memo: dict[str, Any], text_keys: bool, keys: dict[str, Any] | None, depth: int, text: str, first: int
    ) -> None:
        self.memo = memo
        self.plain: dict[str, Any] = {}
        """What the plain values of this document mean. `memo` also knows text that is plain only inside brackets or
        behind a tag, so it cannot tell whether a value is plain here."""
        self.keys: dict[str, Any] | None = memo if keys is None and not text_keys else keys
        """What is asked for keys; None where they are text."""
        self.depth = depth
        self.text = text
        self.first = first
        self.lines: list[int] = []
        self.columns: list[int] = []
        self.sizes: dict[int, int] = {}
        self.stack: list[tuple[list[Any], int, bool, int]] = []
        """The collections around the one that is open: their items, records, kinds and columns."""
        self.waiting: tuple[int, int] | None = None
        """While a value is waited for: the place of the nothing that it is if none comes."""
        self.rows: list[tuple[str, str, str, str, str]] = _LINE.findall(text)

    def start(self) -> int:
        """The first row that says something."""
        if len(self.rows) == self.text.count("\n") + 1:
            for number, (_, dash, key, _, rest) in enumerate(self.rows):
                if dash or key:
                    return number
                if rest and rest[0] != "#":
                    break
        raise NotPlainError

    def document(self) -> tuple[Any, list[int], list[int], dict[int, int]]:
        start = self.start()
        indent, dash, *_ = self.rows[start]
        self.begin(self.first + start, len(indent), not dash)
        self.read(start)
        if self.waiting is not None:
            self.add_nothing(self.waiting)
        while self.stack:
            self.close()
        return self.whole(), self.lines, self.columns, self.sizes

    def read(self, start: int) -> None:
        """Read the rows from one on. Nearly all are a key and its value in the mapping that is open."""
        plain, keys, first = self.plain, self.keys, self.first
        add_line, add_column = self.lines.append, self.columns.append
        add, column, kind = self.items.append, self.column, self.kind
        numbered = enumerate(islice(self.rows, start, None), first + start)
        for at, (indent, dash, key, gap, rest) in numbered:
            here = len(indent)
            if dash or not key or self.waiting is not None or here != column or not kind:
                if not dash and not key:
                    if not rest or rest[0] == "#":
                        continue
                    raise NotPlainError
                here = self.enter(at, here, dash, key)
                add, column, kind = self.items.append, self.column, self.kind
            if key:
                add_line(at)
                add_column(here)
                add(keys[key] if keys is not None and key[0] not in "\"'" else self.key(key))
                here += len(key) + 1
            if not rest or rest[0] == "#":
                self.waiting = (at, here if key else column + 1)
                continue
            here += len(gap)
            add_line(at)
            add_column(here)
            if rest in plain:
                add(plain[rest])
            elif rest[0] == "|":
                value, count = self.literal(at + 1 - first, column, rest)
                add(value)
                next(islice(numbered, count, count), None)
            else:
                add(self.value(rest, at, here))

    def enter(self, at: int, here: int, dash: str, key: str) -> int:
        """Open and close collections up to the one a row belongs to, and say where the row goes on behind its dash."""
        if self.waiting is not None:
            place, self.waiting = self.waiting, None
            if here > self.column or (dash and self.kind is MAPPING and here == self.column):
                self.open(at, here, not dash)
            else:
                self.add_nothing(place)
        while self.column > here or (self.column == here and self.kind is SEQUENCE and not dash):
            self.close()
        if here != self.column or (dash and self.kind is MAPPING):
            raise NotPlainError
        here += len(dash)
        if dash and key:
            self.open(at, here, MAPPING)
        return here

    def open(self, at: int, column: int, kind: bool) -> None:
        """Begin a collection inside the one that is open."""
        self.stack.append((self.items, self.index, self.kind, self.column))
        if len(self.stack) >= self.depth:
            raise NotPlainError
        self.begin(at, column, kind)

    def begin(self, at: int, column: int, kind: bool) -> None:
        self.items: list[Any] = []
        self.index = self.record(at, column)
        self.kind = kind
        self.column = column

    def record(self, line: int, column: int) -> int:
        """Record a node and say its number."""
        self.lines.append(line)
        self.columns.append(column)
        return len(self.lines) - 1

    def close(self) -> None:
        """End the collection that is open, and go on with the one around it."""
        value = self.whole()
        if not self.stack:
            raise NotPlainError
        self.items, self.index, self.kind, self.column = self.stack.pop()
        self.items.append(value)

    def whole(self) -> Any:
        self.sizes[self.index] = len(self.lines) - self.index
        return collected(self.items, self.kind)

    def add_nothing(self, place: tuple[int, int]) -> None:
        """Add the null that an absent value is, at its place."""
        self.record(*place)
        self.items.append(self.memo[""])

    def key(self, text: str) -> Any:
        """A key that is quoted, or whose text is all there is to it."""
        if text[0] not in "\"'":
            return text
        # Quoted keys are text even where plain ones are what they mean.
        return text[1:-1] if self.keys is None or self.keys is self.memo else self.keys[text[1:-1]]

    def value(self, rest: str, line: int, column: int) -> Any:
        """What is written behind a key or a dash, on the same line."""
        first = rest[0]
        if first in "\"'":
            inner = rest[1:-1]
            if len(rest) < 2 or rest[-1] != first or first in inner or (first == '"' and "\\" in inner):
                raise NotPlainError
            return inner
        if first in "[{":
            return self.flow(rest, line, column)
        match = _PLAIN.fullmatch(rest)
        if match is None:
            raise NotPlainError
        value = self.plain[rest] = self.memo[match["text"]]
        return value

    def flow(self, rest: str, line: int, column: int) -> Any:
        tape = self.lines, self.columns, self.sizes
        return read_flow(rest, tape, line, column, self.memo, self.keys)

    def literal(self, at: int, column: int, mark: str) -> tuple[str, int]:
        """Literal text that begins on a line, inside a collection at a column; and how many lines it takes."""
        if mark not in ("|", "|-"):
            raise NotPlainError
        raw = self.raw_lines()
        begin = raw[at]
        indent = len(begin) - len(begin.lstrip(" "))
        if indent <= column or indent == len(begin):
            raise NotPlainError
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
            raise NotPlainError
        text = "\n".join([line[indent:] for line in raw[start : last + 1]])
        return text if mark == "|-" else text + "\n", at - start

    def raw_lines(self) -> list[str]:
        raw: list[str] | None = getattr(self, "raw", None)
        if raw is None:
            raw = self.raw = self.text.split("\n")
        return raw
