"""Replay: the outputs of every golden case and of whole Airship sites have a history that agrees with their value.

An output that was evaluated is folded again when somebody asks; that raises an error where its value is another one.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lamina.conformance.case import Case, find, load
from lamina.conformance.check import settings_of
from lamina.dialects import registry as dialects
from lamina.engine.history import history_of
from lamina.engine.step_context import Folded
from lamina.errors import LaminaError
from lamina.paths import MISSING, leaves, walk
from lamina.views.render import render_with
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
