"""Operators for mappings.

union   the old mapping's keys in their order, then the new one's own keys in theirs. A key both have is settled by the
        table of clashes: keep, take, delete, refuse, or go deeper. A key only the new mapping has meets "nothing" in
        the same table, so that a system can also refuse or ignore newcomers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.merge.classes import COUNT, LIST, MAP, TEXT, classify
from lamina.merge.pieces import NEW, OLD, Edit, Piece, value_of
from lamina.merge.whole import DESCEND, KEEP, TAKE
from lamina.paths import MISSING

if TYPE_CHECKING:
    from lamina.merge.policy import Policy, Table, Trail
    from lamina.merge.run import Run

_FULL = {kind: of * COUNT + of for kind, of in ((str, TEXT), (dict, MAP), (list, LIST))}
"""The cell of a table where two values of a kind meet that are not empty."""


class Union:
    """Combine two mappings key by key."""

    __slots__ = ("clash", "name")

    def __init__(self, clash: Table, name: str = "union") -> None:
        self.name = name
        self.clash = clash

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: Run) -> Piece:
        # This is where merging spends its time: what the policy would do is done here, in one go.
        entries: dict[Any, Piece] = {}
        result: dict[Any, Any] | None = None
        cells = self.clash.cells
        for key, value in new.items():
            before = old.get(key, MISSING)
            kind = type(value)
            if kind is type(before) and kind in _FULL and value and before:
                classes = _FULL[kind]
            else:
                classes = classify(before) * COUNT + classify(value)
            operator = cells[classes]
            if operator is not TAKE:
                inner = policy.enter(key)
                if operator is DESCEND:
                    operator = inner.table.cells[classes]
                if operator is KEEP:
                    entries[key] = OLD
                    continue
            if operator is TAKE:
                entries[key] = NEW
                after = value
            else:
                piece = entries[key] = operator.apply(before, value, inner, (trail, key, key), run)
                after = value_of(piece, before, value)
            if after is before:
                continue
            if result is None:
                result = old.copy()
            if after is MISSING:
                del result[key]
            else:
                result[key] = after
        return Edit(old if result is None else result, entries)
