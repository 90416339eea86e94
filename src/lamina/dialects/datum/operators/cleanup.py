"""Sweeps: operators on one value, asked with nothing on the new side.

keep           (of `whole`) the value stays as it is
bare           (of `unpack`) a list of one item becomes the item, an empty list null
sweep keys     a mapping without the keys a test picks; what is left is swept by the policy of each member
sweep items    a list without its markers and without the items after a marker that it means
sweep records  a list of mappings without those that are markers; what is left is swept item by item
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.operators.knockout import COMPARISON, targets_of
from lamina.dialects.datum.operators.lists import spans
from lamina.dialects.datum.operators.unwrap import Closed, holds_mappings
from lamina.engine.delta import (
    OLD,
    Compose,
    Delta,
    ListDelta,
    MapDelta,
    Ref,
    Removed,
    SideName,
    Slice,
    value_of,
)
from lamina.paths import MISSING
from lamina.values import SCALARS

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.dialects.datum.operators.knockout import Knockout
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Operator, Policy, Trail


class SweepKeys:
    """Take keys out of a mapping and sweep the mappings and lists among the members left."""

    __slots__ = ("_inherit", "_is_removed", "name")

    def __init__(self, is_removed: Callable[[Any], bool] | None, *, inherit: bool = False) -> None:
        self.name = "sweep keys"
        self._is_removed = is_removed
        self._inherit = inherit

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        if self._is_removed is None and SCALARS.issuperset(map(type, old.values())):
            return OLD
        entries: dict[Any, Delta] = {}
        under: dict[Any, Policy] = {}
        for key, value in old.items():
            if self._is_removed is not None and self._is_removed(key):
                entries[key] = Removed("cleaned up", "old")
            elif isinstance(value, (dict, list)):
                inner = policy.inherit(key) if self._inherit else policy.enter(key)
                delta = inner.combine(value, MISSING, (trail, key, key), run)
                if delta is not OLD:
                    entries[key] = delta
                    under[key] = inner
        if not entries:
            return OLD
        kept = ((key, value_of(entries.get(key, OLD), value, MISSING)) for key, value in old.items())
        return MapDelta({key: value for key, value in kept if value is not MISSING}, entries, under or None)


class SweepItems:
    """Take the markers out of a list, and with `reach` what they mean among the items after them."""

    __slots__ = ("_knockout", "_reach", "name")

    def __init__(self, knockout: Knockout, *, reach: bool = True) -> None:
        self.name = "sweep items"
        self._knockout = knockout
        self._reach = reach

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        targets = targets_of(self._knockout, old)
        run.spend(len(old) * (1 + COMPARISON * len(targets)))
        if not targets:
            return ListDelta(list(old), (Slice("old", 0, len(old)),)) if isinstance(old, Closed) else OLD
        is_removed: dict[int, Removed] = {}
        for at, target in targets:
            is_removed[at] = Removed("cleaned up", item=("old", at))
            for position in range(at + 1, len(old) if self._reach else 0):
                if position not in is_removed and self._knockout.hits(target, old[position]):
                    is_removed[position] = Removed("knocked out", marker=("old", (at,)), item=("old", position))
        kept: list[tuple[SideName, int]] = [("old", at) for at in range(len(old)) if at not in is_removed]
        return ListDelta(
            [old[at] for _, at in kept], tuple(spans(kept)), tuple(is_removed[at] for at in sorted(is_removed))
        )


class SweepRecords:
    """Take the markers out of a list of mappings and sweep the items left by an operator."""

    __slots__ = ("_knockout", "_then", "name")

    def __init__(self, knockout: Knockout | None, then: Operator) -> None:
        self.name = "sweep records"
        self._knockout = knockout
        self._then = then

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        is_removed = {at for at, _ in targets_of(self._knockout, old)}
        items: list[Slice | Delta] = []
        value: list[Any] = []
        for at, item in enumerate(old):
            if at in is_removed:
                continue
            delta: Delta = OLD
            if isinstance(item, dict):
                delta = self._then.apply(item, MISSING, policy, (trail, at, at), run)
            after = value_of(delta, item, MISSING)
            value.append(after)
            whole = Ref(item, "old", (at,))
            items.append(
                Slice("old", at, at + 1) if delta is OLD else Compose(after, whole, Ref(MISSING, "new", (at,)), delta)
            )
        if not is_removed and all(isinstance(item, Slice) for item in items):
            return OLD
        return ListDelta(
            value, tuple(items), tuple(Removed("cleaned up", item=("old", at)) for at in sorted(is_removed))
        )


class SweepByItems:
    """Choose the sweep by what a list holds."""

    __slots__ = ("_mappings", "_others", "name")

    def __init__(self, mappings: Operator, others: Operator) -> None:
        self.name = "by the items of the list"
        self._mappings = mappings
        self._others = others

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        operator = self._mappings if holds_mappings(old) else self._others
        return operator.apply(old, new, policy, trail, run)
