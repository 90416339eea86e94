"""Scalars that are written over several lines, and the line that each of them ends on.

Readers record where a value begins, which is what nearly everybody asks for; where it ends is read from the text again.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lamina.errors import InputError
from lamina.sources.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.sources.source import Source

_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_QUOTED = re.compile(
    r"@'[\s\S]*?\n'@|@\"[\s\S]*?\n\"@"  # here-strings of PowerShell
    r'|"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\''  # texts over several lines in TOML
    r"|'(?:[^']|'')*'|\"(?:[^\"`]|\"\"|`[\s\S])*\""  # texts of PowerShell
)

Position = tuple[int, int]
"""A line and a column, counted from zero."""


class ScalarLines:
    """The last lines of the scalars in a source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = _BREAK.split(source.data.decode("utf-8", "replace"))

    def begins_line(self, position: Position) -> bool:
        """Whether what begins at a position is the first on its line: nothing from above goes on there."""
        line, column = position
        return not self._lines[line][:column].strip(" -?")

    def last_line(self, start: Position) -> int:
        """The last line of the scalar that begins at a position; all lines count from zero."""
        end = self._ends.get(start)
        return self._end_of_quoted(*start) if end is None else end

    @cached_property
    def _ends(self) -> dict[Position, int]:
        return dict(self._yaml_ends())

    def _yaml_ends(self) -> Iterator[tuple[Position, int]]:
        from yaml.events import ScalarEvent

        from lamina.sources.yaml.pyyaml_reader import checked_events

        try:
            for event in checked_events(self._source, LIMITS):
                if isinstance(event, ScalarEvent):
                    start: Any = event.start_mark
                    yield (start.line, start.column), self._line_before(event.end_mark)
        except InputError:
            return  # another format than YAML, or a text that nothing comes from

    def _line_before(self, end: Any) -> int:
        """The line of the last character before a position: a block scalar ends where the next line begins."""
        line: int = end.line
        return line if line < len(self._lines) and self._lines[line][: end.column].strip() else line - 1

    def _end_of_quoted(self, line: int, column: int) -> int:
        found = _QUOTED.match("\n".join([self._lines[line][column:], *self._lines[line + 1 :]]))
        return line + (found.group().count("\n") if found else 0)
