"""The heap: mutable containers for values that a program changes in place.

Some programs copy values only one level deep, or follow aliases, and then change containers in place: a write through
one path is visible at every other path of the container. Nodes are immutable; so for outputs in which that matters
Lamina keeps a second, mutable copy of the value, in which one container is one object, however many paths lead to it.
A step is executed on that copy, as in the program, and the heap reports at which locations the change is visible.

Most outputs have containers in common that nobody changes; so the heap is made when a step needs it, with all outputs
that have such containers by then (see `shared_content`). From then on an output is copied into the heap when one of its
containers gets a second location. An alias map records for every container which others hold it, and under which key,
so that its locations are found by walking up.

A container that would contain itself has no finite value; such a change is rejected (`ContainsItself`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.engine.alias_map import AliasMap, children, is_container
from lamina.paths import MISSING, child, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lamina.dialects.deckhand.shared_content import MountPoint
    from lamina.paths import Path
    from lamina.run import Run

_COPIED = 200
"""The cost in steps of a container in the heap, which takes that much longer than a value that is shared."""


class Location(NamedTuple):
    """A path in an output."""

    output: str
    path: Path


class ContainsItself(Exception):
    """A container would contain itself."""


class Heap:
    """The containers of the outputs that share some, in one fold."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._boxes: dict[str, list[Any]] = {}
        """Each output's value, in its own list so that it has a holder, too."""
        self._names: dict[int, str] = {}
        self._aliases = AliasMap()
        self._log: list[tuple[Any, Any, Any]] = []
        self._put: dict[int, list[Any]] = {}
        """The containers that were put into an output since it was last looked through, by the number of its box."""

    def knows(self, output: str) -> bool:
        """Whether an output has a copy in the heap."""
        return output in self._boxes

    def adopt(self, output: str, value: Any) -> None:
        """Add an output in which no container has two locations so far."""
        if output not in self._boxes:
            self._add(output, self.copied(value, aliases=False))

    def adopt_shared(self, outputs: Mapping[str, tuple[Any, MountPoint]]) -> None:
        """Add outputs that have containers in common: their values, and the mounts where contents appear in them."""
        known: dict[tuple[MountPoint, Any], Any] = {}
        for output, (value, top) in outputs.items():
            self._add(output, self._copied_with_contents(value, top, known))

    def _add(self, output: str, value: Any) -> None:
        box = self._boxes[output] = [value]
        self._names[self._aliases.add(box)] = output

    def at(self, location: Location) -> Any:
        """The value at a location; MISSING if there is none."""
        return walk(self._boxes[location.output][0], location.path)

    def holder(self, location: Location) -> tuple[Any, Any]:
        """The container that holds a location, and the key or position in it."""
        if not location.path:
            return self._boxes[location.output], 0
        return self.at(Location(location.output, location.path[:-1])), location.path[-1]

    def assign(self, container: Any, key: Any, value: Any) -> None:
        """Set a key or a position of a container, or append to a list."""
        before, holder = child(container, key), self._aliases.add(container)
        if is_container(value):
            number, above = self._aliases.add(value), set(self._aliases.ancestors(holder))
            if number in above:
                raise ContainsItself
            for box in above & self._names.keys():
                self._put.setdefault(box, []).append(value)
        self._aliases.release(before, holder, key)
        if before is MISSING and isinstance(container, list):
            container.append(value)
        else:
            container[key] = value
        self._aliases.hold(value, holder, key)
        self._log.append((container, key, before))

    def remove(self, container: Any, key: Any) -> None:
        """Remove a key or an item; the items after it move up."""
        holder = self._aliases.number(container)
        self._aliases.release(container[key], holder, key)
        if isinstance(container, list):
            for position in range(key + 1, len(container)):
                self._aliases.release(container[position], holder, position)
                self._aliases.hold(container[position], holder, position - 1)
        del container[key]

    def repeats_in(self, output: str) -> bool:
        """Whether any container that was put into an output since it was last asked, or one inside it, is at two
        paths of the output now.

        An output is a tree when it is adopted, and only what is put somewhere gets another path.
        """
        box = self._aliases.number(self._boxes[output])
        return self._is_twice(self._put.pop(box, []), box)

    def _is_twice(self, pending: list[Any], box: int) -> bool:
        ways, seen = {box: 1}, set[int]()
        while pending:
            number = self._aliases.number(pending.pop())
            if number in seen:
                continue
            if self._aliases.count_ways(number, ways) > 1:
                return True
            seen.add(number)
            pending.extend(inner for _, inner in children(self._aliases.value(number)) if is_container(inner))
        return False

    def commit(self) -> None:
        """Keep what was assigned up to now."""
        self._log.clear()

    def undo(self) -> None:
        """Revert what was assigned since the last `commit`."""
        while self._log:
            container, key, before = self._log.pop()
            holder = self._aliases.number(container)
            self._aliases.release(container[key], holder, key)
            if before is MISSING:
                del container[key]
            else:
                container[key] = before
                self._aliases.hold(before, holder, key)

    def locations(self, container: Any, spend: Callable[[int], None]) -> list[Location]:
        """All locations of a container; `spend` counts the paths walked."""
        found: list[Location] = []
        for number, path in self._aliases.paths_up(self._aliases.number(container)):
            spend(1)
            if number in self._names:
                found.append(Location(self._names[number], path[1:]))
        return found

    def outputs_with(self, container: Any) -> set[str]:
        """The outputs that hold a container."""
        ancestors = self._aliases.ancestors(self._aliases.add(container))
        return {self._names[number] for number in ancestors if number in self._names}

    def copied(self, value: Any, *, aliases: bool) -> Any:
        """A copy of a value; with `aliases` a container at two paths of it is one container in the copy, too."""
        if not is_container(value):
            return value
        root: Any = _empty(value)
        copies = {id(value): root}
        pending = [(value, root)]
        while pending:
            self._run.spend(_COPIED)
            source, copy = pending.pop()
            if isinstance(source, dict):
                copy.update(source)
                items: Iterable[tuple[Any, Any]] = source.items()
            else:
                copy.extend(source)
                items = enumerate(source)
            for key, inner in items:
                if isinstance(inner, (dict, list)):
                    known = copies.get(id(inner)) if aliases else None
                    if known is None:
                        known = copies[id(inner)] = _empty(inner)
                        pending.append((inner, known))
                    copy[key] = known
        return root

    def _copied_with_contents(self, value: Any, top: MountPoint, known: dict[tuple[MountPoint, Any], Any]) -> Any:
        """A copy of an output; a member of a content, known by its key there, is one container wherever it appears."""
        root = _shallow(value)
        pending: list[tuple[Any, MountPoint | None]] = [(root, top)]
        while pending:
            self._run.spend(_COPIED)
            container, mount = pending.pop()
            for key, inner in children(container):
                if not isinstance(inner, (dict, list)):
                    continue
                home = None if mount is None else mount.within(key)
                one = None if home is mount or home is None else known.get((home, key))
                if one is None:
                    one = _shallow(inner)
                    pending.append((one, None if home is None else home.inner.get(key)))
                    if home is not mount and home is not None:
                        known[home, key] = one
                container[key] = one
        return root


def _shallow(value: Any) -> Any:
    return dict(value) if isinstance(value, dict) else list(value)


def _empty(value: Any) -> Any:
    return {} if isinstance(value, dict) else []
