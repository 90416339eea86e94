"""Evaluation: the value of an output, without its history.

Most outputs are only ever written out. So an output that consists of the engine's own steps is evaluated first: each
operator returns the value, and no deltas are kept. When somebody asks where a part of it comes from, the same steps are
folded again with their deltas (`replay`), which has to arrive at the same value.

Whatever has to be said about a merge, an error or a remark, names lines. So evaluation gives up as soon as there is
anything to say, and the output is folded with its deltas from the start.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from lamina.budget import ENTRY, BudgetExceeded
from lamina.engine.merge_context import MergeContext
from lamina.engine.node import Node
from lamina.engine.plan import Merge, OutputRef, Start, StateRef
from lamina.paths import MISSING, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.budget import Budget
    from lamina.engine.plan import AnyStep, From, Output
    from lamina.engine.step_context import Folded


Steps: TypeAlias = "tuple[Start | Merge, ...]"


def can_be_evaluated(output: Output) -> bool:
    """Whether all steps of an output are the engine's own; a single one is recorded as fast as it is evaluated."""
    return len(output.steps) > 1 and all(type(step) is Start or _is_merge(step) for step in output.steps)


def _is_merge(step: AnyStep) -> bool:
    return type(step) is Merge or (isinstance(step, Merge) and type(step).apply is Merge.apply)


GIVEN_UP: Final = object()
"""What evaluation gives where there is anything to say."""


def evaluate(output: Output, results: Mapping[str, Folded], budget: Budget) -> Any:
    """The value after all steps of an output that can be evaluated, or GIVEN_UP."""
    held = budget.nodes, budget.size
    with suppress(BudgetExceeded, ValueError):
        value = _evaluated(output, results, MergeContext(budget))
        if value is not GIVEN_UP:
            return value
    budget.nodes, budget.size = held
    return GIVEN_UP


def _evaluated(output: Output, results: Mapping[str, Folded], run: MergeContext) -> Any:
    steps = cast("Steps", output.steps)
    keeps_states = any(map(_takes_state, steps))
    value: Any = MISSING
    states = [value]
    for step in steps:
        new = _taken(step.take, states, results)
        if new is not GIVEN_UP:
            value = new if isinstance(step, Start) else _merged(step, value, new, run)
        if new is GIVEN_UP or run.conflicts or run.remarks:
            return GIVEN_UP
        if keeps_states:
            states.append(value)
    return value


def _takes_state(step: Start | Merge) -> bool:
    return isinstance(step.take.source, StateRef)


def _taken(take: From, states: list[Any], results: Mapping[str, Folded]) -> Any:
    """The value that a `From` describes."""
    match take.source:
        case OutputRef(name=name):
            if name not in results or results[name].failed:
                return GIVEN_UP
            value = results[name].value
        case StateRef(steps=steps):
            value = states[steps]
        case Node() as node:
            value = node.value
    return walk(value, take.path) if take.path else value


def _merged(step: Merge, old: Any, new: Any, run: MergeContext) -> Any:
    policy = step.policy
    if not step.path:
        return policy.value(old, new, None, run)

    from lamina.engine.tree_edit import put_value

    value = put_value(old, new, step.path, policy, run, create=step.create)
    if not run.conflicts:
        run.build(len(value), len(value) * ENTRY)
    return value
