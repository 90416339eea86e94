"""Paths: written and read back, and followed into values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.errors import UsageError
from lamina.paths import MISSING, leaves, parse, resolve_path, show, walk

steps = st.one_of(st.text(max_size=6), st.integers(0, 20))


@given(st.lists(steps, max_size=5).map(tuple))
def test_a_path_reads_back_as_it_was_written(path: tuple[Any, ...]) -> None:
    assert parse(show(path)) == path


@pytest.mark.parametrize("key", ["/", "/etc/hosts", "$", "$$", "a/b", "~", "."])
def test_a_key_that_could_be_read_as_something_else(key: str) -> None:
    for path in ((key,), (key, "a"), ("a", key), (0, key)):
        assert parse(show(path)) == path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (".", ()),
        ("a.b[0]", ("a", "b", 0)),
        (".a.b", ("a", "b")),
        ("a-b.c_d", ("a-b", "c_d")),
        ('a."b.c"[1]', ("a", "b.c", 1)),
        ('["x y"].z', ("x y", "z")),
        ("/a/b/0", ("a", "b", 0)),
        ("/a~1b/~0", ("a/b", "~")),
        ("[0][1]", (0, 1)),
        ("a[-1]", ("a", -1)),
    ],
)
def test_ways_to_write_a_path(text: str, path: tuple[Any, ...]) -> None:
    assert parse(text) == path


@pytest.mark.parametrize("text", ["a..b", "a[", "a]b", "a.", 'a."b', "a[x]"])
def test_what_is_no_path_is_rejected(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert caught.value.diagnostic.code == "bad-path"


def test_steps_are_resolved_by_what_is_there() -> None:
    value = {"a": [{"0": "text", 1: "number", None: "null"}]}
    assert walk(value, resolve_path(parse("/a/0/0"), value)) == "text"
    assert walk(value, resolve_path(parse("a[-1].(1)"), value)) == "number"
    assert walk(value, resolve_path(parse("a[0].(None)"), value)) == "null"
    assert walk(value, resolve_path(parse("a[9]"), value)) is MISSING


def test_leaves_are_scalars_and_empty_collections() -> None:
    assert list(leaves({"a": [1, []], "b": {}, "c": {"d": None}})) == [("a", 0), ("a", 1), ("b",), ("c", "d")]
