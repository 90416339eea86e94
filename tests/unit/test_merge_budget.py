"""What a run may read, build and write: counted over all of it; beyond it a message says whose limit it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import lamina
from lamina import budget as budgets
from lamina.budget import Budget, BudgetExceeded
from lamina.engine.weight import Weights
from lamina.errors import LaminaError, MergeError, Reject
from lamina.run import Run
from lamina.session import Session, default_session
from lamina.sources.json import writer as json_writer
from lamina.sources.limits import LIMITS
from lamina.sources.source import Source
from lamina.sources.yaml import reader as yaml_reader
from lamina.sources.yaml import writer as yaml_writer
from lamina.views.lint import api as lint_api
from lamina.views.report.page_data import collect


def test_a_budget_counts_nodes_and_bytes_apart() -> None:
    with pytest.raises(BudgetExceeded, match="2 values"):
        Budget(nodes=2).spend(3)
    with pytest.raises(BudgetExceeded, match="1 MiB"):
        Budget(size=1 << 20).spend(size=(1 << 20) + 1)


def test_what_is_read_counts_where_a_plan_is_folded() -> None:
    run = Run(Session(limits=replace(LIMITS, run_size=budgets.READ * 10)))
    run.spend(read=1000)
    folding = run.with_budget()
    folding.spend(read=10)
    with pytest.raises(BudgetExceeded):
        folding.spend(read=1)
    run.spend(read=1000)
    folding.end().spend(read=1000)


def test_work_of_a_compiler_that_is_too_much_is_rejected() -> None:
    folding = Run().with_budget()
    folding.charge(budgets.NODES)
    with pytest.raises(Reject, match="result-too-large"):
        folding.charge(1)


def test_a_weight_counts_what_is_shared_at_every_place() -> None:
    inner = ["ab", "\u20ac"]
    weight = Weights().of({"k": inner, "l": [inner, inner]})
    assert (weight.nodes, weight.depth, weight.size) == (11, 3, 3 * 6 + 2)


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A run may read and build little, and starts with nothing in memory."""
    monkeypatch.setattr(budgets.Budget.__init__, "__defaults__", (1_000, 100_000, BudgetExceeded, "values"))
    default_session().clear()
    yield
    default_session().clear()


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(
    ("dialect", "texts"),
    [
        ("cloud-init", [f"#cloud-config\n{''.join(f'k{n}_{i}: 1' + chr(10) for i in range(50))}" for n in range(9)]),
        ("cloud-init", [f"#cloud-config\nmerge_how: 'dict(recurse_str)+str(append)'\na: {'x' * 30_000}\n"] * 9),
        ("heat", [f"parameters: {{a{n}: [{'1, ' * 100}]}}\n" for n in range(9)]),
        # Every file copies the section.
        ("heat", [f"resource_registry: {{{''.join(f'k{n}_{i}: x, ' for i in range(20))}}}\n" for n in range(15)]),
    ],
)
def test_a_run_that_takes_too_much_ends(dialect: str, texts: list[str]) -> None:
    """Each file alone is small enough."""
    lamina.render([("f", texts[0])], dialect=dialect)
    with pytest.raises(LaminaError) as rejected:
        lamina.render([(f"f{n}", text) for n, text in enumerate(texts)], dialect=dialect)
    [finding] = rejected.value.diagnostics
    assert finding.code in ("result-too-large", "input-too-large")
    assert "Lamina's limit" in finding.message
    assert finding.at is not None


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("s: &s " + "x" * 100 + "\nb: [*s, *s, *s]\n", replace(LIMITS, alias_text=250)),
        ("s: &s {a: " + "x" * 100 + "}\nb: [*s, *s, *s]\n", replace(LIMITS, alias_text=250)),
        ("s: &s !!str " + "x" * 100 + "\nb: [*s, *s, *s, !!set {a}]\n", replace(LIMITS, alias_text=250)),
        ("a: [1, 2, 3, 4]\n", replace(LIMITS, nodes=5)),
        ("- a\n- b\n- c\n- d\n", replace(LIMITS, nodes=3)),
        ("- a\n- b\n- !!set {c}\n", replace(LIMITS, thorough_nodes=3)),
    ],
)
def test_a_reader_takes_no_more_than_its_limits(text: str, limits: Any) -> None:
    yaml_reader.read_one(Source("f", text.encode()))
    with pytest.raises(lamina.InputError) as rejected:
        yaml_reader.read_one(Source("f", text.encode()), limits=limits)
    assert rejected.value.diagnostic.code in ("too-many-aliases", "input-too-large")
    assert "Lamina's limit" in rejected.value.diagnostic.message
    assert rejected.value.diagnostic.at is not None


@pytest.mark.parametrize("write", [yaml_writer.dump, json_writer.dump])
def test_what_is_written_is_bounded(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "WRITTEN", 1 << 20)
    text = "x" * 100_000
    assert len(write({"a": [text] * 5})) > 500_000
    for value in ({"a": [text] * 20}, {f"k{n}": text for n in range(20)}, {"a": [[text] * 5] * 4}):
        with pytest.raises(MergeError, match=r"1 MiB, which is Lamina's limit \[result-too-large\]"):
            write(value)


def test_views_of_every_single_value_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = [("f", "#cloud-config\na: &a [1, 2, 3]\nb: [*a, *a, *a]\n")]
    result = lamina.render(inputs, dialect="cloud-init")
    changed = lamina.render([("f", inputs[0][1] + "c: 1\n")], dialect="cloud-init")
    views: list[Any] = [
        lambda: collect(result, "title"),
        lambda: lamina.lint(inputs, dialect="cloud-init"),
        lambda: lamina.diff(result, changed),
    ]
    for view in views:
        view()
    monkeypatch.setattr(budgets, "SHOWN", 15)
    monkeypatch.setattr(lint_api, "_MOST_VALUES", 15)  # lint looks at more than one would show
    for view in views:
        with pytest.raises(MergeError, match="15 values to show, which is Lamina's limit"):
            view()
