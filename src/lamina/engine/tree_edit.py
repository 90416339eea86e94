"""Changing a tree along paths: the rest of it stays as it is, with its history.

`rebuilt` is a container with some of what it holds changed; everything that changes a value at a path goes through it.
`put` combines a value at one path, followed through mappings by key and through lists by position; what is missing on
the way may be made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.delta import NEW, Compose, Computed, Delta, ListDelta, MapDelta, Ref, Removed, Slice, value_of
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.engine.policy import Trail


class NoSuchPlace(Exception):
    """The path leads through something that cannot hold its next step."""

    def __init__(self, path: Path, value: Any) -> None:
        super().__init__(path)
        self.path = path
        self.value = value


def put(
    old: Any, new: Any, path: Path, combine: Callable[[Any, Any, Trail], Delta], *, create: bool, done: Path = ()
) -> Delta:
    """The delta for `new` combined into `old` at a path."""
    if not path:
        trail: Trail = None
        for step in done:
            trail = (trail, step, step)
        return combine(old, new, trail)
    step, rest = path[0], path[1:]
    before = child(old, step)
    if before is MISSING and not (create and _can_grow(old, step)):
        raise NoSuchPlace((*done, step), old)
    inner = put(before, new, rest, combine, create=create, done=(*done, step))
    return rebuilt(old, {step: at(old, step, NEW, inner, value_of(inner, before, new))})


def _can_grow(old: Any, step: Any) -> bool:
    return old is MISSING or isinstance(old, dict) or (isinstance(old, list) and step == len(old))


def at(old: Any, step: Any, new: Delta, delta: Delta, value: Any) -> Compose:
    """What a container holds at a step, combined with something of the new side; the value MISSING removes it."""
    return Compose(value, Ref(child(old, step), "old", (step,)), new, delta)


def rebuilt(old: Any, changed: Mapping[Any, Compose], length: int | None = None) -> MapDelta | ListDelta:
    """A container with some of what it holds changed; the very same value where nothing is.

    With a length it is a list that may grow: it is filled up with empty mappings.
    """
    if length is not None or isinstance(old, (list, tuple)):
        return _list(() if old is MISSING else old, changed, length or 0)
    value = {} if old is MISSING else dict(old)
    entries: dict[Any, Delta] = {}
    same = isinstance(old, dict)
    for step, joint in changed.items():
        after = joint.value
        if same and after is not old.get(step, MISSING):
            same = False
        if after is MISSING:
            value.pop(step, None)
            entries[step] = Removed()
        else:
            value[step] = after
            entries[step] = joint
    return MapDelta(old, dict(changed), outer=True) if same else MapDelta(value, entries, outer=True)


def _list(old: Any, changed: Mapping[Any, Compose], length: int) -> ListDelta:
    made = _ListParts(old)
    for position in sorted(changed):
        made.keep_to(position)
        made.put(changed[position])
    made.keep_to(max(length, len(old)))
    same = isinstance(old, list) and len(made.value) == len(old) and all(map(_is, made.value, old))
    return ListDelta(old if same else made.value, tuple(made.items), tuple(made.lost))


def _is(one: Any, other: Any) -> bool:
    return one is other


class _ListParts:
    """A list being put together from the old one and what takes the place of some items."""

    def __init__(self, old: Any) -> None:
        self._old = old
        self._next = 0
        self.value: list[Any] = []
        self.items: list[Slice | Delta] = []
        self.lost: list[Removed] = []

    def keep_to(self, position: int) -> None:
        """The old items up to a position; beyond the last one empty mappings fill it up."""
        stop = min(position, len(self._old))
        if self._next < stop:
            self.items.append(Slice("old", self._next, stop))
            self.value.extend(self._old[self._next : stop])
        for _ in range(position - max(self._next, len(self._old))):
            self.items.append(Computed({}, "padded", "new"))
            self.value.append({})
        self._next = position

    def put(self, joint: Compose) -> None:
        """What is at the next position."""
        if joint.value is MISSING:
            self.lost.append(Removed(item=("old", self._next)))
        else:
            self.items.append(joint)
            self.value.append(joint.value)
        self._next += 1
