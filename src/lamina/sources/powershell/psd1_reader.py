"""Reading PowerShell data files (.psd1): one table of constants, with the place of every node.

Tables, arrays (with `@( )` and with commas), texts in single and double quotes, here-strings, numbers with their
suffixes, `$true`, `$false`, `$null`, comments. Nothing is ever run: variables, commands and operators are refused by
name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from lamina.errors import Diagnostic, InputError
from lamina.origins import PositionMap
from lamina.sources.document import Document, refused_key
from lamina.sources.limits import LIMITS, Limits

if TYPE_CHECKING:
    from lamina.sources.source import Source

_BLANKS = re.compile(r"(?:[ \t\f\v\u00a0]|`\r?\n|<#.*?#>|#(?!>)[^\r\n]*)*", re.DOTALL)
_BREAKS = re.compile(r"(?:[ \t\f\v\u00a0\r\n;]|`\r?\n|<#.*?#>|#(?!>)[^\r\n]*)*", re.DOTALL)
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|(?P<digits>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?P<power>[eE][+-]?[0-9]+)?)"
    r"(?P<suffix>[lL]|[dD])?(?P<unit>[kKmMgGtTpP][bB])?(?![\w.])"
)
_WORD = re.compile(r"[A-Za-z_\u00c0-\uffff][\w-]*")
_SINGLE = re.compile(r"['\u2018\u2019](?:[^'\u2018\u2019]|['\u2018\u2019]{2})*['\u2018\u2019]")
_DOUBLE = re.compile(r'"(?:[^"`$]|`.|""|\$(?![\w({:?^$]))*"', re.DOTALL)
_HERE = re.compile(r"@(['\"])[ \t]*\r?\n(.*?)\r?\n\1@", re.DOTALL)
_EMPTY_HERE = re.compile(r"@(['\"])[ \t]*\r?\n\1@")
_EXPRESSION = re.compile(r"\$?[^\s,;)}\]]+")
_CONSTANTS = {"$true": True, "$false": False, "$null": None}
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
_SHAPE = "a data file is @{ Key = 'value'; List = @(1, 2); Table = @{ ... } }"
_UNITS = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


@dataclass(slots=True, eq=False)
class _Part:
    """A value or key as written, with its place; collections hold their parts."""

    at: int
    kind: Literal["scalar", "list", "table"]
    value: Any = None
    parts: list[_Part] = field(default_factory=list)


def read(source: Source, limits: Limits = LIMITS) -> Document:
    """The table a data file holds."""
    limits.check_size(source)
    text = _decode(source.data)
    parser = _Parser(source, text, limits)
    part = parser.document()
    tape = PositionMap(source.locate)
    return Document(_Builder(parser, tape).build(part), tape)


def _decode(data: bytes) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")


class _Parser:
    """Goes over the text once; `at` is how far it has come."""

    def __init__(self, source: Source, text: str, limits: Limits) -> None:
        self.source = source
        self.text = text
        self.limits = limits
        self.at = 0
        self._depth = 0
        self._nodes = 0
        self._starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, from zero, of a position in the text."""
        line = bisect_right(self._starts, at) - 1
        return line, at - self._starts[line]

    def fail(self, message: str, at: int | None = None, code: str = "invalid-psd1", hint: str = _SHAPE) -> InputError:
        origin = self.source.locate(*self.place(self.at if at is None else at))
        return InputError(Diagnostic(code=code, message=message, at=origin, hint=hint))

    def document(self) -> _Part:
        self.skip(_BREAKS)
        if not self.text.startswith("@{", self.at):
            raise self.fail("a data file holds one table, which begins with @{")
        part = self.value()
        self.skip(_BREAKS)
        if self.at < len(self.text):
            raise self.foreign("nothing may follow the table of a data file")
        return part

    def skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def value(self) -> _Part:
        """A value, or several with commas between them."""
        start = self.at
        if self.peek(","):
            self.at += 1
            self.skip(_BREAKS)
            return _Part(start, "list", parts=[self.single()])
        parts = [self.single()]
        self.skip(_BLANKS)
        while self.peek(","):
            self.at += 1
            self.skip(_BREAKS)
            parts.append(self.single())
            self.skip(_BLANKS)
        return parts[0] if len(parts) == 1 else _Part(start, "list", parts=parts)

    def single(self) -> _Part:
        """One value without commas."""
        self._depth += 1
        self._nodes += 1
        if self._depth > self.limits.depth:
            raise self.limits.too_deep(self.source.locate(*self.place(self.at)))
        if self._nodes > self.limits.thorough_nodes:
            raise self.limits.too_many_nodes(self.limits.thorough_nodes, self.source.locate(*self.place(self.at)))
        try:
            if self.peek("@{"):
                return self.table()
            if self.peek("@("):
                return self.array()
            if self.peek("("):
                return self.parenthesised()
            return self.scalar()
        finally:
            self._depth -= 1

    def parenthesised(self) -> _Part:
        self.at += 1
        self.skip(_BREAKS)
        part = self.value()
        self.close(")")
        return part

    def close(self, bracket: str) -> None:
        self.skip(_BREAKS)
        if not self.peek(bracket):
            if self.at >= len(self.text):
                raise self.fail(f"the file ends before {bracket}")
            raise self.foreign(f"expected {bracket}")
        self.at += 1

    def table(self) -> _Part:
        table = _Part(self.at, "table")
        self.at += 2
        while True:
            self.skip(_BREAKS)
            if self.peek("}"):
                self.at += 1
                return table
            if self.at >= len(self.text):
                raise self.fail("the table has no closing }", table.at)
            table.parts.append(self.key())
            self.skip(_BLANKS)
            if not self.peek("="):
                raise self.fail("expected = after a key")
            self.at += 1
            self.skip(_BREAKS)
            table.parts.append(self.value())
            self.end_of_entry()

    def end_of_entry(self) -> None:
        self.skip(_BLANKS)
        if self.at < len(self.text) and self.text[self.at] not in "\r\n;}":
            raise self.foreign("expected a new line or ; after a value")

    def key(self) -> _Part:
        match = _WORD.match(self.text, self.at)
        if match:
            self.at = match.end()
            return _Part(match.start(), "scalar", match[0])
        part = self.scalar()
        if not isinstance(part.value, str):
            part.value = str(part.value)
        return part

    def array(self) -> _Part:
        """`@( )`: what every statement in it gives; an array gives its items."""
        array = _Part(self.at, "list")
        self.at += 2
        while True:
            self.skip(_BREAKS)
            if self.peek(")"):
                self.at += 1
                return array
            if self.at >= len(self.text):
                raise self.fail("the array has no closing )", array.at)
            part = self.value()
            array.parts.extend(part.parts if part.kind == "list" else [part])
            self.skip(_BLANKS)
            if self.at < len(self.text) and self.text[self.at] not in "\r\n;)":
                raise self.foreign("expected a comma or a new line between items")

    def scalar(self) -> _Part:
        start = self.at
        text = self.text
        if (here := _EMPTY_HERE.match(text, start)) or (here := _HERE.match(text, start)):
            self.at = here.end()
            body = here[2] if here.re is _HERE else ""
            return _Part(start, "scalar", self.expanded(body, start) if here[1] == '"' else body)
        if single := _SINGLE.match(text, start):
            self.at = single.end()
            return _Part(start, "scalar", re.sub("['\u2018\u2019]{2}", "'", single[0][1:-1]))
        if double := _DOUBLE.match(text, start):
            self.at = double.end()
            return _Part(start, "scalar", _unescaped(double[0][1:-1]))
        if number := _NUMBER.match(text, start):
            self.at = number.end()
            return _Part(start, "scalar", self.number(number))
        return self.constant(start)

    def constant(self, start: int) -> _Part:
        word = _EXPRESSION.match(self.text, start)
        if word and word[0].lower() in _CONSTANTS:
            self.at = word.end()
            return _Part(start, "scalar", _CONSTANTS[word[0].lower()])
        if self.at >= len(self.text):
            raise self.fail("the file ends where a value is expected")
        if self.text[start] in "'\"":
            line = self.text[start : start + 40].splitlines()[0]
            if self.text[start] == '"' and "$" in self.text[start:]:
                raise self.foreign("a text with an expression in it cannot be read without running it", line)
            raise self.fail("the text has no closing quote", start)
        raise self.foreign("a data file holds only constants")

    def foreign(self, message: str, expression: str | None = None) -> InputError:
        """The refusal of something that would have to be run, or that is out of place."""
        word = _EXPRESSION.match(self.text, self.at)
        shown = expression or (word[0] if word else self.text[self.at : self.at + 1])
        runs = shown[:1] in "$[&" or _WORD.match(shown) is not None or expression is not None
        code = "needs-powershell" if runs else "invalid-psd1"
        hint = "Lamina never runs code from data; write the value out" if runs else _SHAPE
        return self.fail(f"{message}: {shown[:60]!r}", code=code, hint=hint)

    def expanded(self, body: str, start: int) -> str:
        """The text of a here-string in double quotes, in which nothing may have to be expanded."""
        found = re.search(r"(?<!`)\$[\w({:?^$]\S*", body)
        if found:
            self.at = start
            raise self.foreign("a text with an expression in it cannot be read without running it", found[0])
        return _unescaped(body.replace('"', '""'))

    def number(self, match: re.Match[str]) -> int | float:
        if len(match[0]) > self.limits.digits:
            raise self.limits.too_long(self.source.locate(*self.place(match.start())))
        size: int | float
        if match["hex"]:
            size = int(match["hex"], 16)
        elif match["power"] or "." in match["digits"]:
            size = float(match["digits"] + (match["power"] or ""))
            if match["suffix"] in ("l", "L") or (match["suffix"] and size.is_integer()):
                size = round(size)
        else:
            size = int(match["digits"])
        if match["unit"]:
            size *= 1024 ** _UNITS[match["unit"][0].lower()]
        return -size if match["sign"] == "-" else size


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        found = match[0]
        if found == '""':
            return '"'
        if match["code"]:
            return chr(int(match["code"], 16)) if int(match["code"], 16) < 0x110000 else found
        return _ESCAPES.get(found[1], "" if found[1] == "\n" else found[1])

    return re.sub(r'`u\{(?P<code>[0-9a-fA-F]{1,6})\}|`(?:\r\n|.)|""', character, text, flags=re.DOTALL)


class _Builder:
    """Turns parts to plain values and records their places."""

    def __init__(self, parser: _Parser, tape: PositionMap) -> None:
        self._parser = parser
        self._tape = tape

    def build(self, part: _Part) -> Any:
        index = self._tape.add(*self._parser.place(part.at))
        if part.kind == "scalar":
            return part.value
        value: Any = self._table(part) if part.kind == "table" else [self.build(item) for item in part.parts]
        self._tape.close(index)
        return value

    def _table(self, part: _Part) -> dict[str, Any]:
        value: dict[str, Any] = {}
        seen: dict[str, int] = {}
        for key, item in zip(part.parts[::2], part.parts[1::2], strict=True):
            if key.value.lower() in seen:
                places = (self._parser.place(at) for at in (seen[key.value.lower()], key.at))
                first, again = (self._parser.source.locate(*place) for place in places)
                raise refused_key(key.value, first, again)
            seen[key.value.lower()] = key.at
            self._tape.add(*self._parser.place(key.at))
            value[key.value] = self.build(item)
        return value
