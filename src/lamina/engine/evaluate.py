"""Evaluation: the value of an output, without its history.

Most outputs are only ever written out. So an output that consists of the engine's own steps is evaluated first: each
operator returns the value, and no deltas are kept. When somebody asks where a part of it comes from, the same steps are
folded again with their deltas (`replay`), which has to arrive at the same value.

Whatever has to be said about a merge, an error or a remark, names lines. So evaluation gives up as soon as there is
anything to say, and the output is folded with its deltas from the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import ENTRY, BudgetExceeded
from lamina.engine.merge_context import MergeContext
from lamina.engine.node import Node
from lamina.engine.plan import Merge, OutputRef, Start, StateRef, Step
from lamina.engine.tree_edit import PathNotFound, put_value
from lamina.paths import MISSING, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.budget import Budget
    from lamina.engine.plan import AnyStep, From, Output
    from lamina.engine.policy import Trail
    from lamina.engine.step_context import Folded


class SomethingToSay(Exception):
    """A merge has an error or a remark, for which it has to be known where the values come from."""


class QuietContext(MergeContext):
    """The context of merges that nothing is said about."""

    __slots__ = ()

    def reject(self, fault: str, old: Any, new: Any, trail: Trail, detail: str = "") -> None:
        raise SomethingToSay

    def remark(self, fault: str, old: Any, new: Any, trail: Trail, detail: str = "") -> None:
        raise SomethingToSay


def can_be_evaluated(output: Output) -> bool:
    """Whether all steps of an output are the engine's own."""
    return all(type(step) is Start or _is_merge(step) for step in output.steps)


def _is_merge(step: AnyStep) -> bool:
    return type(step) is Merge or (isinstance(step, Merge) and type(step).apply is Step.apply)


def evaluate(output: Output, results: Mapping[str, Folded], budget: Budget) -> Any:
    """The value after all steps of an output that can be evaluated; raises SomethingToSay."""
    held = budget.nodes, budget.size
    try:
        return _evaluated(output, results, QuietContext(budget))
    except (SomethingToSay, PathNotFound, BudgetExceeded, ValueError):
        budget.nodes, budget.size = held
        raise SomethingToSay from None


def _evaluated(output: Output, results: Mapping[str, Folded], run: QuietContext) -> Any:
    value: Any = MISSING
    states = [value]
    for step in output.steps:
        assert isinstance(step, (Start, Merge))
        new = _taken(step.take, states, results)
        value = new if isinstance(step, Start) else _merged(step, value, new, run)
        states.append(value)
    return value


def _taken(take: From, states: list[Any], results: Mapping[str, Folded]) -> Any:
    """The value that a `From` describes."""
    match take.source:
        case OutputRef(name=name):
            if name not in results or results[name].failed:
                raise SomethingToSay
            value = results[name].value
        case StateRef(steps=steps):
            value = states[steps]
        case Node() as node:
            value = node.value
    if take.path:
        value = walk(value, take.path)
    for cast in take.casts:
        value = cast.change(value)
    return value


def _merged(step: Merge, old: Any, new: Any, run: QuietContext) -> Any:
    policy = step.policy
    if not step.path:
        return policy.value(old, new, None, run)

    def combine(before: Any, after: Any, trail: Trail) -> Any:
        return policy.value(before, after, trail, run)

    value = put_value(old, new, step.path, combine, create=step.create)
    run.build(len(value), len(value) * ENTRY)
    return value
