"""A history that is read from the deltas of the whole output is the one that its nodes give."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path as FilePath
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.conformance.case import find, load
from lamina.dialects import registry as dialects
from lamina.engine.direct_history import direct_history
from lamina.engine.history import Event, History, history_of
from lamina.errors import LaminaError
from lamina.paths import Path, leaves
from lamina.views.render import render_with
from support.cloud_configs import Parts, distinct_parts

CASES = FilePath(__file__).parents[1] / "cases"


def contents(history: History) -> tuple[Any, ...]:
    events = [[getattr(event, each.name) for each in fields(Event)] for event in history.events]
    return history.path, history.value, history.origins, events


def paths_in(value: Any) -> set[Path]:
    """All paths of a value: of leaves, of what holds them, and of members that are not there."""
    found = {path[:length] for path in leaves(value) for length in range(len(path) + 1)}
    return found | {(*path, "not there") for path in found}


def compare(result: lamina.Result, more: tuple[Any, ...] = ()) -> int:
    """How many histories were read from deltas; each is the one that its node gives."""
    direct = 0
    for output in result.outputs:
        node = output.node
        for path in set().union(*map(paths_in, (node.value, *more))):
            history = direct_history(node, path)
            if history is not None:
                direct += 1
                assert repr(contents(history)) == repr(contents(history_of(node.at(path)))), path
    return direct


@given(distinct_parts())
def test_of_parts_of_user_data(parts: Parts) -> None:
    values = tuple(lamina.render([part], dialect="cloud-init").value for part in parts)
    compare(lamina.render(parts, dialect="cloud-init"), values)


NAMES = st.sampled_from(["a", "b", "c"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(["x", "", 1, None, True, [], ["y", "z"], {}]),
    lambda inner: st.dictionaries(NAMES, inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=12,
)
RULES = st.sampled_from(
    [
        "dict(no_replace,recurse_list,recurse_str)+list(replace)+str()",
        "dict(replace)+list()+str()",
        "dict(recurse_dict,recurse_list,allow_delete)+list(append)+str(append)",
        "list()+dict()+str()",
    ]
)


@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=3), min_size=1, max_size=5), RULES)
def test_of_layers(layers: list[Any], rule: str) -> None:
    inputs = [(f"{at}.yaml", json.dumps(layer)) for at, layer in enumerate(layers)]
    try:
        result = lamina.render(inputs, dialect="cloud-init", mode="merge", merge=rule)
    except LaminaError:
        return
    compare(result, tuple(layers))


def test_of_a_value_that_many_layers_replace() -> None:
    inputs = [(f"{at}.yaml", f"table: {{name: v{at}, list: [{at}]}}\nother: {at}\n") for at in range(6)]
    result = lamina.render(inputs, dialect="cloud-init", mode="merge", merge="dict(recurse_str)+list()+str()")
    direct = direct_history(result.outputs[0].node, ("table", "name"))
    assert direct is not None
    assert [event.verdict for event in direct.events] == ["set", *["replaced"] * 5]
    assert [event.layer for event in direct.events] == [name for name, _ in inputs]
    assert contents(result.explain("table.name")) == contents(direct)


def test_of_all_cases() -> None:
    direct = 0
    for path in find([CASES]):
        for case in load(path):
            chosen = dialects.find(case.dialect)
            try:
                result = render_with(chosen, case.inputs(), dialects.make_options(chosen, case.settings()))
            except LaminaError:
                continue
            direct += compare(result)
    assert direct > 2_500
