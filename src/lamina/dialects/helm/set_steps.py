"""The steps that set values at paths, as `--set` does: containers on the way are made where nothing is.

Something else in the way is an error, also null; but in a list a scalar gives way to a mapping, and null to a list. A
position past the end fills the list with nulls.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.plugin import operators as lpo

if TYPE_CHECKING:
    from lamina.dialects.helm.set_arguments import How, SetArgument

_FAULTS: Final = {
    fault: lp.Message(
        "set-syntax",
        "this cannot be set: {old_kind} is in the way{within}",
        "correct the path, or remove what is there from the files",
        at_directive=True,
    )
    for fault in ("no-such-place", "in-the-way")
}
_MADE: Final = {
    "list": lp.Cases(
        ((lp.ABSENT,), lp.ALL, lp.TAKE), (lp.LISTS, lp.ALL, lp.KEEP), (lp.ALL, lp.ALL, lpo.RejectPair("in-the-way"))
    ),
    "mapping": lp.Cases((lp.MAPS, lp.ALL, lp.KEEP), (lp.ALL, lp.ALL, lp.TAKE)),
    "filled": lp.Cases((lp.MAPS[1:], lp.ALL, lp.KEEP), (lp.ALL, lp.ALL, lpo.RejectPair("in-the-way"))),
    "set": lp.Cases.everywhere(lp.TAKE),
    "in-item": lp.Cases.everywhere(lp.TAKE),
}
"""What is done at the end of a path."""


def set_step(assignment: SetArgument, flag: str) -> lp.Merge:
    """The step that sets a value."""
    path = assignment.path
    first = next((number for number, step in enumerate(path) if isinstance(step, int)), len(path))
    at_the_end = _MADE[assignment.how]
    table = lp.Cases.everywhere(_SetInList(path[first:], assignment.how)) if first < len(path) else at_the_end
    step = lp.merge(assignment.node, lp.Policy(table), flag, at=assignment.origin, path=path[:first])
    return replace(step, faults=_FAULTS)


class _SetInList:
    """Sets a value at a path that begins with a position of the old list."""

    name = "set in a list"

    def __init__(self, path: lp.Path, how: How) -> None:
        self._path = path
        self._at_the_end = _MADE[how]
        self._makes_items = how != "in-item"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        return self._at(self._path, old, new, policy, trail, run)

    def _at(
        self, path: lp.Path, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext
    ) -> lpo.Delta:
        """The value set at a path of the old one."""
        if not path:
            return self._at_the_end.pick(old, new).apply(old, new, policy, trail, run)
        step, rest = path[0], path[1:]
        if old is not lp.MISSING and not isinstance(old, list if isinstance(step, int) else dict):
            run.reject("in-the-way", old, new, trail)
            return lpo.OLD
        if isinstance(step, int):
            return self._item(step, rest, [] if old is lp.MISSING else old, new, policy, trail, run)
        members = {} if old is lp.MISSING else old
        before = members.get(step, lp.MISSING)
        part = self._part(step, before, self._at(rest, before, new, policy, (trail, step, step), run), new)
        run.build(len(members) + 1, 0)
        return lpo.MapDelta({**members, step: part.value}, {step: part}, outer=True)

    def _item(
        self,
        at: int,
        rest: lp.Path,
        items: list[Any],
        new: Any,
        policy: lp.Policy,
        trail: lpo.Trail,
        run: lpo.MergeContext,
    ) -> lpo.Delta:
        if at >= len(items) and not self._makes_items:
            return lpo.OLD if items else lpo.computed([], "list")
        run.build(max(len(items), at + 1), 8 * at)
        before = items[at] if at < len(items) else lp.MISSING
        kept = before
        if rest and (before is None if isinstance(rest[0], int) else not isinstance(before, dict)):
            kept = lp.MISSING
        part = self._part(at, before, self._at(rest, kept, new, policy, (trail, at, at), run), new)
        missing = [None] * (at - len(items))
        value = [*items[:at], *missing, part.value, *items[at + 1 :]]
        pieces: list[lpo.Slice | lpo.Delta] = [lpo.Slice("old", 0, min(at, len(items)))] if at and items else []
        pieces += [lpo.computed(None, "filled up") for _ in missing]
        pieces.append(part)
        if at + 1 < len(items):
            pieces.append(lpo.Slice("old", at + 1, len(items)))
        return lpo.ListDelta(value, tuple(pieces))

    def _part(self, step: Any, before: Any, delta: lpo.Delta, new: Any) -> lpo.Compose:
        value = before if delta is lpo.OLD else new if delta is lpo.NEW else delta.value
        return lpo.Compose(value, lpo.Ref(before, "old", (step,)), lpo.NEW, delta)
