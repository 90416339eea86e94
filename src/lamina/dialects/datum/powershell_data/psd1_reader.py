"""Reading PowerShell data files (.psd1): one table of constants, with the position of every node.

Tables, arrays (with `@( )` and with commas), strings in single and double quotes (curly ones too), here-strings,
numbers with their suffixes, `$true`, `$false`, `$null`, comments; `$( )` around constants, also inside a string; casts
to number types, `[bool]` and `[char]`; `-not` and signs. Before the table there may be `param()`, `using` lines,
`return`, brackets and `[ordered]`; of several tables the first counts. Nothing is ever run: variables, commands and
other operators are rejected by name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.powershell_data.psd1_value import CASTS, NUMBER, Psd1Value, decimal, text_of_value, truth
from lamina.errors import Diagnostic, InputError
from lamina.origins import PositionMap
from lamina.paths import MISSING
from lamina.sources.document import Document, repeated_key_error
from lamina.sources.limits import LIMITS, Limits
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANKS = re.compile(r"(?:[ \t\f\v\u00a0]|`\r?\n|<#.*?#>|#(?!>)[^\r\n]*)*", re.DOTALL)
_BREAKS = re.compile(r"(?:[ \t\f\v\u00a0\r\n;]|`\r?\n|<#.*?#>|#(?!>)[^\r\n]*)*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_\u00c0-\uffff][\w-]*")
_SINGLE = re.compile(r"['\u2018\u2019](?:[^'\u2018\u2019]|['\u2018\u2019]{2})*['\u2018\u2019]")
_DOUBLE_QUOTES = '"\u201c\u201d\u201e'
_VARIABLE = re.compile(r"\$(?=[\w({:?^$])")
_CAST = re.compile(r"\[[ \t]*(?:System\.)?(?P<kind>\w+)[ \t]*\][ \t]*", re.IGNORECASE)
_NOT = re.compile(r"(?:-not\b|!)[ \t]*", re.IGNORECASE)
_SIGN = re.compile(r"[+-][ \t]*")
_ORDERED = re.compile(r"\[[ \t]*ordered[ \t]*\][ \t]*", re.IGNORECASE)
_BEFORE_TABLE = re.compile(r"param[ \t]*\([ \t\r\n]*\)|using[ \t][^\r\n;]*|return\b", re.IGNORECASE)
_HERE_STRING = re.compile(r"@(['\"])[ \t]*\r?\n(.*?)\r?\n\1@", re.DOTALL)
_EMPTY_HERE_STRING = re.compile(r"@(['\"])[ \t]*\r?\n\1@")
_EXPRESSION = re.compile(r"\$?[^\s,;)}\]]+")
_CONSTANTS = {"$true": True, "$false": False, "$null": None}
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
_SHAPE = "write data files as @{ Key = 'value'; List = @(1, 2); Table = @{ ... } }"
_UNITS = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


def read(source: Source, limits: Limits = LIMITS) -> Document:
    """The table in a data file."""
    limits.check_size(source)
    text = _decode(source.data)
    parser = _Psd1Parser(source, text, limits)
    part = parser.document()
    positions = PositionMap(source.locate)
    return Document(_Builder(parser, positions).build(part), positions)


def with_text_at(source: Source, line: int, column: int, text: str) -> tuple[str, Any]:
    """A data file with another text in place of a scalar, which is not a key, and the value that is there then.

    Line and column count from zero. The value is MISSING where what is written there is no longer a value of its own,
    as a list that the array around it takes apart.
    """
    parser = _Psd1Parser(source, _decode(source.data), LIMITS)
    parts = _parts_at(parser, parser.document(), (line, column))
    found = next((part for part in parts if part.kind == "scalar" and part.end is not None), None)
    if found is None:
        raise LookupError
    changed = parser.text[: found.at] + text + parser.text[found.end :]
    again = _Psd1Parser(Source.of_text(source.name, changed), changed, LIMITS)
    whole = again.document()
    builder = _Builder(again, PositionMap(source.locate))
    builder.build(whole)  # rejects what cannot be in a data file
    new = next((part for part in _parts_at(again, whole, (line, column)) if part.end is not None), None)
    return changed, MISSING if new is None else builder.build(new)


def _parts_at(parser: _Psd1Parser, whole: Psd1Value, place: tuple[int, int]) -> Iterator[Psd1Value]:
    """The values at a place, the outermost first."""
    pending = [whole]
    while pending:
        part = pending.pop()
        if parser.position(part.at) == place:
            yield part
        pending += reversed(part.parts)


def _decode(data: bytes) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")


class _Psd1Parser:
    """Traverses the text once; `at` is the current position."""

    def __init__(self, source: Source, text: str, limits: Limits) -> None:
        self.source = source
        self.text = text
        self.limits = limits
        self.at = 0
        self._depth = 0
        self._nodes = 0
        self._starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]

    def position(self, at: int) -> tuple[int, int]:
        """Line and column, from zero, of a position in the text."""
        line = bisect_right(self._starts, at) - 1
        return line, at - self._starts[line]

    def fail(self, message: str, at: int | None = None, code: str = "invalid-psd1", hint: str = _SHAPE) -> InputError:
        origin = self.source.locate(*self.position(self.at if at is None else at))
        return InputError(Diagnostic(code=code, message=message, at=origin, hint=hint))

    def document(self) -> Psd1Value:
        self.skip(_BREAKS)
        while found := _BEFORE_TABLE.match(self.text, self.at):
            self.at = found.end()
            self.skip(_BREAKS)
        part = self.root()
        self.skip(_BREAKS)
        while self.at < len(self.text):
            if not self.peek("@{"):
                raise self.foreign("unexpected content after the table")
            self.table()  # of several tables the first counts
            self.skip(_BREAKS)
        return part

    def root(self) -> Psd1Value:
        """The table, perhaps ordered, perhaps in brackets."""
        if self.peek("("):
            self.deeper()
            self.at += 1
            self.skip(_BREAKS)
            part = self.root()
            self.close(")")
            self._depth -= 1
            return part
        if found := _ORDERED.match(self.text, self.at):
            self.at = found.end()
        if not self.peek("@{"):
            raise self.fail("a data file must be a table that starts with @{")
        return self.single()

    def deeper(self) -> None:
        self._depth += 1
        self._nodes += 1
        if self._depth > self.limits.depth:
            raise self.limits.too_deep(self.source.locate(*self.position(self.at)))
        if self._nodes > self.limits.thorough_nodes:
            raise self.limits.too_many_nodes(self.limits.thorough_nodes, self.source.locate(*self.position(self.at)))

    def skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def value(self) -> Psd1Value:
        """A value, or several with commas between them."""
        start = self.at
        if self.peek(","):
            self.at += 1
            self.skip(_BREAKS)
            return Psd1Value(start, "list", parts=[self.single()])
        parts = [self.single()]
        self.skip(_BLANKS)
        while self.peek(","):
            self.at += 1
            self.skip(_BREAKS)
            parts.append(self.single())
            self.skip(_BLANKS)
        return parts[0] if len(parts) == 1 else Psd1Value(start, "list", parts=parts)

    def single(self) -> Psd1Value:
        """One value without commas."""
        self.deeper()
        try:
            part = self.any_single()
        finally:
            self._depth -= 1
        if part.end is None:  # that of a value in brackets is known already
            part.end = self.at
        return part

    def any_single(self) -> Psd1Value:
        if self.peek("@{"):
            return self.table()
        if self.peek("@("):
            return self.array()
        if self.peek("("):
            return self.parenthesised()
        if self.peek("$("):
            return self.subexpression()
        return self.prefixed() or self.scalar()

    def prefixed(self) -> Psd1Value | None:
        """A cast, `-not` or a sign with its operand; the sign of a number belongs to the number."""
        start = self.at
        if found := _NOT.match(self.text, start):
            self.at = found.end()
            return Psd1Value(start, "scalar", not truth(self.single()))
        if found := _CAST.match(self.text, start):
            kind = found["kind"].lower()
            if kind not in CASTS:
                raise self.foreign("a data file may contain only constants")
            self.at = found.end()
            part = self.single()
            return Psd1Value(start, "scalar", self.cast(kind, part, start))
        if (found := _SIGN.match(self.text, start)) and not NUMBER.match(self.text, start):
            self.at = found.end()
            number = self.cast("number", self.single(), start)
            return Psd1Value(start, "scalar", -number if found[0][0] == "-" else number)
        return None

    def cast(self, kind: str, part: Psd1Value, start: int) -> Any:
        try:
            if part.kind != "scalar" and kind != "bool":
                raise ValueError
            return CASTS[kind](part)
        except (ValueError, OverflowError):
            raise self.fail(f"cannot convert to {kind}", start) from None

    def subexpression(self) -> Psd1Value:
        """`$( )`: the values of its statements; a single value is not wrapped in a list, none is null."""
        start = self.at
        self.at += 2
        found = self.statements(")", start)
        return found[0] if len(found) == 1 else Psd1Value(start, "list" if found else "scalar", parts=found)

    def parenthesised(self) -> Psd1Value:
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

    def table(self) -> Psd1Value:
        table = Psd1Value(self.at, "table")
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

    def key(self) -> Psd1Value:
        match = _WORD.match(self.text, self.at)
        if match:
            self.at = match.end()
            return Psd1Value(match.start(), "scalar", match[0])
        part = self.scalar()
        if not isinstance(part.value, str):
            part.value = str(part.value)
        return part

    def array(self) -> Psd1Value:
        """`@( )`: the values of its statements; arrays are flattened."""
        array = Psd1Value(self.at, "list")
        self.at += 2
        array.parts = self.statements(")", array.at)
        return array

    def statements(self, bracket: str, start: int) -> list[Psd1Value]:
        """The values of all statements up to a bracket, arrays flattened."""
        found: list[Psd1Value] = []
        while True:
            self.skip(_BREAKS)
            if self.peek(bracket):
                self.at += 1
                return found
            if self.at >= len(self.text):
                raise self.fail(f"the array has no closing {bracket}", start)
            part = self.value()
            found.extend(part.parts if part.kind == "list" else [part])
            self.skip(_BLANKS)
            if self.at < len(self.text) and self.text[self.at] not in f"\r\n;{bracket}":
                raise self.foreign("expected a comma or a new line between items")

    def scalar(self) -> Psd1Value:
        start = self.at
        text = self.text
        if (here_string := _EMPTY_HERE_STRING.match(text, start)) or (here_string := _HERE_STRING.match(text, start)):
            body = here_string[2] if here_string.re is _HERE_STRING else ""
            if here_string[1] == '"' and body:
                body = self.expanded(here_string.start(2), here_string.end(2))
            self.at = here_string.end()
            return Psd1Value(start, "scalar", body)
        if single := _SINGLE.match(text, start):
            self.at = single.end()
            return Psd1Value(start, "scalar", re.sub("['\u2018\u2019]{2}", "'", single[0][1:-1]))
        if text[start : start + 1] and text[start] in _DOUBLE_QUOTES:
            return Psd1Value(start, "scalar", self.expanded(start + 1, None))
        if number := NUMBER.match(text, start):
            self.at = number.end()
            return Psd1Value(start, "scalar", self.number(number))
        return self.constant(start)

    def constant(self, start: int) -> Psd1Value:
        word = _EXPRESSION.match(self.text, start)
        if word and word[0].lower() in _CONSTANTS:
            self.at = word.end()
            return Psd1Value(start, "scalar", _CONSTANTS[word[0].lower()])
        if self.at >= len(self.text):
            raise self.fail("the file ends where a value is expected")
        if self.text[start] in "'\"":
            raise self.fail("the string has no closing quote", start)
        raise self.foreign("a data file may contain only constants")

    def foreign(self, message: str, expression: str | None = None) -> InputError:
        """The error for an expression that would have to be run, or that is not allowed here."""
        word = _EXPRESSION.match(self.text, self.at)
        shown = expression or (word[0] if word else self.text[self.at : self.at + 1])
        runs = shown[:1] in "$[&" or _WORD.match(shown) is not None or expression is not None
        code = "needs-powershell" if runs else "invalid-psd1"
        hint = "Lamina never runs code from data; write a constant value" if runs else _SHAPE
        return self.fail(f"{message}: {shown[:60]!r}", code=code, hint=hint)

    def expanded(self, start: int, end: int | None) -> str:
        """A string in double quotes from a position on, with `$( )` of constants filled in.

        Without an end it goes to the closing quote; the parser is after it then.
        """
        text, at = self.text, start
        parts: list[str] = []
        while end is None or at < end:
            found = text[at : at + 1]
            if not found:
                raise self.fail("the string has no closing quote", start - 1)
            if end is None and found in _DOUBLE_QUOTES:
                if text[at + 1 : at + 2] not in (*_DOUBLE_QUOTES,):
                    self.at = at + 1
                    return "".join(parts)
                at, found = at + 1, '"'
            elif found == "`":
                escape = _ESCAPE.match(text, at)
                found = _escaped(escape) if escape else ""
                at = (escape.end() if escape else len(text)) - 1
            elif _VARIABLE.match(text, at):
                found = self.filled_in(at)
                at = self.at - 1
            parts.append(found)
            at += 1
        return "".join(parts)

    def filled_in(self, at: int) -> str:
        """The value of an expression in a string, which must be a constant; the parser is after it then."""
        self.at = at
        if not self.peek("$("):
            raise self.foreign("a string in a data file cannot contain a variable")
        part = self.subexpression()
        return " ".join(text_of_value(each) for each in part.parts) if part.kind == "list" else text_of_value(part)

    def number(self, match: re.Match[str]) -> int | float:
        if len(match[0]) > self.limits.digits:
            raise self.limits.too_long(self.source.locate(*self.position(match.start())))
        size: int | float
        suffix = (match["suffix"] or "").lower()
        if match["hex"] or match["binary"]:
            size = int(match["hex"], 16) if match["hex"] else int(match["binary"], 2)
        elif suffix == "d":
            size = decimal(match["digits"] + (match["power"] or ""))
        elif match["power"] or "." in match["digits"]:
            size = float(match["digits"] + (match["power"] or ""))
            if suffix:
                size = round(size)
        else:
            size = int(match["digits"])
        if match["unit"]:
            size *= 1024 ** _UNITS[match["unit"][0].lower()]
        return -size if match["sign"] == "-" else size


_ESCAPE = re.compile(r"`u\{(?P<code>[0-9a-fA-F]{1,6})\}|`(?:\r\n|.)", re.DOTALL)


def _escaped(match: re.Match[str]) -> str:
    """The meaning of an escape in a string in double quotes."""
    if match["code"]:
        code = int(match["code"], 16)
        return chr(code) if code < 0x110000 else match[0]
    return _ESCAPES.get(match[0][1], "" if match[0][1] in "\r\n" else match[0][1])


class _Builder:
    """Converts parts to plain values and records their positions."""

    def __init__(self, parser: _Psd1Parser, positions: PositionMap) -> None:
        self._parser = parser
        self._positions = positions

    def build(self, part: Psd1Value) -> Any:
        index = self._positions.add(*self._parser.position(part.at))
        if part.kind == "scalar":
            return part.value
        value: Any = self._table(part) if part.kind == "table" else [self.build(item) for item in part.parts]
        self._positions.close(index)
        return value

    def _table(self, part: Psd1Value) -> dict[str, Any]:
        value: dict[str, Any] = {}
        seen: dict[str, int] = {}
        for key, item in zip(part.parts[::2], part.parts[1::2], strict=True):
            if key.value.lower() in seen:
                places = (self._parser.position(at) for at in (seen[key.value.lower()], key.at))
                first, again = (self._parser.source.locate(*position) for position in places)
                raise repeated_key_error(key.value, first, again)
            seen[key.value.lower()] = key.at
            self._positions.add(*self._parser.position(key.at))
            value[key.value] = self.build(item)
        return value
