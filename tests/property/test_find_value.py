"""Search for values: what is found agrees with the histories of all values, and is found in every output."""

from __future__ import annotations

import pytest

import lamina
from lamina.engine.secrecy import SECRET
from lamina.paths import MISSING
from lamina.views.explain import in_brief
from lamina.views.find_value import find_value, matches_text, values_found
from support.golden_results import golden_results
from support.toys import SITE, render_toys


def texts_of(result: lamina.Result) -> list[str]:
    """Some of the values in a result and of those that its layers set, as they are written."""
    values = [event.value for history in result.explain_all() for event in history.events]
    shown = [each for each in values if not isinstance(each, (dict, list)) and each not in (SECRET, MISSING)]
    scalars = [each if isinstance(each, str) else in_brief(each) for each in shown]
    distinct = list(dict.fromkeys(scalars))
    return distinct[:: max(1, len(distinct) // 4)]


def has_text(history: lamina.History, text: str) -> bool:
    return matches_text(history.value, text) or any(matches_text(event.value, text) for event in history.events)


@pytest.mark.parametrize(
    ("name", "least"),
    [("cloud-init", 500), ("heat", 500), ("deckhand", 500), ("datum", 300), ("hiera", 200), ("layers", 100)],
)
def test_every_history_with_a_value_is_found(name: str, least: int) -> None:
    compared = 0
    for case, result in golden_results(name):
        for text in texts_of(result):
            expected = {(each.output, each.path) for each in result.explain_all() if has_text(each, text)}
            found = {(each.output, each.path) for each in find_value(result, text)[1]}
            assert expected <= found, (case.id, text)
            compared += 1
    assert compared > least


def test_the_same_path_of_two_outputs_is_found_in_both() -> None:
    found = list(values_found(render_toys(*SITE), "localhost"))
    assert [(each.output, each.path) for each in found] == [
        ("base", ("web", "host")),
        ("web", ("web", "host")),
        ("db", ("web", "host")),
        ("all", ("web", "host")),
    ]


def test_a_value_has_its_own_type_and_an_overridden_one_is_found() -> None:
    layers = [("a.yaml", "#cloud-config\nport: 80\n"), ("b.yaml", "#cloud-config\nport: 8080\n")]
    (overridden,) = values_found(lamina.render(layers, dialect="cloud-init"), "80")
    assert overridden[:3] == (None, ("port",), 80)
    assert str(overridden.origin) == "a.yaml:2:7"
    assert not overridden.counts


def test_a_secret_is_not_found() -> None:
    assert list(values_found(render_toys(*SITE), "hunter2-in-the-vault")) == []
