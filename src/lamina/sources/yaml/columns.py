"""The columns in which YAML may continue on further lines, by YamlDotNet's rule.

A list or mapping in brackets, and a string, that belongs to a key or list item must stay to the right of it on every
further line, the closing bracket or quote included. libyaml takes such text in any column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from yaml import events

from lamina.sources.yaml.errors import invalid_yaml
from lamina.sources.yaml.pyyaml_reader import FastParser

if TYPE_CHECKING:
    from lamina.sources.source import Source


def check_columns(source: Source) -> None:
    """Reject text that continues in a column not deeper than its parent's."""
    _Check(source).run()


class _Check:
    """One traversal of the events of a source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = source.data.decode("utf-8-sig", "replace").splitlines()
        self._columns: list[int | None] = []
        """The columns of the open block collections; None before the first key."""
        self._brackets: list[Any] = []

    def run(self) -> None:
        parser = FastParser(self._source.data)
        event = parser.get_event()
        while not isinstance(event, (events.StreamEndEvent, events.DocumentEndEvent)):
            self._see(event)
            event = parser.get_event()

    def _see(self, event: Any) -> None:
        if isinstance(event, events.CollectionEndEvent):
            self._close(event)
            return
        if not isinstance(event, events.NodeEvent):
            return
        if not self._brackets and self._columns and self._columns[-1] is None:
            self._columns[-1] = self._own_column(event.start_mark)
        if isinstance(event, events.CollectionStartEvent):
            self._open(event)
        elif isinstance(event, events.ScalarEvent) and event.style not in ("|", ">") and not self._brackets:
            marks: Any = event
            self._check(marks.start_mark.line, marks.end_mark.line, comments=False)

    def _open(self, event: Any) -> None:
        if event.flow_style or self._brackets:
            self._brackets.append(event.start_mark)
        else:
            self._columns.append(None)

    def _close(self, event: Any) -> None:
        if not self._brackets:
            self._columns.pop()
            return
        start = self._brackets.pop()
        if not self._brackets:
            self._check(start.line, event.end_mark.line, comments=True)

    def _own_column(self, mark: Any) -> int:
        """The column of a key, or of the dash of the item that starts at a mark."""
        before = self._lines[mark.line][: mark.column]
        dash = before.rstrip()
        return len(dash) - 1 if dash.endswith("-") else int(mark.column)

    def _check(self, first: int, last: int, *, comments: bool) -> None:
        column = next((each for each in reversed(self._columns) if each is not None), -1)
        for number in range(first + 1, min(last + 1, len(self._lines))):
            line = self._lines[number]
            text = line.lstrip()
            if not text or (comments and text.startswith("#")):
                continue
            if len(line) - len(text) <= column:
                mark = yaml.Mark("", 0, number, len(line) - len(text), None, 0)
                problem = "this belongs to the key or list item above, but is not indented deeper"
                raise invalid_yaml(self._source, yaml.MarkedYAMLError(problem=problem, problem_mark=mark))
