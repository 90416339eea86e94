"""Shared spread: a Spread in outputs that may have containers in common with others.

It is computed on plain values, as if nothing were shared (`spread`). Then the shared contents show whether each
container that it changes has one location, as nearly all have: the change is right as it is. A change of one shared
container is recorded at all its locations. Whatever else there is raises `NeedsHeap` before anything is changed, and
is executed on the containers themselves (`mutation`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.dialects.deckhand.container_writes import Write
from lamina.dialects.deckhand.heap import Location
from lamina.dialects.deckhand.mutation import RECORD, Assignment, MutationContext, Recording
from lamina.dialects.deckhand.placement import Misplaced, PlacedChange, TooDeep, make
from lamina.dialects.deckhand.shared_content import TooWrapped
from lamina.dialects.deckhand.spread import planned, value_set
from lamina.dialects.deckhand.spread import spread as plain_spread
from lamina.engine.delta import NEW, OLD, Delta, MapDelta, Ref
from lamina.engine.merge_context import MergeContext
from lamina.paths import Path, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.dialects.deckhand.placement import New
    from lamina.dialects.deckhand.shared_content import ContentTree, SharedContents
    from lamina.dialects.deckhand.spread import ValueSet
    from lamina.dialects.deckhand.steps import Containers, Spread
    from lamina.engine.node import Node
    from lamina.engine.step_context import StepContext


class NeedsHeap(Exception):
    """A step must be executed on the containers themselves."""


class _ContainerChange(NamedTuple):
    """A container that a step changes, by its path in the output, and the keys of the members it sets."""

    container: Path
    keys: Sequence[Any]


def spread(step: Spread, context: StepContext, containers: Containers, new: New, max_depth: int) -> Node:
    """The output of a Spread; the new value is at most `max_depth` containers deep."""
    ref, old, contents = context.ref, context.node, containers.contents
    known, value = ref.output in contents.trees, new.value
    is_container = isinstance(value, (dict, list))
    nested = is_container and (new.aliased if new.location is None else _is_nested(value))
    if not step.select.single and (known or is_container):
        raise NeedsHeap  # a container put at two paths is one container
    if nested and (new.location is None or new.wrapped):
        raise NeedsHeap
    is_copy = nested and not new.shared and _has_aliases(new, context, contents)
    quick = None if is_copy else value_set(step, old, new, ref, max_depth, context.ledger.budget)
    if not (known or is_copy or (nested and new.shared)):
        if quick is not None:
            return quick.node
        return plain_spread(step, old, new, ref, max_depth, MergeContext(context.ledger.budget))
    mutation_context = containers.mutation_context(context, MergeContext(context.ledger.budget))
    shared = _SharedSpread(step, mutation_context, contents, new, max_depth)
    puts = nested and new.shared
    if quick is not None and (quick.delta is NEW or not puts) and type(quick.delta) is not MapDelta:
        node = shared.value_set(quick, puts=puts)
        if node is not None:
            return node
    return shared.execute(nested=nested, is_copy=is_copy)


def _is_nested(value: Any) -> bool:
    return any(isinstance(inner, (dict, list)) for inner in (value.values() if isinstance(value, dict) else value))


def _has_aliases(new: New, context: StepContext, contents: SharedContents) -> bool:
    location = new.location
    if location is None or (location.output, location.output) not in context.ledger.links:
        return False
    return contents.has_aliases(location)


class _SharedSpread:
    """The execution of one Spread in an output that has, or gets, containers in common with others."""

    def __init__(
        self, step: Spread, context: MutationContext, contents: SharedContents, new: New, max_depth: int
    ) -> None:
        self.step = step
        self.context = context
        self.contents = contents
        self.new = new
        self.max_depth = max_depth

    def value_set(self, quick: ValueSet, *, puts: bool) -> Node | None:
        """The output with one value set; None if its container has other locations, too."""
        output, contents, path = self.context.output, self.contents, self.step.target
        assert path is not None
        contents.tree(output)
        content = self.content() if puts else None
        found = contents.find(Location(output, path[: quick.depth]))
        if not found.tree.name and len(contents.locations(found)) > 1:
            return None
        contents.set_members(found, quick.keys)
        if content is not None:
            self.put(content, Location(output, path))
        return quick.node

    def execute(self, *, nested: bool, is_copy: bool) -> Node:
        context, contents, new = self.context, self.contents, self.new
        contents.tree(context.output)
        change = self.planned()
        delta = change.writes[0].delta if change.writes else OLD
        puts = nested and (new.shared or is_copy) and delta is NEW and self.step.each is None
        if isinstance(delta, MapDelta):
            change = self.by_member(change, delta)
        elif puts and len(change.writes) != 1:
            raise NeedsHeap
        content = self.content() if puts and new.shared else None
        changes = list(self.changes(change))
        found = [contents.find(Location(context.output, each.container)) for each in changes]
        everywhere = [contents.locations(each) if not each.tree.name else [] for each in found]
        if all(len(locations) < 2 for locations in everywhere):
            node = make(change, context.old, context.mark)
        else:
            node = self.recorded(change, changes, everywhere, puts=puts)
        for each, container in zip(changes, found, strict=True):
            contents.set_members(container, each.keys)
        if puts:
            self.put(content, Location(context.output, change.writes[0].path))
        return node

    def planned(self) -> PlacedChange:
        context = self.context
        try:
            return planned(self.step, context.old, self.new, context.mark, self.max_depth, context.run)
        except Misplaced:
            raise NeedsHeap from None  # it may leave something in containers that others have, too

    def by_member(self, change: PlacedChange, delta: MapDelta) -> PlacedChange:
        """The change of a merge as single members, as it is executed."""
        if not self.step.select.whole or self.new.location is not None:
            raise NeedsHeap
        base = change.writes[0].path
        return PlacedChange(
            change.new, [each._replace(path=base + each.path) for each in _members(delta, self.new.value)]
        )

    def content(self) -> ContentTree:
        assert self.new.location is not None
        try:
            return self.contents.content_of(self.new.location)
        except TooWrapped:
            raise NeedsHeap from None

    def changes(self, change: PlacedChange) -> Iterator[_ContainerChange]:
        """The containers that the writes change; what is created for them is part of the outermost."""
        creation = change.creation
        if creation is None:
            for write in change.writes:
                yield _ContainerChange(write.path[:-1], write.path[-1:])
        elif len(change.writes) > 1:
            raise NeedsHeap
        elif creation.items:
            length = len(walk(self.context.old.value, creation.path))
            yield _ContainerChange(creation.path, range(length, length + len(creation.items)))
        else:
            yield _ContainerChange(creation.path[:-1], creation.path[-1:])

    def recorded(
        self, change: PlacedChange, changes: list[_ContainerChange], everywhere: list[list[Location]], *, puts: bool
    ) -> Node:
        """The output with a change of a container that has several locations, and is recorded at all of them."""
        if puts or len(change.writes) != 1:
            raise NeedsHeap
        context, (write,), ((container, keys),), (locations,) = self.context, change.writes, changes, everywhere
        self.check(locations, keys[0])
        context.run.spend((RECORD + len(walk(context.old.value, container))) * (len(locations) - 1))
        context.show_in(location.output for location in locations)
        recording = Recording(context, change.new)
        if change.creation is not None:
            recording.add(Assignment(None, ((keys[0], None),), locations, creation=change.creation), None)
        inner = write.path[len(container) : -1]
        inside = [Location(location.output, location.path + inner) for location in locations]
        if any(len(location.path) >= self.max_depth for location in inside):
            raise TooDeep
        recording.add(Assignment(None, ((write.path[-1], write.value),), inside, write=write._replace(path=())), None)
        return recording.end()

    def check(self, locations: list[Location], key: Any) -> None:
        """Raise NeedsHeap if the container that was just read would have no location any more."""
        read = self.new.location
        for location in locations:
            at = (*location.path, key)
            if read is not None and location.output == read.output and read.path[: len(at)] == at:
                raise NeedsHeap

    def put(self, content: ContentTree | None, location: Location) -> None:
        """Record what the value that was written has in common with others."""
        context, contents = self.context, self.contents
        itself = (context.output, context.output)
        if content is None:
            assert self.new.location is not None
            contents.copy(self.new.location, location)
            context.links.add(itself)
            return
        contents.put(content, location)
        if itself not in context.links and contents.repeats(content, context.output):
            context.links.add(itself)


def _members(delta: MapDelta, value: Any) -> Iterator[Write]:
    """The members that a merge sets, at any depth, in the order of the new value."""
    pending: list[tuple[Path, Delta, Any]] = [((), delta, value)]
    while pending:
        path, entry, inner = pending.pop()
        if isinstance(entry, MapDelta):
            members = [((*path, key), entry.entries.get(key, OLD), value) for key, value in inner.items()]
            pending.extend(reversed(members))
        elif entry is not OLD:
            yield Write(path, Ref(inner, "new", path), entry, inner)
