"""Operators for sequences.

join      the items of both, one side's before the other's; nothing is looked into
overlay   position by position: where both have an item the table of clashes settles it; the old tail stays and what the
          new one has beyond it is dropped
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.delta import NEW, Inner, Joint, Lost, Picks, Piece, SideName, Span, value_of
from lamina.engine.operators.whole import TAKE

if TYPE_CHECKING:
    from lamina.engine.merge_context import Run
    from lamina.engine.policy import Policy, Table, Trail


class Join:
    """Put the items of both lists in one, those of `first` before the others."""

    __slots__ = ("first", "name")

    def __init__(self, first: SideName = "old") -> None:
        self.name = f"join({first} first)"
        self.first = first

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: Run) -> Piece:
        run.spend(len(old) + len(new))
        spans = Span("old", 0, len(old)), Span("new", 0, len(new))
        if self.first == "old":
            return Picks([*old, *new], spans)
        return Picks([*new, *old], spans[::-1])


class Overlay:
    """Combine two lists position by position; the result is as long as the old one."""

    __slots__ = ("clash", "name")

    def __init__(self, clash: Table) -> None:
        self.name = "overlay"
        self.clash = clash

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: Run) -> Piece:
        value = list(old)
        items: list[Span | Piece] = []
        common = min(len(old), len(new))
        pick = self.clash.pick
        for i in range(common):
            before, after = old[i], new[i]
            operator = pick(before, after)
            if operator is TAKE:
                delta: Piece = NEW
                value[i] = after
            else:
                delta = operator.apply(before, after, policy, (trail, i, i), run)
                value[i] = value_of(delta, before, after)
            items.append(Joint(value[i], Inner(before, "old", (i,)), Inner(after, "new", (i,)), delta))
        items.append(Span("old", common, len(old)))
        lost = tuple(Lost("new", i, "dropped") for i in range(common, len(new)))
        return Picks(value, tuple(items), lost)
