"""Cleaning up: operators on one value, applied with MISSING as the new value.

keep           (of `whole`) the value stays as it is
unwrap         (of `unwrap`) a list of one item becomes the item, an empty list null
clean keys     a mapping without its markers; the remaining members are cleaned by their policies
clean items    a list without its markers and without the items after a marker that it names
clean records  a list of mappings without its markers; the remaining items are cleaned one by one
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.operators.deeper import member_policy
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


class CleanKeys:
    """Remove keys from a mapping and clean the mappings and lists among the remaining members."""

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
                inner = member_policy(policy, key, inherit=self._inherit)
                delta = inner.combine(value, MISSING, (trail, key, key), run)
                if delta is not OLD:
                    entries[key] = delta
                    under[key] = inner
        if not entries:
            return OLD
        kept = ((key, value_of(entries.get(key, OLD), value, MISSING)) for key, value in old.items())
        return MapDelta({key: value for key, value in kept if value is not MISSING}, entries, under or None)


class CleanItems:
    """Remove the markers from a list, and with `affected` the items after them that they name."""

    __slots__ = ("_affected", "_knockout", "name")

    def __init__(self, knockout: Knockout, *, affected: bool = True) -> None:
        self.name = "sweep items"
        self._knockout = knockout
        self._affected = affected

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        targets = targets_of(self._knockout, old)
        run.spend(len(old) * (1 + COMPARISON * len(targets)))
        if not targets:
            return ListDelta(list(old), (Slice("old", 0, len(old)),)) if isinstance(old, Closed) else OLD
        is_removed: dict[int, Removed] = {}
        for at, target in targets:
            is_removed[at] = Removed("cleaned up", item=("old", at))
            for position in range(at + 1, len(old) if self._affected else 0):
                if position not in is_removed and self._knockout.hits(target, old[position]):
                    is_removed[position] = Removed("knocked out", marker=("old", (at,)), item=("old", position))
        kept: list[tuple[SideName, int]] = [("old", at) for at in range(len(old)) if at not in is_removed]
        return ListDelta(
            [old[at] for _, at in kept], tuple(spans(kept)), tuple(is_removed[at] for at in sorted(is_removed))
        )


class CleanRecords:
    """Remove the markers from a list of mappings and clean the remaining items with an operator."""

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
            unchanged = Ref(item, "old", (at,))
            items.append(
                Slice("old", at, at + 1)
                if delta is OLD
                else Compose(after, unchanged, Ref(MISSING, "new", (at,)), delta)
            )
        if not is_removed and all(isinstance(item, Slice) for item in items):
            return OLD
        return ListDelta(
            value, tuple(items), tuple(Removed("cleaned up", item=("old", at)) for at in sorted(is_removed))
        )


class CleanByItems:
    """Select the operator by the items of a list."""

    __slots__ = ("_mappings", "_others", "name")

    def __init__(self, mappings: Operator, others: Operator) -> None:
        self.name = "by the items of the list"
        self._mappings = mappings
        self._others = others

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        operator = self._mappings if holds_mappings(old) else self._others
        return operator.apply(old, new, policy, trail, run)
