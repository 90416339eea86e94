"""Exact history of Datum lookups: every leaf has exactly the origin it came from, in every strategy, and the events
show what every prefix of the plan gives."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from lamina.dialects import registry as dialects
from lamina.dialects.datum.powershell_data.documents import caseless_document
from lamina.engine import fold
from lamina.engine.history import history_of
from lamina.engine.node import Node, SourceNode
from lamina.engine.plan import Output
from lamina.errors import LaminaError
from lamina.paths import MISSING, Path, leaves, walk
from lamina.run import Run
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.sources.source import Source
from lamina.views.render import render_with
from lamina.views.result import Result
from support.datum_layers import layers, option_entries, strategies

NAMED = {
    "hash": "hash",
    "deep": "deep",
    "unique": {"merge_baseType_array": "Unique", "merge_options": {"knockout_prefix": "--"}},
    "sum": {
        "merge_baseType_array": "Sum",
        "merge_hash_array": "Sum",
        "merge_options": {"knockout_prefix": "--", "tuple_keys": ["N"]},
    },
    "unique tuples": {
        "merge_hash_array": "UniqueKeyValTuples",
        "merge_options": {"knockout_prefix": "--", "tuple_keys": ["N"]},
    },
    "deep tuples": {
        "merge_hash": "deep",
        "merge_hash_array": "DeepTuple",
        "merge_options": {"knockout_prefix": "--", "tuple_keys": ["N"]},
    },
}


class Relabel:
    """Gives every leaf a text of its own, except markers and the values items are matched by."""

    def __init__(self) -> None:
        self._count = 0

    def value(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: self.value(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if value is None or key.upper() == "N" or (isinstance(value, str) and value.startswith("-")):
            return value
        self._count += 1
        return f"leaf {self._count}"


@st.composite
def stacks(draw: st.DrawFn) -> list[Any]:
    relabel = Relabel()
    return [relabel.value(value) for value in draw(layers())]


def rendered(values: list[Any], entries: dict[str, Any], default: Any, compat: str) -> Result:
    files = {f"l{at}.yml": json.dumps({"A": value}, indent=1) for at, value in enumerate(values)}
    chosen = dialects.find("datum")
    settings_ = {
        "lookup": "A",
        "layers": list(files),
        "lookup_options": entries,
        "default_lookup_options": default,
        "compat": compat,
    }
    try:
        return render_with(chosen, Inputs((), MemoryFiles(files)), dialects.make_options(chosen, settings_))
    except LaminaError:
        assume(False)
        raise


def places(values: list[Any]) -> dict[tuple[str, int, int], Any]:
    """What is at every position of the layers."""
    found: dict[tuple[str, int, int], Any] = {}
    for at, value in enumerate(values):
        document = caseless_document(Source.of_text(f"l{at}.yml", json.dumps({"A": value}, indent=1)), Run())
        stack: list[Node] = [SourceNode(document.value, (), document.positions, 0, "")]
        while stack:
            node = stack.pop()
            origin = node.origin()
            assert origin is not None
            found[origin.source, origin.line, origin.column] = node.value
            if isinstance(node.value, (dict, list)):
                keys = node.value if isinstance(node.value, dict) else range(len(node.value))
                stack.extend(node.child(key) for key in keys)
    return found


@pytest.mark.parametrize("compat", ["program", "manual"])
@pytest.mark.parametrize("name", NAMED)
@settings(max_examples=30, deadline=None)
@given(values=stacks())
def test_every_leaf_names_its_place_in_every_strategy(name: str, compat: str, values: list[Any]) -> None:
    check_leaves(rendered(values, {"A": NAMED[name]}, NAMED[name], compat), values)


@settings(max_examples=150, deadline=None)
@given(stacks(), option_entries(), strategies())
def test_every_leaf_names_its_place(values: list[Any], entries: dict[str, Any], default: Any) -> None:
    check_leaves(rendered(values, entries, default, "program"), values)


def check_leaves(result: Result, values: list[Any]) -> None:
    location = places(values)
    for path in leaves(result.plain):
        leaf = walk(result.plain, path)
        history = history_of(result.node_at(path))
        if leaf in (None, [], {}):
            continue
        shown = [location[origin.source, origin.line, origin.column] for origin in history.origins]
        assert shown == [leaf], path


def states(result: Result) -> list[Any]:
    """The value after every step of the plan."""
    steps = result.outputs[0].output.steps
    prefixes = (Output(name="", steps=steps[:end]) for end in range(1, len(steps) + 1))
    return [fold.fold_output(prefix, {}).value for prefix in prefixes]


def all_paths(value: Any, path: Path = ()) -> list[Path]:
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found.extend(all_paths(inner, (*path, key)))
    return found


@example(
    [[{}, {"N": "n1"}, {"N": "n1"}], [{"N": []}, {"N": "n1"}, {"N": "n1"}]],
    {"A": {"merge_hash": "MostSpecific", "strategy": "deep", "merge_options": {}, "merge_hash_array": "DeepTuple"}},
    "MostSpecific",
    "program",
)
@settings(max_examples=150, deadline=None)
@given(stacks(), option_entries(), strategies(), st.sampled_from(["program", "manual"]))
def test_events_show_what_every_prefix_of_the_plan_gives(
    values: list[Any], entries: dict[str, Any], default: Any, compat: str
) -> None:
    result = rendered(values, entries, default, compat)
    after = states(result)
    for path in leaves(result.plain):
        # One step may merge an item with several others; the last of its events says what it gives.
        last = {(event.step, event.path): event for event in history_of(result.node_at(path)).events}
        for (step, inside), event in last.items():
            if step is not None:
                assert walk(after[step], inside) == event.result, (path, event)


@settings(max_examples=150, deadline=None)
@given(stacks(), option_entries(), strategies(), st.sampled_from(["program", "manual"]))
def test_no_change_is_missing(values: list[Any], entries: dict[str, Any], default: Any, compat: str) -> None:
    result = rendered(values, entries, default, compat)
    after = [MISSING, *states(result)]
    for path in {path for value in after for path in all_paths(value)}:
        steps = {event.step for event in history_of(result.node_at(path)).events}
        for step in range(len(after) - 1):
            before, now = walk(after[step], path), walk(after[step + 1], path)
            if before is not now and (before is MISSING or now is MISSING or before != now):
                # The null for "nothing found" has no origin: the program makes it.
                nothing = path == () and now is None and before is MISSING
                assert nothing or step in steps, f"{path} changed in step {step}, and no event says so"


@settings(max_examples=50, deadline=None)
@given(stacks(), option_entries(), strategies())
def test_rendering_changes_no_input(values: list[Any], entries: dict[str, Any], default: Any) -> None:
    given_ = deepcopy((values, entries, default))
    sources = [Source.of_text(f"l{at}.yml", json.dumps({"A": value}, indent=1)) for at, value in enumerate(values)]
    before = deepcopy([caseless_document(source, Run()).value for source in sources])
    rendered(values, entries, default, "program")
    assert [caseless_document(source, Run()).value for source in sources] == before
    assert (values, entries, default) == given_
