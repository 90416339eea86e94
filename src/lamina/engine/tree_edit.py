"""Combining at a path: the rest of the tree stays as it is, and what is missing on the way may be made.

`put` follows the path through mappings (by key) and lists (by position). It answers with a piece for the whole tree,
so that the history of everything beside the path is untouched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.delta import NEW, Compose, Delta, ListDelta, MapDelta, Ref, Removed, Slice, value_of
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """The piece for `new` combined into `old` at a path."""
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
    value = value_of(inner, before, new)
    joint = Compose(value, Ref(before, "old", (step,)), NEW, inner)
    if isinstance(old, (list, tuple)):
        return _replaced_item(old, step, joint)
    grown = {} if old is MISSING else dict(old)
    if value is MISSING:
        grown.pop(step, None)
        return MapDelta(grown, {step: Removed()})
    grown[step] = value
    return MapDelta(grown, {step: joint}, outer=True)


def _can_grow(old: Any, step: Any) -> bool:
    return old is MISSING or isinstance(old, dict) or (isinstance(old, list) and step == len(old))


def _replaced_item(old: Any, position: int, joint: Compose) -> Delta:
    before, after = Slice("old", 0, position), Slice("old", position + 1, len(old))
    if joint.value is MISSING:
        value = [*old[:position], *old[position + 1 :]]
        return ListDelta(value, (before, after), (Removed(item=("old", position)),))
    value = [*old[:position], joint.value, *old[position + 1 :]]
    return ListDelta(value, (before, joint, after))
