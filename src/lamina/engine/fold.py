"""The fold: applies the steps of each output in order.

The fold knows no dialect. A step that fails changes nothing: depending on its `on_fault`, it stops its output or is
skipped with a note. An output that failed stops the outputs that need it, and no others. Faults are collected in the
order of stages, outputs and steps. `Start`, `Merge` and `Fail` are applied here; a dialect's own steps have an `apply`
method (see `step_context`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.budget import ENTRY
from lamina.engine.change import MergeChange
from lamina.engine.delta import NEW, value_of
from lamina.engine.evaluate import GIVEN_UP, can_be_evaluated, evaluate
from lamina.engine.log import Log
from lamina.engine.node import NOTHING_YET, LiteralNode
from lamina.engine.plan import Fail, Merge, OnFault, Stage, Start
from lamina.engine.step_context import Folded, Ledger, StepContext, StepFailure, StepRef
from lamina.paths import MISSING
from lamina.values import same

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import Node
    from lamina.engine.plan import AnyStep, Compiler, Output
    from lamina.engine.step_context import Link
    from lamina.run import Run


Reuse: TypeAlias = "Callable[[Sequence[Output]], tuple[Mapping[str, Folded], set[Link]]]"
"""Which outputs of a stage have a result already, and the links of these."""


def run(compiler: Compiler, in_run: Run, reuse: Reuse | None = None) -> Ledger:
    """Fold a compilation stage by stage in a run, sending it the results as it goes.

    What `reuse` knows already is not folded again.
    """
    ledger = Ledger(in_run)
    try:
        item = next(compiler)
        while True:
            if isinstance(item, Stage):
                fold_stage(item, ledger, reuse)
            else:
                ledger.plan.result = item
            item = compiler.send(ledger.results)
    except StopIteration:
        ledger.forget_states()
        return ledger


def fold_stage(stage: Stage, ledger: Ledger, reuse: Reuse | None = None) -> None:
    """Fold the outputs of one stage."""
    ledger.plan.stages.append(stage)
    known, links = reuse(stage.outputs) if reuse is not None and stage.outputs and ledger.is_fresh else ({}, set())
    budget, earlier_links = ledger.budget, set(ledger.links)
    left = budget.nodes, budget.size
    if known and not _fold_all(stage, ledger, known):
        # A step changed an output that was taken over, so it may have changed others: fold the whole stage.
        for output in stage.outputs:
            ledger.results.pop(output.name, None)
        budget.nodes, budget.size = left
        ledger.links = earlier_links
        ledger.forget_states()
        known, links = {}, set()
    if not known:
        _fold_all(stage, ledger, {})
    ledger.links |= links


def _fold_all(stage: Stage, ledger: Ledger, reusable: Mapping[str, Folded]) -> bool:
    """Fold the outputs of a stage, except the reusable ones; returns whether no step changed one of those."""
    budget, results = ledger.budget, ledger.results
    for output in stage.outputs:
        known = reusable.get(output.name)
        if known is None:
            nodes, size = budget.nodes, budget.size
            folded = results[output.name] = fold_output(output, results, ledger)
            folded.spent = nodes - budget.nodes, size - budget.size
            continue
        nodes, size = known.spent
        if not budget.allows(nodes, size):
            return False
        budget.spend(nodes, size)
        results[output.name] = known
    return not any(name in reusable for link in ledger.links for name in link)


def fold_output(output: Output, results: dict[str, Folded], ledger: Ledger | None = None) -> Folded:
    """Fold one output, given the results it may take values from."""
    ledger = ledger or Ledger(results=results)
    if can_be_evaluated(output):
        value = evaluate(output, results, ledger.budget)
        if value is not GIVEN_UP:
            return _evaluated(output, value, {name: results[name] for name in dict.fromkeys(output.sources())})
    return record(output, ledger)


def _evaluated(output: Output, value: Any, taken: dict[str, Folded]) -> Folded:
    """The result of an output that was evaluated; it is replayed when somebody asks where a part comes from."""
    folded = Folded(output, Log(partial(_replayed, output, value, taken), value).end)
    for name in taken:
        folded.add_taken(name)
    return folded


def _replayed(output: Output, value: Any, taken: dict[str, Folded]) -> Node:
    """The output folded again, with its changes; what it is must be what was evaluated."""
    folded = record(output, Ledger(results=taken))
    if folded.failed or not same(folded.value, value):
        raise RuntimeError(f"replaying {output.name} gives another value than evaluating it")
    return folded.node


def record(output: Output, ledger: Ledger) -> Folded:
    """Fold one output with the changes of every step."""
    folded = Folded(output, NOTHING_YET)
    states: list[Node] = [NOTHING_YET]
    for number, step in enumerate(output.steps):
        try:
            node = _apply(step, StepContext(StepRef(output.name, number, step), states, folded, ledger))
        except StepFailure as fault:
            if step.on_fault is OnFault.STOP or fault.final:
                folded.faults.extend(fault.findings)
                return folded
            folded.skip(step, fault.findings)
            node = folded.node
        folded.advance(node)
        states.append(folded.node)
    return folded


def _apply(step: AnyStep, context: StepContext) -> Node:
    if type(step) is Merge:  # nearly all are
        return merge(step, context)
    if isinstance(step, Start):
        new = context.take(step.take)
        if isinstance(new, LiteralNode):
            return new
        return MergeChange(new.value, (), LiteralNode(MISSING, ()), new, NEW, context.ref)
    if isinstance(step, Fail):
        raise StepFailure(step.finding, *step.others)
    return step.apply(context)


def merge(step: Merge, context: StepContext) -> Node:
    """The output after a merge step."""
    old, new = context.states[-1], context.take(step.take)
    if new.value is MISSING:
        return _cleaned(step, context, old, new)
    return context.merged(old, new, lambda run: merged(step, context.ref, old, new, run))


def merged(step: Merge, ref: StepRef, old: Node, new: Node, run: MergeContext) -> MergeChange:
    """The merge of a node into the output, at the path of a step."""
    if step.path:
        from lamina.engine.tree_edit import put

        delta = put(old.value, new.value, step.path, step.policy, run, create=step.create)
        value = value_of(delta, old.value, new.value)
        if not run.conflicts:
            run.build(len(value), len(value) * ENTRY)
    else:
        delta = step.policy.combine(old.value, new.value, None, run)
        value = value_of(delta, old.value, new.value)
    return MergeChange(value, (), old, new, delta, ref, policy=step.policy)


def _cleaned(step: Merge, context: StepContext, old: Node, nothing: Node) -> Node:
    """The output after a step that brings nothing: it cleans up, or what it takes from has nothing there.

    If that changes nothing, it is the same node, without an event in its history.
    """

    def cleaned(run: MergeContext) -> Node:
        node = merged(step, context.ref, old, nothing, run)
        return old if node.value is old.value else node

    return context.merged(old, nothing, cleaned)
