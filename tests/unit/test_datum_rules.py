"""Rules of Datum that golden cases do not show: patterns, the mode of the manual, defaults."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.dialects.datum import powershell_regex
from lamina.dialects.datum.equality import number_of, text_form
from lamina.dialects.datum.lookup import SecondRound
from lamina.engine.fold import fold_output
from lamina.engine.node import LiteralNode
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.whole import TAKE, RejectPair
from lamina.engine.plan import Directive, From, Output, Start
from lamina.engine.policy import Cases, Policy
from lamina.engine.step_context import Folded
from lamina.errors import LaminaError, Severity
from lamina.values import ABSENT, ALL, MAPS
from lamina.views.result import Result


def render(*values: str, compat: str = "program", **options: Any) -> Result:
    files = [(f"l{at}.yml", f"A: {value}\n") for at, value in enumerate(values)]
    names = [name for name, _ in files]
    return lamina.render(files, dialect="datum", compat=compat, lookup="A", layers=names, **options)


def test_a_pattern_that_never_ends_is_stopped() -> None:
    key = "a" * 60 + "b"
    with pytest.raises(LaminaError) as caught:
        render(f"{{{key}: {{x: 1}}}}", f"{{{key}: {{y: 1}}}}", lookup_options={"A": "deep", r"^A\\(a|aa|a?)+$": "hash"})
    assert caught.value.diagnostic.code == "pattern-too-slow"


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^a\z", "A", True),
        (r"^a\Z", "a\n", True),
        (r"^a\z", "a\n", False),
        (r"^(?'n'a)\k'n'$", "aA", True),
        (r"^[\w-]+$", "a-b", True),
    ],
)
def test_patterns_are_translated(pattern: str, text: str, found: bool) -> None:
    assert powershell_regex.search(pattern, text) is found
    assert powershell_regex.searcher(pattern)(text) is found


@given(st.text("-~!@_09 <a", max_size=3), st.text("-~!@_09 <aA", max_size=6))
def test_a_pattern_without_metacharacters_is_searched_for_as_it_is(pattern: str, text: str) -> None:
    assert powershell_regex.searcher(pattern)(text) is powershell_regex.search(pattern, text)


@pytest.mark.parametrize("pattern", [r"^(?<a-b>x)", "^[a-z-[aeiou]]", r"^\cA"])
def test_patterns_without_a_counterpart_are_rejected(pattern: str) -> None:
    with pytest.raises(LaminaError) as caught:
        render("1", lookup_options={pattern: "hash"})
    assert caught.value.diagnostic.code == "unsupported-pattern"


def test_a_broken_pattern_is_passed_over_with_a_note() -> None:
    result = render("{a: 1}", "{b: 2}", lookup_options={"^(": "hash"})
    assert result.value == {"a": 1}
    assert "bad-pattern" in {note.code for note in result.notes}


def test_patterns_go_in_file_order_and_the_default_last() -> None:
    options = {"^A": "MostSpecific", "^.": "hash"}
    assert render("{a: 1}", "{b: 2}", lookup_options=options, default_lookup_options="deep").value == {"a": 1}
    swapped = dict(reversed(options.items()))
    assert render("{a: 1}", "{b: 2}", lookup_options=swapped).value == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("default", "value"), [("d", "d"), ({}, {}), (None, None), (["x"], ["x"])], ids=["text", "table", "null", "list"]
)
def test_defaults_of_a_strict_lookup(default: Any, value: Any) -> None:
    assert render("null", api="lookup", default=default).value == value


@pytest.mark.parametrize("default", [0, False, "", []], ids=["zero", "false", "empty text", "empty list"])
def test_defaults_that_do_not_count(default: Any) -> None:
    with pytest.raises(LaminaError) as caught:
        render("null", api="lookup", default=default)
    assert caught.value.diagnostic.code == "null-lookup"


DOCUMENTED: list[tuple[tuple[str, ...], Any, Any]] = [
    (("[x]", "[y]"), "MostSpecific", ["x"]),
    (("[]",), "MostSpecific", []),
    (("[a, b]", "[b, c]", "[c, d]"), "Unique", ["c", "d", "b", "a"]),
    (("{l: [a]}", "{l: [b]}"), "deep", {"l": ["b", "a"]}),
    (("{n: {--b: null}}", "{n: {a: 1, b: 2}}"), "deep", {"n": {"a": 1}}),
    (("{a--b: 1}",), "hash", {"a--b": 1}),
    (("{--b: null}", "{a: 1, b: 2}"), {"merge_hash": "hash"}, {"a": 1}),
    (
        ("[a]", "[--a, b]", "[a, c]"),
        {"merge_baseType_array": "Sum", "merge_options": {"knockout_prefix": "--"}},
        ["a", "b", "c"],
    ),
    (
        ("[{N: a, h: {p: 1}}]", "[{N: a, h: {q: 2}}]"),
        {"merge_hash_array": "DeepTuple", "merge_options": {"tuple_keys": ["N"]}},
        [{"N": "a", "h": {"p": 1, "q": 2}}],
    ),
    (
        ("[{N: --b}]", "[{N: b}, {N: c}]"),
        {"merge_hash_array": "Sum", "merge_options": {"tuple_keys": ["N"], "knockout_prefix": "--"}},
        [{"N": "c"}],
    ),
    (("[]", "[{N: b}]"), {"merge_hash_array": "DeepTuple", "merge_options": {"tuple_keys": ["N"]}}, [{"N": "b"}]),
]


@pytest.mark.parametrize(("values", "entry", "expected"), DOCUMENTED)
def test_what_the_manual_says(values: tuple[str, ...], entry: Any, expected: Any) -> None:
    result = render(*values, compat="manual", lookup_options={"A": entry})
    assert result.value == expected
    assert result.compat_notes


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (1.5, "1.5"), (1e20, "1E+20"), (1.25e-7, "1.25E-07"), (1e15, "1E+15"), (True, "True"), (None, "")],
)
def test_text_forms(value: Any, text: str) -> None:
    assert text_form(value) == text


@pytest.mark.parametrize(
    ("text", "number"), [("", 0), (" 1 ", 1), ("1.5", 1.5), ("0x10", 16), ("x", None), ("1e3", 1000)]
)
def test_numbers_in_texts(text: str, number: Any) -> None:
    assert number_of(text) == number


def test_the_warning_of_the_second_round_is_not_a_mistake_of_the_user() -> None:
    """Two lists of one item each: the program warns that a string and a list differ, and gives the same value."""
    (note,) = (each for each in render("[x]", "[y]").notes if each.code == "different-types")
    assert (note.code, note.severity, note.hint) == (
        "different-types",
        Severity.INFO,
        "nothing to do: a list with one item has become that item",
    )
    assert "a string and a list differ" in note.message
    (real,) = (each for each in render("x", "[y]").notes if each.severity is Severity.WARNING)
    assert real.code == "different-types"


def test_a_second_round_is_run_for_its_findings_only() -> None:
    clash = RejectPair("clash")
    strict = Policy(Cases((MAPS, MAPS, Union(Cases(((ABSENT,), ALL, TAKE), (ALL, ALL, clash)))), (ALL, ALL, TAKE)))
    by = Directive("a test")

    def folded(value: dict[str, int]) -> Folded:
        start = Start(directive=by, take=From(source=LiteralNode({"a": 1}, ())))
        again = SecondRound(directive=by, take=From(source=LiteralNode(value, ())), policy=strict)
        return fold_output(Output(name="A", steps=(start, again)), {})

    assert folded({"b": 2}).value == {"a": 1}
    assert folded({"a": 2}).failed
