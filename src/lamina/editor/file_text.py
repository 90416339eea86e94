"""The lines of a file, and positions in them as Lamina and as an editor count them.

Lamina counts lines and characters from one. An editor counts from zero, and what it counts in a line (mostly units of
UTF-16) is agreed upon when it starts. A byte order mark is no character of the first line for either.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lsprotocol import types

if TYPE_CHECKING:
    from lamina.origins import Origin

_BOM: Final = "\ufeff"
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_KEY_OR_VALUE: Final = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s#:,\[\]{}][^\s,\[\]{}]*?(?=:(?:\s|$)|[\s,\[\]{}]|$)"
)


class FileText:
    """The lines of a text, without their ends."""

    def __init__(self, data: bytes, encoding: types.PositionEncodingKind | str | None) -> None:
        self.text = data.decode("utf-8", "replace").removeprefix(_BOM)
        self.lines = [each.rstrip("\r\n") for each in _LINE.findall(self.text)]
        self._encoding = encoding or types.PositionEncodingKind.Utf16

    def column_of(self, position: types.Position) -> int:
        """The character of a line that a position is at, counted from zero."""
        units, line = 0, self.line(position.line)
        for at, one in enumerate(line):
            if units >= position.character:
                return at
            units += self._units(one)
        return len(line)

    def position(self, line: int, column: int) -> types.Position:
        """The position of a line and a character, both counted from zero."""
        return types.Position(line, sum(map(self._units, self.line(line)[:column])))

    def at(self, origin: Origin) -> types.Range:
        """What is at an origin: the key or the value that begins there, as far as it is on one line."""
        line, column = origin.line - 1, origin.column - 1
        found = _KEY_OR_VALUE.match(self.line(line), column)
        end = found.end() if found else len(self.line(line))
        return types.Range(self.position(line, column), self.position(line, max(end, column)))

    def whole_line(self, line: int) -> types.Range:
        """A line from its first character that is no space; lines count from zero."""
        text = self.line(line)
        return types.Range(self.position(line, len(text) - len(text.lstrip())), self.position(line, len(text)))

    def end_of(self, line: int) -> types.Position:
        """The end of a line, counted from zero."""
        return self.position(line, len(self.line(line)))

    def from_column(self, line: int, column: int) -> types.Range:
        """What is on a line from a character on."""
        return types.Range(self.position(line, column), self.end_of(line))

    def edit_to(self, data: bytes) -> types.TextEdit:
        """The smallest edit of whole lines that makes this text another one."""
        old, new = _LINE.findall(self.text), _LINE.findall(data.decode("utf-8", "replace").removeprefix(_BOM))
        start = end = 0
        least = min(len(old), len(new))
        while start < least and old[start] == new[start]:
            start += 1
        while end < least - start and old[-1 - end] == new[-1 - end]:
            end += 1
        last = len(old) - end
        stop = types.Position(last, 0) if last < len(old) else self.end_of(len(old) - 1)
        return types.TextEdit(types.Range(types.Position(start, 0), stop), "".join(new[start : len(new) - end]))

    def line(self, line: int) -> str:
        """A line, counted from zero; empty behind the last one."""
        return self.lines[line] if line < len(self.lines) else ""

    def _units(self, one: str) -> int:
        if self._encoding == types.PositionEncodingKind.Utf8:
            return len(one.encode("utf-8", "surrogatepass"))
        return 1 if self._encoding == types.PositionEncodingKind.Utf32 or one < "\U00010000" else 2
