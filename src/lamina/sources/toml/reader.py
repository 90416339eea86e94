"""A TOML file as plain values, with the line and column of every key and of every item of an array.

The standard library reads the values and rejects invalid TOML, but has no positions. These are found by a second pass
over the text, which can rely on the text being valid.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina.errors import Diagnostic, InputError

if TYPE_CHECKING:
    from lamina.origins import Origin
    from lamina.sources.source import Source

Steps = tuple[str | int, ...]

MAX_BYTES = 1024 * 1024
"""How large a TOML file may be."""
MAX_DEPTH = 64
"""How deep arrays and inline tables may be nested."""

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BASIC = re.compile(r'"(?:[^"\\]|\\.)*"')
_LITERAL = re.compile(r"'[^']*'")
_LONG = {
    '"""': re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}(?!")', re.DOTALL),
    "'''": re.compile(r"'''.*?'{3,5}(?!')", re.DOTALL),
}
_PLAIN = re.compile(r"[^,\]}#\n]+")
_HEADER = re.compile(r"\[\[?")


@dataclass(frozen=True, slots=True)
class TomlDocument:
    """The values of a file, and where each key or item is written."""

    source: Source
    value: dict[str, Any]
    positions: dict[Steps, tuple[int, int]] = field(repr=False)
    values: dict[Steps, tuple[int, int]] = field(repr=False)
    """Where the value of a key starts; a table with a header has none."""
    ends: dict[Steps, tuple[int, int]] = field(repr=False)
    """Where these values end, with the blanks behind them."""

    def origin(self, steps: Steps) -> Origin:
        """The origin of a key or item; if it is missing, that of its container."""
        while steps and steps not in self.positions:
            steps = steps[:-1]
        return self.source.locate(*self.positions.get(steps, (0, 0)))


def read_toml(source: Source) -> TomlDocument:
    """Read the document of a source."""
    if len(source.data) > MAX_BYTES:
        raise InputError(
            Diagnostic(
                code="input-too-large",
                message=f"{source.name} is larger than {MAX_BYTES // 1024} KiB",
                hint="check that it is the right file",
            )
        )
    try:
        text = source.data.decode("utf-8").replace("\r\n", "\n")
        value = tomllib.loads(text)
        walked = _Positions(text)
        return TomlDocument(source, value, walked.found, walked.values, walked.ends)
    except tomllib.TOMLDecodeError as error:
        raise InputError(_invalid(source, str(error))) from None
    except UnicodeDecodeError as error:
        line = source.data[: error.start].count(b"\n")
        raise InputError(_error(source, line, 0, "this is not UTF-8")) from None
    except RecursionError:
        raise InputError(_error(source, 0, 0, "arrays or tables are nested too deeply")) from None


_LOCATION = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


def _invalid(source: Source, message: str) -> Diagnostic:
    """The error message of the standard library, with the position taken out of it."""
    match = _LOCATION.fullmatch(message)
    if match is None:
        return _error(source, 0, 0, message)
    if match[2] is None:
        return _error(source, max(0, source.data.rstrip().count(b"\n")), 0, f"{match[1]} at the end of the file")
    return _error(source, int(match[2]) - 1, int(match[3]) - 1, match[1])


def _error(source: Source, line: int, column: int, message: str) -> Diagnostic:
    return Diagnostic(
        code="invalid-toml",
        message=f"this is not TOML: {message[:1].lower()}{message[1:]}",
        at=source.locate(line, column),
        hint='strings are quoted, tables are written [name], and a key is followed by = and a value: key = "value"',
    )


class _Positions:
    """The positions of keys and items in a text that is valid TOML."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 0
        self._counted = 0
        self._line_start = 0
        self.found: dict[Steps, tuple[int, int]] = {}
        self.values: dict[Steps, tuple[int, int]] = {}
        self.ends: dict[Steps, tuple[int, int]] = {}
        self._arrays: dict[Steps, int] = {}
        self._walk()

    def _walk(self) -> None:
        table: Steps = ()
        while self._skip():
            header = _HEADER.match(self._text, self._at)
            if header is None:
                self._pair(table, 0)
                continue
            position = self._position()
            self._at = header.end()
            table = self._table(self._key(), many=len(header[0]) == 2)
            for end in range(1, len(table)):
                self.found.setdefault(table[:end], position)
            self.found[table] = position
            self._skip()
            self._at += len(header[0])

    def _table(self, keys: Steps, *, many: bool) -> Steps:
        """The steps to the table with that name; in an array of tables, to the last one."""
        steps: Steps = ()
        for number, key in enumerate(keys, start=1):
            steps = (*steps, key)
            if many and number == len(keys):
                self._arrays[steps] = self._arrays.get(steps, -1) + 1
            if steps in self._arrays:
                steps = (*steps, self._arrays[steps])
        return steps

    def _pair(self, table: Steps, depth: int) -> None:
        """A (dotted) key and its value."""
        self._skip()
        position = self._position()
        keys = self._key()
        for end in range(1, len(keys) + 1):
            self.found.setdefault((*table, *keys[:end]), position)
        self._skip()
        self._at += 1  # the equals sign
        self._value((*table, *keys), depth)

    def _key(self) -> Steps:
        keys: list[str] = []
        while True:
            self._skip()
            quote = self._text[self._at]
            pattern = _BASIC if quote == '"' else _LITERAL if quote == "'" else _BARE
            text = self._take(pattern)
            keys.append(text if pattern is _BARE else _unquoted(text))
            if len(keys) > MAX_DEPTH:
                raise RecursionError
            self._skip()
            if self._text[self._at : self._at + 1] != ".":
                return tuple(keys)
            self._at += 1

    def _value(self, steps: Steps, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise RecursionError
        self._skip()
        self.values[steps] = self._position()
        start = self._text[self._at]
        if start == "[":
            self._array(steps, depth)
        elif start == "{":
            self._inline_table(steps, depth)
        elif self._text.startswith(('"""', "'''"), self._at):
            self._take(_LONG[self._text[self._at : self._at + 3]])
        else:
            self._take(_BASIC if start == '"' else _LITERAL if start == "'" else _PLAIN)
        self.ends[steps] = self._position()

    def _array(self, steps: Steps, depth: int) -> None:
        self._at += 1
        number = 0
        while not self._ends("]"):
            self.found[(*steps, number)] = self._position()
            self._value((*steps, number), depth + 1)
            number += 1

    def _inline_table(self, steps: Steps, depth: int) -> None:
        self._at += 1
        while not self._ends("}"):
            self._pair(steps, depth + 1)

    def _ends(self, mark: str) -> bool:
        """Whether a collection ends here; skips a comma between items."""
        self._skip()
        if self._text[self._at] == ",":
            self._at += 1
            self._skip()
        if self._text[self._at] != mark:
            return False
        self._at += 1
        return True

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        assert match is not None  # the text is valid
        self._at = match.end()
        return match[0]

    def _skip(self) -> bool:
        """Skip blanks and comments; returns whether anything is left."""
        match = _SPACE.match(self._text, self._at)
        assert match is not None  # it matches nothing, too
        self._at = match.end()
        return self._at < len(self._text)

    def _position(self) -> tuple[int, int]:
        """The current line and column, from zero."""
        lines = self._text.count("\n", self._counted, self._at)
        if lines:
            self._line += lines
            self._line_start = self._text.rfind("\n", 0, self._at) + 1
        self._counted = self._at
        return self._line, self._at - self._line_start


def _unquoted(text: str) -> str:
    """The value of a quoted key."""
    (key,) = tomllib.loads(f"{text} = 0")
    return str(key)
