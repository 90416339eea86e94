"""Mappings as inputs: every dialect reads in them what they contain."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lamina

WORDS = [
    "yes",
    "0o17",
    "1,000",
    "1e3",
    "1_0",
    "~",
    "2001-01-01",
    "=",
    "<<",
    "a: b # c",
    "%x",
    "\t",
    "\x85\u2028é😀",
    "",
]
TEXTS = st.sampled_from(WORDS) | st.text(max_size=8)
SCALARS = TEXTS | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)
MAPPINGS = st.dictionaries(TEXTS.filter(lambda key: key not in ("<<", "")), VALUES, min_size=1, max_size=3)


def deckhand_document(data: Any) -> dict[str, Any]:
    layering = {"layer": "site", "abstract": False}
    metadata = {"schema": "metadata/Document/v1", "name": "a", "layeringDefinition": layering}
    return {"schema": "a/B/v1", "metadata": {**metadata, "storagePolicy": "cleartext"}, "data": data}


@given(MAPPINGS)
def test_plain_layers(mapping: dict[str, Any]) -> None:
    result = lamina.render([("a", mapping)], dialect="layers", null="keep", no_references=True)
    assert result.value == mapping


@given(MAPPINGS)
def test_heat(mapping: dict[str, Any]) -> None:
    environment = {"parameter_defaults": mapping}
    assert lamina.render([("a", environment)], dialect="heat").value["parameter_defaults"] == mapping


@given(MAPPINGS)
def test_deckhand(mapping: dict[str, Any]) -> None:
    policy = {
        "schema": "deckhand/LayeringPolicy/v1",
        "metadata": {"schema": "metadata/Control/v1", "name": "order"},
        "data": {"layerOrder": ["site"]},
    }
    result = lamina.render([policy, deckhand_document(mapping)], dialect="deckhand")
    assert [each["data"] for each in result.value if each["schema"] == "a/B/v1"] == [mapping]


@given(VALUES)
def test_cloud_init(value: Any) -> None:
    assert lamina.render([("a", {"key": value})], dialect="cloud-init").value == {"key": value}


def test_cloud_init_merges_mappings_as_it_merges_files() -> None:
    base, site = {"packages": ["a"], "hostname": "base"}, {"packages": ["b"], "timezone": "UTC"}
    result = lamina.render([("base", base), ("site", site)], dialect="cloud-init")
    assert result.value == {"packages": ["b"], "hostname": "base", "timezone": "UTC"}
    assert str(result.explain("packages[0]").origins[0]) == "site:4:5"


def test_names_lines_and_values_that_json_does_not_have() -> None:
    result = lamina.render([{"a": {"b": 1}}, {1: date(2026, 11, 18), "c": float("inf"), "d": (1e20, [])}], "layers")
    assert result.value == {"a": {"b": 1}, 1: date(2026, 11, 18), "c": float("inf"), "d": [1e20, []]}
    assert str(result.explain("a.b").origins[0]) == "<mapping 1>:3:10"
    assert lamina.render({"a": 1}, "layers").value == {"a": 1}


def test_a_mapping_that_is_changed_later_changes_no_result() -> None:
    mapping = {"a": [1]}
    result = lamina.render([("a", mapping)], "layers")
    mapping["a"].append(2)
    assert result.value == {"a": [1]}
    assert mapping == {"a": [1, 2]}


def test_a_mapping_that_no_file_could_contain_is_rejected() -> None:
    with pytest.raises(lamina.UsageError) as caught:
        lamina.render([("a", {"b": object()})], "layers")
    assert str(caught.value) == (
        "the mapping a contains a value of type object, which no file could [not-yaml]\n"
        "  hint: use mappings, lists, strings, numbers, booleans, null and dates"
    )
    circle: dict[str, Any] = {}
    circle["circle"] = circle
    with pytest.raises(lamina.UsageError, match="contains itself"):
        lamina.render([("a", circle)], "layers")


def test_every_function_takes_mappings() -> None:
    before, after = [("a", {"b": 1})], [("a", {"b": 2})]
    assert [change.where for change in lamina.diff(before, after, "layers").changes] == ["b"]
    assert lamina.plan(before, "layers").stages
    assert isinstance(lamina.lint(before, "layers"), list)
