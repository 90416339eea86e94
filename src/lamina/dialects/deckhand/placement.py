"""Placing: what a step does to the places a selector names, in its own output and wherever containers are shared.

A step is first worked out against the value as it is (`spread`, `drop`) and gives a `PlacedChange`; nothing is touched
until then. A change is made in the output of the step and, where it writes into a container that also stands elsewhere,
in those places too (`make`): another output then changes by a step that is not its own, and its history says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.dialects.deckhand.container_writes import Write, laid
from lamina.dialects.deckhand.jsonpath.selector import Unreachable
from lamina.engine.alias_map import OutputPath, Sharing, repeats
from lamina.engine.delta import NEW, OLD, Removed, value_of
from lamina.engine.merge_context import Conflict
from lamina.engine.node import ComputedNode, Later, LiteralNode, MergedNode, Node, SourceNode
from lamina.paths import MISSING, Path, walk
from lamina.records import field, ordered_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.dialects.deckhand.jsonpath.growth import Growth
    from lamina.engine.node import MergeCause
    from lamina.engine.plan import Drop


class JoinedContainer(NamedTuple):
    """A container of a source that stands, once the change is made, at or directly below a written place."""

    at: OutputPath
    source: OutputPath
    written: OutputPath


@ordered_record(frozen=False)
class PlacedChange:
    """What a step writes, what had to be made for it, and which containers it puts in place without copying them."""

    new: Node | Later
    writes: list[Write] = field(default_factory=list)
    growth: Growth | None = None
    joins: list[JoinedContainer] = field(default_factory=list)
    copied: Path | None = None
    """A place whose container was changed and then copied one level deep."""


class Misplaced(Exception):
    """A step cannot be done; tells why, and what it leaves behind all the same."""

    def __init__(self, clashes: list[Conflict], left: PlacedChange | None = None, *, final: bool = False) -> None:
        super().__init__(clashes)
        self.clashes = clashes
        self.left = left
        self.final = final
        """There is no value the output could go on with."""


@ordered_record(eq=True)
class New:
    """What a step brings: a value and its node, the place in another output it was taken from, and whether it is
    shared with that."""

    node: Later
    value: Any
    place: OutputPath | None = None
    shared: bool = False

    @property
    def boxed(self) -> bool:
        """Whether the value is a list made of what stands in its place, as a selector may make one."""
        base = self.node.base
        if not isinstance(base, ComputedNode) or not isinstance(self.value, list) or len(self.value) != 1:
            return False
        return any(self.value[0] is one.value for one in base.bases)

    def source(self, key: Any) -> OutputPath | None:
        """The place a member or item of the value was taken from."""
        return self.place if self.place is None or self.boxed else self.place.below((key,))

    def inner(self, sharing: Sharing) -> list[list[Path]]:
        """Which places inside the value hold one container; a copy keeps that."""
        if self.place is not None:
            groups = sharing.inner(self.place)
            return [[(0, *path) for path in group] for group in groups] if self.boxed else groups
        base = self.node.base
        return repeats(self.value) if isinstance(base, SourceNode) and base.tape.aliases else []

    def joins(self, at: OutputPath, value: Any, sharing: Sharing) -> Iterator[JoinedContainer]:
        """The containers that are one once the value stands at a place."""
        if self.shared and self.place is not None:
            for key, inner in _children(self.value):
                source = self.source(key)
                if source is not None and isinstance(inner, (dict, list)):
                    yield JoinedContainer(at.below((key,)), source, at)
            return
        for first, *others in self.inner(sharing):
            for other in others:
                if walk(value, first) is walk(self.value, first) and walk(value, other) is walk(self.value, other):
                    yield JoinedContainer(at.below(other), at.below(first), at)


def _children(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def drop(step: Drop, old: Node) -> PlacedChange:
    """What a Drop removes from its output."""
    below = walk(old.value, step.path)
    try:
        found = step.select.find(below)
    except Unreachable as gap:
        clash = Conflict("no-such-place", gap.value, MISSING, step.path + gap.path, (), gap.reason)
        raise Misplaced([clash]) from None
    if not found or found[0].value is None:
        raise Misplaced([Conflict("nothing-to-drop", MISSING, MISSING, step.path, (), "")])
    path = _first_equal(below, found[0].value) if step.equal else found[0].path
    nothing = LiteralNode(MISSING, ())
    if path is None:
        return PlacedChange(nothing)
    return PlacedChange(nothing, [Write(step.path + path, NEW, Removed("deleted", "new", None), MISSING)])


def _first_equal(value: Any, wanted: Any) -> Path | None:
    """The way to the first thing inside a value that equals what is wanted; the value itself does not count."""
    if value == wanted:
        return None
    pending: list[tuple[Path, Any]] = [((), value)]
    while pending:
        path, here = pending.pop()
        if path and here == wanted:
            return path
        pending.extend(reversed([((*path, key), inner) for key, inner in _children(here)]))
    return None


def make(
    change: PlacedChange, old: Node, mark: MergeCause, output: str, nodes: Mapping[str, Any], sharing: Sharing
) -> Node:
    """The output of a step with its change made, which is also made wherever it shows elsewhere."""
    if not change.writes:
        return old
    if not sharing.knows(output):
        growth = [change.growth] if change.growth else []
        made = _written(old, change.new, change.writes, growth, mark)
        for join in change.joins:
            sharing.join(join.at, join.source)
        return made
    writes = _everywhere(change.writes, output, sharing)
    growths = _grown_everywhere(change.growth, output, sharing)
    made = old
    for name in writes:
        before = old if name == output else nodes[name].node
        after = _written(before, change.new, writes[name], growths.get(name, []), mark)
        _forget(writes[name], name, before.value, sharing)
        if name == output:
            made = after
        else:
            nodes[name].node = after
    if change.copied is not None:
        sharing.renew(OutputPath(output, change.copied), _containers(walk(made.value, change.copied)))
    for join in change.joins:
        sharing.join(join.at, join.source)
    return made


def _everywhere(writes: list[Write], output: str, sharing: Sharing) -> dict[str, list[Write]]:
    """The writes at all places of the containers they write into, by output."""
    found: dict[str, list[Write]] = {output: []}
    for write in writes:
        for place in sharing.same(OutputPath(output, write.path[:-1])):
            found.setdefault(place.output, []).append(write._replace(path=(*place.path, write.path[-1])))
    return found


def _grown_everywhere(growth: Growth | None, output: str, sharing: Sharing) -> dict[str, list[Growth]]:
    if growth is None:
        return {}
    # A list grows itself; what else is made is made in the container around it.
    last = () if growth.items else growth.path[-1:]
    container = growth.path[: len(growth.path) - len(last)]
    found: dict[str, list[Growth]] = {}
    for place in sharing.same(OutputPath(output, container)):
        found.setdefault(place.output, []).append(growth._replace(path=place.path + last))
    return found


def _written(old: Node, new: Node | Later, writes: list[Write], growths: list[Growth], mark: MergeCause) -> Node:
    grown = old.value
    for growth in growths:
        grown = growth.applied(grown)
    piece = laid(old.value, writes, grown)
    return MergedNode(value_of(piece, old.value, MISSING), (), old, new, piece, mark)


def _forget(writes: list[Write], output: str, before: Any, sharing: Sharing) -> None:
    """What was written is shared no longer; what stood behind a removed item has moved up."""
    for write in writes:
        if write.delta is OLD:
            continue
        container, key = OutputPath(output, write.path[:-1]), write.path[-1]
        if write.value is MISSING and isinstance(walk(before, container.path), list):
            sharing.removed(container, key)
        else:
            sharing.forget(container.below((key,)))


def _containers(value: Any) -> list[Any]:
    return [key for key, inner in _children(value) if isinstance(inner, (dict, list))]
