"""The page shows what `explain` prints: for every value, the same origins and the same events.

What nodes of a fleet have in common, and what follows from patterns, is shown as if each value had been looked at.
"""

from __future__ import annotations

from typing import Any
from unittest import mock

from hypothesis import example, given, settings
from hypothesis import strategies as st

import lamina
from lamina.dialects import registry as dialects
from lamina.paths import leaves, show
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.sources.yaml.writer import dump
from lamina.views.render import render_with
from lamina.views.report.page_data import collect
from lamina.views.report.row_content import WORDS
from lamina.views.report.shared_parts import Sharing
from support.cloud_configs import Parts, distinct_parts
from support.page_rows import expanded, filled_row


def shown(data: dict[str, Any]) -> dict[str, tuple[list[str], list[str]]]:
    """The origins and verdicts of every row that is not a collection, by path."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    texts, places = data["texts"], data["places"]
    todo = [("", row) for row in data["outputs"][0]["rows"]]
    for above, number in todo:
        _, step, _, origins, events, _, _, inside = filled_row(data, number)
        name = texts[step]
        path = f"{above}{name}" if not above or name.startswith("[") else f"{above}.{name}"
        at = [f"{texts[places[place][0]]}:{places[place][1]}:{places[place][2]}" for place in origins[1::2]]
        found[path] = at, [texts[data["rules"][data["events"][event][0]][0]] for event in events]
        todo += [(path, child) for child in inside]
    return found


@given(distinct_parts())
@example([("0.yaml", "#cloud-config\na:\n- []\n"), ("1.yaml", "#cloud-config\na:\n  b: null\n")])
@example([("0.yaml", "#cloud-config\na: []\n"), ("1.yaml", "#cloud-config\nb: null\na:\n  b: null\n")])
@example(
    [("0.yaml", "#cloud-config\na: {}\nmerge_how: list()\n"), ("1.yaml", "#cloud-config\nb: null\na:\n  b: null\n")]
)
def test_the_page_shows_what_explain_shows(parts: Parts) -> None:
    result = lamina.render(parts, dialect="cloud-init")
    rows = shown(collect(result, ""))
    for path in filter(None, leaves(result.plain)):
        history = result.explain(path)
        origins = [f"{origin.source}:{origin.line}:{origin.column}" for origin in history.origins]
        assert rows[show(path)] == (origins, [WORDS.get(event.verdict, event.verdict) for event in history.events])


LISTS = st.lists(st.sampled_from(["p", "q", "r: s", 1, True]), min_size=1, max_size=3)
SCALARS = st.sampled_from(["x", "y", "a longer text", "", 0, 1, True, None, "p" * 80])


def tables(inner: st.SearchStrategy[Any], list_at: str = "b") -> st.SearchStrategy[dict[str, Any]]:
    """Tables whose values mostly go together, key by key."""
    by_key = {"a": SCALARS, "b": SCALARS, "c": inner, "d": inner, "e": SCALARS, list_at: LISTS}
    return st.fixed_dictionaries({}, optional=by_key)


DEEP = tables(tables(tables(SCALARS | LISTS)))
STRATEGIES = st.sampled_from(
    [
        {"merge_hash": "deep", "merge_baseType_array": "Sum"},
        {"merge_hash": "deep", "merge_baseType_array": "Unique"},
        {"merge_hash": "deep"},
        "hash",
        "MostSpecific",
    ]
)


@st.composite
def fleets(draw: st.DrawFn) -> dict[str, str]:
    """The files of a small Datum fleet."""
    layers = ["AllNodes\\$($Node.Name)", "Role\\$($Node.Role)", "Place\\$($Node.Place)", "All\\common"]
    files: dict[str, Any] = {
        "Datum.yml": {
            "ResolutionPrecedence": layers,
            "lookup_options": draw(st.dictionaries(st.sampled_from(["A", "A\\c", "A\\b"]), STRATEGIES, max_size=2)),
            "default_lookup_options": draw(STRATEGIES),
        }
    }
    for at in range(draw(st.integers(2, 5))):
        name = f"n{at}"
        own = {
            "Name": name,
            "NodeName": name,
            "Role": draw(st.sampled_from("rs")),
            "Place": draw(st.sampled_from("pq")),
        }
        files[f"AllNodes/{name}.yml"] = {**own, **draw(st.dictionaries(st.just("A"), DEEP))}
    for name in ("Role/r", "Role/s", "Place/p", "Place/q"):
        files[f"{name}.yml"] = draw(st.dictionaries(st.just("A"), DEEP | tables(tables(SCALARS), list_at="c")))
    files["All/common.yml"] = {"Configurations": ["A"], "A": draw(DEEP)}
    return {name: dump(value) for name, value in files.items()}


@settings(max_examples=60, deadline=None)
@given(fleets())
def test_a_fleet_is_shown_as_if_nothing_was_shared(files: dict[str, str]) -> None:
    datum = dialects.find("datum")
    inputs = Inputs((Folder("tree", MemoryFiles(files)),))
    result = render_with(datum, inputs, dialects.make_options(datum, {"all_nodes": True}))
    shared = expanded(collect(result, ""))
    with mock.patch.object(Sharing, "outline", return_value=None):
        assert shared == expanded(collect(result, ""))
