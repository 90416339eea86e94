"""Dialects: one system's rules, as a compiler from inputs to a plan.

A dialect is a value. It is found through the entry-point group `lamina.dialects`; Lamina's own are registered there
too, and are also known by name so that a command need not scan the installed packages to find them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, cast

from lamina._support import suggestions
from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lamina.dialects.extensions import Background, Nodes, PlanView
    from lamina.engine.fold import Folded
    from lamina.engine.history import Event
    from lamina.engine.plan import Compiler
    from lamina.paths import Path
    from lamina.sources.inputs import Inputs
    from lamina.views.output_graph import Link
    from lamina.views.result import Result

GROUP = "lamina.dialects"

BUILT_IN: Mapping[str, str] = {
    "cloud-init": "lamina.dialects.cloudinit.dialect:DIALECT",
    "heat": "lamina.dialects.heat.dialect:DIALECT",
    "deckhand": "lamina.dialects.deckhand.dialect:DIALECT",
    "datum": "lamina.dialects.datum.dialect:DIALECT",
}
"""Lamina's own dialects, as they are registered in the entry-point group."""

OPTIONS: Mapping[str, str] = {
    "cloud-init": "lamina.dialects.cloudinit.options:CloudInitOptions",
    "heat": "lamina.dialects.heat.options:HeatOptions",
    "deckhand": "lamina.dialects.deckhand.options:DeckhandOptions",
    "datum": "lamina.dialects.datum.options:DatumOptions",
}
"""The options of Lamina's own dialects, which the command line offers without loading the dialects themselves."""


class Options(Protocol):
    """What every dialect's options have: the manner to follow."""

    @property
    def compat(self) -> str: ...


AnyOptions = TypeVar("AnyOptions", bound=Options)


@dataclass(frozen=True, slots=True)
class Style:
    """How the result of a dialect is written: a first line, and whether keys are sorted."""

    header: str = ""
    sort_keys: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetNode:
    """One node of a fleet: its name, what it is rendered from, and the options it has of its own.

    `inputs` are paths below the folder of the fleet; without any, the node is rendered from that folder as a whole.
    `prefix` names what it shares with others, the most common first: nodes are rendered in that order, so that what
    they share is done once. `options` are plain values.
    """

    name: str
    inputs: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    prefix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dialect(Generic[AnyOptions]):
    """One system's rules.

    `claims` tells whether inputs look like this system's; `compile` yields the stages of the plan. `hint` says
    what may surprise in an event, and what to do. `observe` turns a result into what
    golden cases of this system compare. `many` tells that a result is a list of documents. `fleet` lists the nodes a
    folder holds, where the system knows such a thing.
    """

    name: str
    title: str
    options: type[AnyOptions]
    claims: Callable[[Inputs], bool]
    compile: Callable[[Inputs, AnyOptions], Compiler]
    style: Style = field(default_factory=Style)
    many: Callable[[AnyOptions], bool] = lambda options: False  # noqa: ARG005 - most give one document
    noun: str = "output"
    """What the system calls one output, where there are several: a document, a node."""
    is_table: Callable[[AnyOptions], bool] = lambda options: False  # noqa: ARG005 - most results are none
    """Whether the result is a table by name of what would be outputs of their own."""
    manual: str = "the manual"
    manners: tuple[str, ...] = ("shipped",)
    """The manners a golden case holds in when it names none."""
    keeps_going: Callable[[AnyOptions], bool] = lambda options: False  # noqa: ARG005 - most stop
    """Whether outputs that fail are left out of the result, instead of there being none."""
    redacts: Callable[[AnyOptions], bool] = lambda options: False  # noqa: ARG005 - most know no secrets
    """Whether secrets are left out of the result itself."""
    tells: Callable[[AnyOptions], bool] | None = None
    """Whether secrets are told wherever values are explained, for a system that has them."""
    hint: Callable[[Event], str | None] = lambda event: None  # noqa: ARG005 - most events need no hint
    key: Callable[[str], Any] | None = None
    """How a text in a path becomes a key of this system, where keys do not compare as texts do."""
    checks: Callable[[AnyOptions, Mapping[str, Any], Result], Sequence[str]] = lambda options, expect, rendered: ()  # noqa: ARG005
    """What is wrong with a result by what a golden case says in its options."""
    graph: Callable[[Result], Iterable[Link]] | None = None
    """How the outputs hang together; found from the plan where the dialect does not say it better."""
    arrange: Callable[[Sequence[Folded], AnyOptions], Sequence[Folded]] = lambda outputs, options: outputs  # noqa: ARG005
    """Which outputs are given, and in what order."""
    plan_view: PlanView | None = None
    """What `plan` shows beyond the steps."""
    background: Callable[[Result, Inputs, Path], Background | None] | None = None
    """What `explain` shows beyond the history of a path."""
    nodes: Nodes | None = None
    """The nodes of a folder, for a system that has them."""
    observe: Callable[[Result], Mapping[str, Any]] = lambda rendered: {"value": rendered.plain}
    whole: Callable[[AnyOptions], AnyOptions | None] = lambda options: options
    """The options that leave nothing of the inputs out, which is what is linted; None where a part is singled out."""
    lint: str = ""
    """Where the dialect's own lint rules are, as `module:NAME` of a tuple of them; loaded only to lint."""
    fleet: Callable[[Inputs, AnyOptions], Iterable[FleetNode]] | None = None


PathsIn: TypeAlias = "Callable[[Any, Callable[[str], str]], Any]"
"""Gives the value of an option with each path in it replaced by what the function makes of it."""


def one_path(value: Any, replaced: Callable[[str], str]) -> Any:
    """The path in the value of an option that is one path or not set."""
    if value is not None and not isinstance(value, str):
        raise UsageError(
            Diagnostic(
                code="not-a-path",
                message=f"this option is the name of a file or folder, not {value!r}",
                hint="write a path as a string",
            )
        )
    return value if value is None else replaced(value)


def option(
    default: Any = None,
    *,
    about: str,
    flag: str | None = None,
    short: str | None = None,
    choices: Sequence[str] = (),
    many: bool = False,
    on_command_line: Any = None,
    grants: str | None = None,
    paths: PathsIn | None = None,
) -> Any:
    """A field of a dialect's options; `flag` is its name on the command line, where it has one.

    `on_command_line` is the default there, where that differs. `grants` says what the option permits, if it lifts a
    protection: only the caller may set such an option, never data such as a manifest. `paths` finds the paths in a
    value, for an option that names files or folders: set by data, they are relative to the file that sets them and stay
    in its folder.
    """
    metadata = {
        "about": about,
        "flag": flag,
        "short": (short,) if short else (),
        "choices": tuple(choices),
        "many": many,
        "on_command_line": on_command_line,
        "grants": grants,
        "paths": paths,
    }
    return field(default=default, metadata=metadata)


def find(name: str) -> Dialect[Any]:
    """The dialect of that name."""
    if name in BUILT_IN:
        return _load(BUILT_IN[name])
    for point in installed():
        if point.name == name:
            dialect: Dialect[Any] = point.load()
            return dialect
    raise UsageError(unknown("dialect", name, names()))


def detect(inputs: Inputs) -> Dialect[Any]:
    """The dialect the inputs look like."""
    for place in BUILT_IN.values():
        dialect = _load(place)
        if dialect.claims(inputs):
            return dialect
    for point in installed():
        if point.name not in BUILT_IN and (foreign := point.load()).claims(inputs):
            return foreign  # type: ignore[no-any-return]  # what an entry point loads has no type
    raise UsageError(
        Diagnostic(
            code="unknown-dialect",
            message="the inputs do not look like any known dialect",
            hint=f"name it with --dialect: {', '.join(names())}",
        )
    )


def names() -> list[str]:
    """The names of all dialects there are."""
    return sorted({*BUILT_IN, *(point.name for point in installed())})


def installed() -> Iterable[Any]:
    """The entry points of all installed dialects."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _load(place: str) -> Dialect[Any]:
    module, _, attribute = place.partition(":")
    dialect: Dialect[Any] = getattr(import_module(module), attribute)
    return dialect


def make_options(dialect: Dialect[AnyOptions], given: Mapping[str, Any]) -> AnyOptions:
    """The dialect's options from plain values; a name it does not know is refused."""
    known = {item.name: item for item in fields(cast("Any", dialect.options))}
    for name, value in given.items():
        if name not in known:
            raise UsageError(unknown("option", name, list(known), f" of {dialect.name}"))
        choices = known[name].metadata.get("choices", ())
        if choices and value not in choices:
            raise UsageError(unknown("value", str(value), list(choices), f" for {name}"))
    return dialect.options(**given)


def unknown(what: str, name: str, known: Sequence[str], of: str = "") -> Diagnostic:
    """The finding that a name is not known, with the nearest one that is."""
    near = suggestions.nearest(name, known)
    rest = f"known: {', '.join(known)}" if known else "there is none"
    return Diagnostic(
        code=f"unknown-{what}",
        message=f"there is no {what} {name!r}{of}",
        hint=f"did you mean {near!r}? {rest}" if near else rest,
    )
