"""Replay: the outputs of every golden case and of whole Airship sites have a history that agrees with their value.

An output that was evaluated is folded again when somebody asks; that raises an error where its value is another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from test_deckhand_sharing import sharing_sites

from lamina.conformance.case import Case, find, load
from lamina.conformance.check import settings_of
from lamina.dialects import registry as dialects
from lamina.engine.fold import record
from lamina.engine.history import Event, events_of, history_of
from lamina.engine.step_context import Folded, Ledger
from lamina.engine.walk import walk as walk_parts
from lamina.errors import LaminaError
from lamina.paths import MISSING, leaves, walk
from lamina.sources.inputs import gather
from lamina.views.render import render_with
from support.deckhand_sites import as_text, pair, taking
from support.golden_results import CASES

SHARED = CASES.parents[2] / "shared" / "cases"
SITES = SHARED / "deckhand" / "real-site"
"""Two whole sites; not in every checkout, since they are another project's."""


def outputs_of(cases: list[Case]) -> Iterator[tuple[Case, Folded]]:
    """Every output of every case that can be rendered, the hidden ones included."""
    for case in cases:
        dialect = dialects.find(case.dialect)
        try:
            result = render_with(dialect, case.inputs(), dialects.make_options(dialect, settings_of(case)))
        except LaminaError:
            continue
        for folded in result.record.results.values():
            if not folded.failed:
                yield case, folded


def assert_histories_agree(cases: list[Case]) -> int:
    """Check every leaf of the cases; returns how many there are."""
    count = 0
    for case, folded in outputs_of(cases):
        for path in leaves(folded.value):
            history = history_of(folded.node.at(path))
            assert history.value is walk(folded.value, path), (case.id, folded.output.name, path)
            assert not history.events or history.events[-1].result is not MISSING, (case.id, path)
            count += 1
    return count


@pytest.mark.parametrize("name", sorted(dialects.BUILT_IN))
def test_what_is_replayed_is_what_was_evaluated(name: str) -> None:
    cases = [case for path in find([CASES / name]) for case in load(path)]
    assert assert_histories_agree(cases) > 100


@pytest.mark.slow
def test_whole_sites() -> None:
    """Their documents take from one another, so that the history of one leads through the others."""
    cases = [case for path in find([SITES]) for case in load(path)] if SITES.exists() else []
    assert assert_histories_agree(cases) > 1_000 * len(cases) or not cases


def results_of(documents: list[Any]) -> Mapping[str, Folded]:
    """What the documents of a site come to, those that fail included."""
    deckhand = dialects.find("deckhand")
    options = dialects.make_options(deckhand, {"keep_going": True, "fail_on_missing_sub_src": False})
    return render_with(deckhand, gather([("site.yaml", as_text(documents))]), options).record.results


def test_a_document_that_another_one_changes_cannot_be_replayed_alone() -> None:
    """Its own steps say nothing of what a later document writes into the mapping that both have."""
    site = pair({"a": {"n": {"z": 1}}, "b": {"c": 2}}, {"x": {}}, **taking((".a", ".x"), (".b", ".x.n.y")))
    results = results_of(site)
    above, below = (next(each for name, each in results.items() if f"/{one} " in name) for one in ("d0", "d1"))
    assert above.value["data"]["a"] == below.value["data"]["x"] == {"n": {"z": 1, "y": {"c": 2}}}
    alone = record(above.output, Ledger(results=dict(results)))
    assert alone.value["data"]["a"] == {"n": {"z": 1}}
    *_, last = events_of(above.node.at(("data", "a", "n", "y")))
    assert (last.verdict, last.output, last.result) == ("substituted", below.output.name, {"c": 2})


@given(sharing_sites())
def test_histories_of_documents_that_share_containers(documents: list[Any]) -> None:
    for folded in results_of(documents).values():
        if folded.failed:
            continue
        for path in leaves(folded.value):
            assert history_of(folded.node.at(path)).value is walk(folded.value, path), path
        for each in walk_parts(folded.node):
            # What was read twice, for one text or one after the other, a walk may list twice.
            assert events_once(each.events()) == events_once(events_of(folded.node.at(each.path))), each.path


def events_once(events: Iterable[Event]) -> list[Any]:
    """What identifies each event, in their order."""
    return list(dict.fromkeys((one.verdict, one.output, one.step, one.path, one.origin) for one in events))
