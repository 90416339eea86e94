"""Comparison of two values: every difference, with its path.

Mappings are compared key by key, lists as `lists` aligns them, everything else as a whole. Where the budget for
single changes is spent, whatever still differs is one change as a whole.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.errors import Diagnostic, UsageError
from lamina.paths import MISSING, Path
from lamina.views.diff.align_lists import align
from lamina.views.diff.change import ByKey, Change, ChangeKind
from lamina.views.diff.limits import CHANGES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.budget import Budget
    from lamina.views.diff.align_lists import Alignment
    from lamina.views.diff.value_ids import Numbering


class ChangeLocation(NamedTuple):
    """A location: the path for display, the path in the old value, and the path in the new one."""

    path: Path = ()
    before: Path = ()
    after: Path = ()

    def down(self, step: Any) -> ChangeLocation:
        return ChangeLocation((*self.path, step), (*self.before, step), (*self.after, step))


TOP = ChangeLocation()


_UNNUMBERED = 20_000
"""How many pairs of mappings are compared key by key without numbering them first.

Most of what is in two mappings is the very same, so that numbers are not needed. But aliases can make a few mappings
into very many pairs; numbered ones are compared at once.
"""


class Comparer:
    """Compares values; each value is numbered once."""

    def __init__(self, numbering: Numbering, budget: Budget, changes: int = CHANGES) -> None:
        self._numbering = numbering
        self._budget = budget
        self._single = changes
        """How many changes may still be reported one by one."""
        self._unnumbered = _UNNUMBERED

    def changes(self, before: Any, after: Any) -> list[Change]:
        """Every difference between two values."""
        try:
            return list(self._compare(before, after, TOP))
        except RecursionError:
            raise too_deep() from None

    def unchanged(self, before: Any, after: Any, location: ChangeLocation = TOP) -> Iterator[ChangeLocation]:
        """The locations of all scalars and empty collections that are the same on both sides."""
        if before and isinstance(before, dict) and isinstance(after, dict):
            keys_after = {self._numbering.key(key): key for key in after}
            for key, old in before.items():
                key_after = keys_after.get(self._numbering.key(key), MISSING)
                if key_after is not MISSING:
                    yield from self.unchanged(old, after[key_after], location.down(key))
        elif before and is_list(before) and is_list(after):
            alignment = align(before, after, self._numbering, self._budget)
            for one, other in alignment.kept:
                there = _pair(location, before, after, one, other, alignment)
                yield from self.unchanged(before[one], after[other], there)
        elif self._numbering.same(before, after):
            yield location

    def _compare(self, before: Any, after: Any, location: ChangeLocation) -> Iterator[Change]:
        if before is after:
            return
        mappings = isinstance(before, dict) and isinstance(after, dict)
        if mappings and self._single > 0 and self._unnumbered > 0:
            self._unnumbered -= 1
            yield from self._mappings(before, after, location)
        elif self._numbering.same(before, after):
            return
        elif mappings and self._single > 0:
            yield from self._mappings(before, after, location)
        elif self._single > 0 and is_list(before) and is_list(after):
            yield from self._lists(before, after, location)
        else:
            yield self._change(ChangeKind.CHANGED, location, before, after)

    def _change(
        self, kind: ChangeKind, location: ChangeLocation, before: Any = MISSING, after: Any = MISSING
    ) -> Change:
        self._single -= 1
        return Change(
            kind=kind,
            path=location.path,
            at_before=location.before,
            at_after=location.after,
            before=before,
            after=after,
        )

    def _mappings(self, before: dict[Any, Any], after: dict[Any, Any], location: ChangeLocation) -> Iterator[Change]:
        if _is_uniform(before, after):
            yield from self._plain_mappings(before, after, location)
            return
        keys_after = {self._numbering.key(key): key for key in after}
        for key, old in before.items():
            own_key = self._numbering.key(key)
            if own_key in keys_after:
                yield from self._compare(old, after[keys_after.pop(own_key)], location.down(key))
            else:
                yield self._change(ChangeKind.REMOVED, location.down(key), before=old)
        for key in keys_after.values():
            yield self._change(ChangeKind.ADDED, location.down(key), after=after[key])

    def _plain_mappings(
        self, before: dict[Any, Any], after: dict[Any, Any], location: ChangeLocation
    ) -> Iterator[Change]:
        """The same for keys that need no numbers; what is the very same on both sides is gone over quickly."""
        for key, old in before.items():
            new = after.get(key, MISSING)
            if new is MISSING:
                yield self._change(ChangeKind.REMOVED, location.down(key), before=old)
            elif new is not old and not _holds_same(old, new):
                yield from self._compare(old, new, location.down(key))
        for key, new in after.items():
            if key not in before:
                yield self._change(ChangeKind.ADDED, location.down(key), after=new)

    def _lists(self, before: Any, after: Any, location: ChangeLocation) -> Iterator[Change]:
        alignment = align(before, after, self._numbering, self._budget)
        found: list[tuple[int, list[Change]]] = []
        for one in alignment.removed:
            there = ChangeLocation(
                (*location.path, _step(before, one, alignment)), (*location.before, one), location.after
            )
            found.append((one, [self._change(ChangeKind.REMOVED, there, before=before[one])]))
        for other in alignment.added:
            there = ChangeLocation(
                (*location.path, _step(after, other, alignment)), location.before, (*location.after, other)
            )
            found.append((other, [self._change(ChangeKind.ADDED, there, after=after[other])]))
        for one, other in alignment.moved:
            there = _pair(location, before, after, one, other, alignment)
            moved = self._change(ChangeKind.MOVED, there, before[one], after[other])
            found.append((other, [moved, *self._compare(before[one], after[other], there)]))
        for one, other in alignment.replaced:
            there = _pair(location, before, after, one, other, alignment)
            found.append((other, [self._change(ChangeKind.CHANGED, there, before[one], after[other])]))
        for one, other in alignment.kept:
            if not self._numbering.same(before[one], after[other]):
                there = _pair(location, before, after, one, other, alignment)
                found.append((other, list(self._compare(before[one], after[other], there))))
        for _, changes in sorted(found, key=lambda each: each[0]):
            yield from changes


def _is_uniform(before: dict[Any, Any], after: dict[Any, Any]) -> bool:
    """Whether the keys of two mappings are all of one kind of text, so that they can be compared without numbers."""
    kinds = {*map(type, before), *map(type, after)}
    return len(kinds) == 1 and issubclass(kinds.pop(), str)


def _holds_same(before: Any, after: Any) -> bool:
    """Whether two values are mappings with the very same values, which is found faster than by comparing these."""
    return (
        type(before) is dict
        and type(after) is dict
        and before.keys() == after.keys()
        and _is_uniform(before, after)
        and all(map(is_, before.values(), map(after.__getitem__, before)))
    )


def _pair(
    location: ChangeLocation, before: Any, after: Any, one: int, other: int, alignment: Alignment
) -> ChangeLocation:
    """The place of two items that belong together; one that was renamed is known by its position."""
    step = _step(after, other, alignment)
    renamed = isinstance(step, ByKey) and step != _step(before, one, alignment)
    return ChangeLocation(
        (*location.path, other if renamed else step), (*location.before, one), (*location.after, other)
    )


def _step(items: Any, at: int, alignment: Alignment) -> Any:
    return at if alignment.key is None else ByKey(alignment.key, items[at][alignment.key])


def is_list(value: Any) -> bool:
    """Whether a value is compared item by item."""
    return isinstance(value, (list, tuple))


def too_deep() -> UsageError:
    """The error for values that are nested too deeply."""
    return UsageError(
        Diagnostic(code="too-deep", message="the values are nested too deep to be compared", hint="flatten them")
    )
