"""What a step is applied to, and how it fails.

A step that only one dialect has is a subclass of `Step` in that dialect; the fold calls its `apply` with a
`StepContext` and takes the node it returns as the new state of the output. A step that cannot be applied raises
`StepFailure`: it then changes nothing, or only what the real program would leave behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from lamina.budget import Budget, BudgetSpent
from lamina.engine.merge_context import Conflict, MergeContext
from lamina.engine.node import ComputedNode, DeferredNode, Later, LiteralNode, Node
from lamina.engine.plan import Merge, OutputRef, StateRef
from lamina.engine.provenance import first_origin, layer_of
from lamina.engine.secrecy import SECRET, is_secret
from lamina.engine.tree_edit import NoSuchPlace
from lamina.errors import Diagnostic, MergeError, Severity
from lamina.paths import MISSING, show
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.engine.operators.convert import Cast
    from lamina.engine.plan import AnyStep, Directive, From, Output, ValuedOutput
    from lamina.engine.run_record import Link
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path

State = TypeVar("State")


@dataclass(slots=True, eq=False)
class Folded:
    """What became of one output: its node, or the faults that stopped it."""

    output: Output
    node: Node
    faults: list[Diagnostic] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    clean: tuple[int, int] | None = None
    """The policy that found nothing to clean up last, and the node it looked at."""
    taken: set[str] = field(default_factory=set)
    """The names of the outputs it took from, or would have."""
    spent: tuple[int, int] = (0, 0)
    """What it took of the budget of its run: nodes and bytes."""

    @property
    def failed(self) -> bool:
        return bool(self.faults)

    @property
    def value(self) -> Any:
        return self.node.value

    @property
    def plain(self) -> Any:
        """The value with keys of no special type, if that is known already; else MISSING."""
        return MISSING

    @property
    def lazy(self) -> Node:
        """The node, for those who need no more than its value."""
        return self.node

    def again(self) -> Folded:
        """The same for another run, in which a step of another output may change it."""
        return replace(self, faults=list(self.faults), notes=list(self.notes), clean=None)


class ValuedFolded(Folded):
    """An output whose value is known; its steps are folded when somebody asks for the node."""

    __slots__ = ("_fold", "_lazy", "_node")

    def __init__(self, output: ValuedOutput, fold: Callable[[], Node]) -> None:
        self.output: ValuedOutput = output
        self.faults, self.notes, self.clean, self.taken, self.spent = [], [], None, set(), (0, 0)
        self._fold = fold
        self._node: Node | None = None
        self._lazy: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]  # nobody sets that of an output that is folded
        if self._node is None:
            self._node = self._fold()
        return self._node

    @property
    def value(self) -> Any:
        return self.output.known.value

    @property
    def plain(self) -> Any:
        return self.output.known.plain

    @property
    def lazy(self) -> Node:
        if self._lazy is None:
            self._lazy = self._node or DeferredNode(self.value, (), lambda: self.node)
        return self._lazy

    def again(self) -> Folded:
        return ValuedFolded(self.output, lambda: self.node)


@dataclass(slots=True, eq=False)  # one for each step of each output: a frozen one takes three times as long to make
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
    """What the outputs of one fold have in common: how much may still be built, and what dialects keep for a run."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self.links: set[Link] = set()
        """The outputs that steps of others changed, each with the other; see `run_record`."""
        self._states: dict[type[Any], Any] = {}

    @property
    def is_fresh(self) -> bool:
        """Whether no step has kept anything so far."""
        return not self._states

    def state(self, kind: type[State]) -> State:
        """The one object of a class that a dialect's steps share during a run."""
        if kind not in self._states:
            self._states[kind] = kind()
        found: State = self._states[kind]
        return found


class StepFailure(Exception):
    """A step cannot be applied; carries the findings."""

    def __init__(self, *findings: Diagnostic, left: Node | None = None, final: bool = False) -> None:
        super().__init__(*findings)
        self.findings = findings
        self.left = left
        """What the output is after a step that failed and yet left something behind."""
        self.final = final
        """The output cannot go on, even where the step may be skipped."""


class StepContext:
    """What a step is applied to: the states of its output, the other outputs, and what the run may still build."""

    __slots__ = ("folded", "ledger", "ref", "results", "states", "step")

    def __init__(
        self, ref: StepRef, states: list[Node], results: Mapping[str, Folded], folded: Folded, ledger: Ledger
    ) -> None:
        self.ref = ref
        self.step = ref.step
        self.states = states
        self.results = results
        self.ledger = ledger
        self.folded = folded

    @property
    def node(self) -> Node:
        """The output as it is before the step."""
        return self.states[-1]

    def take(self, take: From) -> Node:
        """The node that is taken."""
        if isinstance(take.source, Node) and not take.path and not take.casts:
            return take.source
        return self.cast(self.source(take), take.casts).resolved()

    def source(self, take: From) -> Later:
        """What is taken, before it is cast."""
        match take.source:
            case OutputRef(name=name):
                self.folded.taken.add(name)
                if name not in self.results or self.results[name].failed:
                    raise StepFailure(_needs_failed(name, self.step), final=True)
                node = self.results[name].lazy
            case StateRef(steps=steps):
                node = self.states[steps]
            case Node() as node:
                pass
        return Later(node, take.path)

    def cast(self, found: Later, casts: tuple[Cast, ...]) -> Later:
        """What is found, seen as something else."""
        for cast in casts:
            found = Later(self._cast(found.resolved(), cast), ())
        return found

    def _cast(self, node: Node, cast: Cast) -> Node:
        try:
            return ComputedNode(cast.change(node.value), node.path, (node,), cast.name)
        except ValueError as error:
            conflict = Conflict("bad-cast", MISSING, node.value, (), (), str(error))
            raise StepFailure(self.finding(conflict, LiteralNode(MISSING, ()), node)) from None

    def merged(self, old: Node, new: Node, merge: Callable[[MergeContext], Node]) -> Node:
        """What a merge gives; what it rejects fails the step, and what it warns of is a note."""
        run = MergeContext(self.ledger.budget)
        try:
            node = merge(run)
        except NoSuchPlace as gap:
            conflict = Conflict("no-such-place", gap.value, new.value, gap.path, (), "")
            raise StepFailure(self.finding(conflict, old, new)) from None
        except BudgetSpent as spent:
            raise self.too_large(spent, new=new) from None
        if run.clashes:
            raise StepFailure(*(self.finding(conflict, old, new) for conflict in run.clashes))
        if run.remarks:
            found = (self.finding(remark, old, new) for remark in run.remarks)
            # What a dry step gives is thrown away, so that what it warns of has no effect.
            severity = Severity.INFO if getattr(self.step, "dry", False) else Severity.WARNING
            self.folded.notes.extend(replace(each, severity=severity) for each in found)
        return node

    def too_large(self, spent: BudgetSpent, budget: Budget | None = None, new: Node | None = None) -> Exception:
        """What ends a step that takes too much; where it was too much for the run, the run."""
        step = self.step
        finding = Diagnostic(
            code="result-too-large",
            message=f"the result takes more than {spent.what}, which is Lamina's limit",
            at=step.directive.origin or (first_origin(new) if new else None),
            hint="the usual cause is strings or lists that grow with every layer; render fewer layers or "
            "documents at a time",
            subject=step.subject,
        )
        return MergeError(finding) if (budget or self.ledger.budget).is_spent else StepFailure(finding, final=True)

    def finding(self, conflict: Conflict, old: Node, new: Node) -> Diagnostic:
        """A conflict in the dialect's own words, with the origins of both values."""
        return _word(self.step, conflict, old, new)


def _needs_failed(name: str, step: AnyStep) -> Diagnostic:
    needs = "" if step.subject == name else f"{step.subject or 'this'} needs {name}, which "
    return Diagnostic(
        code="dependency-failed",
        message=f"{needs or f'{name} '}could not be rendered",
        at=step.directive.origin,
        hint="fix that error first (reported above)",
        subject=step.subject,
    )


def _word(step: AnyStep, clash: Conflict, old: Node, new: Node) -> Diagnostic:
    """A clash in the dialect's own words, with the places of both values."""
    text = step.faults[clash.fault]
    skipped = len(getattr(step, "path", ()))
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
        places = (("the data it takes from is here", given), ("the data it would change is here", earlier))
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
