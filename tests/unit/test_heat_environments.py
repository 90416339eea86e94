"""Heat's rule sets, sections and errors: what is detected, and what is reported where Heat reports nothing."""

from __future__ import annotations

import pickle
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.dialects.heat.engine_rules import EngineRun
from lamina.engine.plan import Directive
from lamina.errors import Diagnostic, LaminaError
from lamina.origins import Origin
from lamina.paths import leaves
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.views.explain import as_tree, hints_for
from support.heat_runs import DEEP, MERGE, TEMPLATE, render


def rejection(*texts: str, **options: Any) -> Diagnostic:
    with pytest.raises(LaminaError) as caught:
        render(*texts, **options)
    return caught.value.diagnostic


def place(finding: Diagnostic) -> tuple[str, int] | None:
    return (finding.at.source, finding.at.line) if finding.at else None


def test_the_surface_is_found_from_the_sections() -> None:
    spec = "merge_strategy: {list: extend}\nparameters: {other: [a]}\n"
    assert render(spec, "parameters: {other: [b]}\n").value == {"parameters": {"other": ["a", "b"]}}
    shipped = "parameter_merge_strategies: {}\nparameters: {other: [a]}\n"
    assert render(shipped, "parameters: {other: [b]}\n").value == {"parameters": {"other": ["a"]}}


def test_both_strategy_sections_in_one_run_are_rejected() -> None:
    finding = rejection("merge_strategy: {list: extend}\n", "parameters: {}\nparameter_merge_strategies: {}\n")
    assert finding.code == "mixed-rule-sets"
    assert place(finding) == ("e1.yaml", 1)
    assert [(origin.source, origin.line) for _, origin in finding.related] == [("e2.yaml", 2)]
    assert finding.hint is not None and "--rule-set" in finding.hint


def test_a_forced_surface_names_the_section_it_does_not_know() -> None:
    finding = rejection("merge_strategy: {list: extend}\n", rule_set="strategies")
    assert (finding.code, finding.path) == ("unknown-section", ("merge_strategy",))
    assert finding.hint is not None and "parameter_merge_strategies" in finding.hint


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ("zones: [a]", "zones: b", "type-mismatch"),
        ("zones: a", "zones: [b]", "type-mismatch"),
        ("zones: a", "zones: 5", "invalid-parameter-value"),
        ("motd: 5", "motd: x", "type-mismatch"),
        ("motd: x", "motd: true", "invalid-parameter-value"),
        ("count: 1", "count: 2", "invalid-parameter-value"),
        ("count: 1", "count: '2'", "type-mismatch"),
        ("debug: true", "debug: false", "invalid-parameter-value"),
        ("debug: 'on'", "debug: 'off'", "invalid-strategy-for-type"),
        ("extra: '{}'", "extra: {a: 1}", "type-mismatch"),
        ("extra: {a: 1}", "extra: '{a'", "invalid-parameter-value"),
        ("extra: {a: 1}", "extra: [1]", "type-mismatch"),
    ],
)
def test_a_rejection_names_the_parameter_and_both_places(first: str, second: str, code: str) -> None:
    finding = rejection(f"{MERGE}parameters:\n  {first}\n", f"parameters:\n\n  {second}\n")
    assert finding.code == code
    assert finding.path == ("parameters", first.partition(":")[0])
    assert first.partition(":")[0] in finding.message
    assert place(finding) == ("e2.yaml", 3)
    assert [(origin.source, origin.line) for _, origin in finding.related] == [("e1.yaml", 3)]
    assert finding.hint


def test_a_mixed_notation_names_both_notations() -> None:
    finding = rejection(f"{MERGE}parameters: {{zones: [a]}}\n", "parameters: {zones: 'b,c'}\n")
    assert "a list in the earlier files and a string in e2.yaml" in finding.message


def test_a_nested_mismatch_names_the_key_inside_the_parameter() -> None:
    finding = rejection(f"{DEEP}parameters: {{extra: {{a: {{b: 5}}}}}}\n", "parameters: {extra: {a: {b: {c: 1}}}}\n")
    assert finding.path == ("parameters", "extra", "a", "b")


def test_the_first_error_is_the_one_heat_gives() -> None:
    conflict = "parameter_merge_strategies: {zones: overwrite}\nparameters: {count: 2, zones: [b]}\n"
    first = f"{MERGE}parameters: {{zones: [a], count: 1}}\n"
    assert rejection(first, conflict, "nonsense: 1\n").code == "conflicting-strategy"
    assert rejection(first, "parameters: {count: 2}\n", "nonsense: 1\n").code == "invalid-parameter-value"
    assert rejection(first, "parameters: {zones: [c]}\n", "nonsense: 1\n").code == "unknown-section"


def test_three_origins_of_a_text_joined_from_three_files() -> None:
    result = render(f"{MERGE}parameters: {{zones: a}}\n", "parameters: {zones: b}\n", "parameters: {zones: 'c,d'}\n")
    history = result.explain("parameters.zones")
    assert history.value == "a,b,c,d"
    assert [origin.source for origin in history.origins] == ["e1.yaml", "e2.yaml", "e3.yaml"]
    assert [str(event.directive) for event in history.events][1:] == [
        "strategy merge (the file's default) at e1.yaml:1:30",
        "strategy merge (the file's default) at e1.yaml:1:30",
    ]


def test_integer_keys_keep_their_places_on_the_way_through_json() -> None:
    result = render(f"{DEEP}parameters: {{extra: {{1: a}}}}\n", "parameters:\n  extra:\n    1: {2: b}\n    null: c\n")
    assert result.value == {"parameters": {"extra": {1: "a", "1": {"2": "b"}, "null": "c"}}}
    origin = result.explain(("parameters", "extra", "1", "2")).origins[0]
    assert (origin.source, origin.line) == ("e2.yaml", 3)


def test_dropped_parameters_are_reported() -> None:
    result = render("parameters: {zones: [a]}\n", "parameters: {zonse: [b], count: null}\n")
    assert result.value == {"parameters": {"zones": ["a"]}}
    shown = {note.code: note for note in result.notes}
    assert shown["undeclared-parameter"].hint is not None and "zones" in shown["undeclared-parameter"].hint
    assert shown["null-ignored"].path == ("parameters", "count")


def test_without_a_template_one_note_lists_what_is_missing() -> None:
    result = render("parameters: {a: 1}\n", "parameters: {a: 2, b: 3}\n", template=None)
    assert result.value == {"parameters": {"a": 1}}
    assert [note.code for note in result.notes] == ["no-template"]


def test_a_growing_alias_is_reported() -> None:
    result = render(f"{MERGE}parameters: {{zones: &z [a], dns: *z}}\n", "parameters: {zones: [b]}\n")
    assert result.value == {"parameters": {"zones": ["a", "b"], "dns": ["a", "b"]}}
    assert [note.path for note in result.notes if note.code == "shared-by-alias"] == [("parameters", "zones")]
    assert [event.verdict for event in result.explain("parameters.dns").events] == ["set", "appended"]


def test_a_file_named_twice_shares_nothing_with_itself() -> None:
    text = f"{MERGE}parameters: {{zones: &z [a], dns: *z}}\n"
    memory = MemoryFiles({"template.yaml": TEMPLATE, "e.yaml": text})
    source = memory.read("e.yaml")
    assert source is not None
    result = lamina.render(Inputs((source, source), memory), dialect="heat", template="template.yaml")
    assert result.value == {"parameters": {"zones": ["a", "a", "a"], "dns": ["a", "a", "a"]}}


def test_the_manual_mode_reads_strategies_per_file() -> None:
    files = (f"{MERGE}parameters: {{zones: [a]}}\n", "parameters: {zones: [b]}\n")
    shipped = render(*files)
    assert shipped.value == {"parameters": {"zones": ["a", "b"]}}
    assert [note.code for note in shipped.compat_notes] == ["compat-differs"]
    assert render(*files, compat="manual").value == {"parameters": {"zones": ["b"]}}


def test_what_heat_rejects_as_a_conflict_the_manual_merges() -> None:
    files = ("parameters: {zones: [a]}\n", f"{MERGE.replace('default', 'zones')}parameters: {{zones: [b]}}\n")
    assert rejection(*files).code == "conflicting-strategy"
    assert render(*files, compat="manual").value == {"parameters": {"zones": ["a", "b"]}}


def test_the_manual_knows_encrypted_parameters() -> None:
    assert rejection("encrypted_parameters: [zones]\n").code == "unknown-section"
    documented = render("encrypted_parameters: [zones]\n", compat="manual")
    assert documented.value == {"encrypted_parameters": ["zones"]}


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ("merge_strategy: [list]\n", "", "type-mismatch"),
        ("merge_strategy: {tuple: extend}\n", "", "unknown-strategy"),
        ("merge_strategy: {parameters: {a: prepend}}\n", "", "unknown-strategy"),
        ("merge_strategy: {parameters: [a]}\n", "", "unknown-strategy"),
        ("merge_strategy: {parameters: {count: append}}\nparameters: {count: 1}\n", "", "invalid-strategy-for-type"),
        (
            "merge_strategy: {parameters: {dns: append}}\nparameters: {dns: a}\n",
            "parameters: {dns: b}\n",
            "type-mismatch",
        ),
        (
            "merge_strategy: {parameters: {new: merge}}\nparameters: {new: a}\n",
            "parameters: {new: {}}\n",
            "type-mismatch",
        ),
        ("merge_strategy:\nparameters: {}\n", "", "empty-section"),
    ],
)
def test_what_the_specification_rejects(first: str, second: str, code: str) -> None:
    assert rejection(first, second, rule_set="spec").code == code


def test_a_conflict_of_the_specification_names_both_places() -> None:
    finding = rejection("merge_strategy: {dict: merge}\n", "\nmerge_strategy: {dict: deep_merge}\n")
    assert (finding.code, place(finding)) == ("conflicting-strategy", ("e2.yaml", 2))
    assert [(origin.source, origin.line) for _, origin in finding.related] == [("e1.yaml", 1)]


def test_texts_of_lists_and_maps_in_the_specification() -> None:
    first = "merge_strategy: {list: extend, dict: merge}\nparameters: {zones: 'a,b', extra: '{\"a\": 1}', dns: ''}\n"
    result = render(first, "parameters: {zones: [c], extra: '{\"b\": 2}', dns: 'x'}\n")
    assert result.value == {"parameters": {"zones": ["a", "b", "c"], "extra": {"a": 1, "b": 2}, "dns": "x"}}
    assert [origin.source for origin in result.explain("parameters.zones[1]").origins] == ["e1.yaml"]
    assert [origin.source for origin in result.explain("parameters.zones[2]").origins] == ["e2.yaml"]


def test_request_parameters_come_first_and_say_so() -> None:
    result = render("parameters: {count: 5}\n", initial_parameters={"count": 3, "motd": "hello"})
    assert result.value == {"parameters": {"count": 5, "motd": "hello"}}
    events = result.explain("parameters.count").events
    assert [event.verdict for event in events] == ["set", "replaced"]
    assert str(events[0].directive) == "parameters sent with the request"


@pytest.mark.parametrize(
    "text",
    [
        "parameters: {extra: '" + "[" * 100_000 + "'}",
        "parameters: {extra: '" + '{"a":' * 300 + "1" + "}" * 300 + "'}",
        "parameters: {extra: '" + "9" * 5000 + "'}",
        "parameters: &p {extra: *p}",
        "? [a]\n: b",
        "\x00",
        "parameters: !!set {zones}",
    ],
)
def test_hostile_texts_end_in_a_rejection(text: str) -> None:
    assert rejection(f"{DEEP}parameters: {{extra: {{a: 1}}}}\n", text).code


def test_deep_values_are_merged() -> None:
    deep = "{a: " * 180 + "{}" + "}" * 180
    result = render(
        f"{DEEP}parameters: {{extra: {deep}}}\n", f"parameters: {{extra: {deep.replace('{}', '{b: 1}')}}}\n"
    )
    assert result.explain(("parameters", "extra", *["a"] * 180, "b")).value == 1


def hints(result: lamina.Result, path: str) -> list[str]:
    return hints_for(result.explain(path), result)


def test_surprises_get_a_hint() -> None:
    result = render(
        f"{DEEP.replace('default', 'extra')}parameters: {{zones: [a], ghost: 1, count: 1, extra: {{a: x}}}}\n",
        "parameters: {zones: [b], ghost: 2, count: null, extra: {a: y}}\n",
    )
    assert "set zones: merge" in hints(result, "parameters.zones")[0]
    assert "no template declares ghost" in hints(result, "parameters.ghost")[0]
    assert "null is ignored" in hints(result, "parameters.count")[0]
    assert "concatenates strings" in hints(result, "parameters.extra.a")[0]
    assert hints(result, "parameters.extra") == []


def test_the_line_of_a_section_is_looked_up_when_it_is_asked_for() -> None:
    steps = render("parameters: {motd: a}\n", "\nparameters: {motd: b}\n").plan.stages[0].outputs[0].steps
    directive = steps[-1].directive
    assert str(directive) == "the section parameters at e2.yaml:2:1"
    assert pickle.loads(pickle.dumps(directive)) == Directive("the section parameters", Origin("e2.yaml", 2, 1))


_SET = [
    "motd: a",
    "motd: null",
    "motd: 1",
    "zones: [x]",
    "zones: 'y,z'",
    "extra: {k: {l: [1], m: n}}",
    "extra: {k: {l: [2], 3: o}}",
    """extra: '{"k": {"m": "p"}}'""",
    "extra: 'not JSON'",
    "unknown: 1",
]
settings = st.lists(st.sampled_from(_SET), max_size=4, unique_by=lambda line: line.split(":")[0])
strategies = st.sampled_from([MERGE, DEEP, "", "parameter_merge_strategies: {extra: merge}\n"])


@given(st.lists(st.tuples(strategies, settings), min_size=2, max_size=5))
def test_files_that_set_known_parameters_are_merged_like_all_others(files: list[tuple[str, list[str]]]) -> None:
    texts = [f"{own}parameters:\n" + "".join(f"  {line}\n" for line in ["count: 1", *lines]) for own, lines in files]

    def outcome() -> Any:
        try:
            result = render(*texts, via="server")
        except LaminaError as error:
            return error.diagnostics
        paths = [path for path in leaves(result.plain) if path]
        return result.plain, result.notes, [as_tree(result.explain(path), result) for path in paths]

    with mock.patch.object(EngineRun, "_knows", return_value=False):
        expected = outcome()
    assert outcome() == expected
