"""Layers: the values that the steps of a plan take from sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina.engine.node import Node, SourceNode
from lamina.engine.plan import Merge
from lamina.paths import MISSING, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lamina.engine.plan import AnyStep, From, Plan
    from lamina.paths import Path


@dataclass(frozen=True, slots=True)
class Layer:
    """The layer of one step: a value in a source, and the path of the output it is merged into."""

    node: SourceNode
    output: str
    path: Path

    @property
    def name(self) -> tuple[str, str]:
        """The source and what the user calls the layer."""
        return self.node.origin().source, self.node.layer

    def holds(self, node: SourceNode) -> bool:
        """Whether a written value is a part of this layer."""
        if node.positions is not self.node.positions:
            return False
        start = self.node.index
        if not start <= node.index < start + node.positions.sizes.get(start, 1):
            return False
        return walk(self.node.value, self._inside(node)) is not MISSING

    def path_of(self, node: SourceNode) -> Path:
        """The path of the output that a part of this layer is merged into."""
        return (*self.path, *self._inside(node))

    def _inside(self, node: SourceNode) -> Path:
        return node.path[len(self.node.path) :]


def layers_of(plan: Plan, skipped: Collection[int] = ()) -> Iterator[Layer]:
    """Every layer of a plan, in order; one that several outputs use is reported once for each.

    `skipped` are the identities of steps that did nothing.
    """
    for output, step in steps_of(plan):
        take: From | None = getattr(step, "take", None)
        if take is None or id(step) in skipped or not isinstance(take.source, Node):
            continue
        node, path = take.source.at(take.path), step.path if isinstance(step, Merge) else ()
        # What is selected in the source goes to the same path of the output.
        part = take.part_taken(node)
        node, path = node.at(part), (*path, *part)
        if isinstance(node, SourceNode):
            yield Layer(node, output, path)


def sources_of(plan: Plan) -> Iterator[Layer]:
    """What the steps of a plan take from, as a whole: also what they leave behind."""
    for output, step in steps_of(plan):
        take: From | None = getattr(step, "take", None)
        if take is not None and isinstance(take.source, SourceNode):
            yield Layer(take.source, output, step.path if isinstance(step, Merge) else ())


def steps_of(plan: Plan) -> Iterator[tuple[str, AnyStep]]:
    """Every step of a plan with the name of its output."""
    for stage in plan.stages:
        for output in stage.outputs:
            for step in output.steps:
                yield output.name, step


def members_of(node: SourceNode) -> Iterator[SourceNode]:
    """The members of a written mapping, as far as they are in a source themselves."""
    for key in node.value:
        member = node.child(key)
        if isinstance(member, SourceNode):
            yield member
