"""Folding: laying the steps of each output on top of one another, in order.

The fold knows no dialect. A step that fails changes nothing: it stops its output, or is skipped with a note, as the
step says. An output that failed stops those that need it and never the others. Faults are gathered and stay in the
order of stages, outputs and steps. What only some kinds of steps need is imported when such a step occurs, since every
command would pay for it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lamina.budget import ENTRY, Budget, BudgetSpent
from lamina.engine.delta import NEW, OLD, Delta, MapDelta, value_of
from lamina.engine.merge_context import DEEPEST, Conflict, MergeContext
from lamina.engine.node import ComputedNode, Later, LiteralNode, MergedNode, Node
from lamina.engine.plan import (
    Drop,
    Fail,
    From,
    Merge,
    OnFault,
    Output,
    OutputRef,
    Patch,
    Plan,
    Spread,
    Stage,
    Start,
    StateRef,
    Sweep,
)
from lamina.engine.provenance import first_origin, layer_of
from lamina.engine.secrecy import SECRET, is_secret
from lamina.engine.tree_edit import NoSuchPlace, put
from lamina.errors import Diagnostic, MergeError, Severity
from lamina.paths import MISSING, show, walk
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.dialects.cloudinit.json_patch import InapplicableOperation
    from lamina.dialects.deckhand.heap import Heap
    from lamina.dialects.deckhand.jsonpath.selector import Found, Selector
    from lamina.dialects.deckhand.placement import New
    from lamina.engine.operators.convert import Cast
    from lamina.engine.plan import AnyStep, Compiler, Directive
    from lamina.engine.prefix_cache import PrefixMemo
    from lamina.engine.weight import Weights
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path


@dataclass(slots=True, eq=False)
class Folded:
    """What became of one output: its node, or the faults that stopped it."""

    output: Output
    node: Node
    faults: list[Diagnostic] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    clean: tuple[int, int] | None = None
    """The policy that found nothing to sweep last, and the node it looked at."""

    @property
    def failed(self) -> bool:
        return bool(self.faults)

    @property
    def value(self) -> Any:
        return self.node.value


@dataclass(frozen=True, slots=True)
class StepRef:
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

    def directive_at(self, path: Path) -> Directive:
        """What caused the change at a path of the output."""
        step = self.step
        if isinstance(step, Merge) and len(path) > len(step.path):
            return step.directives.get(path[len(step.path)], step.directive)
        return step.directive


class Ledger:
    """What the outputs of one fold have in common: shared containers, and how much may still be built."""

    def __init__(self) -> None:
        self.budget = Budget()
        self.reading: tuple[From, str, New] | None = None
        """What a step read last, and in which output."""

    @cached_property
    def heap(self) -> Heap:
        from lamina.dialects.deckhand.heap import Heap

        return Heap()

    @cached_property
    def weights(self) -> Weights:
        from lamina.engine.weight import Weights

        return Weights()


@dataclass(slots=True, eq=False)
class Work:
    """Everything folded so far."""

    plan: Plan = field(default_factory=Plan)
    results: dict[str, Folded] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    memo: PrefixMemo | None = None


def run(compiler: Compiler, memo: PrefixMemo | None = None) -> Work:
    """Fold a compilation stage by stage, handing it the results as it goes.

    With a memo, what outputs folded with it before began with is not folded again.
    """
    work = Work(memo=memo)
    with work.ledger.budget.charged():
        try:
            stated = next(compiler)
            while True:
                if isinstance(stated, Stage):
                    fold_stage(stated, work)
                else:
                    work.plan.result = stated
                stated = compiler.send(work.results)
        except StopIteration:
            return work


def fold_stage(stage: Stage, work: Work) -> None:
    """Fold the outputs of one stage into the work."""
    work.plan.stages.append(stage)
    for output in stage.outputs:
        work.results[output.name] = fold_output(output, work.results, work.ledger, work.memo)


class _Fault(Exception):
    """A step failed; carries what to say."""

    def __init__(self, *findings: Diagnostic, left: Node | None = None, final: bool = False) -> None:
        super().__init__(*findings)
        self.findings = findings
        self.left = left
        """What the output is after a step that failed and yet left something behind."""
        self.final = final
        """The output cannot go on, even where the step may be skipped."""


def fold_output(
    output: Output, results: Mapping[str, Folded], ledger: Ledger | None = None, memo: PrefixMemo | None = None
) -> Folded:
    """The result of one output, given those it may take from."""
    ledger = ledger or Ledger()
    folded = Folded(output, LiteralNode(MISSING, ()))
    states = [folded.node]
    known = memo.follow(output, results, StepRef) if memo is not None else None
    if known is not None:
        states += known.states
        folded.node = states[-1]
        folded.notes += known.notes
    for number in range(len(states) - 1, len(output.steps)):
        step, told = output.steps[number], len(folded.notes)
        try:
            node = _apply(step, StepRef(output.name, number, step), states, results, folded, ledger)
        except _Fault as fault:
            if step.on_fault is OnFault.STOP or fault.final:
                folded.faults.extend(fault.findings)
                return folded
            folded.notes.append(replace(_as_one(fault.findings), severity=Severity.ERROR))
            node = fault.left or folded.node
        if not step.dry:
            folded.node = node
        if known is not None:
            known.add(step, folded.node, states[-1], folded.notes[told:])
        states.append(folded.node)
    return folded


_MOST_RELATED = 10
"""How many further findings of a skipped step are named with the first."""


def _as_one(findings: tuple[Diagnostic, ...]) -> Diagnostic:
    """The one finding for which a step is skipped: the first, with the places of the others."""
    first, *others = findings
    if not others:
        return first
    places = [(f"likewise {show(other.path)}", other.at) for other in others if other.at]
    return replace(first, related=(*first.related, *places[:_MOST_RELATED]))


def _apply(
    step: AnyStep, mark: StepRef, states: list[Node], results: Mapping[str, Folded], folded: Folded, ledger: Ledger
) -> Node:
    if isinstance(step, Merge):  # nearly all are
        if isinstance(step, Spread):
            return _spread(step, mark, states, results, ledger)
        return _put(step, mark, states[-1], _fetch(step.take, step, states, results), folded, ledger)
    match step:
        case Fail(finding=finding):
            raise _Fault(finding)
        case Drop():
            return _drop(step, mark, states[-1], results, ledger)
        case Start(take=take):
            new = _fetch(take, step, states, results)
            return (
                new
                if isinstance(new, LiteralNode)
                else MergedNode(new.value, (), LiteralNode(MISSING, ()), new, NEW, mark)
            )
        case Sweep():
            return _sweep(step, mark, states[-1], folded, ledger)
        case Patch():
            return _patch(step, mark, states[-1], ledger)


def _patch(step: Patch, mark: StepRef, node: Node, ledger: Ledger) -> Node:
    from lamina.dialects.cloudinit.json_patch import InapplicableOperation, patched

    try:
        return patched(node, step.changes, mark, MergeContext(ledger.budget))
    except InapplicableOperation as unfit:
        raise _Fault(_unfit(step, unfit)) from None
    except BudgetSpent as spent:
        raise _beyond(step, spent, ledger.budget) from None


def _unfit(step: Patch, unfit: InapplicableOperation) -> Diagnostic:
    text = step.faults[unfit.fault]
    change = step.changes[unfit.number - 1]
    words = {
        "detail": unfit.detail,
        "path": show(unfit.path),
        "layer": step.subject or "this patch",
        "number": unfit.number,
    }
    there = first_origin(unfit.there) if unfit.there else None
    return Diagnostic(
        code=text.code,
        message=text.message.format(**words),
        at=first_origin(change.node) or step.directive.origin,
        path=unfit.path,
        related=(("what stands there", there),) if there else (),
        hint=text.hint.format(**words) if text.hint else None,
        subject=step.subject,
    )


def _fetch(take: From, step: AnyStep, states: list[Node], results: Mapping[str, Folded]) -> Node:
    """The node a take stands for."""
    if isinstance(take.source, Node) and not take.path and not take.casts and take.select is None:
        return take.source
    return _fetch_from(take, step, states, results)[0].resolved()


def _fetch_from(
    take: From, step: AnyStep, states: list[Node], results: Mapping[str, Folded]
) -> tuple[Later, Any, Path]:
    """What a take stands for, its value, and its path in the source."""
    match take.source:
        case OutputRef(name=name):
            if name not in results or results[name].failed:
                raise _Fault(_needs_failed(name, step), final=True)
            node = results[name].node
        case StateRef(steps=steps):
            node = states[steps]
        case Node() as node:
            pass
    path = take.path
    value = walk(node.value, path)
    found = Later(node, path)
    if take.select is not None:
        found, value, path = _selected(found, value, take, step)
    for cast in take.casts:
        derived = _recast(found.resolved(), cast, step)
        found, value = Later(derived, ()), derived.value
    return found, value, path


def _selected(source: Later, whole: Any, take: From, step: AnyStep) -> tuple[Later, Any, Path]:
    """The first thing a take selects; nothing is a fault where something is needed, and null where it is not."""
    assert take.select is not None
    path, value, how = source.path, whole, ""
    if isinstance(whole, dict) or not take.whole_unless_mapping:
        found = _first_selected(source, whole, take.select, step)
        value = found.value if found else MISSING
        if found:
            path = source.path + found.path
            if walk(whole, found.path) is not value:
                how = "a list of itself" if found.boxed else "a letter"
    if value is None or value is MISSING:
        if take.needed:
            clash = Conflict("nothing-to-take", MISSING, value, (), (), take.select.text)
            raise _Fault(_word(step, clash, LiteralNode(MISSING, ()), source.resolved()), final=True)
        return (Later(LiteralNode(None, path), ()) if value is MISSING else Later(source.base, path)), None, path
    if how:
        holder = source.base.at(path)
        return Later(ComputedNode(value, holder.path, (holder,), how), ()), value, path
    return Later(source.base, path), value, path


def _first_selected(source: Later, whole: Any, select: Selector, step: AnyStep) -> Found | None:
    from lamina.dialects.deckhand.jsonpath.selector import Unreachable

    try:
        return next(iter(select.find(whole)), None)
    except Unreachable as gap:
        clash = Conflict("no-such-source", MISSING, gap.value, (), gap.path, gap.reason)
        raise _Fault(_word(step, clash, LiteralNode(MISSING, ()), source.resolved()), final=True) from None


def _recast(node: Node, cast: Cast, step: AnyStep) -> Node:
    try:
        return ComputedNode(cast.change(node.value), node.path, (node,), cast.name)
    except ValueError as error:
        clash = Conflict("bad-cast", MISSING, node.value, (), (), str(error))
        raise _Fault(_word(step, clash, LiteralNode(MISSING, ()), node)) from None


def _needs_failed(name: str, step: AnyStep) -> Diagnostic:
    needs = "" if step.subject == name else f"{step.subject or 'this'} needs {name}, which "
    return Diagnostic(
        code="needs-failed",
        message=f"{needs or f'{name} '}could not be rendered",
        at=step.directive.origin,
        hint="mend that first; it is told, too",
        subject=step.subject,
    )


def _put(step: Merge, mark: StepRef, old: Node, new: Node, folded: Folded, ledger: Ledger) -> Node:
    if step.dry and not step.path and step.policy.quiet(old.value, new.value):
        return old  # nobody would see what came of it, and there is nothing to say
    run = MergeContext(ledger.budget)
    try:
        node = _put_in_place(step, mark, old, new, run) if step.in_place else _put_piece(step, mark, old, new, run)
    except NoSuchPlace as gap:
        raise _Fault(_word(step, Conflict("no-such-place", gap.value, new.value, gap.path, (), ""), old, new)) from None
    except BudgetSpent as spent:
        raise _beyond(step, spent, ledger.budget, new) from None
    if run.clashes:
        raise _Fault(*(_word(step, clash, old, new) for clash in run.clashes))
    if run.remarks:
        folded.notes.extend(replace(_word(step, remark, old, new), severity=Severity.WARNING) for remark in run.remarks)
    return node


def _put_in_place(step: Merge, mark: StepRef, old: Node, new: Node, run: MergeContext) -> Node:
    from lamina.dialects.heat.cells import put_in_place, shares

    if not shares(old.value):
        return _put_piece(step, mark, old, new, run)
    return put_in_place(old, new, step.path, step.policy, run, mark)


def _put_piece(step: Merge, mark: StepRef, old: Node, new: Node, run: MergeContext) -> Node:
    def combine(before: Any, after: Any, trail: Any) -> Delta:
        return step.policy.combine(before, after, trail, run)

    if step.path:
        piece = put(old.value, new.value, step.path, combine, create=step.create)
    else:
        piece = step.policy.combine(old.value, new.value, None, run)
    if type(piece) is MapDelta:
        _count(piece, run)
    return MergedNode(value_of(piece, old.value, new.value), (), old, new, piece, mark, policy=step.policy)


def _count(piece: MapDelta, run: MergeContext) -> None:
    """Count the mappings that were copied for a piece."""
    pending = [piece]
    copied = 0
    while pending:
        edit = pending.pop()
        copied += len(edit.value)
        pending += [entry for entry in edit.entries.values() if type(entry) is MapDelta]
    run.build(copied, copied * ENTRY)


def _sweep(step: Sweep, mark: StepRef, old: Node, folded: Folded, ledger: Ledger) -> Node:
    if folded.clean == (id(step.policy), id(old)):
        return old
    run, nothing = MergeContext(ledger.budget), LiteralNode(MISSING, ())
    try:
        piece = step.policy.combine(old.value, MISSING, None, run)
    except BudgetSpent as spent:
        raise _beyond(step, spent, ledger.budget) from None
    if run.clashes:
        raise _Fault(*(_word(step, clash, old, nothing) for clash in run.clashes))
    folded.notes.extend(replace(_word(step, remark, old, nothing), severity=Severity.WARNING) for remark in run.remarks)
    if piece is OLD:
        folded.clean = None if run.remarks else (id(step.policy), id(old))
        return old
    return MergedNode(value_of(piece, old.value, MISSING), (), old, nothing, piece, mark, policy=step.policy)


def _drop(step: Drop, mark: StepRef, old: Node, results: Mapping[str, Folded], ledger: Ledger) -> Node:
    from lamina.dialects.deckhand import placement

    try:
        if ledger.heap.knows(mark.output):
            from lamina.dialects.deckhand import mutation

            run = MergeContext(ledger.budget)
            made = mutation.drop(step, mutation.Scene(mark.output, old, results, ledger.heap, mark, run))
            ledger.budget = run.budget
            return made
        return placement.drop(step, old, mark)
    except placement.Misplaced as miss:
        nothing = LiteralNode(MISSING, ())
        raise _Fault(*(_word(step, clash, old, nothing) for clash in miss.clashes)) from None
    except BudgetSpent as spent:
        raise _beyond(step, spent, ledger.budget) from None


def _spread(step: Spread, mark: StepRef, states: list[Node], results: Mapping[str, Folded], ledger: Ledger) -> Node:
    from lamina.dialects.deckhand import placement
    from lamina.dialects.deckhand.spread import spread

    run, heap, old = MergeContext(ledger.budget.copy()), ledger.heap, states[-1]
    new = _read_once(step, mark, states, results, ledger)
    try:
        weight = ledger.weights.of(new.value) if new.location is not None else None
        if weight is not None:
            run.build(weight.nodes, weight.size)
        room = DEEPEST - weight.depth if weight else sys.maxsize
        # A container put at two paths is one container.
        repeated = isinstance(new.value, (dict, list)) and not step.select.single
        if heap.knows(mark.output) or repeated or new.leaks(heap):
            from lamina.dialects.deckhand import mutation

            made = mutation.spread(step, mutation.Scene(mark.output, old, results, heap, mark, run), new, room)
        else:
            made = spread(step, old, new, mark, room, run)
    except placement.Misplaced as miss:
        findings = [_word(step, clash, old, new.node.resolved()) for clash in miss.clashes]
        raise _Fault(*findings, left=miss.left, final=miss.final) from None
    except BudgetSpent as spent:
        raise _beyond(step, spent, run.budget) from None
    except placement.TooDeep:
        raise _Fault(_too_deep(step), final=True) from None
    # What was not built in the end costs nothing.
    ledger.budget = run.budget
    return made


def _read_once(step: Spread, mark: StepRef, states: list[Node], results: Mapping[str, Folded], ledger: Ledger) -> New:
    """What a Spread takes; consecutive steps of an output with the same Take object read it once."""
    from lamina.dialects.deckhand.heap import Location
    from lamina.dialects.deckhand.placement import New

    take, heap = step.take, ledger.heap
    last = ledger.reading
    if last is not None and last[0] is take and last[1] == mark.output:
        again = last[2].again(heap)
        if again is not None:
            return again
    node, value, path = _fetch_from(take, step, states, results)
    # What was recast is nobody else's.
    location = Location(take.source.name, path) if isinstance(take.source, OutputRef) and not take.casts else None
    cell = heap.at(location) if location is not None and heap.knows(location.output) else None
    new = New(node, value, location, take.shared, cell)
    ledger.reading = (take, mark.output, new)
    return new


def _too_deep(step: AnyStep) -> Diagnostic:
    return Diagnostic(
        code="result-too-deep",
        message=f"the result has more than {DEEPEST} collections inside one another",
        at=step.directive.origin,
        hint="outputs that are put into one another over and over are the usual cause",
        subject=step.subject,
    )


def _beyond(step: AnyStep, spent: BudgetSpent, budget: Budget, new: Node | None = None) -> Exception:
    """What ends a step that takes too much; where it was too much for the run, the run."""
    finding = Diagnostic(
        code="result-too-large",
        message=f"the result takes more than {spent.what}, which is Lamina's limit",
        at=step.directive.origin or (first_origin(new) if new else None),
        hint="text or lists that grow with every layer are the usual cause; render fewer layers or documents at a time",
        subject=step.subject,
    )
    return MergeError(finding) if budget.is_spent else _Fault(finding, final=True)


def _word(step: AnyStep, clash: Conflict, old: Node, new: Node) -> Diagnostic:
    """A clash in the dialect's own words, with the places of both values."""
    text = step.faults[clash.fault]
    skipped = len(step.path) if isinstance(step, (Merge, Drop)) else 0
    before, after = old.at(clash.old_path), new.at(clash.new_path[skipped:])
    words = {
        "path": show(clash.old_path),
        "within": f", at {show(clash.old_path)}" if clash.old_path else "",
        "old": SECRET if is_secret(before) else short(clash.old),
        "new": SECRET if is_secret(after) else short(clash.new),
        "old_kind": word_for(clash.old),
        "new_kind": word_for(clash.new),
        "layer": step.subject or layer_of(new) or "this layer",
        "detail": clash.detail,
    }
    given, earlier, asked = first_origin(after), first_origin(before), step.directive.origin
    places: tuple[tuple[str, Origin | None], ...] = (("the earlier value is here", earlier),)
    if text.at_directive and asked:
        places = (("it takes from here", given), ("this is what it would change", earlier))
    return Diagnostic(
        code=text.code,
        message=text.message.format(**words),
        at=asked if text.at_directive and asked else given or asked,
        path=clash.old_path,
        related=tuple((label, place) for label, place in places if place),
        hint=text.hint.format(**words) if text.hint else None,
        subject=step.subject,
    )


def short(value: Any, limit: int = 40) -> str:
    """A value in a few characters, for messages."""
    text = "nothing" if value is MISSING else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
