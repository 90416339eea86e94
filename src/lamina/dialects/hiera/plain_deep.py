"""The deep merge without options, which most lookups use: the result and where its parts come from in one pass.

It gives what `deep_merge` gives. Without markers nothing is changed in place, so that nothing needs to be copied.
"""

from __future__ import annotations

from typing import Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera.deep_merge import all_different, unique

_MADE: Final = "deep merge"
_SINGLE: Final = frozenset((str, int, float, bool))
_OLD: Final = lp.OLD
_NEW: Final = lp.NEW


class PlainDeep:
    """Mappings key by key, lists joined with each item once, lower levels first; elsewhere the higher value."""

    name = "deep"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lp.Trail, context: lp.MergeContext) -> lp.Delta:
        if old is None:
            return lp.NEW
        if new is None or new is False:
            return lp.OLD
        if isinstance(old, dict):
            return self._mapping(old, new, policy, trail, context)
        if isinstance(old, list) and isinstance(new, list):
            return _joined(old, new, context)
        return lp.OLD

    def _mapping(
        self, old: dict[Any, Any], new: Any, policy: lp.Policy, trail: lp.Trail, context: lp.MergeContext
    ) -> lp.Delta:
        if not isinstance(new, dict):
            return _over_other(old) if old else lp.NEW
        value = {**new, **old}
        entries: dict[Any, lp.Delta] = {key: _OLD if key in old else _NEW for key in new}
        work = len(old) + len(new)
        for key, mine in old.items():
            if type(mine) in _SINGLE:
                continue  # done above
            there = new.get(key)
            if there is None or there is False:
                made = newcomer(mine)
                if made is not mine:
                    value[key] = made
                    entries[key] = lp.computed(made, _MADE)
                continue
            if type(mine) is dict and type(there) is dict and mine and _SINGLE.issuperset(map(type, mine.values())):
                # What `apply` would come to for most mappings there are.
                work += len(mine) + len(there)
                value[key] = inside = {**there, **mine}
                entries[key] = lp.MapDelta(inside, {each: _OLD if each in mine else _NEW for each in there})
                continue
            delta = self.apply(mine, there, policy, trail, context)
            entries[key] = delta
            if delta is not _OLD:
                value[key] = there if delta is _NEW else delta.value
        context.spend(work)
        return lp.MapDelta(value, entries)


def newcomer(value: Any) -> Any:
    """A value that meets nothing: lists in it lose what they have twice, at any depth of mappings."""
    if isinstance(value, dict):
        changed = {
            key: made
            for key, item in value.items()
            if type(item) not in _SINGLE and (made := newcomer(item)) is not item
        }
        return {**value, **changed} if changed else value
    if isinstance(value, list):
        if all_different(value):
            return value
        kept = unique(value)
        return value if len(kept) == len(value) else [value[at] for at in kept]
    return value


def _over_other(old: dict[Any, Any]) -> lp.Delta:
    """A mapping in the place of something else: all its values but the first are merged with themselves."""
    made = {key: item if at == 0 else newcomer(item) for at, (key, item) in enumerate(old.items())}
    same = all(made[key] is item for key, item in old.items())
    return lp.OLD if same else lp.computed(made, _MADE)


def _joined(old: list[Any], new: list[Any], context: lp.MergeContext) -> lp.Delta:
    context.build(len(old) + len(new))
    both = new + old
    if new and old and all_different(both):
        return lp.ListDelta(both, (lp.Slice("new", 0, len(new)), lp.Slice("old", 0, len(old))))
    kept = unique(both)
    spans: list[lp.Slice] = []
    for at in kept:
        side, place = ("new", at) if at < len(new) else ("old", at - len(new))
        if spans and spans[-1].side == side and spans[-1].stop == place:
            spans[-1] = lp.Slice(spans[-1].side, spans[-1].start, place + 1)
        else:
            spans.append(lp.Slice(side, place, place + 1))  # type: ignore[arg-type]
    return lp.ListDelta([both[at] for at in kept], tuple(spans))
