"""The heap: real containers for the values that programs change in place.

Some programs copy values only one level deep, or follow aliases, and then change containers in place: what is written
through one place shows at every other place that holds the container. Nodes never change; so for the outputs in which
that matters Lamina keeps a second, changeable copy of the value, in which one container is one object, however many
places hold it. A step is done to that copy, as the program does it, and the heap tells at which places it shows.

An output is copied into the heap when a container of its comes to stand in two places. The heap knows for every
container which others hold it and where, so that the places of a container are found by going up from it.

A container that would have to hold itself has no finite value; a change that comes to that is refused (`Endless`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.paths import MISSING, child, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.paths import Path


class Place(NamedTuple):
    """A path in an output."""

    output: str
    path: Path


class Endless(Exception):
    """A container would have to hold itself."""


class Heap:
    """The containers of the outputs that share some, in one fold."""

    def __init__(self) -> None:
        self._boxes: dict[str, list[Any]] = {}
        """Each output's value, in a list of its own so that it has a holder, too."""
        self._names: dict[int, str] = {}
        self._known: dict[int, Any] = {}
        """All containers by identity, which keeps them alive: an identity must not be used twice."""
        self._holders: dict[int, dict[tuple[int, Any], None]] = {}
        self._undone: list[tuple[Any, Any, Any]] = []

    def knows(self, output: str) -> bool:
        """Whether an output has a copy here."""
        return output in self._boxes

    def adopt(self, output: str, value: Any) -> None:
        """Take in an output in which, up to now, no container stands in two places."""
        if output not in self._boxes:
            box = self._boxes[output] = [copied(value, aliases=False)]
            self._names[id(box)] = output
            self._register(box)

    def at(self, place: Place) -> Any:
        """What stands at a place; MISSING if there is nothing."""
        return walk(self._boxes[place.output][0], place.path)

    def holder(self, place: Place) -> tuple[Any, Any]:
        """The container a place is in, and the place's key or position there."""
        if not place.path:
            return self._boxes[place.output], 0
        return self.at(Place(place.output, place.path[:-1])), place.path[-1]

    def assign(self, container: Any, key: Any, value: Any) -> None:
        """Put a value into a container: under a key, at a position, or behind the last one."""
        before = child(container, key)
        if is_container(value):
            self._register(value)
            if self._would_be_endless(container, value):
                raise Endless
        self._unhold(before, container, key)
        if before is MISSING and isinstance(container, list):
            container.append(value)
        else:
            container[key] = value
        self._hold(value, container, key)
        self._undone.append((container, key, before))

    def remove(self, container: Any, key: Any) -> None:
        """Take a member or an item out of a container; items behind it move up."""
        self._unhold(container[key], container, key)
        if isinstance(container, list):
            for position in range(key + 1, len(container)):
                self._unhold(container[position], container, position)
                self._hold(container[position], container, position - 1)
        del container[key]

    def settle(self) -> None:
        """What was assigned up to now stays."""
        self._undone.clear()

    def undo(self) -> None:
        """Take back what was assigned since the last `settle`."""
        while self._undone:
            container, key, before = self._undone.pop()
            self._unhold(container[key], container, key)
            if before is MISSING:
                del container[key]
            else:
                container[key] = before
                self._hold(before, container, key)

    def places(self, container: Any, spend: Callable[[int], None]) -> list[Place]:
        """All places a container stands at; `spend` counts the ways to it."""
        found: list[Place] = []
        pending: list[tuple[int, Path]] = [(id(container), ())]
        for here, path in pending:
            spend(1)
            if here in self._names:
                found.append(Place(self._names[here], path[1:]))
            pending.extend((holder, (key, *path)) for holder, key in self._holders.get(here, ()))
        return found

    def _would_be_endless(self, container: Any, value: Any) -> bool:
        seen = {id(container)}
        pending = [id(container)]
        for here in pending:
            if here == id(value):
                return True
            fresh = {holder for holder, _ in self._holders.get(here, ())} - seen
            seen |= fresh
            pending.extend(fresh)
        return False

    def _register(self, value: Any) -> None:
        pending = [value]
        while pending:
            here = pending.pop()
            if id(here) in self._known:
                continue
            self._known[id(here)] = here
            for key, inner in children(here):
                if is_container(inner):
                    self._hold(inner, here, key)
                    pending.append(inner)

    def _hold(self, value: Any, container: Any, key: Any) -> None:
        if is_container(value):
            self._holders.setdefault(id(value), {})[id(container), key] = None

    def _unhold(self, value: Any, container: Any, key: Any) -> None:
        if is_container(value):
            del self._holders[id(value)][id(container), key]


def is_container(value: Any) -> bool:
    """Whether a value is a mapping or a list."""
    return isinstance(value, (dict, list))


def children(value: Any) -> Iterator[tuple[Any, Any]]:
    """The members or items of a value; what is no container has none."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def copied(value: Any, *, aliases: bool) -> Any:
    """A copy of a value; with `aliases` a container that stands in two places of it does so in the copy, too."""
    if not is_container(value):
        return value
    whole: Any = _empty(value)
    made = {id(value): whole}
    pending = [(value, whole)]
    while pending:
        source, copy = pending.pop()
        for key, inner in children(source):
            known = inner
            if is_container(inner):
                known = made.get(id(inner)) if aliases else None
                if known is None:
                    known = made[id(inner)] = _empty(inner)
                    pending.append((inner, known))
            if isinstance(copy, dict):
                copy[key] = known
            else:
                copy.append(known)
    return whole


def _empty(value: Any) -> Any:
    return {} if isinstance(value, dict) else []


def repeats(value: Any) -> bool:
    """Whether any container stands in two places of a value."""
    seen: set[int] = set()
    pending = [value]
    while pending:
        for _, inner in children(pending.pop()):
            if is_container(inner):
                if id(inner) in seen:
                    return True
                seen.add(id(inner))
                pending.append(inner)
    return False
