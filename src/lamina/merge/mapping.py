"""Operators for mappings.

union   the old mapping's keys in their order, then the new one's own keys in theirs. A key both have is settled by the
        table of clashes: keep, take, delete, refuse, or go deeper. A key only the new mapping has meets "nothing" in
        the same table, so that a system can also refuse or ignore newcomers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.merge.classes import COUNT, classify
from lamina.merge.pieces import NEW, OLD, Edit, Piece, value_of
from lamina.merge.whole import DESCEND, KEEP, TAKE
from lamina.paths import MISSING

if TYPE_CHECKING:
    from lamina.merge.policy import Policy, Table, Trail
    from lamina.merge.run import Run


class Union:
    """Combine two mappings key by key."""

    __slots__ = ("clash", "name")

    def __init__(self, clash: Table) -> None:
        self.name = "union"
        self.clash = clash

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: Run) -> Piece:
        entries: dict[Any, Piece] = {}
        cells = self.clash.cells
        result: dict[Any, Any] = old
        for key, value in new.items():
            before = old.get(key, MISSING)
            classes = classify(before) * COUNT + classify(value)
            operator = cells[classes]
            if operator is not TAKE:
                inner = policy.enter(key)
                if operator is DESCEND:
                    # What the policy would do next, without going through it: this is where merging spends its time.
                    operator = inner.table.cells[classes]
            if operator is TAKE:
                entries[key] = NEW
                after = value
            elif operator is KEEP:
                entries[key] = OLD
                continue
            else:
                piece = entries[key] = operator.apply(before, value, inner, (trail, key, key), run)
                after = value_of(piece, before, value)
            if after is not before:
                if result is old:
                    result = dict(old)
                if after is MISSING:
                    del result[key]
                else:
                    result[key] = after
        return Edit(result, entries)


def edited(old: dict[Any, Any], new: dict[Any, Any], entries: dict[Any, Piece]) -> dict[Any, Any]:
    """The old mapping with the entries put in; the very same object when nothing changes."""
    value: dict[Any, Any] | None = None
    for key, piece in entries.items():
        if piece is OLD:
            continue
        after = value_of(piece, MISSING, new.get(key, MISSING))
        if after is old.get(key, MISSING):
            continue
        if value is None:
            value = dict(old)
        if after is MISSING:
            del value[key]
        else:
            value[key] = after
    return old if value is None else value
