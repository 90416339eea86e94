"""Values in the text of a TOML file: replaced, added and removed; every other byte stays.

What is written is read again, and there is no edit if that is not exactly the value it is meant to be: dotted keys,
headers and inline tables leave room for surprises.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from typing import TYPE_CHECKING, Any, Final

from lamina.errors import LaminaError
from lamina.paths import MISSING
from lamina.sources.source import Source
from lamina.sources.toml.reader import read_toml
from lamina.values import same
from lamina.workspace.proposals.text_nodes import NoPlaceError, NotEditableError, TextEdit, with_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.paths import Path

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_REST: Final = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\Z)")
_NO_TOML: Final = "it is not plain TOML in UTF-8"


class TomlText:
    """The text of one TOML file, and the values in it by where they begin."""

    def __init__(self, data: bytes) -> None:
        try:
            self.text = data.decode("utf-8")
            self._document = read_toml(Source("text", data))
        except (LaminaError, UnicodeDecodeError) as error:
            raise NotEditableError(_NO_TOML) from error
        self._newline = "\r\n" if "\r\n" in self.text else "\n"
        self._starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        self._paths = {place: path for path, place in self._document.values.items()}

    def edited(self, edits: Sequence[TextEdit]) -> bytes:
        """The text with edits made, which do not overlap."""
        pieces, at = [], 0
        for edit in sorted(edits):
            pieces += [self.text[at : edit.start], edit.text]
            at = edit.end
        return "".join([*pieces, self.text[at:]]).encode("utf-8")

    def replace(self, line: int, column: int, value: Any) -> TextEdit:
        """Write another value in the place of the one that begins at a line and a column, counted from one."""
        path = self._path_at(line, column)
        start, end = self._span(path)
        return self._checked(TextEdit(start, end, _written(value)), path, value)

    def add(self, line: int, column: int, path: Path, value: Any) -> TextEdit:
        """Add a member to the table that begins at a line and a column, counted from one."""
        place = (line - 1, column - 1)
        tables = [steps for steps, at in self._document.positions.items() if at == place and steps not in self._ends]
        table = self._paths.get(place) or next(iter(tables), ())
        return self.add_to_document((*table, *path), value)

    @property
    def _ends(self) -> dict[Path, tuple[int, int]]:
        return self._document.ends

    def add_to_document(self, path: Path, value: Any) -> TextEdit:
        """Add a member at a path of which the file may have a part."""
        if not all(isinstance(step, str) for step in path):
            raise NotEditableError("the path leads into a list there")
        inside: Any = self._document.value
        depth = 0
        while depth < len(path) and isinstance(inside, dict) and path[depth] in inside:
            inside, depth = inside[path[depth]], depth + 1
        if depth == len(path) or not isinstance(inside, dict):
            raise NoPlaceError(f"{path[-1]} is there already" if depth == len(path) else "there is no table")
        table, rest = path[:depth], path[depth:]
        if table in self._ends:
            _, end = self._span(table)
            between = ", " if inside else ""
            at = len(self.text[: end - 1].rstrip())
            edit = TextEdit(at, at, f"{between}{_key(rest)} = {_written(value)}")
        else:
            edit = self._line_in_table(table, f"{_key(rest)} = {_written(value)}")
        return self._checked(edit, path, value)

    def _line_in_table(self, table: Path, line: str) -> TextEdit:
        """A line behind the last one of a table; the keys of the root come before all headers."""
        inside = [path for path in self._ends if path[: len(table)] == table and self._is_in(path, table)]
        members = [self._span(path)[1] for path in inside]
        if members:
            at = self._after(max(members))
        elif table:
            header = self._offset(self._document.positions[table])
            at = self._after(self.text.index("]", header))
        else:
            at = 0
        before = "" if at == 0 or self.text[at - 1] == "\n" else self._newline
        return TextEdit(at, at, before + line + self._newline)

    def _is_in(self, path: Path, table: Path) -> bool:
        """Whether a value is written below the header of a table, and below no other one."""
        tables = {steps for steps in self._document.positions if steps not in self._ends and self._has_header(steps)}
        return not any(path[: len(each)] == each for each in tables if len(each) > len(table))

    def _has_header(self, steps: Path) -> bool:
        return self.text.startswith("[", self._offset(self._document.positions[steps]))

    def add_document(self, value: Any) -> TextEdit:  # noqa: ARG002
        raise NotEditableError("a TOML file has one document")

    def remove(self, line: int, column: int, *, with_empty: bool = False) -> TextEdit:  # noqa: ARG002
        """Remove the member whose value begins at a line and a column, counted from one."""
        path = self._path_at(line, column)
        start = self._offset(self._document.positions[path])
        first = self._starts[self.text.count("\n", 0, start)]
        if self.text[first:start].strip(" \t"):
            raise NotEditableError("something else is on its line")
        return self._checked(TextEdit(first, self._after(self._span(path)[1]), ""), path, MISSING)

    def _path_at(self, line: int, column: int) -> Path:
        path = self._paths.get((line - 1, column - 1))
        if path is None:
            raise NotEditableError("no value begins there")
        return path

    def _offset(self, place: tuple[int, int]) -> int:
        return self._starts[place[0]] + place[1] if place[0] < len(self._starts) else len(self.text)

    def _span(self, path: Path) -> tuple[int, int]:
        start, end = self._offset(self._document.values[path]), self._offset(self._document.ends[path])
        return start, start + len(self.text[start:end].rstrip())

    def _after(self, end: int) -> int:
        """The start of the line behind the one that a value ends on."""
        rest = _REST.match(self.text, end)
        if rest is None:
            rest = _REST.match(self.text, end + 1)  # the bracket of a header
        if rest is None:
            raise NotEditableError("something else is on the line it ends on")
        return rest.end()

    def _checked(self, edit: TextEdit, path: Path, value: Any) -> TextEdit:
        """An edit that does what it is meant to."""
        wanted = with_value(self._document.value, path, value)
        try:
            found = tomllib.loads(self.edited([edit]).decode("utf-8"))
        except tomllib.TOMLDecodeError:
            found = None
        if found is None or not same(found, wanted):
            raise NotEditableError("TOML would read it as something else there")
        return edit


def _key(path: Path) -> str:
    return ".".join(step if _BARE.fullmatch(step) else json.dumps(step, ensure_ascii=False) for step in map(str, path))


def _written(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    if isinstance(value, dict):
        members = ", ".join(f"{_key((key,))} = {_written(each)}" for key, each in value.items())
        return f"{{ {members} }}" if members else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    raise NotEditableError("TOML has no such value" if value is not None else "TOML has no null")
