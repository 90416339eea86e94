"""Positions: what an editor counts in units of UTF-16, Lamina counts in characters."""

from __future__ import annotations

import pytest
from lsprotocol import types

from lamina.editor.file_text import FileText
from lamina.origins import Origin

TEXT = "\ufeffa: 1\r\n\U0001f600\u00e9 key: {x: 1}\rlast: 'it''s'"


@pytest.mark.parametrize(
    ("encoding", "character"),
    [
        (types.PositionEncodingKind.Utf16, 3),
        (types.PositionEncodingKind.Utf8, 6),
        (types.PositionEncodingKind.Utf32, 2),
    ],
)
def test_what_is_counted_is_agreed_upon(encoding: types.PositionEncodingKind, character: int) -> None:
    text = FileText(TEXT.encode(), encoding)
    assert text.position(1, 2) == types.Position(1, character)
    assert text.column_of(types.Position(1, character)) == 2


def test_lines_end_as_in_editors() -> None:
    text = FileText(TEXT.encode(), None)
    assert text.lines[:3] == ["a: 1", "\U0001f600\u00e9 key: {x: 1}", "last: 'it''s'"]


def test_what_is_at_an_origin() -> None:
    text = FileText(TEXT.encode(), None)
    assert text.at(Origin("f", 3, 7)) == types.Range(types.Position(2, 6), types.Position(2, 13))
    assert text.at(Origin("f", 1, 1)) == types.Range(types.Position(0, 0), types.Position(0, 1))
    assert text.at(Origin("f", 99, 1)).start == types.Position(98, 0)


@pytest.mark.parametrize("after", ["a: 2\nb: 1\n", "a: 1\n", "", "a: 1\nb: 1\nc: 3", "x\na: 1\nb: 1\n"])
def test_an_edit_makes_one_text_the_other(after: str) -> None:
    before = "a: 1\nb: 1\n"
    text = FileText(before.encode(), None)
    edit = text.edit_to(after.encode())
    lines = before.splitlines(keepends=True)
    starts = [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]
    start = starts[edit.range.start.line] + edit.range.start.character
    end = starts[edit.range.end.line] + edit.range.end.character
    assert before[:start] + edit.new_text + before[end:] == after
