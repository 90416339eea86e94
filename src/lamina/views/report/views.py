"""Views: the things a reader picks from, each with the node it shows.

They are the outputs of a result that has many. An output that is nothing but a table of others, each at a key of its
own, is shown as those others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina.engine.node import LiteralNode
from lamina.engine.plan import Merge, OutputRef, Start
from lamina.protocol.extensions import explain_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.engine.node import Node
    from lamina.engine.plan import Output
    from lamina.engine.step_context import Folded
    from lamina.paths import Path
    from lamina.views.result import Result


@dataclass(frozen=True, slots=True)
class PageView:
    """Something to look at: its name, its node, and where paths of the result lead to it."""

    name: str
    node: Node
    prefix: Path = ()
    table: str | None = None
    """The table that contains it, which is not shown itself."""
    aside: str = ""
    """Why it is not part of the result: failed, or such as abstract; empty for what is."""
    error: str = ""
    """What stopped it, if it failed; its node is as far as it got."""


def views_of(rendered: Result) -> list[PageView]:
    """All views of a result, in order."""
    if rendered.many:
        return [PageView(folded.output.name, folded.node, (number,)) for number, folded in enumerate(rendered.outputs)]
    if not rendered.outputs:
        return []
    folded = rendered.outputs[0]
    found = _table(folded.output)
    if not found:
        return [PageView(folded.output.name, folded.node)]
    return [PageView(name, folded.node.at(path), path, folded.output.name) for path, name in found.items()]


def views_aside(rendered: Result) -> list[PageView]:
    """What is not part of a result of many outputs and worth looking at all the same, by name."""
    word_for = explain_of(rendered.dialect).aside
    views = [_aside(each, word_for) for each in (rendered.record.results.values() if rendered.many else ())]
    return sorted((view for view in views if view.aside), key=lambda view: view.name)


def _aside(folded: Folded, word_for: Callable[[Output], str]) -> PageView:
    if folded.failed:
        return PageView(folded.output.name, folded.node, aside="failed", error=folded.faults[0].message)
    return PageView(folded.output.name, folded.node, aside=word_for(folded.output))


def takes_from_others(output: Output) -> bool:
    """Whether other outputs are part of an output."""
    takes = (getattr(step, "take", None) for step in output.steps)
    return any(take is not None and isinstance(take.source, OutputRef) for take in takes)


def _table(output: Output) -> dict[Path, str]:
    """Where each of the outputs is that a table is made of, with its name; nothing for anything but such a table."""
    found: dict[Path, str] = {}
    for step in output.steps:
        if isinstance(step, Merge) and isinstance(step.take.source, OutputRef) and len(step.path) == 1:
            found[step.path] = step.take.source.name
        elif not (isinstance(step, Start) and isinstance(step.take.source, LiteralNode) and not step.take.source.value):
            return {}
    return found
