"""Mappings whose keys may knock out others.

knockout union The old mapping's keys in their order, then the new one's own keys in theirs. A key of the old mapping
               that is a marker keeps the key it names from being taken. A marker of the new mapping for a key the old
               one lacks is kept without a value, so that it knocks out later layers. A key both have is merged by the
               table of cases; if that merges deeper, the key takes the new side's spelling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.operators.deeper import Deeper
from lamina.engine.delta import NEW, OLD, Computed, Delta, MapDelta, Removed, value_of
from lamina.engine.operators.mapping import merge_mappings, merge_values
from lamina.engine.operators.whole import KEEP, TAKE
from lamina.engine.policy import Cases
from lamina.paths import MISSING
from lamina.values import ABSENT, ALL

if TYPE_CHECKING:
    from lamina.dialects.datum.operators.knockout import Knockout
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Policy, Trail


class KnockoutUnion:
    """Combine two mappings key by key, with markers among the keys."""

    __slots__ = ("_knockout", "_unmarked", "cases", "name")

    def __init__(self, cases: Cases, knockout: Knockout) -> None:
        self.name = "union, knockout"
        self.cases = cases
        self._unmarked = Cases(((ABSENT,), ALL, TAKE), *cases.rows)
        """The table for mappings without markers: what the old one lacks is taken."""
        self._knockout = knockout

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        run.spend(len(new))
        if self._knockout.absent(old) and self._knockout.absent(new):
            return merge_mappings(self._unmarked, old, new, policy, trail, run)
        return self._with_markers(old, new, policy, trail, run)

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        run.spend(len(new))
        if not (self._knockout.absent(old) and self._knockout.absent(new)):
            return value_of(self._with_markers(old, new, policy, trail, run), old, new)
        return merge_values(self._unmarked, old, new, policy, trail, run)

    def _with_markers(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        target = self._knockout.target
        knocked_out = {name: key for key in old if (name := target(key)) is not MISSING}
        entries: dict[Any, Delta] = {}
        under: dict[Any, Policy] = {}
        for key, value in new.items():
            if key in knocked_out:
                # What the old mapping has itself stays, also beside a marker for it.
                entries[key] = OLD if key in old else Removed("knocked out", None, ("old", (knocked_out[key],)))
            elif key in old:
                self._merge_keys(key, old, value, entries, under, policy, trail, run)
            else:
                entries[key] = _added(value, target(key), old)
        return MapDelta(_edited(old, new, entries, under), entries, under or None)

    def _merge_keys(
        self,
        key: Any,
        old: dict[Any, Any],
        value: Any,
        entries: dict[Any, Delta],
        under: dict[Any, Policy],
        policy: Policy,
        trail: Trail,
        run: MergeContext,
    ) -> None:
        before = old[key]
        name = self._knockout.target(key)
        operator = self.cases.pick(before, value)
        if operator is KEEP or not (name is MISSING or name in old):
            entries[key] = OLD
            return
        inner = operator.policy(policy, key) if isinstance(operator, Deeper) else policy
        delta = operator.apply(before, value, inner, (trail, key, key), run)
        entries[key] = delta
        under[key] = inner


def _added(value: Any, name: Any, old: dict[Any, Any]) -> Delta:
    """A key only the new mapping has; a marker that names nothing the old one has goes on without its value."""
    if name is MISSING or name in old or value is None:
        return NEW
    return Computed(None, "a marker", "new")


def _edited(old: dict[Any, Any], new: dict[Any, Any], entries: dict[Any, Delta], under: dict[Any, Any]) -> Any:
    """The old mapping with the entries put in, those gone deeper in the new spelling."""
    spellings = {key: key for key in new if key in under}
    changed = any(
        entries[key] is not OLD and value_of(entries[key], MISSING, new[key]) is not old.get(key, MISSING)
        for key in entries
    ) or any(str.__ne__(key, spellings[key]) for key in old if key in spellings and isinstance(key, str))
    if not changed:
        return old
    value: dict[Any, Any] = {}
    for key, before in old.items():
        delta = entries.get(key, OLD)
        value[spellings.get(key, key)] = before if delta is OLD else value_of(delta, before, new[key])
    for key, delta in entries.items():
        if key not in old and (after := value_of(delta, MISSING, new[key])) is not MISSING:
            value[key] = after
    return value
