"""Links: how the outputs of a result depend on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.engine.plan import OutputRef
from lamina.protocol.extensions import Link, graph_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.plan import From, Plan
    from lamina.views.result import Result


def links_of(rendered: Result) -> list[Link]:
    """The links of a result, each once: as the dialect gives them, else as the steps of the plan show them."""
    links_of = graph_of(rendered.dialect)
    return list(dict.fromkeys(links_of(rendered) if links_of else links_in(rendered.plan)))


def links_in(plan: Plan) -> Iterator[Link]:
    """A link for every step that takes from another output."""
    for stage in plan.stages:
        for output in stage.outputs:
            for step in output.steps:
                take: From | None = getattr(step, "take", None)
                if take is not None and isinstance(take.source, OutputRef):
                    yield Link(take.source.name, output.name, step.verb or "base", step.directive.origin)
