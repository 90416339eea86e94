"""Search for values: what is found agrees with the histories of all values, and is found in every output."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lamina
from lamina.engine.secrecy import SECRET
from lamina.paths import MISSING, walk
from lamina.values import same
from lamina.views.explain import in_brief
from lamina.workspace.find_value import FoundValue, find_value, values_found
from lamina.workspace.line_uses import uses_in_results
from lamina.workspace.requested_text import RequestedText, matches_text
from support.golden_results import golden_results
from support.styled_layers import DIALECTS, keys_in, rendered, scalars_in, styled_layers
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


def places(result: lamina.Result, text: str) -> list[FoundValue]:
    return list(values_found(result, RequestedText(text)))


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_line_that_sets_a_key_is_found_with_what_it_says(dialect: str, data: st.DataObject) -> None:
    result, files = rendered(data.draw(styled_layers(dialect)))
    written = {name: list(keys_in(text)) for name, text in files.items()}
    for text in ("a", "b", "c"):
        found = [each for each in places(result, text) if each.value != text]  # keys may become items, in cloud-init
        assert all(each.verdict != "computed" for each in found)
        lines = {(repr(each.value), *tuple(each.origin or ())[:3]) for each in found}
        expected = {
            (repr(each.value), name, each.line, each.column)
            for name, keys in written.items()
            for each in keys
            if each.key == text
        }
        assert lines == expected if dialect != "hiera" else lines <= expected  # below the highest level nothing is read
        check_those_that_count(result, found)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_value_is_found_on_its_line(dialect: str, data: st.DataObject) -> None:
    result, files = rendered(data.draw(styled_layers(dialect)))
    for name, text in files.items():
        for scalar in scalars_in(text):
            if re.match("(low|high)[0-9]", str(scalar.value)):
                found = places(result, scalar.value)
                assert {tuple(each.origin or ())[:3] for each in found} <= {(name, scalar.line, scalar.column)}
                assert found or dialect == "hiera"
                assert all(each.value == scalar.value for each in found)
                check_those_that_count(result, found)


def check_those_that_count(result: lamina.Result, found: list[FoundValue]) -> None:
    """What counts is in the result, at its path, and `where` says the same of every line."""
    names = [output.output.name for output in result.outputs]
    for each in found:
        path = (names.index(each.output), *each.path) if each.output else each.path
        at_path = walk(result.plain, path)
        if each.verdict == "wins" and not isinstance(each.value, (dict, list)):
            assert same(at_path, each.value)
        assert each.origin is not None
        uses = uses_in_results([("", result)], *each.origin[:2], column=each.origin.column + 1)
        said = {use.verdict for use in uses if use.path == path[: len(use.path)]}
        # Of a value that was computed from a mapping, as cloud-init does, a line is both or the one or the other.
        expected = {"wins", "merged"} if each.counts else {each.verdict}
        assert said & expected or (isinstance(each.value, (dict, list)) and not said), (each, uses)


def test_the_same_path_of_two_outputs_is_found_in_both() -> None:
    found = list(values_found(render_toys(*SITE), RequestedText("localhost")))
    assert [(each.output, each.path) for each in found] == [
        ("base", ("web", "host")),
        ("web", ("web", "host")),
        ("db", ("web", "host")),
        ("all", ("web", "host")),
    ]


def test_a_value_has_its_own_type_and_an_overridden_one_is_found() -> None:
    layers = [("a.yaml", "#cloud-config\nport: 80\n"), ("b.yaml", "#cloud-config\nport: 8080\n")]
    (overridden,) = values_found(lamina.render(layers, dialect="cloud-init"), RequestedText("80"))
    assert overridden[:3] == (None, ("port",), 80)
    assert str(overridden.origin) == "a.yaml:2:7"
    assert not overridden.counts


def test_a_secret_is_not_found() -> None:
    assert list(values_found(render_toys(*SITE), RequestedText("hunter2-in-the-vault"))) == []
