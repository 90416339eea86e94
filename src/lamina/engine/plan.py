"""Plans: what a dialect compiles its inputs to.

A plan is data. It holds stages; a stage holds outputs; an output is an ordered list of steps, each naming the
directive that caused it. A dialect compiles stage by stage and is handed the folded outputs of one stage before it
goes on to the next.

Steps, and what they take, are never changed once they are made; they are not frozen dataclasses because large fleets
make millions of them, and making a frozen one takes four times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from lamina.engine.node import LiteralNode
from lamina.engine.result_spec import DEFAULT, ResultSpec
from lamina.paths import MISSING

if TYPE_CHECKING:
    from lamina.engine.node import Node
    from lamina.engine.operators.convert import Cast
    from lamina.engine.policy import Policy
    from lamina.engine.step_context import Folded, StepContext
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path


class OnFault(Enum):
    """What a step that fails does to its output."""

    STOP = "stop"
    SKIP = "skip"
    ALLOW = "allow"
    """Skipped like the others, but the caller allowed it: a note and not an error."""


@dataclass(frozen=True, slots=True)
class Directive:
    """What in the input, or which default of the system, caused a step."""

    text: str
    origin: Origin | None = None

    def __str__(self) -> str:
        return f"{self.text} at {self.origin}" if self.origin else self.text


@dataclass(slots=True, kw_only=True, eq=False)
class FaultText:
    """A dialect's message for a general fault: its own code, a sentence and a hint.

    The texts may hold `{path}`, `{within}` (the path behind a comma, nothing at the top), `{old}`, `{new}` (short forms
    of the values), `{old_kind}`, `{new_kind}`, `{layer}` and `{detail}`. `at_directive` says that the place to fix is
    the line that asked for the step, not the value.
    """

    code: str
    message: str
    hint: str | None = None
    at_directive: bool = False


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
    """Where a new value comes from: a node of a layer, another output or an earlier state; a path in it; casts."""

    source: Node | OutputRef | StateRef
    path: Path = ()
    casts: tuple[Cast, ...] = ()
    layer: str = ""
    rank: int | None = None
    """The place of the layer in an order of precedence, 0 for the one that wins, where the system has such an order."""

    @property
    def selects(self) -> bool:
        """Whether only a part of what is at the path is taken."""
        return False

    def part_taken(self, node: Node) -> Path:
        """The path of what is taken in the node at `path`; a kind of From that selects overrides it."""
        return ()


NOTHING = From(source=LiteralNode(MISSING, ()))
"""The new side of a merge that only changes what is there: its operators get nothing on the new side."""


@dataclass(slots=True, kw_only=True, eq=False)
class Step:
    """What all steps have in common."""

    directive: Directive
    on_fault: OnFault = OnFault.STOP
    faults: Mapping[str, FaultText] = field(default_factory=dict)
    subject: str | None = None
    verb: str | None = None
    """The verdict for a value that this step sets, if `set` and `replaced` do not fit (`substituted`)."""
    dry: bool = False
    """Run for its faults and notes only; the value is discarded."""
    hands_on: bool = False
    """The step forwards what another output gave: what it sets is in that output's own history."""

    def apply(self, context: StepContext) -> Node:
        """The output after the step. Steps that a dialect brings define it; the fold itself applies those below."""
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
    directives: Mapping[Any, Directive] = field(default_factory=dict)
    """What caused the change of a single member of the value at the path, if that is not the step's directive."""

    @property
    def cleans(self) -> bool:
        """Whether nothing is merged in: the step only changes what is there."""
        source = self.take.source
        return isinstance(source, LiteralNode) and source.value is MISSING


@dataclass(slots=True, kw_only=True, eq=False)
class Fail(Step):
    """Fail here: the dialect found an error and puts it where the real program would have failed."""

    finding: Note


AnyStep: TypeAlias = Step


@dataclass(slots=True, kw_only=True, eq=False)
class Output:
    """One document of the result and the steps that make it."""

    name: str
    steps: tuple[AnyStep, ...]
    hidden: bool = False
    """Needed for other outputs, but not part of the result."""

    def renamed(self, name: str, *, hidden: bool) -> Output:
        """The same steps under another name."""
        return Output(name=name, steps=self.steps, hidden=hidden)


class KnownValue(Protocol):
    """A value that is known before the steps of its output are folded."""

    @property
    def value(self) -> Any: ...

    @property
    def plain(self) -> Any:
        """The value with keys of no special type; MISSING where it has to be made from the value."""
        ...


class ValuedOutput(Output):
    """An output whose value is known already, and that its steps would be folded without a note to.

    The steps are made, and folded, when somebody asks for them or for where the value comes from.
    """

    __slots__ = ("_made", "known", "make")

    def __init__(
        self, name: str, known: KnownValue, make: Callable[[], tuple[AnyStep, ...]], *, hidden: bool = False
    ) -> None:
        self.name = name
        self.hidden = hidden
        self.known = known
        self.make = make
        self._made: tuple[AnyStep, ...] | None = None

    @property
    def steps(self) -> tuple[AnyStep, ...]:  # type: ignore[override]  # nobody changes the steps of an output
        if self._made is None:
            self._made = self.make()
        return self._made

    def renamed(self, name: str, *, hidden: bool) -> ValuedOutput:
        return ValuedOutput(name, self.known, self.make, hidden=hidden)


@dataclass(slots=True, kw_only=True, eq=False)
class Stage:
    """Outputs that can be folded after all earlier ones."""

    title: str
    outputs: tuple[Output, ...]
    notes: tuple[Note, ...] = ()
    facts: Any = None
    """What the dialect found besides the steps, for its own views and lint rules."""
    disputed: bool = True
    """Whether the other compatibility mode may give another stage, as far as the compiler can tell."""


@dataclass(slots=True, eq=False)
class Plan:
    """All stages, in order."""

    stages: list[Stage] = field(default_factory=list)
    result: ResultSpec = DEFAULT
    """What the results of its outputs look like."""

    @property
    def disputed(self) -> bool:
        """Whether the other compatibility mode may give another plan."""
        return any(stage.disputed for stage in self.stages)


Results: TypeAlias = "Mapping[str, Folded]"
Compiler: TypeAlias = Generator[Stage | ResultSpec, "Results", None]
"""A running compilation: yields what the result looks like, if needed, then stages; it is sent all results so far."""
