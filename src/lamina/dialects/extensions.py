"""Views: what a dialect can show beyond the plain plan, history and result.

A dialect may bring any of them. The commands show what there is and never ask which dialect they have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lamina.engine.plan import Plan
    from lamina.origins import Origin
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result


class Table(NamedTuple):
    """Texts in rows and columns, with lines between sections."""

    columns: tuple[str, ...]
    sections: Sequence[Sequence[tuple[str, ...]]]


class PlanView(NamedTuple):
    """More about a plan: a table of strategies, a graph.

    `dot` writes it for Graphviz, where it is a graph; `table` gives what `text` says as a table, where it is one.
    """

    name: str
    text: Callable[[Plan], str]
    data: Callable[[Plan], Any]
    dot: Callable[[Plan], str] | None = None
    table: Callable[[Plan], Table] | None = None


class Background(NamedTuple):
    """What else explains a value: the choice of a parent, the layers that had nothing to say."""

    text: str
    data: Any


class NodeLayer(NamedTuple):
    """One layer as a node sees it: its entry in the order of layers, what that comes to, and the file that is there."""

    entry: str
    path: str
    file: str | None
    origin: Origin | None = None


class NodeLayers(NamedTuple):
    """A node and the layers it resolves to."""

    name: str
    origin: Origin | None
    layers: tuple[NodeLayer, ...]


class Nodes(NamedTuple):
    """How a dialect with nodes lists and renders them."""

    layers: Callable[[Inputs, Any], Iterable[NodeLayers]]
    render: Callable[[Inputs, Any], Iterable[tuple[str, Result]]]
