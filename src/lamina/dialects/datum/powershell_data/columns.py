"""The columns in which YAML may continue on further lines, by YamlDotNet's rule.

A string that belongs to a key or list item must stay to the right of it on every further line, the closing quote
included; so must the words of a list or mapping in brackets, but not its commas and brackets. libyaml takes such text
in any column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import yaml
from yaml import events

from lamina.sources.yaml.errors import invalid_yaml

if TYPE_CHECKING:
    from lamina.sources.source import Source


def check_columns(source: Source, parser: Any) -> None:
    """Reject text that continues in a column not deeper than its parent's, as a parser reads it."""
    _ColumnCheck(source).run(parser(source.data))


class _ColumnCheck:
    """One traversal of the events of a source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = source.data.decode("utf-8-sig", "replace").splitlines()
        self._columns: list[int | None] = []
        """The columns of the open block collections; None before the first key."""
        self._brackets = 0
        """How many brackets are open."""

    def run(self, parser: Any) -> None:
        event = parser.get_event()
        while not isinstance(event, (events.StreamEndEvent, events.DocumentEndEvent)):
            self._see(event)
            event = parser.get_event()

    def _see(self, event: Any) -> None:
        if isinstance(event, events.CollectionEndEvent):
            self._close()
            return
        if not isinstance(event, events.NodeEvent):
            return
        if not self._brackets and self._columns and self._columns[-1] is None:
            self._columns[-1] = self._own_column(event.start_mark)
        if isinstance(event, events.CollectionStartEvent):
            self._open(event)
        elif isinstance(event, events.ScalarEvent) and event.style not in ("|", ">"):
            self._check(event)

    def _open(self, event: Any) -> None:
        if event.flow_style or self._brackets:
            self._brackets += 1
        else:
            self._columns.append(None)

    def _close(self) -> None:
        if self._brackets:
            self._brackets -= 1
        else:
            self._columns.pop()

    def _own_column(self, mark: Any) -> int:
        """The column of a key, or of the dash of the item that starts at a mark."""
        before = self._lines[mark.line][: mark.column]
        dash = before.rstrip()
        return len(dash) - 1 if dash.endswith("-") else int(mark.column)

    def _check(self, event: Any) -> None:
        column = next((each for each in reversed(self._columns) if each is not None), -1)
        start, end = event.start_mark, event.end_mark
        if self._brackets and event.value and not event.style and start.column <= column:
            self._reject(start.line, start.column)
        for number in range(start.line + 1, min(end.line + 1, len(self._lines))):
            line = self._lines[number]
            text = line.lstrip()
            if text and len(line) - len(text) <= column:
                self._reject(number, len(line) - len(text))

    def _reject(self, line: int, column: int) -> NoReturn:
        mark = yaml.Mark("", 0, line, column, None, 0)
        problem = "this belongs to the key or list item above, but is not indented deeper"
        raise invalid_yaml(self._source, yaml.MarkedYAMLError(problem=problem, problem_mark=mark))
