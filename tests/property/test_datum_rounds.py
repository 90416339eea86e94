"""Second rounds that a lookup of simple tables skips: with them it gives the same value, history and notes."""

from __future__ import annotations

import re
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.dialects import registry as dialects
from lamina.dialects.datum import lookup
from lamina.dialects.datum.operators.simple_values import is_simple
from lamina.errors import LaminaError
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.sources.yaml.writer import dump
from lamina.views.explain import as_data
from lamina.views.render import render_with
from support.datum_layers import KEYS, WORDS, option_entries, strategies

present = st.one_of(st.sampled_from(WORDS), st.integers(0, 2), st.booleans())
simple = st.recursive(
    st.one_of(present, st.none(), st.lists(present, min_size=1, max_size=4)),
    lambda inner: st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
tables = st.dictionaries(KEYS, simple, max_size=4)


def outcome(layers: list[Any], entries: dict[str, Any], default: Any, compat: str) -> Any:
    files = {f"l{at}.yml": dump({"A": layer}) for at, layer in enumerate(layers)}
    chosen = dialects.find("datum")
    given_ = {
        "lookup": "A", "layers": list(files), "lookup_options": entries, "default_lookup_options": default,
        "compat": compat,
    }  # fmt: skip
    try:
        rendered = render_with(chosen, Inputs((), MemoryFiles(files)), dialects.make_options(chosen, given_))
    except LaminaError as error:
        return [(finding.code, finding.message, finding.at) for finding in error.diagnostics]
    notes = [(note.code, note.message, note.at) for note in rendered.notes]
    return repr(rendered.plain), notes, [shown(rendered, path) for path in paths_of(rendered.plain)]


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for key, item in inside for below in paths_of(item, (*path, key)))]


def shown(rendered: Any, path: tuple[Any, ...]) -> Any:
    """The history of a path; the numbers of the steps are others where some are left out."""
    return re.sub(r"'step': \d+", "", repr(as_data(rendered.explain(path), rendered)))


@settings(max_examples=300)
@given(st.lists(tables, min_size=2, max_size=4), option_entries(), strategies(), st.sampled_from(["program", "manual"]))
def test_left_out_rounds_have_no_effect(layers: list[Any], entries: dict[str, Any], default: Any, compat: str) -> None:
    short = outcome(layers, entries, default, compat)
    with mock.patch.object(lookup, "is_simple", return_value=False):
        assert outcome(layers, entries, default, compat) == short


@pytest.mark.parametrize("value", [{}, {"a": None}, {"a": [1, "b"], "b": {"c": {}}}])
def test_simple(value: Any) -> None:
    assert is_simple(value)


@pytest.mark.parametrize("value", [None, [1], {"a": []}, {"a": [None]}, {"a": {"b": [[1]]}}, {"a": [{"b": 1}]}])
def test_not_simple(value: Any) -> None:
    assert not is_simple(value)
