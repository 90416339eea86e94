"""Changes to a tree at given paths; everything else stays as it is, with its history.

`rebuilt` returns a container with some members or items changed; everything that changes a value at a path uses it.
`put` combines a value at a path of keys and positions; missing containers on the way can be created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.delta import NEW, Compose, Computed, Delta, ListDelta, MapDelta, Ref, Removed, Slice, value_of
from lamina.engine.merge_context import PathNotFound
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.engine.policy import Trail


def put(
    old: Any, new: Any, path: Path, combine: Callable[[Any, Any, Trail], Delta], *, create: bool, walked: Path = ()
) -> Delta:
    """The delta for `new` combined into `old` at a path."""
    if not path:
        trail: Trail = None
        for step in walked:
            trail = (trail, step, step)
        return combine(old, new, trail)
    step, rest = path[0], path[1:]
    before = child(old, step)
    if before is MISSING and not (create and _can_grow(old, step)):
        raise PathNotFound((*walked, step), old)
    inner = put(before, new, rest, combine, create=create, walked=(*walked, step))
    return rebuilt(old, {step: Compose(value_of(inner, before, new), Ref(before, "old", (step,)), NEW, inner)})


def put_value(
    old: Any, new: Any, path: Path, combine: Callable[[Any, Any, Trail], Any], *, create: bool, trail: Trail = None
) -> Any:
    """The value of `put`, given what combines two values."""
    if not path:
        return combine(old, new, trail)
    step = path[0]
    before = child(old, step)
    if before is MISSING and not (create and _can_grow(old, step)):
        raise PathNotFound(path, old)
    after = put_value(before, new, path[1:], combine, create=create, trail=(trail, step, step))
    if isinstance(old, (list, tuple)):
        items = [*old[:step], *([] if after is MISSING else [after]), *old[step + 1 :]]
        return old if isinstance(old, list) and len(items) == len(old) and all(map(_is, items, old)) else items
    if after is before and isinstance(old, dict):
        return old
    changed = {} if old is MISSING else dict(old)
    if after is MISSING:
        changed.pop(step, None)
    else:
        changed[step] = after
    return changed


def _can_grow(old: Any, step: Any) -> bool:
    return old is MISSING or isinstance(old, dict) or (isinstance(old, list) and step == len(old))


def at(old: Any, step: Any, new: Delta, delta: Delta, value: Any) -> Compose:
    """The member or item of a container combined with something of the new side; the value MISSING removes it."""
    return Compose(value, Ref(child(old, step), "old", (step,)), new, delta)


def rebuilt(old: Any, changed: Mapping[Any, Compose], length: int | None = None) -> MapDelta | ListDelta:
    """A container with some members or items changed; the same object if nothing changes.

    With a length it is a list that may grow: it is padded with empty mappings.
    """
    if length is not None or isinstance(old, (list, tuple)):
        return _list(() if old is MISSING else old, changed, length or 0)
    value = {} if old is MISSING else dict(old)
    entries: dict[Any, Delta] = {}
    same = isinstance(old, dict)
    for step, part in changed.items():
        after = part.value
        if same and after is not old.get(step, MISSING):
            same = False
        if after is MISSING:
            value.pop(step, None)
            entries[step] = Removed()
        else:
            value[step] = after
            entries[step] = part
    return MapDelta(old, dict(changed), outer=True) if same else MapDelta(value, entries, outer=True)


def value_set(containers: list[Any], path: Path, value: Any, before: Any, delta: Delta) -> MapDelta:
    """A mapping with one value set at a path; it is the same object if the value is.

    `containers` are the mappings and lists on the path that exist, the outermost first. The others are created, and
    lists are padded with empty mappings.
    """
    made, at = value, len(containers)
    if made is before and at == len(path):
        return _change_inside(containers[0], containers[0], path, delta)
    for key in reversed(path[at:]):
        made = [*({} for _ in range(key)), made] if type(key) is int else {key: made}
    while at:
        at -= 1
        key, changed = path[at], containers[at].copy()
        if type(changed) is list and key >= len(changed):
            changed += [{} for _ in range(key + 1 - len(changed))]
        changed[key] = made
        made = changed
    return _change_inside(made, containers[0], path, delta)


def _change_inside(value: Any, old: Any, path: Path, delta: Delta) -> MapDelta:
    """The mapping `old` with one value set at a path; `delta` combines what was there with the new side."""
    return MapDelta(value, {path[0]: _part_set(value, old, path, delta)}, outer=True)


def _part_set(value: Any, old: Any, path: Path, delta: Delta) -> Compose:
    """The part of a container that leads to the one value that is set in it."""
    key = path[0]
    before, after = child(old, key), value[key]
    if len(path) > 1 and isinstance(after, list):
        inner: Delta = _item_set(after, before, path[1:], delta)
    else:
        inner = delta if len(path) == 1 else _change_inside(after, before, path[1:], delta)
    return Compose(after, Ref(before, "old", path[:1]), NEW, inner)


def _item_set(value: list[Any], old: Any, path: Path, delta: Delta) -> ListDelta:
    """The same for a list: the items around it are those of the old list, or padding."""
    at, known = path[0], 0 if old is MISSING else len(old)
    items: list[Slice | Delta] = [Slice("old", 0, min(at, known))] if at and known else []
    items += [Computed({}, "padded", "new") for _ in range(known, at)]
    items.append(_part_set(value, old, path, delta))
    if at + 1 < known:
        items.append(Slice("old", at + 1, known))
    return ListDelta(value, tuple(items))


def _list(old: Any, changed: Mapping[Any, Compose], length: int) -> ListDelta:
    parts = _ListParts(old)
    for position in sorted(changed):
        parts.keep_to(position)
        parts.put(changed[position])
    parts.keep_to(max(length, len(old)))
    same = isinstance(old, list) and len(parts.value) == len(old) and all(map(_is, parts.value, old))
    return ListDelta(old if same else parts.value, tuple(parts.items), tuple(parts.lost))


def _is(one: Any, other: Any) -> bool:
    return one is other


class _ListParts:
    """A list under construction, from the old one and replacements of some items."""

    def __init__(self, old: Any) -> None:
        self._old = old
        self._next = 0
        self.value: list[Any] = []
        self.items: list[Slice | Delta] = []
        self.lost: list[Removed] = []

    def keep_to(self, position: int) -> None:
        """Add the old items up to a position, padded with empty mappings."""
        stop = min(position, len(self._old))
        if self._next < stop:
            self.items.append(Slice("old", self._next, stop))
            self.value.extend(self._old[self._next : stop])
        for _ in range(position - max(self._next, len(self._old))):
            self.items.append(Computed({}, "padded", "new"))
            self.value.append({})
        self._next = position

    def put(self, part: Compose) -> None:
        """Add the item at the next position."""
        if part.value is MISSING:
            self.lost.append(Removed(item=("old", self._next)))
        else:
            self.items.append(part)
            self.value.append(part.value)
        self._next += 1
