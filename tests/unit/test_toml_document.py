"""TOML files as layers: the values the standard library reads, each with the line and column it is written at."""

from __future__ import annotations

import datetime
import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lamina import plugin as lp
from lamina.plugin import formats as lpf

KEYS = st.sampled_from(["a", "b-1", "c d", "e.f", 'q"q', "ü"])
SCALARS = st.one_of(st.booleans(), st.integers(-9, 9), st.text(st.characters(codec="utf-8", exclude_categories=["C"])))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)
TABLES = st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=3), max_size=3)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)} = {inline(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int) else quoted(value)


def root(text: str) -> lp.SourceNode:
    return lpf.read_toml(lp.Source("a.toml", text.encode()), lp.Run()).root("a.toml")


def inside(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [each for key, inner in members for each in [(*path, key), *inside(inner, (*path, key))]]


@given(TABLES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_every_key_and_value_is_where_it_is_written(tables: Any, end: str, dotted: bool) -> None:
    lines = [
        line
        for name, table in tables.items()
        for line in ["" if dotted else f"[{quoted(name)}] # table", *_pairs(name, table, dotted)]
    ]
    text = end.join(lines)
    wanted = tomllib.loads(text.replace("\r\n", "\n"))
    document = root(text)
    assert document.value == wanted
    for path in inside(wanted):
        node, holder = document.at(path), document.at(path[:-1])
        assert isinstance(node, lp.SourceNode)
        assert isinstance(holder, lp.SourceNode)
        key = holder.key_origin(path[-1])
        if len(path) > 1:
            assert lines[node.origin().line - 1][node.origin().column - 1 :].startswith(inline(node.value))
        if key is not None and not (dotted and len(path) == 2):
            assert quoted(path[-1]) in lines[key.line - 1][key.column - 1 :][: len(quoted(path[-1])) + 1]


def _pairs(name: str, table: dict[str, Any], dotted: bool) -> list[str]:
    before = f"{quoted(name)} . " if dotted else ""
    return [f"  {before}{quoted(key)} = {inline(value)} # end" for key, value in table.items()]


def test_tables_that_only_others_name_are_where_the_first_of_them_is() -> None:
    document = root("x = 1\n\n[a.b]\nc = 07:32:00\n[[r.s]]\nk = 1\n[[r.s]]\nk = 2\n")
    found = {path: document.at(path).origin() for path in [("a",), ("a", "b"), ("r",), ("r", "s"), ("r", "s", 1)]}
    assert {path: origin and origin[1:3] for path, origin in found.items()} == {
        ("a",): (3, 1),
        ("a", "b"): (3, 1),
        ("r",): (5, 1),
        ("r", "s"): (5, 1),
        ("r", "s", 1): (7, 1),
    }
    assert document.value["a"]["b"]["c"] == "07:32:00"
    assert str(document.at(("r", "s", 1, "k")).origin()) == "a.toml:8:5"


def test_dates_stay_dates() -> None:
    assert root("d = 1979-05-27").value == {"d": datetime.date(1979, 5, 27)}
