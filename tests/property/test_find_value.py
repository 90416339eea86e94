"""Search for values: what is found agrees with the histories of all values, and is found in every output."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lamina
from lamina.dialects import registry
from lamina.engine.secrecy import SECRET
from lamina.paths import MISSING, leaves, show, walk
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.sources.json.brief import in_brief
from lamina.values import same
from lamina.views.render import render_with
from lamina.workspace.find_value import FoundValue, values_found
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


@pytest.mark.parametrize(
    ("name", "least"),
    [("cloud-init", 500), ("heat", 500), ("deckhand", 500), ("datum", 300), ("hiera", 200), ("layers", 100)],
)
def test_every_value_of_the_result_is_found(name: str, least: int) -> None:
    compared = 0
    for case, result in golden_results(name):
        for text in texts_of(result):
            having = {(each.output, each.path) for each in result.explain_all() if matches_text(each.value, text)}
            found = places(result, text)
            assert having <= {(each.output, each.path) for each in found if each.counts}, (case.id, text)
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
            if each.key == text and name != "data/options.yaml"
        }
        assert lines == expected
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
                assert found
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


LEVELS = {
    "Datum.yml": "ResolutionPrecedence:\n- AllNodes\\$($Node.Name)\n- Roles\\Web\n- Baselines\\All\n",
    "AllNodes/n.yml": "Name: n\nConfigurations: [Net, Web]\nNet: {Mtu: 1}\n",
    "Roles/Web.yml": "Net: {Mtu: 2}\nWeb: {Port: 80}\n",
    "Baselines/All.yml": "Net:\n  Mtu: 3\n  Dns: [4]\nOther: {Mtu: 5}\n",
}


def test_what_no_lookup_of_datum_came_to_is_overridden() -> None:
    dialect = registry.find("datum")
    inputs = Inputs((Folder("tree", MemoryFiles(LEVELS)),))
    result = render_with(dialect, inputs, registry.make_options(dialect, {"node": "n"}))
    found = [(show(each.path), each.value, str(each.origin), each.verdict) for each in places(result, "Mtu")]
    assert found == [
        ("Net.Mtu", 1, "AllNodes/n.yml:3:12", "wins"),
        ("Net.Mtu", 2, "Roles/Web.yml:1:12", "overridden"),
        ("Net.Mtu", 3, "Baselines/All.yml:2:8", "overridden"),
    ]
    (use,) = uses_in_results([("n", result)], "Baselines/All.yml", 3)
    assert (use.where, use.verdict, str(use.by)) == ("Net.Dns", "overridden", "AllNodes/n.yml:3:6")


def test_a_secret_of_a_level_that_is_not_reached_is_not_found() -> None:
    files = {
        "hiera.yaml": "version: 5\nhierarchy:\n- {name: all, paths: [high.yaml, low.yaml]}\n",
        "data/high.yaml": "lookup_options: {t: {convert_to: Sensitive}}\nt: hush\n",
        "data/low.yaml": "t: quiet\nu: quiet\n",
        "facts/n.yaml": "f: 1\n",
    }
    dialect = registry.find("hiera")
    inputs = Inputs((), MemoryFiles(files))
    result = render_with(dialect, inputs, registry.make_options(dialect, {"node": "n"}))
    assert [show(each.path) for each in places(result, "quiet")] == ["u"]
    assert all(each.value == SECRET for each in places(result, "t"))


@pytest.mark.parametrize(("dialect", "least"), [("deckhand", 50), ("hiera", 1)])
def test_no_secret_of_the_cases_is_found_by_its_value(dialect: str, least: int) -> None:
    looked_for = 0
    for case, result in golden_results(dialect):
        for number, output in enumerate(result.outputs if result.hides_secrets else ()):
            output_name = output.output.name if result.many else None
            for path in leaves(output.node.value):
                node = output.node.at(path)
                if result.shown_value(node) == SECRET != node.value:
                    looked_for += 1
                    full_path = (number, *path) if result.many else path
                    text = str(node.value)
                    found = places(result, text)
                    assert (output_name, path, text) not in [x[:3] for x in found], case
                    by_key = places(result, str(path[-1])) if path and isinstance(path[-1], str) else []
                    here = [each for each in by_key if each.path == path and each.output == output_name]
                    assert not [each for each in here if each.value == node.value], case
                    assert result.explain(full_path).value == SECRET
    assert looked_for > least
