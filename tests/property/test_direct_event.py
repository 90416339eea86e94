"""Events that the C extension makes: the same as those of the Python function."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.engine.direct_history import event_at_py
from lamina.engine.history import Event
from lamina.engine.merged_node import MergedNode
from lamina.errors import LaminaError
from lamina.paths import MISSING, Path, leaves
from support.allocations import blocks_left_by
from support.c_extensions import extension

c_extension, pytestmark = extension("lamina.engine._direct_event")

NAMES = st.sampled_from(["a", "b", "c", 1, True])
LEAVES: st.SearchStrategy[Any] = st.sampled_from(["x", "", 1, None, [], ["y"], {}])
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES, lambda inner: st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)
LAYERS = st.lists(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), min_size=1, max_size=5)
RULES = st.sampled_from(
    [
        "dict(recurse_dict,no_replace)+list()+str()",
        "dict(recurse_dict,recurse_str)+list()+str()",
        "dict(replace)+list(append)+str(append)",
    ]
)
ALIASES = "shared: &it {a: 1, b: {c: 2}}\na: *it\nb: {<<: *it, c: 3}\n"


def contents(event: Any) -> Any:
    return [(each.name, getattr(event, each.name)) for each in fields(Event)] if type(event) is Event else event


def paths_in(value: Any) -> set[Path]:
    found = {path[:length] for path in leaves(value) for length in range(len(path) + 1)}
    return found | {(*path, "not there") for path in found}


def compare(result: lamina.Result, path: Path) -> list[Any]:
    """The events of all merges at a path, by both functions, each twice: the first fills what positions remember."""
    node = result.outputs[0].node
    assert isinstance(node, MergedNode)
    found: list[Any] = []
    for each in node.merges()[1]:
        for before in (MISSING, "before"):
            for _ in range(2):
                made = c_extension.event_at(each, path, before)
                assert repr(contents(made)) == repr(contents(event_at_py(each, path, before)))
            found.append(made)
    return found


def rendered(layers: list[Any], rule: str) -> lamina.Result:
    inputs = [(f"{at}.yaml", layer if isinstance(layer, str) else json.dumps(layer)) for at, layer in enumerate(layers)]
    return lamina.render(inputs, dialect="cloud-init", mode="merge", merge=rule)


@given(LAYERS, RULES)
def test_of_layers(layers: list[Any], rule: str) -> None:
    try:
        result = rendered([*layers, ALIASES, *layers], rule)
    except LaminaError:
        return
    for path in set().union(*map(paths_in, (*layers, result.plain))):
        compare(result, path)


LAYER = {"table": {"name": "value", "other": [1]}}


@pytest.mark.parametrize(
    ("rule", "verdict"), [("recurse_dict,recurse_str", "replaced"), ("recurse_dict,no_replace", "ignored")]
)
def test_of_a_value_that_many_layers_have(rule: str, verdict: str) -> None:
    events = compare(rendered([LAYER] * 4, f"dict({rule})+list()+str()"), ("table", "name"))
    assert [event.verdict for event in events[3::2]] == [verdict] * 3
    assert [event.origin.source for event in events[3::2]] == ["1.yaml", "2.yaml", "3.yaml"]


def test_nothing_leaks() -> None:
    result = rendered([LAYER] * 4, "dict(recurse_dict,recurse_str)+list()+str()")
    node = result.outputs[0].node
    assert isinstance(node, MergedNode)

    def repeat() -> None:
        for _ in range(500):
            for path in (("table", "name"), ("table", "none"), ("table", "other", 0), (), ("none",)):
                for each in node.merges()[1]:
                    c_extension.event_at(each, path, "before")

    repeat()
    assert blocks_left_by(repeat) < 100


def test_a_key_that_cannot_be_compared_is_an_error() -> None:
    node = rendered([LAYER] * 2, "dict(recurse_dict,recurse_str)+list()+str()").outputs[0].node
    with pytest.raises(TypeError, match="unhashable"):
        c_extension.event_at(node, ([],), MISSING)


@pytest.mark.parametrize("arguments", [(), (1, 2, 3), (None, [], None)])
def test_other_arguments_are_rejected(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match="event_at takes"):
        c_extension.event_at(*arguments)
