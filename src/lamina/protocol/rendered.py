"""What a dialect may ask of a result, and of what a lint rule checks: the part of both that is promised to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lamina.engine.delta import Delta
    from lamina.engine.history import History
    from lamina.engine.node import Node, SourceNode
    from lamina.engine.plan import Plan, ResultSpec
    from lamina.engine.step_context import Folded, Ledger
    from lamina.errors import Note
    from lamina.paths import Path
    from lamina.sources.inputs import Inputs
    from lamina.sources.source import Source


class Rendered(Protocol):
    """The result of a render, as `lamina.Result` has it."""

    @property
    def options(self) -> Any: ...
    @property
    def plan(self) -> Plan: ...
    @property
    def outputs(self) -> tuple[Folded, ...]: ...
    @property
    def notes(self) -> tuple[Note, ...]: ...
    @property
    def record(self) -> Ledger:
        """All outputs of the run by name, hidden ones included."""

    @property
    def spec(self) -> ResultSpec: ...
    @property
    def many(self) -> bool:
        """Whether the result is a list of outputs."""

    @property
    def hides_secrets(self) -> bool: ...
    @property
    def plain(self) -> Any:
        """The plain result, sharing structure with the inputs; not to be changed."""

    def shown_value(self, node: Node) -> Any:
        """What may be shown of the value of a node."""

    def node_at(self, path: Path) -> Node: ...
    def history_at(self, path: str | Path) -> History: ...


class MergedPair(Protocol):
    """Two values that a step merged at a path of an output."""

    @property
    def node(self) -> Node: ...
    @property
    def output(self) -> str: ...
    @property
    def path(self) -> Path: ...
    @property
    def old(self) -> Node: ...
    @property
    def new(self) -> Node: ...
    @property
    def both(self) -> bool:
        """Whether there are values on both sides."""

    @property
    def delta(self) -> Delta: ...


class LayerTaken(Protocol):
    """What a step takes from a source, and where in an output it is merged."""

    @property
    def node(self) -> SourceNode: ...
    @property
    def output(self) -> str: ...
    @property
    def path(self) -> Path: ...


class SourcesRead(Protocol):
    """What was read for a render."""

    def source(self, name: str) -> Source | None:
        """The source of that name; one that an option named is read again."""


class Checked(Protocol):
    """What a lint rule checks: a result, what it was made from, and every pair of values that was merged for it."""

    @property
    def rendered(self) -> Rendered: ...
    @property
    def inputs(self) -> Inputs: ...
    @property
    def record(self) -> SourcesRead: ...
    @property
    def plan(self) -> Plan: ...
    @property
    def outputs(self) -> Mapping[str, Folded]:
        """All outputs by name, hidden ones included."""

    @property
    def layers(self) -> Sequence[LayerTaken]: ...
    @property
    def merge_pairs(self) -> Sequence[MergedPair]: ...
    def once(self, check: Callable[[Checked], Iterable[Note]]) -> tuple[Note, ...]:
        """The cached result of a check that several rules use."""
