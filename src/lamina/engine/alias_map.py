"""Sharing: places that hold one and the same container.

Some programs copy values only one level deep, or follow aliases, and then change containers in place: what is written
through one place shows at every other place that holds the container. Nodes never change; so Lamina keeps, for one
fold, which places are the same container, and whoever writes into a container writes at all its places.

A place is an output's name and a path. If two places are one container, so are the places the same steps below them;
this is not written down, but followed when asked for. What is put at a place as a whole makes it, and all below it, a
container of its own again (`forget`); the others stay what they are to one another.

A container that would have to hold itself has no finite value. Joining places is refused where it comes to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.paths import Path


class OutputPath(NamedTuple):
    """A path in an output."""

    output: str
    path: Path

    def below(self, path: Path) -> OutputPath:
        return OutputPath(self.output, self.path + path)

    def holds(self, other: OutputPath) -> bool:
        """Whether the other place is this one or lies below it."""
        return self.output == other.output and other.path[: len(self.path)] == self.path


class Endless(Exception):
    """A container would have to hold itself."""


class _Spot:
    """A place that is, or leads to, a cell; its path is told by the spots above it."""

    __slots__ = ("above", "below", "cell", "output", "step")

    def __init__(self, output: str, above: _Spot | None = None, step: Any = None) -> None:
        self.output = output
        self.above = above
        self.step = step
        self.below: dict[Any, _Spot] = {}
        self.cell: set[_Spot] | None = None

    def place(self) -> OutputPath:
        steps: list[Any] = []
        spot = self
        while spot.above is not None:
            steps.append(spot.step)
            spot = spot.above
        return OutputPath(self.output, tuple(reversed(steps)))

    def all(self) -> Iterator[_Spot]:
        pending = [self]
        while pending:
            spot = pending.pop()
            yield spot
            pending.extend(spot.below.values())


class Sharing:
    """Which places are one container, in one fold."""

    def __init__(self) -> None:
        self._roots: dict[str, _Spot] = {}

    def knows(self, output: str) -> bool:
        """Whether any place of an output was ever shared."""
        return output in self._roots

    def same(self, place: OutputPath) -> list[OutputPath]:
        """All places that hold the container a place holds, itself first."""
        found: dict[OutputPath, None] = {place: None}
        by_output: dict[str, list[OutputPath]] = {place.output: [place]}
        for here in (pending := [place]):
            for other in self._beside(here):
                if other in found:
                    continue
                known = by_output.setdefault(other.output, [])
                if any(one.holds(other) or other.holds(one) for one in known):
                    raise Endless
                known.append(other)
                found[other] = None
                pending.append(other)
        return list(found)

    def _beside(self, place: OutputPath) -> Iterator[OutputPath]:
        """The places told to be the same by a cell at a place or above it."""
        spot = self._roots.get(place.output)
        depth = 0
        while spot is not None:
            for other in spot.cell or ():
                if other is not spot:
                    yield other.place().below(place.path[depth:])
            if depth == len(place.path):
                return
            spot = spot.below.get(place.path[depth])
            depth += 1

    def join(self, one: OutputPath, other: OutputPath) -> None:
        """From now on the two places hold one container; it must fit there."""
        first, second = self._spot(one), self._spot(other)
        small, large = sorted((first.cell or {first}, second.cell or {second}), key=len)
        if small is not large:
            large |= small
            for spot in small:
                spot.cell = large
            first.cell = second.cell = large

    def fits(self, container: OutputPath, written: OutputPath) -> bool:
        """Whether a container can be put at, or directly below, a place that is written anew without holding itself."""
        if not self.knows(written.output):
            return True
        around, last = OutputPath(written.output, written.path[:-1]), written.path[-1:]
        places = [place.below(last) for place in self.same(around)]
        return not any(known != place and known.holds(place) for known in self.same(container) for place in places)

    def _spot(self, place: OutputPath) -> _Spot:
        spot = self._roots.setdefault(place.output, _Spot(place.output))
        for step in place.path:
            if step not in spot.below:
                spot.below[step] = _Spot(place.output, spot, step)
            spot = spot.below[step]
        return spot

    def _known_spot(self, place: OutputPath) -> _Spot | None:
        spot = self._roots.get(place.output)
        for step in place.path:
            if spot is None:
                return None
            spot = spot.below.get(step)
        return spot

    def forget(self, place: OutputPath) -> None:
        """What stands at a place is new: it is no longer shared, nor is anything below it."""
        top = self._known_spot(place)
        if top is None:
            return
        for spot in top.all():
            if spot.cell is None:
                continue
            # Others may have been the same only by way of this place; say so before it goes.
            left = [other for other in self.same(spot.place()) if not place.holds(other)]
            spot.cell.discard(spot)
            spot.cell = None
            for other in left[1:]:
                self.join(left[0], other)
        if top.above is not None:
            del top.above.below[top.step]
        else:
            del self._roots[place.output]

    def renew(self, place: OutputPath, keys: Iterable[Any]) -> None:
        """What stands at a place was copied one level deep: it is a container of its own, but holds the same ones."""
        spot = self._known_spot(place)
        if spot is None or spot.cell is None:
            return
        other = next(other for other in self.same(place) if other != place)
        spot.cell.discard(spot)
        spot.cell = None
        for key in keys:
            self.join(place.below((key,)), other.below((key,)))

    def removed(self, container: OutputPath, position: int) -> None:
        """An item went out of a list: those behind it move up."""
        spot = self._known_spot(container)
        if spot is None:
            return
        self.forget(container.below((position,)))
        behind = sorted(step for step in spot.below if step > position)
        for step in behind:
            moved = spot.below.pop(step)
            moved.step = step - 1
            spot.below[step - 1] = moved

    def inner(self, place: OutputPath) -> list[list[Path]]:
        """The places below one that are the same container as others below it, as paths from there."""
        top = self._known_spot(place)
        groups: dict[tuple[Path, ...], None] = {}
        for spot in top.all() if top is not None else ():
            if spot.cell is not None and spot is not top:
                paths = [other.path[len(place.path) :] for other in self.same(spot.place()) if place.holds(other)]
                if len(paths) > 1:
                    groups[tuple(sorted(paths, key=repr))] = None
        return [list(group) for group in groups]


def repeats(value: Any) -> list[list[Path]]:
    """The containers that stand in more than one place of a value, as the paths of each."""
    found: dict[int, list[Path]] = {}
    pending: list[tuple[Path, Any]] = [((), value)]
    while pending:
        path, here = pending.pop()
        if isinstance(here, (dict, list)):
            paths = found.setdefault(id(here), [])
            paths.append(path)
            if len(paths) > 1:
                continue
            inside = here.items() if isinstance(here, dict) else enumerate(here)
            pending.extend(((*path, key), inner) for key, inner in inside if isinstance(inner, (dict, list)))
    return [paths for paths in found.values() if len(paths) > 1]
