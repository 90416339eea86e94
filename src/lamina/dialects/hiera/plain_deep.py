"""The deep merge without options, which most lookups use: the result and where its parts come from in one pass.

It gives what `deep_merge` gives. Without markers nothing is changed in place, so that nothing needs to be copied.
"""

from __future__ import annotations

from typing import Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera.deep_merge import unique

_MADE: Final = "deep merge"
_SINGLE: Final = frozenset((str, int, float, bool))


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
        context.spend(len(old) + len(new))
        value = dict(new)
        entries: dict[Any, lp.Delta] = dict.fromkeys(new, lp.NEW)
        for key, mine in old.items():
            there = new.get(key)
            if type(mine) in _SINGLE:  # most are: what follows would say the same
                value[key] = mine
                if key in entries:
                    entries[key] = lp.OLD
            elif there is None or there is False:
                value[key] = made = newcomer(mine)
                if made is not mine:
                    entries[key] = lp.computed(made, _MADE)
                elif key in entries:
                    entries[key] = lp.OLD
            else:
                delta = self.apply(mine, there, policy, trail, context)
                entries[key] = delta
                value[key] = mine if delta is lp.OLD else there if delta is lp.NEW else delta.value
        return lp.MapDelta(value, entries)


def newcomer(value: Any) -> Any:
    """A value that meets nothing: lists in it lose what they have twice, at any depth of mappings."""
    if isinstance(value, dict):
        made = {key: newcomer(item) for key, item in value.items()}
        return value if all(made[key] is item for key, item in value.items()) else made
    if isinstance(value, list):
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
    kept = unique(both)
    spans: list[lp.Slice] = []
    for at in kept:
        side, place = ("new", at) if at < len(new) else ("old", at - len(new))
        if spans and spans[-1].side == side and spans[-1].stop == place:
            spans[-1] = lp.Slice(spans[-1].side, spans[-1].start, place + 1)
        else:
            spans.append(lp.Slice(side, place, place + 1))  # type: ignore[arg-type]
    return lp.ListDelta([both[at] for at in kept], tuple(spans))
