"""Folding plans that no dialect made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from lamina.engine.fold import fold_output, run
from lamina.engine.history import history_of
from lamina.engine.node import LiteralNode
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.text import JoinStrings
from lamina.engine.operators.whole import DESCEND, TAKE, RejectPair
from lamina.engine.plan import (
    AnyStep,
    Compiler,
    Directive,
    From,
    Merge,
    OnFault,
    Output,
    OutputRef,
    Stage,
    Start,
    StateRef,
    Step,
)
from lamina.engine.plan import Fail as RefuseStep
from lamina.engine.policy import Cases, Policy
from lamina.engine.step_context import Folded
from lamina.errors import Diagnostic, MergeError, Message, Severity
from lamina.run import Run
from lamina.values import ABSENT, ALL, MAPS
from lamina.workspace.earlier_run import EarlierRun

if TYPE_CHECKING:
    from lamina.engine.node import Node
    from lamina.engine.step_context import StepContext

DEEP = Policy(Cases((MAPS, MAPS, Union(Cases(((ABSENT,), ALL, TAKE), (ALL, ALL, DESCEND)))), (ALL, ALL, TAKE)), "deep")
STRICT = Policy(
    Cases((MAPS, MAPS, Union(Cases(((ABSENT,), ALL, TAKE), (ALL, ALL, RejectPair("clash"))))), (ALL, ALL, TAKE))
)
FAULTS = {"clash": Message(code="no-go", message="{path}: {old} and {new}", hint="not {new_kind}")}
BY = Directive("by hand")


def start(value: Any) -> Start:
    return Start(directive=BY, take=From(source=LiteralNode(value, ())))


def layer(value: Any, policy: Policy = DEEP, **more: Any) -> Merge:
    return Merge(directive=BY, take=From(source=LiteralNode(value, ())), policy=policy, faults=FAULTS, **more)


def fold(*steps: AnyStep, results: dict[str, Folded] | None = None) -> Folded:
    return fold_output(Output(name="out", steps=steps), results or {})


def test_steps_are_laid_on_top_of_one_another() -> None:
    assert fold(start({}), layer({"a": 1}), layer({"a": 2, "b": 1})).value == {"a": 2, "b": 1}


def test_a_fault_stops_the_output_and_says_why() -> None:
    folded = fold(start({"a": 1}), layer({"a": 2}, STRICT), layer({"z": 1}))
    assert folded.failed
    assert [(fault.code, fault.message, fault.hint) for fault in folded.faults] == [
        ("no-go", "a: 1 and 2", "not a number")
    ]


def test_a_step_that_may_be_skipped_changes_nothing_and_leaves_a_note() -> None:
    folded = fold(start({"a": 1}), layer({"a": 2, "b": 2}, STRICT, on_fault=OnFault.SKIP), layer({"z": 1}))
    assert folded.value == {"a": 1, "z": 1}
    assert [note.code for note in folded.notes] == ["no-go"]


def test_a_rejection_is_where_the_real_program_would_fail() -> None:
    finding = Diagnostic(code="bad", message="bad", severity=Severity.ERROR)
    folded = fold(start({}), RefuseStep(directive=BY, finding=finding), layer({"a": 1}))
    assert folded.faults == [finding]


def test_a_take_may_come_from_an_earlier_state() -> None:
    again = Merge(directive=BY, take=From(source=StateRef(1), path=("a",)), policy=DEEP, path=("old",), create=True)
    assert fold(start({"a": 1}), layer({"a": 2}), again).value == {"a": 2, "old": 1}


def test_an_output_that_cannot_have_changed_is_taken_over_by_a_later_run() -> None:
    output = Output(name="known", steps=(start({"a": 1}), layer({"a": 2})))

    def compiler() -> Compiler:
        yield Stage(title="one", outputs=(output,))

    first = run(compiler(), Run())
    second = run(compiler(), Run(), reuse=EarlierRun(first)).results["known"]
    assert second is first.results["known"]
    assert second.value == {"a": 2}
    assert [event.verdict for event in history_of(second.node.child("a")).events] == ["replaced"]


@dataclass(slots=True, kw_only=True, eq=False)
class ChangeOther(Step):
    """Changes another output, as steps of some dialects do."""

    def apply(self, context: StepContext) -> Node:
        other = context.results["one"]
        context.results["one"] = other.with_node(LiteralNode("changed", ()))
        context.ledger.links.add(("two", "one"))
        return LiteralNode("done", ())


def test_a_step_that_changes_another_output_leaves_the_results_of_the_earlier_run_alone() -> None:
    one = Output(name="one", steps=(start("as it was"),))

    def compiler(*steps: AnyStep) -> Compiler:
        yield Stage(title="both", outputs=(one, Output(name="two", steps=steps)))

    first = run(compiler(start("nothing")), Run())
    second = run(compiler(ChangeOther(directive=BY)), Run(), reuse=EarlierRun(first))
    assert {name: folded.value for name, folded in first.results.items()} == {"one": "as it was", "two": "nothing"}
    assert {name: folded.value for name, folded in second.results.items()} == {"one": "changed", "two": "done"}
    third = run(compiler(start("nothing")), Run(), reuse=EarlierRun(second))
    assert {name: folded.value for name, folded in third.results.items()} == {"one": "as it was", "two": "nothing"}


def test_a_failed_output_stops_those_that_need_it_and_no_others() -> None:
    bad = Output(name="bad", steps=(start({"a": 1}), layer({"a": 2}, STRICT)))
    needy = Output(name="needy", steps=(Start(directive=BY, take=From(source=OutputRef("bad"))),))
    free = Output(name="free", steps=(start({"ok": 1}),))

    def compiler() -> Compiler:
        yield Stage(title="one", outputs=(bad, needy, free))

    work = run(compiler(), Run())
    assert [work.results[name].failed for name in ("bad", "needy", "free")] == [True, True, False]
    assert work.results["needy"].faults[0].code == "dependency-failed"


def test_a_compiler_is_handed_the_results_before_it_goes_on() -> None:
    def compiler() -> Compiler:
        results = yield Stage(title="one", outputs=(Output(name="one", steps=(start({"next": 5}),)),))
        value = results["one"].value["next"]
        yield Stage(title="two", outputs=(Output(name="two", steps=(start({"got": value}),)),))

    work = run(compiler(), Run())
    assert work.results["two"].value == {"got": 5}
    assert [stage.title for stage in work.plan.stages] == ["one", "two"]


def test_a_history_as_long_as_the_plan_costs_no_stack() -> None:
    folded = fold(start({}), *(layer({"a": number}) for number in range(5000)))
    history = history_of(folded.node.at(("a",)))
    assert history.value == 4999
    assert len(history.events) == 5000


def test_text_that_doubles_is_stopped() -> None:
    double = Merge(
        directive=BY,
        take=From(source=StateRef(-1)),
        policy=Policy(Cases.everywhere(JoinStrings())),
        faults=FAULTS,
    )
    with pytest.raises(MergeError, match="Lamina's limit") as stopped:
        fold(start("x" * 1000), *([double] * 40))
    assert stopped.value.diagnostic.code == "result-too-large"
