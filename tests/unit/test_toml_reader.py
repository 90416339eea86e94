"""TOML with positions: every key and item has the line and column it is written at."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.errors import InputError
from lamina.sources.source import Source
from lamina.sources.toml.reader import MAX_BYTES, read_toml

TEXT = """\
# A comment = not a key
ignore = ["a", 'b', # ] here
  \"\"\"several
lines ] = \"\"\",
]
a.b = {c = 1, "d e" = [1, {f = 2}]}
[targets.web]  # the first
dialect = "cloud\\"-init"
when = 2020-01-01 00:00:00
[targets.'x.y']
z = '''[no.table]
'''
[[rows]]
x = 1
[[rows]]
x = 2
[rows.inner]
y = true
"""


def read(text: str) -> Any:
    return read_toml(Source("lamina.toml", text.encode()))


@pytest.mark.parametrize(
    ("steps", "line", "column"),
    [
        (("ignore",), 2, 1),
        (("ignore", 1), 2, 16),
        (("ignore", 2), 3, 3),
        (("a", "b"), 6, 1),
        (("a", "b", "d e", 1, "f"), 6, 28),
        (("targets", "web"), 7, 1),
        (("targets", "web", "when"), 9, 1),
        (("targets", "x.y", "z"), 11, 1),
        (("rows", 1, "x"), 16, 1),
        (("rows", 1, "inner", "y"), 18, 1),
        (("rows", 1, "inner", "missing"), 17, 1),
        (("nothing",), 1, 1),
    ],
)
def test_a_key_is_where_it_is_written(steps: tuple[str | int, ...], line: int, column: int) -> None:
    assert read(TEXT).origin(steps)[1:3] == (line, column)


def test_lines_that_end_as_on_windows_count_the_same() -> None:
    assert read(TEXT.replace("\n", "\r\n")).positions == read(TEXT).positions


KEYS = st.sampled_from(["a", "b-1", "c d", "e.f", 'q"q', "ü"])
SCALARS = st.one_of(st.booleans(), st.integers(-9, 9), st.text(st.characters(codec="utf-8", exclude_categories=["C"])))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def inline(value: Any, gap: str) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)} = {inline(each, '')}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + "".join(f"{gap}{inline(each, gap)}," for each in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int) else quoted(value)


def paths(value: Any, steps: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [each for key, inner in inside for each in [((*steps, key), inner), *paths(inner, (*steps, key))]]


@given(
    st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=3), max_size=3), st.sampled_from(["", " ", "\n#]\n"])
)
def test_every_path_has_a_position_and_what_is_there_is_what_it_leads_to(tables: Any, gap: str) -> None:
    text = "".join(
        f"[{quoted(name)}]\n" + "".join(f"{quoted(key)} ={inline(value, gap)} # end\n" for key, value in table.items())
        for name, table in tables.items()
    )
    assert tomllib.loads(text) == tables
    document, lines = read(text), text.split("\n")
    for steps, value in paths(tables):
        line, column = document.positions[steps]
        rest = lines[line][column:]
        last = steps[-1]
        wanted = f"[{quoted(last)}]" if len(steps) == 1 else quoted(last) if isinstance(last, str) else None
        assert rest.startswith(wanted or inline(value, "")[0])


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a = \n", "1:5", "invalid value"),
        ("[x]\nb = [1\n", "2:1", "unclosed array"),
        ("a = 1\na = 2\n", "2:", "cannot overwrite a value"),
        (b"a = 1\nb = '\xff'\n", "2:1", "not UTF-8"),
        ("a = " + "[" * 3000, "1:1", "nested too deeply"),
    ],
)
def test_what_is_wrong_has_a_place(text: str | bytes, place: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_toml(Source("lamina.toml", text if isinstance(text, bytes) else text.encode()))
    printed = str(caught.value)
    assert printed.startswith(f"lamina.toml:{place}")
    assert words in printed


def test_a_deep_document_that_the_library_takes_is_rejected_too() -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        read("a = " + "[" * 100 + "]" * 100)


def test_a_large_file_is_rejected_before_it_is_read() -> None:
    with pytest.raises(InputError, match="larger than"):
        read("#" * (MAX_BYTES + 1))
