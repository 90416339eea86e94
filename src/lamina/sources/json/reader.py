"""Reading JSON: strict values with the position of every node."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from json import JSONDecodeError, decoder
from typing import TYPE_CHECKING, Any, NoReturn

from lamina.errors import Diagnostic, InputError
from lamina.origins import PositionMap
from lamina.sources.document import Document, duplicate_key
from lamina.sources.limits import LIMITS, Limits, NumberTooLongError, check_digits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.sources.source import Source

_scan_string: Callable[[str, int, bool], tuple[str, int]] = decoder.scanstring  # type: ignore[attr-defined]
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<fraction>\.[0-9]+)?(?P<power>[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"-?[A-Za-z]+")
_WORDS = {"true": True, "false": False, "null": None}
_PYTHON_WORDS = {**_WORDS, "NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_BREAK = re.compile(r"\r\n|\n|\r")
_NOT_JSON = {
    "'": "put strings in double quotes",
    "/": "JSON has no comments; remove it",
    "#": "JSON has no comments; remove it",
    "]": "remove the comma before it",
    "}": "remove the comma before it",
}


def read_json(source: Source, limits: Limits = LIMITS, *, python: bool = False) -> Document:
    """The value of the text and the positions of its nodes; the last of two equal keys is used, with a note.

    With `python` there may be NaN and Infinity, as Python reads and writes them.
    """
    limits.check_size(source)
    return _JsonReading(source, limits, _PYTHON_WORDS if python else _WORDS).document()


def _decoded(source: Source) -> str:
    try:
        return source.data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        before = source.data[: fault.start].decode("utf-8-sig", "ignore")
        at = source.locate(*_position(_line_starts(before), len(before)))
        raise InputError(
            Diagnostic(code="invalid-json", message="the file is not UTF-8", at=at, hint="save the file as UTF-8")
        ) from None


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _BREAK.finditer(text))]


def _position(starts: list[int], offset: int) -> tuple[int, int]:
    line = bisect_right(starts, offset) - 1
    return line, offset - starts[line]


class _JsonReading:
    """One traversal of a text, with the open collections on an explicit stack."""

    def __init__(self, source: Source, limits: Limits, words: Mapping[str, Any]) -> None:
        self.source = source
        self.limits = limits
        self.words = words
        self.text = _decoded(source)
        self.starts = _line_starts(self.text)
        self.positions = PositionMap(source.locate)
        self.result = Document(None, self.positions)
        self.at = 0
        self.stack: list[tuple[list[Any], int, str]] = []
        self.items: list[Any] = []
        self.closer = ""

    def document(self) -> Document:
        while True:
            opened = self.start_value()
            if not opened and not self.finish_value():
                break
        self.skip()
        if self.at < len(self.text):
            self.reject("unexpected content after the value", "JSON input must be a single value")
        self.result.value = self.items[0]
        return self.result

    def start_value(self) -> bool:
        """Read a scalar or an empty collection, or step into a collection; true if there is a value to read next."""
        char = self.skip()
        if not char:
            self.reject("the input ends where a value is expected", "add the missing value")
        if char not in "[{":
            self.add(self.scalar(char))
            return False
        self.open("]" if char == "[" else "}")
        if self.skip() == self.closer:
            self.close()
            return False
        if char == "{":
            self.key()
        return True

    def finish_value(self) -> bool:
        """After a value: close what ends here; true if another value follows."""
        while self.stack:
            char = self.skip()
            if char == ",":
                self.at += 1
                if self.closer == "}":
                    self.key()
                elif self.skip() == "]":
                    self.reject("expected a value after the comma", _NOT_JSON["]"])
                return True
            if char != self.closer or not char:
                self.reject(f"expected ',' or '{self.closer}'", "check the commas and brackets")
            self.close()
        return False

    def skip(self) -> str:
        """Skip white space and return the next character."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def record(self) -> int:
        line, column = _position(self.starts, self.at)
        index = self.positions.add(line, column)
        if index >= self.limits.nodes:
            raise self.limits.too_many_nodes(self.limits.nodes, self.source.locate(line, column))
        return index

    def add(self, value: Any) -> None:
        self.items.append(value)

    def open(self, closer: str) -> None:
        if len(self.stack) >= self.limits.depth:
            raise self.limits.too_deep(self.source.locate(*_position(self.starts, self.at)))
        self.stack.append((self.items, self.record(), self.closer))
        self.items, self.closer = [], closer
        self.at += 1

    def close(self) -> None:
        self.at += 1
        own, closer = self.items, self.closer
        self.items, index, self.closer = self.stack.pop()
        self.positions.close(index)
        self.items.append(own if closer == "]" else self.mapping(index, own))

    def mapping(self, index: int, own: list[Any]) -> dict[str, Any]:
        value = dict(zip(own[::2], own[1::2], strict=True))
        if 2 * len(value) != len(own):
            members: dict[Any, tuple[int, int]] = {}
            records = self.positions.children(index)
            for key, key_at, value_at in zip(own[::2], records[::2], records[1::2], strict=True):
                if key in members:
                    places = self.positions.origin(members[key][0]), self.positions.origin(key_at)
                    self.result.notes.append(duplicate_key(key, *places))
                members[key] = (key_at, value_at)
            self.positions.members[index] = members
        return value

    def key(self) -> None:
        if (char := self.skip()) != '"':
            self.reject("expected a key in double quotes", _NOT_JSON.get(char, "put keys in double quotes"))
        self.add(self.scalar(char))
        if self.skip() != ":":
            self.reject("expected ':' after the key", 'write "key": value')
        self.at += 1

    def scalar(self, char: str) -> Any:
        self.record()
        if char == '"':
            return self.string()
        word = _WORD.match(self.text, self.at)
        if word is not None and word[0] in self.words:
            self.at = word.end()
            return self.words[word[0]]
        if char == "-" or char.isdigit():
            return self.number()
        hint = _NOT_JSON.get(char, "put strings in double quotes; the only bare words are true, false and null")
        return self.reject("this is not a JSON value", hint)

    def string(self) -> str:
        try:
            value, self.at = _scan_string(self.text, self.at + 1, True)
        except JSONDecodeError as fault:
            self.at = min(fault.pos, len(self.text))
            self.reject(fault.msg[0].lower() + fault.msg[1:].removesuffix(" at"), "check the quotes and backslashes")
        return value

    def number(self) -> int | float:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            self.reject("this is not a JSON number", "write digits after the sign")
        try:
            check_digits(match[0], 0, self.limits.digits)
            value = float(match[0]) if match["fraction"] or match["power"] else int(match[0])
        except NumberTooLongError:
            raise self.limits.too_long(self.source.locate(*_position(self.starts, self.at))) from None
        self.at = match.end()
        return value

    def reject(self, message: str, hint: str) -> NoReturn:
        at = self.source.locate(*_position(self.starts, self.at))
        raise InputError(Diagnostic(code="invalid-json", message=message, at=at, hint=hint))
