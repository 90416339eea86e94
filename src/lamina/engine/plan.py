"""Plans: what a dialect compiles its inputs to.

A plan is data. It holds stages; a stage holds outputs; an output is an ordered list of steps, each naming the
directive that caused it. A dialect compiles stage by stage: it receives the folded outputs of one stage before it
yields the next. Before its first stage it may yield a `ResultSpec`, the form of the result; without one, the result is
one value, written as plain YAML.

Steps and their `From` are never changed after they are created. They are not frozen dataclasses because large fleets
create millions of them, and creating a frozen one takes four times as long.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lamina.engine.node import LiteralNode
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.engine.node import Node
    from lamina.engine.policy import Policy
    from lamina.engine.step_context import Folded, StepContext
    from lamina.errors import Message, Note
    from lamina.origins import Origin
    from lamina.paths import Path


_NO_FAULTS: Mapping[str, Message] = {}
"""What steps without any have in common: large sites and fleets have millions of them."""


class OnFault(Enum):
    """What a step that fails does to its output."""

    STOP = "stop"
    SKIP = "skip"
    ALLOW = "allow"
    """Like `SKIP`, but reported as a note instead of an error, because the caller allowed it."""


@dataclass(frozen=True, slots=True)
class Directive:
    """What in the input, or which default of the system, caused a step."""

    text: str
    origin: Origin | None = None

    def __str__(self) -> str:
        return f"{self.text} at {self.origin}" if self.origin else self.text


@dataclass(frozen=True, slots=True)
class OutputRef:
    """The result of another output of the plan."""

    name: str


@dataclass(frozen=True, slots=True)
class StateRef:
    """An earlier state of the same output: what it was after its first `steps` steps."""

    steps: int


@dataclass(slots=True, kw_only=True, eq=False)
class From:
    """The source of a new value: a node of a layer, another output or an earlier state; and a path in it."""

    source: Node | OutputRef | StateRef
    path: Path = ()
    layer: str = ""
    rank: int | None = None
    """The rank of the layer in the system's order of precedence, if it has one; 0 wins."""

    @property
    def selects(self) -> bool:
        """Whether only a part of the node at the path is taken."""
        return False

    def part_taken(self, node: Node) -> Path:
        """The path of the part that is taken, inside the node at `path`; overridden by subclasses that select."""
        return ()


NOTHING = From(source=LiteralNode(MISSING, ()))
"""The new side of a merge that only cleans up: its operators see MISSING as the new value."""


@dataclass(slots=True, kw_only=True, eq=False)
class Step:
    """The fields that all steps have."""

    directive: Directive
    on_fault: OnFault = OnFault.STOP
    faults: Mapping[str, Message] = field(default_factory=lambda: _NO_FAULTS)
    subject: str | None = None
    verb: str | None = None
    """The verdict for a value that this step sets, instead of `set` or `replaced` (for example `substituted`)."""
    forwards: bool = False
    """The step forwards the value of another output, whose history already says where the value comes from."""
    brings_defaults: bool = False
    """What it brings is there for other results, too: a value that says the same is the one that is not needed."""

    def directive_at(self, path: Path) -> Directive:
        """What caused the change at a path of the output; overridden by steps for whose members others count."""
        return self.directive

    def inner(self) -> Iterable[Output]:
        """The outputs that what it brings was made by; for a step whose dialect has lookups of its own."""
        return ()

    def apply(self, context: StepContext) -> Node:
        """The output after the step. A dialect's own steps implement it; the fold applies the steps below itself."""
        raise NotImplementedError(type(self).__name__)


@dataclass(slots=True, kw_only=True, eq=False)
class Start(Step):
    """The output starts with this value."""

    take: From


@dataclass(slots=True, kw_only=True, eq=False)
class Merge(Step):
    """Merge a value into a path by a policy."""

    take: From
    policy: Policy
    path: Path = ()
    create: bool = False

    @property
    def cleans(self) -> bool:
        """Whether the step only cleans up the old value: there is no new one."""
        source = self.take.source
        return isinstance(source, LiteralNode) and source.value is MISSING

    def apply(self, context: StepContext) -> Node:
        from lamina.engine.fold import merge

        return merge(self, context)


@dataclass(slots=True, kw_only=True, eq=False)
class Fail(Step):
    """Fail with this finding, at the point where the real program would have failed."""

    finding: Note
    others: tuple[Note, ...] = ()
    """What else stopped it."""


AnyStep: TypeAlias = Step


@dataclass(slots=True, kw_only=True, eq=False)
class Output:
    """One document of the result, and the steps that build it."""

    name: str
    steps: tuple[AnyStep, ...]
    hidden: bool = False
    """Needed by other outputs, but not part of the result."""

    def renamed(self, name: str, *, hidden: bool) -> Output:
        """The same steps under another name."""
        return Output(name=name, steps=self.steps, hidden=hidden)

    def sources(self) -> Iterator[str]:
        """The names of the outputs that the steps may take from."""
        for step in self.steps:
            take = getattr(step, "take", None)
            if take is not None and isinstance(take.source, OutputRef):
                yield take.source.name


@dataclass(slots=True, kw_only=True, eq=False)
class Stage:
    """Outputs that can be folded once all earlier stages are."""

    title: str
    outputs: tuple[Output, ...]
    notes: tuple[Note, ...] = ()
    facts: Any = None
    """Data of the dialect for its own views and lint rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSpec:
    """The form of the result of a plan."""

    shape: Literal["one", "list", "table"] = "one"
    """`one`: the value of the only output. `list`: the values of all outputs, in order. `table`: the value of the only
    output, a mapping by name of what could be rendered one by one (the nodes of a fleet)."""
    noun: str = "output"
    """The system's word for one output, if there are several: document, node."""
    order: Callable[[Sequence[Folded]], Sequence[Folded]] | None = None
    """Which outputs are in the result, and in what order; all of them in the order of the plan if not given."""
    partial: bool = False
    """Outputs that fail are omitted and reported; otherwise there is no result if one fails."""
    header: str = ""
    """The first line of a result that is written as YAML."""
    sort_keys: bool = False
    """Whether its keys are sorted then."""
    secrets: Literal["none", "hide", "show", "redact"] = "none"
    """`none`: the system has no secrets. `hide`: secret values are in the result, but hidden wherever values are
    explained. `show`: they are shown there as well. `redact`: they are neither in the result nor shown."""
    key_type: Callable[[str], Any] | None = None
    """Converts a string of a path to a key of this system, if its keys do not compare like strings."""
    own_path: Callable[[Path], Path] | None = None
    """Reads a path as this system writes paths, if it does so in a way of its own; the same path if it is not one."""


DEFAULT = ResultSpec()
"""One value, written as plain YAML."""


@dataclass(slots=True, eq=False)
class Plan:
    """All stages, in order."""

    stages: list[Stage] = field(default_factory=list)
    result: ResultSpec = DEFAULT
    """The form of the result."""


Results: TypeAlias = "Mapping[str, Folded]"
Compiler: TypeAlias = Generator[Stage | ResultSpec, "Results", None]
"""A running compilation: yields a ResultSpec, if it needs one, then stages; it is sent all results so far."""
