"""Rules by name give what their words say, marks on keys included."""

from __future__ import annotations

from typing import Any

import pytest

import lamina
from lamina import plugin as lp
from lamina.errors import LaminaError
from lamina.plugin import hierarchy as lph


class Files(lph.NodeSystem):
    """One node, merged from all files."""

    def __init__(self, inputs: lp.Inputs, rules: lp.Rules) -> None:
        self.inputs, self.rules = inputs, rules

    def nodes(self) -> dict[str, lp.Origin | None]:
        return {"all": None}

    def steps(self, name: str) -> Any:
        yield lp.start()
        sources = self.inputs.sources
        yield from self.rules.merges(
            (each.name, lp.read_yaml(each, self.inputs.run).root(each.name)) for each in sources
        )


def merged(rules: lp.Rules, *texts: str) -> Any:
    dialect = lph.node_dialect("files", title="files", system_of=lambda inputs, options: Files(inputs, rules))
    return lamina.render([(f"{number}.yaml", text) for number, text in enumerate(texts)], dialect, node="all").value


@pytest.mark.parametrize(
    ("words", "texts", "value"),
    [
        ({}, ["m: {a: 1}", "m: {b: 2}"], {"m": {"a": 1, "b": 2}}),
        ({"maps": "replace"}, ["m: {a: 1}", "m: {b: 2}"], {"m": {"b": 2}}),
        ({}, ["l: [1]", "l: [2]"], {"l": [2]}),
        ({"lists": "append"}, ["l: [1]", "l: [2]"], {"l": [1, 2]}),
        ({"lists": "prepend"}, ["l: [1]", "l: [2]"], {"l": [2, 1]}),
        ({"lists": "unique"}, ["l: [1, 2]", "l: [2, 3, 3]"], {"l": [1, 2, 3]}),
        ({"lists": "unique", "removes": "~"}, ["l: [a, b]", "l: [~a, c]"], {"l": ["b", "c"]}),
        ({"null": "value"}, ["a: 1", "a: ~"], {"a": None}),
        ({"null": "delete"}, ["a: 1\nb: 1", "a: ~\nc: ~"], {"b": 1}),
        ({"null": "ignored"}, ["a: 1", "a: ~"], {"a": 1}),
        ({"null": "replaced", "other_types": "reject"}, ["a: ~", "a: {b: 1}"], {"a": {"b": 1}}),
        ({"other_types": "keep"}, ["a: {b: 1}", "a: 2"], {"a": {"b": 1}}),
        ({"marks": {"!": "replace"}}, ["m: {a: {x: 1}}", "m: {'!a': {y: 2}}"], {"m": {"a": {"y": 2}}}),
        ({"marks": {"=": "constant"}}, ["'=a': 1", "b: 2"], {"a": 1, "b": 2}),
        (
            {"other_types": "reject unless replaced", "marks": {"!": "replace"}},
            ["m: {a: [1]}", "m: {a: {b: 1}}", "'!m': {c: 1}"],
            {"m": {"c": 1}},
        ),
        (
            {"marks": {"!": "replace", "=": "constant"}},
            ["m: {'=a': 1}", "'!m': {a: 2}", "m: {a: 3}"],
            {"m": {"a": 3}},
        ),
    ],
)
def test_words_mean_what_they_say(words: dict[str, Any], texts: list[str], value: Any) -> None:
    assert merged(lp.Rules("test", **words), *texts) == value


@pytest.mark.parametrize(
    ("words", "texts", "code"),
    [
        ({"other_types": "reject"}, ["a: [1]", "a: {b: 1}"], "different-types"),
        (
            {"other_types": "reject unless replaced", "marks": {"!": "replace"}},
            ["a: [1]", "a: {b: 1}"],
            "different-types",
        ),
        ({"marks": {"=": "constant"}}, ["'=a': 1", "a: 2"], "changed-constant"),
        ({"null": "replaced", "marks": {"=": "constant"}}, ["'=a': ~", "a: 2"], "changed-constant"),
    ],
)
def test_what_is_rejected_names_both_places(words: dict[str, Any], texts: list[str], code: str) -> None:
    with pytest.raises(LaminaError) as caught:
        merged(lp.Rules("test", **words), *texts)
    finding = caught.value.diagnostic
    assert (finding.code, finding.at and finding.at.source) == (code, "1.yaml")
    assert finding.related[0][1].source == "0.yaml"


def test_a_mark_keeps_the_line_of_its_key() -> None:
    rules = lp.Rules("test", marks={"!": "replace"})
    dialect = lph.node_dialect("files", title="files", system_of=lambda inputs, options: Files(inputs, rules))
    result = lamina.render([("0.yaml", "a: {x: 1}"), ("1.yaml", "'!a': {y: 2}")], dialect, node="all")
    assert [str(event.origin) for event in result.explain("a.y").events] == ["1.yaml:1:11"]
