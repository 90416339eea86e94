"""The page shows what `explain` prints: for every value, the same origins and the same events.

What nodes of a fleet have in common, and what follows from patterns, is shown as if each value had been looked at.
"""

from __future__ import annotations

from typing import Any
from unittest import mock

from hypothesis import example, given, settings

import lamina
from lamina.dialects import registry as dialects
from lamina.paths import leaves, show
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.views.render import render_with
from lamina.views.report.page_data import collect
from lamina.views.report.row_content import WORDS
from lamina.views.report.shared_parts import Sharing
from support.cloud_configs import Parts, distinct_parts
from support.datum_fleets import fleets
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


@settings(max_examples=60, deadline=None)
@given(fleets())
def test_a_fleet_is_shown_as_if_nothing_was_shared(files: dict[str, str]) -> None:
    datum = dialects.find("datum")
    inputs = Inputs((Folder("tree", MemoryFiles(files)),))
    result = render_with(datum, inputs, dialects.make_options(datum, {"all_nodes": True}))
    shared = expanded(collect(result, ""))
    with mock.patch.object(Sharing, "outline", return_value=None):
        assert shared == expanded(collect(result, ""))
