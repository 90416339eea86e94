"""The operator of `list(replace)`: two lists merged position by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.delta import NEW, Compose, Delta, ListDelta, Ref, Removed, Slice, value_of
from lamina.engine.operators.whole import TAKE
from lamina.values import COUNT, classify

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Cases, Policy, Trail


class Overlay:
    """Combine two lists position by position; the result is as long as the old one.

    Where both have an item, the table of cases decides. Further items of the new list are dropped.
    """

    __slots__ = ("_taking", "cases", "name")

    def __init__(self, cases: Cases) -> None:
        self.name = "overlay"
        self.cases = cases
        self._taking = all(cell is TAKE for cell in cases.cells)
        """Whether every item is taken, whatever the old one is."""

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        if self._taking and len(new) <= len(old):
            pairs = enumerate(zip(old, new, strict=False))
            taken = [_pair(i, before, after, after, NEW) for i, (before, after) in pairs]
            return ListDelta([*new, *old[len(new) :]], (*taken, Slice("old", len(new), len(old))))
        value = list(old)
        items: list[Slice | Delta] = []
        common = min(len(old), len(new))
        cells = self.cases.cells
        for i in range(common):
            before, after = old[i], new[i]
            operator = cells[classify(before) * COUNT + classify(after)]
            if operator is TAKE:
                delta: Delta = NEW
                value[i] = after
            else:
                delta = operator.apply(before, after, policy, (trail, i, i), run)
                value[i] = value_of(delta, before, after)
            items.append(_pair(i, before, after, value[i], delta))
        items.append(Slice("old", common, len(old)))
        lost = tuple(Removed("ignored", item=("new", i)) for i in range(common, len(new)))
        return ListDelta(value, tuple(items), lost)


def _pair(position: int, before: Any, after: Any, value: Any, delta: Delta) -> Compose:
    """The items of both lists at a position, combined."""
    return Compose(value, Ref(before, "old", (position,)), Ref(after, "new", (position,)), delta)
