"""Layers: what the steps of a plan bring, as it stands in the sources, and what of it is left in the results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.merge.lineage import origins_of
from lamina.merge.nodes import Node, Written
from lamina.paths import leaves
from lamina.plan import OutputRef, Put, Start

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from lamina.fold import Folded
    from lamina.paths import Path
    from lamina.places import Origin
    from lamina.plan import AnyStep, Plan, Take


@dataclass(frozen=True, slots=True)
class Layer:
    """What one step brings: a value that stands in a source, and the path of the output it is laid on."""

    node: Written
    output: str
    path: Path

    @property
    def name(self) -> tuple[str, str]:
        """The source and what the user calls the layer."""
        return self.node.origin().source, self.node.layer

    def holds(self, node: Written) -> bool:
        """Whether a written value is a part of this layer."""
        if node.tape is not self.node.tape:
            return False
        start = self.node.index
        return start <= node.index < start + node.tape.sizes.get(start, 1)


def layers_of(plan: Plan, skipped: Collection[int] = ()) -> Iterator[Layer]:
    """Every layer of a plan, in order; one that several outputs use is told of once for each.

    `skipped` are the identities of steps that did nothing.
    """
    for output, step in steps_of(plan):
        if id(step) in skipped:
            continue
        take: Take | None = getattr(step, "take", None)
        if take is not None and isinstance(take.source, Node):
            node = take.source.at(take.path)
            if isinstance(node, Written):
                yield Layer(node, output, step.path if isinstance(step, Put) else ())


def steps_of(plan: Plan) -> Iterator[tuple[str, AnyStep]]:
    """Every step of a plan with the name of its output."""
    for stage in plan.stages:
        for output in stage.outputs:
            for step in output.steps:
                yield output.name, step


def users_of(plan: Plan, visible: Iterable[str]) -> Mapping[str, set[str]]:
    """For each output, the outputs of the result that begin as it or are laid on it, itself included."""
    shown = set(visible)
    users: dict[str, set[str]] = {}
    based: dict[str, set[str]] = {}
    for output, step in steps_of(plan):
        users.setdefault(output, {output} & shown)
        take: Take | None = getattr(step, "take", None)
        if isinstance(step, (Start, Put)) and take is not None and isinstance(take.source, OutputRef) and not take.path:
            based.setdefault(take.source.name, set()).add(output)
    # An output takes from those before it, so going backwards every user is complete when it is handed on.
    for name in reversed(users):
        for user in based.get(name, ()):
            users[name] |= users.get(user, set())
    return users


def survivors_of(outputs: Iterable[Folded]) -> frozenset[Origin]:
    """The places of everything that is left in the results."""
    found: set[Origin] = set()
    for output in outputs:
        for path in leaves(output.value):
            found.update(origins_of(output.node.at(path)))
    return frozenset(found)


def members_of(node: Written) -> Iterator[Written]:
    """The members of a written mapping, as far as they stand in a source themselves."""
    for key in node.value:
        member = node.child(key)
        if isinstance(member, Written):
            yield member


def lives(node: Written, alive: Collection[Origin]) -> bool:
    """Whether anything of a written value, or it itself as a whole, is among what is left."""
    return node.origin() in alive or any(leaf.origin() in alive for leaf in leaves_of(node))


def leaves_of(node: Written) -> Iterator[Written]:
    """Everything in a written value that holds nothing further."""
    stack: list[Node] = [node]
    while stack:
        node_here = stack.pop()
        if not isinstance(node_here, Written):
            continue
        inside = _inside(node_here.value)
        if inside is None:
            yield node_here
        else:
            stack.extend(node_here.child(key) for key in reversed(inside))


def mappings_of(layer: Layer) -> Iterator[tuple[Path, Written]]:
    """Every mapping of a layer that is reached by keys alone, with its path in the output."""
    stack: list[tuple[Path, Node]] = [(layer.path, layer.node)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, Written) and isinstance(node.value, dict):
            yield path, node
            stack.extend(((*path, key), node.child(key)) for key in node.value)


def _inside(value: Any) -> list[Any] | None:
    if value and isinstance(value, dict):
        return list(value)
    if value and isinstance(value, (list, tuple)):
        return list(range(len(value)))
    return None


def place_of(node: Written) -> Origin:
    """Where a person would look for a value: at its key, where it has one, else at the value."""
    if node.path and isinstance(node.path[-1], str) and node.index > 0:
        return node.tape.origin(node.index - 1)
    return node.origin()
