"""The table of strategies as it is shown, and the lint rules."""

from __future__ import annotations

import lamina
from lamina.dialects.heat.environment import read_environments
from lamina.dialects.heat.lint import CHECKS
from lamina.dialects.heat.strategies import StrategyTable
from lamina.dialects.heat.strategy_view import strategy_data, strategy_text
from lamina.sources.inputs import Inputs, MemoryFiles, source_of
from lamina.views.render import plan
from support.heat_runs import DEEP, MERGE, TEMPLATE, render


def test_the_table_shows_what_fixed_each_strategy_and_what_came_later() -> None:
    result = render(
        "parameter_merge_strategies: {extra: merge}\nparameters: {zones: [a]}\n",
        "parameter_merge_strategies:\n  default: deep_merge\nparameters: {zones: [b], extra: {a: 1}}\n",
        "parameter_merge_strategies: {extra: deep_merge}\nparameters: {extra: {b: 1}}\n",
    )
    assert strategy_data(result.plan) == [
        {
            "parameter": "zones",
            "strategy": "overwrite",
            "fixed_by": {"file": "e1.yaml", "how": "Heat's default", "line": 2, "column": 14},
            "attempts": [
                {
                    "file": "e2.yaml",
                    "strategy": "deep_merge",
                    "outcome": "ignored: a later default has no effect",
                    "line": 2,
                    "column": 3,
                }
            ],
        },
        {
            "parameter": "extra",
            "strategy": "deep_merge",
            "fixed_by": {"file": "e2.yaml", "how": "the file's default", "line": 2, "column": 3},
            "attempts": [
                {
                    "file": "e1.yaml",
                    "strategy": "merge",
                    "outcome": "ignored: the file does not set the parameter",
                    "line": 1,
                    "column": 30,
                },
                {"file": "e3.yaml", "strategy": "deep_merge", "outcome": "agrees", "line": 1, "column": 30},
            ],
        },
    ]
    assert strategy_text(result.plan).splitlines()[1] == ("  zones  overwrite   e1.yaml:2:14 (Heat's default)")


def test_the_table_is_there_even_when_the_run_is_rejected() -> None:
    files = MemoryFiles(
        {
            "template.yaml": TEMPLATE,
            "a.yaml": "parameters: {zones: [a]}\n",
            "b.yaml": "parameter_merge_strategies: {zones: merge}\nparameters: {zones: [b]}\n",
        }
    )
    sources = tuple(source for name in ("a.yaml", "b.yaml") if (source := files.read(name)))
    made = plan(Inputs(sources, files), dialect="heat", template="template.yaml")
    (row,) = strategy_data(made)
    assert [attempt["outcome"] for attempt in row["attempts"]] == ["conflict"]


def test_the_slots_of_the_specification_are_shown() -> None:
    result = render("merge_strategy: {list: extend, parameters: {motd: append}}\nparameters: {zones: [a]}\n")
    assert [(row["parameter"], row["strategy"]) for row in strategy_data(result.plan)] == [
        ("list", "extend"),
        ("motd", "append"),
    ]


def findings(result: lamina.Result) -> list[tuple[str, int]]:
    """The code and the line of every finding of the lint rules."""
    found = [note for check in CHECKS for note in check(result)]
    assert all(note.hint for note in found)
    return [(note.code, note.at.line if note.at else 0) for note in found]


def test_a_typo_is_found_in_any_file() -> None:
    first = render("parameters: {zonse: [a]}\n")
    assert findings(first) == [("undeclared-parameter", 1)]
    later = render("parameters: {zones: [a]}\n", "\nparameters: {zonse: [a]}\n")
    assert findings(later) == [("undeclared-parameter", 2)]


def test_mixed_notations_are_found_before_a_strategy_makes_them_fail() -> None:
    result = render("parameters: {zones: [a]}\n", "\nparameters: {zones: 'b,c'}\n", "parameters: {zones: [a]}\n")
    assert findings(result) == [("mixed-notation", 2)]


def test_joined_texts_are_counted_by_parameter() -> None:
    both = "{a: {protocol: http, port: '80'}, b: x}"
    result = render(f"{DEEP}parameters: {{extra: {both}}}\n", f"parameters: {{extra: {both}}}\n")
    assert result.value["parameters"]["extra"]["a"]["protocol"] == "httphttp"
    (note,) = (note for check in CHECKS for note in check(result))
    assert (note.code, note.path) == ("concatenated-strings", ("parameters", "extra", "a", "protocol"))
    assert note.message.endswith("comes from 2 places, and 2 more like it")


def test_joining_strings_on_purpose_is_no_finding() -> None:
    assert findings(render(f"{MERGE}parameters: {{motd: a}}\n", "parameters: {motd: b}\n")) == []


def test_strategies_that_do_nothing_are_found() -> None:
    result = render(
        "parameter_merge_strategies: {extra: merge}\nparameters: {zones: [a]}\n",
        "parameter_merge_strategies:\n  default: merge\nparameters: {zones: [b], motd: x}\n",
        "\n\nparameter_merge_strategies: {zones: merge}\nparameters: {motd: y}\n",
    )
    assert findings(result) == [("unused-strategy", 1), ("late-strategy", 2), ("ignored-strategy", 3)]


def test_numbers_and_booleans_under_merge_are_found() -> None:
    assert findings(render(f"{MERGE}parameters: {{count: 1, debug: true}}\n")) == [
        ("scalar-with-merge-strategy", 1),
        ("scalar-with-merge-strategy", 1),
    ]


def test_unknown_words_are_found() -> None:
    assert findings(render("parameter_merge_strategies: {zones: Merge}\nparameters: {zones: [a]}\n")) == [
        ("unknown-strategy-name", 1)
    ]


def test_a_strategy_of_the_specification_for_nothing_is_found() -> None:
    assert findings(render("merge_strategy: {parameters: {motd: append}}\nparameters: {zones: [a]}\n")) == [
        ("unused-strategy", 1)
    ]


def test_directives_show_the_table_as_it_was() -> None:
    table = StrategyTable()
    environments = [
        read_environments(Inputs((source_of(name, text),)))[0]
        for name, text in (
            ("one.yaml", "parameter_merge_strategies: {A: merge}\nparameters: {A: a}\n"),
            ("two.yaml", "parameter_merge_strategies: {B: merge}\nparameters: {B: b}\n"),
        )
    ]
    assert table.add_names(environments[0], "parameters", ["A"]) is None
    first = table.directives()
    assert table.add_names(environments[1], "parameters", ["B"]) is None
    assert (list(first), len(first), first.get("B")) == (["A"], 1, None)
    assert first["A"].origin is not None
    assert first["A"].origin.source == "one.yaml"
    assert list(table.directives()) == ["A", "B"]
