"""Writes: several places of one value changed at once, as one piece.

Everything beside the written places stays the old side's. Where a write leads through what is not there yet, mappings
and lists are made as they are in the grown value; what fills a list up to a position comes with the write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lamina.engine.delta import (
    NEW,
    Compose,
    Delta,
    Inner,
    ListDelta,
    Lost,
    MapDelta,
    Outer,
    Removed,
    Slice,
    View,
    value_of,
)
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from collections.abc import Iterable

_FILLING = "filled up"


class Write(NamedTuple):
    """One place, what of the new side is put there, how it combines with what is there, and what that gives.

    The value MISSING removes the place.
    """

    path: Path
    side: Delta
    delta: Delta
    value: Any


Branch: TypeAlias = "dict[Any, Branch | Write]"


def laid(old: Any, writes: Iterable[Write], grown: Any) -> Delta:
    """The piece for a value with all the writes; of two at one place the last counts."""
    root: Branch = {}
    for write in writes:
        if not write.path:
            return write.delta
        branch = root
        for step in write.path[:-1]:
            inner = branch.setdefault(step, {})
            if isinstance(inner, Write):
                inner = branch[step] = {}
            branch = inner
        branch[write.path[-1]] = write
    return _branch(old, root, grown)


def _branch(old: Any, branch: Branch, grown: Any) -> Delta:
    joints = {step: _joint(old, step, under, child(grown, step)) for step, under in branch.items()}
    if isinstance(grown, (list, tuple)):
        return _list(old, joints, len(grown))
    value = {} if old is MISSING else dict(old)
    entries: dict[Any, Delta] = {}
    for step, joint in joints.items():
        if joint.value is MISSING:
            value.pop(step, None)
            entries[step] = Removed("deleted", "new", ())
        else:
            value[step] = joint.value
            entries[step] = Outer(joint)
    return MapDelta(value, entries)


def _joint(old: Any, step: Any, under: Branch | Write, grown: Any) -> Compose:
    before = child(old, step)
    current = Inner(before, "old", (step,))
    if isinstance(under, Write):
        return Compose(under.value, current, under.side, under.delta)
    inner = _branch(before, under, grown)
    return Compose(value_of(inner, before, MISSING), current, NEW, inner)


def _list(old: Any, joints: dict[Any, Compose], length: int) -> Delta:
    items: list[Slice | Delta] = []
    lost: list[Lost] = []
    value: list[Any] = []
    had = 0 if old is MISSING else len(old)
    start = 0
    for position in sorted(joints):
        _keep(old, start, min(position, had), items, value)
        _fill(position - max(start, had), items, value)
        joint = joints[position]
        if joint.value is MISSING:
            lost.append(Lost("old", position, "deleted"))
        else:
            items.append(joint)
            value.append(joint.value)
        start = position + 1
    _keep(old, start, had, items, value)
    _fill(length - max(start, had), items, value)
    return ListDelta(value, tuple(items), tuple(lost))


def _keep(old: Any, start: int, stop: int, items: list[Slice | Delta], value: list[Any]) -> None:
    if start < stop:
        items.append(Slice("old", start, stop))
        value.extend(old[start:stop])


def _fill(count: int, items: list[Slice | Delta], value: list[Any]) -> None:
    for _ in range(count):
        items.append(View({}, "new", _FILLING))
        value.append({})
