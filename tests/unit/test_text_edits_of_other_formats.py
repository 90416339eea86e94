"""Edits of TOML and PowerShell data files: exactly the value changes, and what is not safe is refused."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from lamina.workspace.proposals.editable import editable
from lamina.workspace.proposals.text_nodes import NotEditableError

TOML = b'a = 1 # one\n\n[t]\nb = "x"\nl = [1, 2]\ni = { k = 1 }\n\n[[many]]\nn = 1\n'
PSD1 = b"\xef\xbb\xbf@{\r\n  Name = 'web' # the name\r\n  Port = 80\r\n  List = @(1, 2)\r\n}\r\n"


@pytest.mark.parametrize(
    ("place", "value", "old", "new"),
    [
        ((1, 5), 2, b"a = 1 # one", b"a = 2 # one"),
        ((1, 5), "x", b"a = 1", b'a = "x"'),
        ((4, 5), [1, {"k": True}], b'b = "x"', b"b = [1, { k = true }]"),
        ((5, 6), 7, b"l = [1, 2]", b"l = [7, 2]"),
        ((6, 11), 2, b"{ k = 1 }", b"{ k = 2 }"),
    ],
)
def test_a_value_of_toml_is_replaced(place: tuple[int, int], value: Any, old: bytes, new: bytes) -> None:
    text = editable("a.toml", TOML)
    assert text.edited([text.replace(*place, value)]) == TOML.replace(old, new, 1)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("t", "c"), 'i = { k = 1 }\nc = "new"\n'),
        (("z",), 'a = 1 # one\nz = "new"\n'),
        (("t", "i", "j"), '1, j = "new"'),
    ],
)
def test_a_member_of_toml_is_added_in_its_table(path: tuple[str, ...], line: str) -> None:
    text = editable("a.toml", TOML)
    edited = text.edited([text.add_to_document(path, "new")])
    value: Any = tomllib.loads(edited.decode())
    for step in path:
        value = value[step]
    assert value == "new"
    assert line.encode() in edited


def test_a_member_of_toml_is_removed() -> None:
    text = editable("a.toml", TOML)
    assert text.edited([text.remove(4, 5)]) == TOML.replace(b'b = "x"\n', b"")


def test_toml_has_no_null() -> None:
    with pytest.raises(NotEditableError, match="no null"):
        editable("a.toml", TOML).replace(1, 5, None)


def test_a_constant_of_powershell_data_is_replaced() -> None:
    text = editable("a.psd1", PSD1)
    assert text.edited([text.replace(2, 10, "it's")]) == PSD1.replace(b"'web'", b"'it''s'")
    assert text.edited([text.replace(3, 10, 8080)]) == PSD1.replace(b"80", b"8080")


def test_powershell_data_is_edited_only_where_it_is_safe() -> None:
    text = editable("a.psd1", PSD1)
    for refused in (
        lambda: text.remove(2, 10),
        lambda: text.add_to_document(("New",), 1),
        lambda: text.replace(1, 1, "x"),
        lambda: editable("a.ps1", PSD1),
    ):
        with pytest.raises(NotEditableError):
            refused()
