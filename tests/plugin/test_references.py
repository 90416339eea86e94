"""`lamina.plugin.references`: notations, and filling in on the merged result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import lamina
from lamina import plugin as lp
from lamina.plugin import extensions as lpx
from lamina.plugin import references as lpr
from lamina.sources.inputs import gather
from lamina.views.render import render_explained

PATHS = lpr.References("${", "}", escape="$")
NESTED = lpr.References("${", "}", separator=":", nested=True, escape="\\")
LATER = lp.Policy(
    lp.Cases(
        (lp.MAPS, lp.MAPS, lp.Union(lp.Cases(((lp.ABSENT,), lp.ALL, lp.TAKE), (lp.ALL, lp.ALL, lp.DESCEND)))),
        (lp.ALL, lp.ALL, lp.TAKE),
    )
)


def taken_apart(references: lpr.References, text: str) -> list[Any]:
    """Texts as they are, references as tuples of the parts of their names."""

    def shown(part: str | lpr.Reference) -> Any:
        return part if isinstance(part, str) else tuple(map(shown, part.name))

    return [shown(part) for part in references.parts(text)]


@pytest.mark.parametrize(
    ("references", "text", "parts"),
    [
        (PATHS, "plain $ text", ["plain $ text"]),
        (PATHS, "a${b}c${d.e}", ["a", ("b",), "c", ("d.e",)]),
        (PATHS, "$${b}", ["${", "b}"]),
        (PATHS, "$$${b}", ["$", "${", "b}"]),
        (PATHS, "${a${b}}", [("a${b",), "}"]),
        (NESTED, "${a:${b}}", [("a:", ("b",))]),
        (NESTED, "${a:${b:${c}}:d} e", [("a:", ("b:", ("c",)), ":d"), " e"]),
        (NESTED, r"\${a}", ["${", "a}"]),
        (NESTED, r"\\${a}", ["\\", ("a",)]),
        (NESTED, r"\a ${b}", [r"\a ", ("b",)]),
        (lpr.References("%{", "}", unclosed="plain"), "%{a} %{b", [("a",), " ", "%{", "b"]),
        (lpr.References("{{", "}}"), "{{ a }}{b}", [(" a ",), "{b}"]),
    ],
)
def test_a_string_is_taken_apart(references: lpr.References, text: str, parts: list[Any]) -> None:
    assert taken_apart(references, text) == parts


@pytest.mark.parametrize(("references", "text"), [(PATHS, "a ${b"), (NESTED, "${a:${b}")])
def test_a_reference_without_an_end_is_an_error(references: lpr.References, text: str) -> None:
    with pytest.raises(lpr.UnclosedReference):
        list(references.parts(text))


@dataclass(frozen=True)
class NoOptions:
    """The dialect has none."""


def rendered(references: lpr.References, *texts: str, path: lp.Path = ()) -> lamina.Result:
    """Files merged in order, later ones on top, with their references filled in."""

    def compile_inputs(inputs: lp.Inputs, options: Any) -> lp.Compiler:
        nodes = [lp.read_yaml(source, inputs.run).root(source.name) for source in inputs.sources]
        merges = [lp.merge(node, LATER, "later wins") for node in nodes]
        yield from lp.output("result", lp.start(), *merges, lpr.interpolate(references, path))

    dialect: lp.Dialect[Any] = lp.Dialect(
        name="toy", title="toy", options=NoOptions, detect=lambda _: False, compile=compile_inputs
    )
    inputs = gather([(f"{number}.yaml", text) for number, text in enumerate(texts)])
    return render_explained(dialect, inputs, NoOptions())


def origins(result: lamina.Result, path: lp.Path) -> set[str]:
    (folded,) = result.outputs
    return {str(origin) for origin in lpx.origins_of(folded.node.at(path))}


@pytest.mark.parametrize(
    ("references", "texts", "value"),
    [
        (PATHS, ["a: x${b}\nb: 1\n", "b: 2\n"], {"a": "x2", "b": 2}),
        (PATHS, ["a: ${b[0].c}\nb: [{c: [1]}]\n"], {"a": [1], "b": [{"c": [1]}]}),
        (NESTED, ["a: ${b:${c}}\nb: {x: 1, y: 2}\nc: x\n", "c: y\n"], {"a": 2, "b": {"x": 1, "y": 2}, "c": "y"}),
        (NESTED, ["a: ${b:c}\nb: ${d}\nd: {c: [1, 2]}\n"], {"a": [1, 2], "b": {"c": [1, 2]}, "d": {"c": [1, 2]}}),
        (NESTED, ["a: ${b:1}\nb: [x, '${c}']\nc: 5\n"], {"a": 5, "b": ["x", 5], "c": 5}),
        (NESTED, ["a: {b: '${a:c}', c: '${a:d}', d: 1}\n"], {"a": {"b": 1, "c": 1, "d": 1}}),
        (NESTED, ["a: '\\${b} \\\\${b}'\nb: 1\n"], {"a": "${b} \\1", "b": 1}),
        (lpr.References("${", "}", missing="keep"), ["a: <${b}>\nc: ${d}\n"], {"a": "<${b}>", "c": "${d}"}),
    ],
)
def test_references_are_filled_in_on_the_merged_result(
    references: lpr.References, texts: list[str], value: Any
) -> None:
    assert rendered(references, *texts).value == value


def test_names_may_start_from_a_part_of_the_output() -> None:
    result = rendered(NESTED, "classes: ['${x}']\nparameters: {a: '${b:c}', b: {c: [1]}}\n", path=("parameters",))
    assert result.value == {"classes": ["${x}"], "parameters": {"a": [1], "b": {"c": [1]}}}
    assert origins(result, ("parameters", "a", 0)) == {"0.yaml:2:17", "0.yaml:2:35"}
    with pytest.raises(lamina.LaminaError) as caught:
        rendered(NESTED, "parameters: {a: '${b}'}\n", path=("parameters",))
    assert caught.value.diagnostic.path == ("parameters", "a")


def test_a_filled_in_value_comes_from_its_string_and_from_all_that_it_read() -> None:
    result = rendered(NESTED, "a: <${b:${c}}>\nb: {x: 1}\nc: x\n")
    assert origins(result, ("a",)) == {"0.yaml:1:4", "0.yaml:2:8", "0.yaml:3:4"}


@pytest.mark.parametrize(
    ("references", "text", "finding"),
    [
        (PATHS, "a: ${b}\nb: ${a}\n", "0.yaml:1:4: references go round in a circle: a → b → a [reference-cycle]"),
        (NESTED, "a: {b: '${a:b}'}\n", "0.yaml:1:8: references go round in a circle: a:b → a:b [reference-cycle]"),
        (NESTED, "a: ${b:c}\nb: ${a}\n", "0.yaml:1:4: references go round in a circle: a → b → a [reference-cycle]"),
        (NESTED, "a: ${b:${a}}\nb: 1\n", "0.yaml:1:4: references go round in a circle: a → a [reference-cycle]"),
        (NESTED, "a: ${b:d}\nb: {c: 1}\n", "0.yaml:1:4: ${b:d} names nothing: no layer sets b:d [unknown-reference]"),
        (NESTED, "a: x${b}\nb: [1]\n", "0.yaml:1:4: ${b} is a list, which cannot be part of a string"),
        (NESTED, "a: ${b\n", "0.yaml:1:4: a reference in '${b' has no closing brace [bad-reference]"),
    ],
)
def test_what_cannot_be_filled_in_is_said(references: lpr.References, text: str, finding: str) -> None:
    with pytest.raises(lamina.LaminaError) as caught:
        rendered(references, text)
    assert len(caught.value.diagnostics) == 1
    assert str(caught.value.diagnostic).startswith(finding)


def test_references_that_grow_are_stopped() -> None:
    lines = ["a0: [x, x, x, x, x, x, x, x]"]
    for number in range(1, 12):
        lines += [f"a{number}:", *[f"- ${{a{number - 1}}}"] * 10]
    with pytest.raises(lamina.LaminaError) as caught:
        rendered(PATHS, "\n".join(lines))
    assert caught.value.diagnostic.code == "result-too-large"
