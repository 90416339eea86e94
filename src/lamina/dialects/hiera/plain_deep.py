"""The deep merge without options, which most lookups use: the result and where its parts come from in one pass.

It gives what `deep_merge` gives. Without markers nothing is changed in place, so that nothing needs to be copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.hiera.deep_merge import all_different, unique
from lamina.plugin import operators as lpo

if TYPE_CHECKING:
    from lamina import plugin as lp

_MADE: Final = "deep merge"
_SINGLE: Final = frozenset((str, int, float, bool))
_OLD: Final = lpo.OLD
_NEW: Final = lpo.NEW


class PlainDeep:
    """Mappings key by key, lists joined with each item once, lower levels first; elsewhere the higher value."""

    name = "deep"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, context: lpo.MergeContext) -> lpo.Delta:
        if old is None:
            return lpo.NEW
        if new is None or new is False:
            return lpo.OLD
        if isinstance(old, dict):
            return self._mapping(old, new, policy, trail, context)
        if isinstance(old, list) and isinstance(new, list):
            return _joined(old, new, context)
        return lpo.OLD

    def _mapping(
        self, old: dict[Any, Any], new: Any, policy: lp.Policy, trail: lpo.Trail, context: lpo.MergeContext
    ) -> lpo.Delta:
        if not isinstance(new, dict):
            return _replace_other(old) if old else lpo.NEW
        value = {**new, **old}
        entries: dict[Any, lpo.Delta] = {key: _OLD if key in old else _NEW for key in new}
        work = len(old) + len(new)
        for key, own in old.items():
            if type(own) in _SINGLE:
                continue  # done above
            there = new.get(key)
            if there is None or there is False:
                merged = as_merged(own)
                if merged is not own:
                    value[key] = merged
                    entries[key] = lpo.computed(merged, _MADE)
                continue
            if type(own) is dict and type(there) is dict and own and _SINGLE.issuperset(map(type, own.values())):
                # What `apply` would come to for most mappings there are.
                work += len(own) + len(there)
                value[key] = inside = {**there, **own}
                entries[key] = lpo.MapDelta(inside, {each: _OLD if each in own else _NEW for each in there})
                continue
            delta = self.apply(own, there, policy, trail, context)
            entries[key] = delta
            if delta is not _OLD:
                value[key] = there if delta is _NEW else delta.value
        context.spend(work)
        return lpo.MapDelta(value, entries)


def as_merged(value: Any) -> Any:
    """A value that meets nothing: lists in it lose what they have twice, at any depth of mappings."""
    if isinstance(value, dict):
        changed = {
            key: merged
            for key, item in value.items()
            if type(item) not in _SINGLE and (merged := as_merged(item)) is not item
        }
        return {**value, **changed} if changed else value
    if isinstance(value, list):
        if all_different(value):
            return value
        positions_kept = unique(value)
        return value if len(positions_kept) == len(value) else [value[at] for at in positions_kept]
    return value


def _replace_other(old: dict[Any, Any]) -> lpo.Delta:
    """A mapping in the place of something else: all its values but the first are merged with themselves."""
    merged = {key: item if at == 0 else as_merged(item) for at, (key, item) in enumerate(old.items())}
    same = all(merged[key] is item for key, item in old.items())
    return lpo.OLD if same else lpo.computed(merged, _MADE)


def _joined(old: list[Any], new: list[Any], context: lpo.MergeContext) -> lpo.Delta:
    context.build(len(old) + len(new))
    both = new + old
    if new and old and all_different(both):
        return lpo.ListDelta(both, (lpo.Slice("new", 0, len(new)), lpo.Slice("old", 0, len(old))))
    positions_kept = unique(both)
    spans: list[lpo.Slice] = []
    for at in positions_kept:
        side, position = ("new", at) if at < len(new) else ("old", at - len(new))
        if spans and spans[-1].side == side and spans[-1].stop == position:
            spans[-1] = lpo.Slice(spans[-1].side, spans[-1].start, position + 1)
        else:
            spans.append(lpo.Slice(side, position, position + 1))  # type: ignore[arg-type]  # one of two literals
    return lpo.ListDelta([both[at] for at in positions_kept], tuple(spans))
