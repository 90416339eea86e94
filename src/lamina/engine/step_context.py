"""What a step is applied to, and how it fails.

A dialect's own step is a subclass of `Step`; the fold calls its `apply` with a `StepContext`, and the node it returns
is the new state of the output. A step that cannot be applied raises `StepFailure`; the output then stays as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from lamina.budget import Budget, BudgetExceeded
from lamina.engine.change import MergeChange
from lamina.engine.log import Log, Place
from lamina.engine.merge_context import MergeContext
from lamina.engine.node import Node
from lamina.engine.plan import OnFault, OutputRef, Plan, StateRef
from lamina.errors import Diagnostic, MergeError, Message, Severity
from lamina.paths import MISSING, show
from lamina.run import Run
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from lamina.engine.merge_context import Conflict
    from lamina.engine.plan import AnyStep, Directive, From, Output
    from lamina.errors import Note
    from lamina.origins import Origin

State = TypeVar("State")
Link: TypeAlias = tuple[str, str]
"""Two outputs of which a step of one changed the other; twice the same name if one output has a container twice."""

_FEW = 8
"""Up to how many names are looked for one after the other."""


class Folded:
    """The result of one output: its node, or the faults that stopped it."""

    __slots__ = ("faults", "node", "notes", "output", "spent", "taken")

    def __init__(self, output: Output, node: Node) -> None:
        self.output = output
        self.node = node
        self.faults: list[Diagnostic] = []
        self.notes: list[Note] = []
        self.taken: Collection[str] = ()
        """The names of the outputs it took from, or would have, each once."""
        self.spent = (0, 0)
        """The nodes and bytes it used of the run's budget."""

    @property
    def failed(self) -> bool:
        return bool(self.faults)

    @property
    def value(self) -> Any:
        return self.node.value

    def add_taken(self, name: str) -> None:
        """Add an output that it takes from."""
        taken = self.taken
        if name in taken:
            return
        if isinstance(taken, set):
            taken.add(name)
        else:  # most have one or two, and a set takes four times the memory of a tuple
            self.taken = (*taken, name) if len(taken) < _FEW else {*taken, name}

    def skip(self, step: AnyStep, findings: tuple[Diagnostic, ...]) -> None:
        """Note that a step is skipped, and why."""
        severity = Severity.INFO if step.on_fault is OnFault.ALLOW else Severity.ERROR
        self.notes.append(replace(_as_one(findings), severity=severity))

    def advance(self, node: Node) -> None:
        """Go on to what a step returned: changes of the output so far are added to its log."""
        changes: list[MergeChange] = []
        while type(node) is MergeChange:
            changes.append(node)
            node = node.old
        if not changes:
            self.node = node
            return
        is_end = type(node) is Place and not node.inner and node.number == len(node.log.changes) and node is self.node
        log = node.log if is_end and type(node) is Place else Log(node, node.value)
        for change in reversed(changes):
            log.append(change)
        self.node = log.end

    def with_node(self, node: Node) -> Folded:
        """The same after a change by another output: what was folded is never changed, several runs may share it."""
        changed = Folded(self.output, self.node)
        changed.advance(node)
        changed.faults, changed.notes, changed.taken, changed.spent = self.faults, self.notes, self.taken, self.spent
        return changed


_MOST_RELATED = 10
"""How many further findings of a skipped step are listed with the first."""


def _as_one(findings: tuple[Diagnostic, ...]) -> Diagnostic:
    """The findings of a skipped step as one: the first, with the locations of the others."""
    first, *others = findings
    if not others:
        return first
    places = [(f"also at {show(other.path)}", other.at) for other in others if other.at]
    return replace(first, related=(*first.related, *places[:_MOST_RELATED]))


@dataclass(slots=True, eq=False)  # one for each step of each output: a frozen one takes three times as long to make
class StepRef:
    """The step that created a merged node: its output, its number there, and the step itself."""

    output: str
    number: int
    step: AnyStep

    @property
    def verb(self) -> str | None:
        return self.step.verb

    @property
    def directive(self) -> Directive:
        return self.step.directive


class Ledger:
    """What a run has done so far: its budget, the plan and the results up to now, and what steps share."""

    __slots__ = ("_states", "budget", "links", "plan", "results", "run")

    def __init__(self, run: Run | None = None, results: dict[str, Folded] | None = None) -> None:
        self.run = run if run is not None and run.budget is not None else (run or Run()).with_budget()
        assert self.run.budget is not None
        self.budget = self.run.budget
        self.plan = Plan()
        self.results = {} if results is None else results
        self.links: set[Link] = set()
        """Pairs of outputs of which a step of one changed the other."""
        self._states: dict[Callable[[Run], Any], Any] = {}

    @property
    def is_fresh(self) -> bool:
        """Whether no step has stored any state so far."""
        return not self._states

    def state(self, kind: Callable[[Run], State]) -> State:
        """The object of a class that a dialect's steps share during a run; made with the run on first use."""
        if kind not in self._states:
            self._states[kind] = kind(self.run)
        found: State = self._states[kind]
        return found

    def forget_states(self) -> None:
        """Let go of what steps stored."""
        self._states.clear()


class StepFailure(Exception):
    """A step cannot be applied; carries the findings."""

    def __init__(self, *findings: Diagnostic, final: bool = False) -> None:
        super().__init__(*findings)
        self.findings = findings
        self.final = final
        """The output cannot go on, even where the step may be skipped."""


class StepContext:
    """What a step works with: the states of its output so far, the results of other outputs, and the budget."""

    __slots__ = ("folded", "ledger", "ref", "results", "states", "step")

    def __init__(self, ref: StepRef, states: list[Node], folded: Folded, ledger: Ledger) -> None:
        self.ref = ref
        self.step = ref.step
        self.states = states
        self.results = ledger.results
        self.ledger = ledger
        self.folded = folded

    @property
    def run(self) -> Run:
        """The run: what a step may read from and count against."""
        return self.ledger.run

    @property
    def node(self) -> Node:
        """The output before the step."""
        return self.states[-1]

    def take(self, take: From) -> Node:
        """The node that a `From` describes."""
        match take.source:
            case OutputRef(name=name):
                self.folded.add_taken(name)
                needed = self.results.get(name)
                if needed is None or needed.failed:
                    raise StepFailure(_needs_failed(name, self.step, needed), final=True)
                node = self.results[name].node
            case StateRef(steps=steps):
                node = self.states[steps]
            case Node() as node:
                pass
        return node.at(take.path)

    def merged(
        self, old: Node, new: Node, merge: Callable[[MergeContext], Node], remarks: Severity = Severity.WARNING
    ) -> Node:
        """The node that `merge` returns. Conflicts fail the step; `remarks` is the severity of those on its outcome."""
        run = MergeContext(self.ledger.budget)
        try:
            node = merge(run)
        except BudgetExceeded as spent:
            raise self.too_large(spent, new=new) from None
        if run.conflicts:
            raise StepFailure(*(self.finding(conflict, old, new) for conflict in run.conflicts))
        if run.remarks:
            found = (self.finding(remark, old, new) for remark in run.remarks)
            self.folded.notes.extend(replace(each, severity=remarks) for each in found)
        return node

    def too_large(self, spent: BudgetExceeded, budget: Budget | None = None, new: Node | None = None) -> Exception:
        """The error for a step that exceeds a budget: fatal for the run if the run's budget is used up."""
        from lamina.engine.provenance import first_origin

        step = self.step
        at = step.directive.origin or (first_origin(new) if new else None)
        finding = _TOO_LARGE.at(at, subject=step.subject, limit=spent.what)
        return MergeError(finding) if (budget or self.ledger.budget).is_exceeded else StepFailure(finding, final=True)

    def finding(self, conflict: Conflict, old: Node, new: Node) -> Diagnostic:
        """The diagnostic for a conflict, in the dialect's wording."""
        return _describe(self.step, conflict, old, new)


def _needs_failed(name: str, step: AnyStep, needed: Folded | None) -> Diagnostic:
    needs = "" if step.subject == name else f"{step.subject or 'this'} needs {name}, which "
    finding = _NEEDS_FAILED.at(step.directive.origin, subject=step.subject, needs=needs or f"{name} ")
    if needed is None:
        return finding
    first = needed.faults[0]
    return replace(finding, cause=first.cause or first)


_NEEDS_FAILED = Message("dependency-failed", "{needs}could not be rendered", "fix that error first (reported above)")
_TOO_LARGE = Message(
    "result-too-large",
    "the result takes more than {limit}, which is Lamina's limit",
    "the usual cause is strings or lists that grow with every layer; render fewer layers or documents at a time",
)
_UNWORDED = Message(
    "",
    "{layer} has {new}{within}, which cannot be merged with {old}",
    "change one of the two values, or remove it",
)
"""The message for a fault that a dialect has no words for; its code is the name of the fault."""


def _describe(step: AnyStep, conflict: Conflict, old: Node, new: Node) -> Diagnostic:
    """The diagnostic for a conflict, in the dialect's wording, with the origins of both values."""
    from lamina.engine.provenance import first_origin, layer_of
    from lamina.engine.secrecy import SECRET, is_secret

    text = step.faults.get(conflict.fault) or replace(_UNWORDED, code=conflict.fault)
    skipped = len(getattr(step, "path", ()))
    old_node, new_node = old.at(conflict.old_path), new.at(conflict.new_path[skipped:])
    words: dict[str, Any] = {
        "path": show(conflict.old_path),
        "within": f", at {show(conflict.old_path)}" if conflict.old_path else "",
        "old": SECRET if is_secret(old_node) else short(conflict.old),
        "new": SECRET if is_secret(new_node) else short(conflict.new),
        "old_kind": word_for(conflict.old),
        "new_kind": word_for(conflict.new),
        "layer": step.subject or layer_of(new) or "this layer",
        "detail": conflict.detail,
    }
    new_origin, old_origin, directive_origin = first_origin(new_node), first_origin(old_node), step.directive.origin
    places: tuple[tuple[str, Origin | None], ...] = (("the earlier value is here", old_origin),)
    if text.at_directive and directive_origin:
        places = (("the data it takes from is here", new_origin), ("the data it would change is here", old_origin))
    at = directive_origin if text.at_directive and directive_origin else new_origin or directive_origin
    return text.at(at, conflict.old_path, subject=step.subject, related=places, **words)


def short(value: Any, limit: int = 40) -> str:
    """A value in a few characters, for messages."""
    text = "nothing" if value is MISSING else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
