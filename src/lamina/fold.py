"""Folding: laying the steps of each output on top of one another, in order.

The fold knows no dialect. A step that fails changes nothing: it stops its output, or is skipped with a note, as the
step says. An output that failed stops those that need it and never the others. Faults are gathered and stay in the
order of stages, outputs and steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lamina.errors import Diagnostic, Severity
from lamina.merge.classes import word_for
from lamina.merge.lineage import first_origin, layer_of
from lamina.merge.nodes import Blank, Derived, Merged, Node
from lamina.merge.patching import Unfit, patched
from lamina.merge.pieces import NEW, Piece, value_of
from lamina.merge.run import BudgetSpent, Clash, Run
from lamina.merge.spot import NoSuchPlace, put
from lamina.paths import MISSING, show
from lamina.plan import OnFault, Output, OutputRef, Patch, Plan, Put, Refuse, Stage, Start, StateRef, Take

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.errors import Note
    from lamina.plan import AnyStep, Change, Compiler, Directive


@dataclass(slots=True)
class Folded:
    """What became of one output: its node, or the faults that stopped it."""

    output: Output
    node: Node
    faults: list[Diagnostic] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        return bool(self.faults)

    @property
    def value(self) -> Any:
        return self.node.value


@dataclass(frozen=True, slots=True)
class Mark:
    """The step a merged node was made by: which output, its number there, and what caused it."""

    output: str
    number: int
    step: AnyStep

    @property
    def verb(self) -> str | None:
        return self.step.verb

    @property
    def directive(self) -> Directive:
        return self.step.directive


@dataclass(slots=True)
class Work:
    """Everything folded so far."""

    plan: Plan = field(default_factory=Plan)
    results: dict[str, Folded] = field(default_factory=dict)


def run(compiler: Compiler) -> Work:
    """Fold a compilation stage by stage, handing it the results as it goes."""
    work = Work()
    try:
        stage = next(compiler)
        while True:
            fold_stage(stage, work)
            stage = compiler.send(work.results)
    except StopIteration:
        return work


def fold_stage(stage: Stage, work: Work) -> None:
    """Fold the outputs of one stage into the work."""
    work.plan.stages.append(stage)
    for output in stage.outputs:
        work.results[output.name] = fold_output(output, work.results)


class _Fault(Exception):
    """A step failed; carries what to say."""

    def __init__(self, *findings: Diagnostic) -> None:
        super().__init__(*findings)
        self.findings = findings


def fold_output(output: Output, results: Mapping[str, Folded]) -> Folded:
    """The result of one output, given those it may take from."""
    folded = Folded(output, Blank(MISSING, ()))
    states = [folded.node]
    for number, step in enumerate(output.steps):
        try:
            node = _apply(step, Mark(output.name, number, step), states, results, folded)
        except _Fault as fault:
            if step.on_fault is OnFault.STOP:
                folded.faults.extend(fault.findings)
                return folded
            folded.notes.extend(replace(finding, severity=Severity.ERROR) for finding in fault.findings)
            node = folded.node
        if not step.dry:
            folded.node = node
        states.append(folded.node)
    return folded


def _apply(step: AnyStep, mark: Mark, states: list[Node], results: Mapping[str, Folded], folded: Folded) -> Node:
    match step:
        case Refuse(finding=finding):
            raise _Fault(finding)
        case Start(take=take):
            new = _fetch(take, step, states, results)
            return new if isinstance(new, Blank) else Merged(new.value, (), Blank(MISSING, ()), new, NEW, mark)
        case Put(take=take):
            new = _fetch(take, step, states, results)
            return _put(step, mark, states[-1], new, folded)
        case Patch():
            return _patch(step, mark, states[-1])


_PATCH_BUDGET = 1_000_000
"""How many values one patch may put in, copies included."""


def _patch(step: Patch, mark: Mark, node: Node) -> Node:
    run = Run(_PATCH_BUDGET)
    for number, change in enumerate(step.changes, start=1):
        try:
            node = patched(node, change, mark, run)
        except Unfit as unfit:
            raise _Fault(_unfit(step, number, change, unfit, node)) from None
        except BudgetSpent:
            raise _Fault(_too_large(step)) from None
    return node


def _unfit(step: Patch, number: int, change: Change, unfit: Unfit, node: Node) -> Diagnostic:
    text = step.faults[unfit.fault]
    words = {"detail": unfit.detail, "path": show(unfit.path), "layer": step.subject or "this patch", "number": number}
    there = first_origin(node.at(unfit.path))
    return Diagnostic(
        code=text.code,
        message=text.message.format(**words),
        at=first_origin(change.node) or step.directive.origin,
        path=unfit.path,
        related=(("what stands there", there),) if there else (),
        hint=text.hint.format(**words) if text.hint else None,
        subject=step.subject,
    )


def _fetch(take: Take, step: AnyStep, states: list[Node], results: Mapping[str, Folded]) -> Node:
    """The node a take stands for."""
    match take.source:
        case OutputRef(name=name):
            if results[name].failed:
                raise _Fault(_needs_failed(name, step))
            node = results[name].node
        case StateRef(steps=steps):
            node = states[steps]
        case Node() as node:
            pass
    node = node.at(take.path)
    for cast in take.casts:
        node = Derived(cast.change(node.value), node.path, (node,), cast.name)
    return node


def _needs_failed(name: str, step: AnyStep) -> Diagnostic:
    return Diagnostic(
        code="needs-failed",
        message=f"{step.subject or 'this'} needs {name}, which could not be rendered",
        at=step.directive.origin,
        subject=step.subject,
    )


def _put(step: Put, mark: Mark, old: Node, new: Node, folded: Folded) -> Node:
    run = Run()

    def combine(before: Any, after: Any, trail: Any) -> Piece:
        return step.policy.combine(before, after, trail, run)

    try:
        piece = put(old.value, new.value, step.path, combine, create=step.create)
    except NoSuchPlace as gap:
        raise _Fault(_word(step, Clash("no-such-place", gap.value, new.value, gap.path, (), ""), old, new)) from None
    except BudgetSpent:
        raise _Fault(_too_large(step)) from None
    if run.clashes:
        raise _Fault(*(_word(step, clash, old, new) for clash in run.clashes))
    folded.notes.extend(replace(_word(step, remark, old, new), severity=Severity.WARNING) for remark in run.remarks)
    return Merged(value_of(piece, old.value, new.value), (), old, new, piece, mark)


def _too_large(step: AnyStep) -> Diagnostic:
    return Diagnostic(
        code="result-too-large",
        message="the result grows beyond what can be rendered",
        at=step.directive.origin,
        hint="text or lists that double with every layer are the usual cause",
        subject=step.subject,
    )


def _word(step: Put, clash: Clash, old: Node, new: Node) -> Diagnostic:
    """A clash in the dialect's own words, with the places of both values."""
    text = step.faults[clash.fault]
    before, after = old.at(clash.old_path), new.at(clash.new_path[len(step.path) :])
    words = {
        "path": show(clash.old_path),
        "old": short(clash.old),
        "new": short(clash.new),
        "old_kind": word_for(clash.old),
        "new_kind": word_for(clash.new),
        "layer": step.subject or layer_of(new) or "this layer",
        "detail": clash.detail,
    }
    earlier = first_origin(before)
    return Diagnostic(
        code=text.code,
        message=text.message.format(**words),
        at=first_origin(after) or step.directive.origin,
        path=clash.old_path,
        related=(("the earlier value is here", earlier),) if earlier else (),
        hint=text.hint.format(**words) if text.hint else None,
        subject=step.subject,
    )


def short(value: Any, limit: int = 40) -> str:
    """A value in a few characters, for messages."""
    text = "nothing" if value is MISSING else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
