"""Changes to a tree at given paths; everything else stays as it is, with its history.

`rebuilt` returns a container with some members or items changed; everything that changes a value at a path uses it.
`put` combines a value at a path of keys and positions; missing containers on the way can be created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.engine.delta import NEW, OLD, Compose, Computed, Delta, ListDelta, MapDelta, Ref, Removed, Slice, value_of
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Policy, Trail

NO_SUCH_PLACE: Final = "no-such-place"
"""The fault of a step whose path leads through a value that does not have its next step."""


def put(
    old: Any, new: Any, path: Path, policy: Policy, run: MergeContext, *, create: bool, trail: Trail = None
) -> Delta:
    """The delta for `new` combined into `old` at a path, whose containers must be there, or are created."""
    if not path:
        return policy.combine(old, new, trail, run)
    step = path[0]
    before, trail = child(old, step), (trail, step, step)
    if before is MISSING and not (create and _can_grow(old, step)):
        run.reject(NO_SUCH_PLACE, old, new, trail)
        return OLD
    inner = put(before, new, path[1:], policy, run, create=create, trail=trail)
    return rebuilt(old, {step: at(old, step, NEW, inner, value_of(inner, before, new))})


def put_value(
    old: Any, new: Any, path: Path, policy: Policy, run: MergeContext, *, create: bool, trail: Trail = None
) -> Any:
    """What `put` gives, without the delta."""
    if not path:
        return policy.value(old, new, trail, run)
    step = path[0]
    before, trail = child(old, step), (trail, step, step)
    if before is MISSING and not (create and _can_grow(old, step)):
        run.reject(NO_SUCH_PLACE, old, new, trail)
        return old
    after = put_value(before, new, path[1:], policy, run, create=create, trail=trail)
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


def value_set(containers: Sequence[Any], path: Path, value: Any, delta: Delta) -> Delta:
    """A container with one value set at a path; `delta` combines what was there with the new side.

    `containers` are the mappings and lists on the path that exist, the outermost first. The others are created, and
    lists are padded with empty mappings.
    """
    for depth in reversed(range(len(path))):
        container, key = containers[depth] if depth < len(containers) else MISSING, path[depth]
        part = at(container, key, NEW, delta, value)
        changed = rebuilt(container, {key: part}, key + 1 if type(key) is int else None)
        delta, value = changed, changed.value
    return delta


def _list(old: Any, changed: Mapping[Any, Compose], length: int) -> ListDelta:
    """A list with some items changed, from the old one and padding."""
    value: list[Any] = []
    items: list[Slice | Delta] = []
    lost: list[Removed] = []
    done, known = 0, len(old)
    for position, part in (*sorted(changed.items()), (max(length, known), None)):
        stop, padding = min(position, known), range(position - max(done, known))
        if done < stop:
            items.append(Slice("old", done, stop))
            value += old[done:stop]
        items += [Computed({}, "padded", "new") for _ in padding]
        value += [{} for _ in padding]
        if part is not None and part.value is not MISSING:
            items.append(part)
            value.append(part.value)
        elif part is not None:
            lost.append(Removed(item=("old", position)))
        done = position + 1
    same = isinstance(old, list) and len(value) == known and all(map(_is, value, old))
    return ListDelta(old if same else value, tuple(items), tuple(lost))


def _is(one: Any, other: Any) -> bool:
    return one is other
