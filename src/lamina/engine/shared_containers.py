"""Shared containers: one mutable image of outputs that hold the same container in several places.

Some programs copy values only one level deep, or follow aliases, and then change containers in place: a write through
one path is visible at every other path of the container. Nodes and their values never change here; so for outputs in
which that matters a dialect keeps an image, in which one container is one object, however many paths lead to it. A step
is executed on the image, as in the program, and the image says at which locations a change is visible.

Only containers on the path of a write are taken over: the image then has a copy of them that it may change. Everything
else in it is a part of an output's value as it is, with one place: that in the container above it. A container that
gets a second place is taken over before. So an image costs nothing for what nobody changes, however large outputs are.

A container that would contain itself has no finite value; such a change is rejected (`ContainsItself`).
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.engine.alias_map import children, is_container
from lamina.paths import MISSING, child, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from lamina.paths import Path

_COPIED = 200
"""The cost in steps of a container that is copied."""


class Location(NamedTuple):
    """A path in an output."""

    output: str
    path: Path


class ContainsItself(Exception):
    """A container would contain itself."""


class SharedContainers:
    """The containers of some outputs, as far as something was written into them, or may be; `spend` counts steps."""

    def __init__(self, spend: Callable[[int], None]) -> None:
        self._spend = spend
        self._boxes: dict[str, list[Any]] = {}
        """Each output's value, in a list of its own so that it has a holder, too."""
        self._names: dict[int, str] = {}
        """The names of the outputs, by the id of their box."""
        self._taken: dict[int, Any] = {}
        """The containers that were taken over, by id; what they are in was taken over, too."""
        self._holders: dict[int, dict[tuple[int, Any], None]] = {}
        """For each of them the containers that hold it, each with the key."""
        self._log: list[tuple[Any, Any, Any]] = []
        self._put: set[int] = set()
        """The boxes of the outputs into which containers were put since they were last looked through."""

    def knows(self, output: str) -> bool:
        """Whether an output is in the image."""
        return output in self._boxes

    def add(self, output: str, value: Any) -> None:
        """Add an output, if it is not there yet, in which no container has two places so far."""
        if output not in self._boxes:
            box = self._boxes[output] = self._take_over([value])
            self._names[id(box)] = output

    def at(self, location: Location) -> Any:
        """The value at a location, for reading; MISSING if there is none."""
        return walk(self._boxes[location.output][0], location.path)

    def container(self, location: Location) -> Any:
        """The container at a location, which may then be changed or put elsewhere."""
        return self.inside(self._boxes[location.output], (0, *location.path))

    def inside(self, container: Any, path: Path) -> Any:
        """What is at a path in a container that was taken over, or MISSING; a container may be changed then."""
        for key in path:
            inner = child(container, key)
            if is_container(inner) and id(inner) not in self._taken:
                self._spend(_COPIED)
                inner = container[key] = self._take_over(copy(inner))
                self._hold(inner, container, key)
            container = inner
        return container

    def holder(self, location: Location) -> tuple[Any, Any]:
        """The container that holds a location, which may then be changed, and the key or position in it."""
        box, path = self._boxes[location.output], (0, *location.path)
        return self.inside(box, path[:-1]), path[-1]

    def lowest(self, location: Location) -> tuple[Any, Path]:
        """The last container on the way to a location that was taken over, and the path from there."""
        container: Any = self._boxes[location.output]
        path = (0, *location.path)
        for depth, key in enumerate(path):
            inner = child(container, key)
            if id(inner) not in self._taken:
                return container, path[depth:]
            container = inner
        return container, ()

    def assign(self, container: Any, key: Any, value: Any) -> None:
        """Set a key or a position of a container, or append to a list."""
        before = child(container, key)
        if id(value) in self._taken:
            above = dict.fromkeys(self._ancestors(container))
            if id(value) in above:
                raise ContainsItself
            self._put |= above.keys() & self._names.keys()
        self._release(before, container, key)
        if before is MISSING and isinstance(container, list):
            container.append(value)
        else:
            container[key] = value
        self._hold(value, container, key)
        self._log.append((container, key, before))

    def remove(self, container: Any, key: Any) -> None:
        """Remove a key or an item; the items after it move up."""
        self._release(container[key], container, key)
        if isinstance(container, list):
            for position in range(key + 1, len(container)):
                self._release(container[position], container, position)
                self._hold(container[position], container, position - 1)
        del container[key]

    def commit(self) -> None:
        """Keep what was assigned up to now."""
        self._log.clear()

    def undo(self) -> None:
        """Revert what was assigned since the last `commit`."""
        while self._log:
            container, key, before = self._log.pop()
            self._release(container[key], container, key)
            if before is MISSING:
                del container[key]
            else:
                container[key] = before
                self._hold(before, container, key)

    def locations(self, container: Any) -> list[Location]:
        """All locations of a container that was taken over."""
        found: list[Location] = []
        pending: list[tuple[int, Path]] = [(id(container), ())]
        for number, path in pending:
            self._spend(1)
            if number in self._names:
                found.append(Location(self._names[number], path[1:]))
            pending.extend((holder, (key, *path)) for holder, key in self._holders[number])
        return found

    def is_shared(self, container: Any) -> bool:
        """Whether a container that was taken over, or one that it is in, has more than one holder."""
        number = id(container)
        while holders := self._holders[number]:
            if len(holders) > 1:
                return True
            number = next(iter(holders))[0]
        return False

    def outputs_with(self, container: Any) -> set[str]:
        """The outputs that hold a container."""
        return {self._names[number] for number in self._ancestors(container) if number in self._names}

    def repeats_in(self, output: str) -> bool:
        """Whether an output into which containers were put since it was last asked has any container at two paths.

        An output is a tree when it is added, and only what is put somewhere gets another path.
        """
        box = self._boxes[output]
        if id(box) not in self._put:
            return False
        self._put.remove(id(box))
        return self.has_repeats(box)

    def has_repeats(self, value: Any) -> bool:
        """Whether any container that was taken over is at two paths of a value in the image."""
        seen, pending = set[int](), [value]
        while pending:
            self._spend(1)
            for inner in self._taken_in(pending.pop()):
                if id(inner) in seen:
                    return True
                seen.add(id(inner))
                pending.append(inner)
        return False

    def shallow_copy(self, value: Any) -> Any:
        """A container of the same members; those that are containers get a second place with it."""
        if id(value) in self._taken:
            for key, inner in children(value):
                if is_container(inner):
                    self.inside(value, (key,))
        made = self._take_over(copy(value))
        for key, inner in children(made):
            self._hold(inner, made, key)
        return made

    def copied(self, value: Any, *, aliases: bool = False) -> Any:
        """A container of the image with the same content, in which a container that was taken over is at two paths
        where it is; with `aliases`, any container.
        """

        def is_one(inner: Any) -> bool:
            return aliases or id(inner) in self._taken

        return self._copied(value, is_one, is_one, self._take_over) if is_container(value) else value

    def plain(self, value: Any) -> Any:
        """The value of something in the image as it is now."""

        def was_taken(inner: Any) -> bool:
            return id(inner) in self._taken

        return self._copied(value, was_taken, _never, _itself) if was_taken(value) or is_container(value) else value

    def draft(self, value: Any) -> Any:
        """A copy of something in the image that is not in it and may be changed anywhere."""
        return self._copied(value, is_container, lambda inner: id(inner) in self._taken, _itself)

    def _copied(
        self, value: Any, copies: Callable[[Any], bool], is_one: Callable[[Any], bool], made: Callable[[Any], Any]
    ) -> Any:
        """A copy of a container and of those in it that `copies` chooses; one that `is_one` chooses is copied once."""
        root = made(copy(value))
        known, pending = {id(value): root}, [root]
        while pending:
            self._spend(_COPIED)
            container = pending.pop()
            for key, inner in [*children(container)]:
                if not is_container(inner) or not copies(inner):
                    continue
                one = known.get(id(inner)) if is_one(inner) else None
                if one is None:
                    one = made(copy(inner))
                    pending.append(one)
                    if is_one(inner):
                        known[id(inner)] = one
                container[key] = one
                if id(container) in self._taken:
                    self._hold(one, container, key)
        return root

    def _take_over(self, container: Any) -> Any:
        self._taken[id(container)] = container
        self._holders[id(container)] = {}
        return container

    def _hold(self, value: Any, holder: Any, key: Any) -> None:
        if id(value) in self._taken:
            self._holders[id(value)][id(holder), key] = None

    def _release(self, value: Any, holder: Any, key: Any) -> None:
        if id(value) in self._taken:
            del self._holders[id(value)][id(holder), key]

    def _taken_in(self, container: Any) -> Collection[Any]:
        return [inner for _, inner in children(container) if id(inner) in self._taken]

    def _ancestors(self, container: Any) -> Iterator[int]:
        """The ids of a container and of all containers it is in, at any depth, each once."""
        pending, seen = [id(container)], {id(container)}
        while pending:
            here = pending.pop()
            yield here
            unseen = dict.fromkeys(holder for holder, _ in self._holders[here] if holder not in seen)
            seen.update(unseen)
            pending.extend(unseen)


def _never(_: Any) -> bool:
    return False


def _itself(container: Any) -> Any:
    return container
