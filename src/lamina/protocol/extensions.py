"""Extensions: what a dialect can have besides a compiler.

A dialect names them in `Dialect.extensions` as `module:NAME`; they are loaded when a command uses them. Commands use
the extensions that exist, and never check which dialect they work with.

| extension | is | used by |
| --- | --- | --- |
| `lint` | a sequence of `lamina.plugin.LintRule` | `lint` |
| `explain` | an `Explain` | `explain`, `report`, `where`, `find` |
| `plan` | a `PlanView` | `plan` |
| `graph` | a `Graph` | `report`, lint rules |
| `fleet` | a `Fleet` | `nodes`, `fleet`, `lint` |
| `golden` | a `Golden` | `python -m lamina.conformance` |
| `scope` | a `Scope` | `lint`, `diff`, `report` |
| `boot` | a `BootView` | `plan --boot` |
| `secrets` | a `Secrets` | `lint` |
| `check` | a `Check`: whether the system accepts the result | `check` |
| `resembles` | a function from inputs to whether they were likely meant for this system | detection, as a last resort |
| `fallback` | a function from inputs to whether this dialect takes what no other one claims | detection, in the end |
| `targets` | a `FindTargets` | `init` |
| `means` | an `OwnMeans` | `set` |
| `codes` | the codes of its messages, each with what it means and what to do | `rule` |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lamina.engine.history import Event
    from lamina.engine.node import SourceNode
    from lamina.engine.plan import Output, Plan
    from lamina.errors import Diagnostic, Note
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.protocol.dialect import Dialect
    from lamina.protocol.rendered import Rendered
    from lamina.run import Run
    from lamina.sources.inputs import Files, Inputs


class Context(NamedTuple):
    """Further explanation of a value: the choice of a parent, the layers that do not set it."""

    text: str
    data: Any


class Explain(NamedTuple):
    """What `explain` shows beyond the history of a path.

    `hint` returns what may be surprising about an event of a result, and what to do; it is not asked about a value that
    was set where nothing was. `context` is printed below the
    history. A viewer lists the hidden outputs that `aside` has a word for, such as abstract, and opens the key
    `opens_at` first, where all outputs have the same keys at the top.
    """

    hint: Callable[[Event, Rendered], str | None] = lambda event, result: None  # noqa: ARG005 - most events need no hint
    context: Callable[[Rendered, Inputs, Path], Context | None] = lambda result, inputs, path: None  # noqa: ARG005
    layers: Callable[[Rendered], Iterable[tuple[Path, SourceNode]]] = lambda result: ()  # noqa: ARG005
    aside: Callable[[Output], str] = lambda output: ""  # noqa: ARG005 - most are mere steps on the way
    opens_at: str | None = None


class Table(NamedTuple):
    """Strings in rows and columns, with lines between sections."""

    columns: tuple[str, ...]
    sections: Sequence[Sequence[tuple[str, ...]]]


class PlanView(NamedTuple):
    """More about a plan: a table of strategies, a graph.

    `dot` writes it for Graphviz, if it is a graph; `table` returns the content of `text` as a table, if it is one.
    `part` leaves of a plan what the options select, and what that needs; `part_help` says which option does so.
    """

    name: str
    text: Callable[[Plan], str]
    data: Callable[[Plan], Any]
    dot: Callable[[Plan], str] | None = None
    table: Callable[[Plan], Table] | None = None
    part: Callable[[Plan, Any], Plan] | None = None
    part_help: str = ""


class BootView(NamedTuple):
    """What a machine does with the result when it boots, in order: as text and as data."""

    text: Callable[[Rendered], str]
    data: Callable[[Rendered], Any]


class Check(NamedTuple):
    """What decides whether the system accepts a result.

    `codes` are prefixes of lint codes; `schema` says, by the options, what a result is checked against; `covers`,
    whether that is about anything in a result, and `otherwise` what is to be said if not.
    """

    codes: tuple[str, ...]
    schema: Callable[[Any], str]
    covers: Callable[[Rendered], bool] = lambda result: True  # noqa: ARG005
    otherwise: str = "nothing in it can be checked"


class KnownKey(NamedTuple):
    """A key that a system knows, and what it takes, in a few words."""

    name: str
    about: str


class KnownKeys(Protocol):
    """The keys that the mapping at a path of an input may have, as far as the system knows them."""

    def __call__(self, path: Path, /) -> Iterable[KnownKey]: ...


class Secrets(NamedTuple):
    """What `lint` has to know about the secrets of a system.

    `advice` says what to do about one at a path; `holds` says why a value is one that its key does not give away.
    """

    advice: Callable[[Path], str] = lambda path: "refer to it from a secret store, or encrypt it"  # noqa: ARG005
    holds: Callable[[Path, Any], str | None] = lambda path, value: None  # noqa: ARG005


@dataclass(frozen=True, slots=True)
class Link:
    """One output that another one uses; `kind` is a word or two for how (`parent`, `substitution`)."""

    source: str
    target: str
    kind: str
    origin: Origin | None = None
    """Where the input defines it."""


class Graph(Protocol):
    """Which output passes values to which other one, if the dialect knows more than the steps of the plan."""

    def __call__(self, rendered: Rendered, /) -> Iterable[Link]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetNode:
    """One node of a fleet: its name, the options that select it, and what it is rendered from.

    `options` are plain values by name of option. `inputs` are paths below the folder of the fleet; without any, the
    node is rendered from the whole folder. `prefix` names the layers it shares with others, the most common first:
    nodes are rendered in that order, so that common files are read once. `problem` says why a node cannot be
    rendered: it fails with that, and the others are rendered.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()
    problem: Diagnostic | None = None


class NodeLayer(NamedTuple):
    """One layer as a node sees it: its entry in the order of layers, the path it resolves to, and its file."""

    entry: str
    path: str
    file: str | None
    origin: Origin | None = None


class NodeLayers(NamedTuple):
    """A node and the layers it resolves to."""

    name: str
    origin: Origin | None
    layers: tuple[NodeLayer, ...]
    notes: tuple[Note, ...] = ()
    """Problems with its layers, or why they could not be found."""


class FileStore(NamedTuple):
    """Files that belong together, and whether a layer of some node leads to them."""

    files: frozenset[str]
    has_layers: bool


class Fleet(NamedTuple):
    """The nodes of a folder.

    `nodes` lists them, with the options that select each; it should read as few files as possible, since a fleet may
    have many thousands. `layers` returns the layers each node resolves to, if the dialect knows without rendering it.
    """

    nodes: Callable[[Inputs, Any], Iterable[FleetNode]]
    layers: Callable[[Inputs, Any], Iterable[NodeLayers]] | None = None
    stores: Callable[[Inputs, Any], Iterable[FileStore]] | None = None
    """The files of a folder that are data, if there may be unrelated ones next to them."""
    repositories: bool = False
    """Whether `nodes` also takes further folders, whose files the nodes of the first one are made from as well."""
    of_whole_folder: bool = False
    """Whether every node is made from the whole folder, and none from files of its own."""
    without_nodes: str | None = None
    """What to do if a folder has no nodes: the hint of messages about that."""


class Golden(NamedTuple):
    """What golden cases of this system compare.

    `observe` converts a result to the form of a case; `check` returns further problems by the options of a case;
    `compats` are the compatibility modes of a case that names none; `options` are defaults for options that a case does
    not set; `words` are options that cases call differently: the name here, and the values here. `codes` has what
    cases call errors, by the code here, where that is another word.
    `without_render` is the outcome of a case that renders nothing, by its options; None for all others. `checked` names
    what of `expect` is compared by `check` alone.
    """

    observe: Callable[[Rendered], Mapping[str, Any]] = lambda result: {"value": result.plain}
    check: Callable[[Any, Mapping[str, Any], Rendered], Sequence[str]] = lambda options, expect, result: ()  # noqa: ARG005
    compats: tuple[str, ...] = ("program",)
    options: Mapping[str, Any] = {}
    without_render: Callable[[Mapping[str, Any]], Mapping[str, Any] | None] = lambda settings: None  # noqa: ARG005
    words: Mapping[str, tuple[str, Mapping[str, str]]] = {}
    codes: Mapping[str, str] = {}
    checked: tuple[str, ...] = ()


class Scope(Protocol):
    """The options that cover all of the inputs (all nodes instead of one); None if the given options select a part.
    With these options inputs are linted, compared and reported."""

    def __call__(self, options: Any, /) -> Any: ...


class FoundTargets(NamedTuple):
    """What a dialect found in a repository, as an entry of a project file.

    With only `inputs` it is one target; with `each` or `nodes` in `fields` it is a pattern. Without fields it is what
    was seen and is not supported: `remarks` say what to do about it.
    """

    key: str
    """A name for the entry: of the target, or of the pattern."""
    about: str
    """What was found, in a few words."""
    fields: Mapping[str, Any]
    """The fields of the entry, except for the dialect: `inputs`, `each`, `nodes`, `options`."""
    claims: tuple[str, ...] = ()
    """The files and folders it uses; other dialects skip them."""
    remarks: tuple[str, ...] = ()
    """Comments for the project file."""
    ignore: tuple[str, ...] = ()
    """Patterns of files next to the others that the system itself does not read."""


class FindTargets(Protocol):
    """Finds the targets in a repository: `names` are the files to look at, which `files` can read, in a run.

    It is called for repositories of any system, so it should check the names of files first.
    """

    def __call__(self, files: Files, names: Sequence[str], run: Run, /) -> Iterable[FoundTargets]: ...


class Wanted(NamedTuple):
    """What a value is to be: its path in the result, the value (MISSING if it is to go), and the files of the target's
    layers, the most general first."""

    path: Path
    value: Any
    files: tuple[str, ...] = ()


class Means(NamedTuple):
    """What is written beside a value so that the system takes it: a string at a path of the same document."""

    path: Path
    value: str


class Offer(NamedTuple):
    """An edit that reaches a value by the means of the system itself.

    The value is added to a document of a file, below `at` or at the top of the first one, at the path `inner`, with
    `means` beside it; or `document` is added to the file, as JSON. `value` is what is added if it is not the wanted
    value itself, as JSON, too. `why` says what the means are for.
    """

    source: str
    why: str
    at: Origin | None = None
    inner: Path = ()
    means: tuple[Means, ...] = ()
    document: str = ""
    value: str = ""


class OwnMeans(NamedTuple):
    """What a system has where writing a value into a layer is not enough; each offer is tried.

    `essence` is what of an output is compared if an offer adds a document that takes the place of another one: a name
    that stays, and what is configuration in it.
    """

    offers: Callable[[Rendered, Wanted], Iterable[Offer]] = lambda rendered, wanted: ()  # noqa: ARG005
    essence: Callable[[Any], tuple[str, Any]] | None = None


def means_of(dialect: Dialect[Any]) -> OwnMeans:
    """What the system has besides writing a value into a layer."""
    found: OwnMeans | None = dialect.extension("means")
    return found or OwnMeans()


def explain_of(dialect: Dialect[Any]) -> Explain:
    """What the dialect adds to `explain`."""
    found: Explain | None = dialect.extension("explain")
    return found or Explain()


def plan_view_of(dialect: Dialect[Any]) -> PlanView | None:
    """What the dialect adds to `plan`."""
    found: PlanView | None = dialect.extension("plan")
    return found


def graph_of(dialect: Dialect[Any]) -> Graph | None:
    """How the dialect finds the links between outputs."""
    found: Graph | None = dialect.extension("graph")
    return found


def secrets_of(dialect: Dialect[Any]) -> Secrets:
    """What is known about the secrets of the dialect."""
    found: Secrets | None = dialect.extension("secrets")
    return found or Secrets()


def fleet_of(dialect: Dialect[Any]) -> Fleet | None:
    """The nodes of a folder, for a system that has them."""
    found: Fleet | None = dialect.extension("fleet")
    return found


def layer_names_of(dialect: Dialect[Any]) -> Callable[[str], bool]:
    """Which files of a folder could be layers, by their names; for most systems, whatever holds data."""
    found: Callable[[str], bool] | None = dialect.extension("layer_names")
    return found or (lambda name: True)  # noqa: ARG005 - any name


def golden_of(dialect: Dialect[Any]) -> Golden:
    """What golden cases of the dialect compare."""
    found: Golden | None = dialect.extension("golden")
    return found or Golden()


def boot_view_of(dialect: Dialect[Any]) -> BootView | None:
    """What a boot does with a result, for a system that configures machines at boot."""
    found: BootView | None = dialect.extension("boot")
    return found


def check_of(dialect: Dialect[Any]) -> Check | None:
    """What decides whether the system accepts a result, for a system that has a check of its own."""
    found: Check | None = dialect.extension("check")
    return found


def known_keys_of(dialect: Dialect[Any]) -> KnownKeys | None:
    """The keys that the system knows by itself, whatever its inputs are."""
    found: KnownKeys | None = dialect.extension("keys")
    return found


def complete_scope(dialect: Dialect[Any], options: Any) -> Any:
    """The options that cover all of the inputs; None if the given options select a part."""
    scope: Scope | None = dialect.extension("scope")
    return options if scope is None else scope(options)


def codes_of(dialect: Dialect[Any]) -> Mapping[str, tuple[str, str]]:
    """The codes that an installed dialect documents: what each means, and what to do."""
    found: Mapping[str, tuple[str, str]] | None = dialect.extension("codes")
    return found or {}


def find_targets_of(dialect: Dialect[Any]) -> FindTargets | None:
    """How the dialect finds targets in a repository."""
    found: FindTargets | None = dialect.extension("targets")
    return found
