"""Operators for mappings.

union   the old mapping's keys in their order, then the new one's own keys in theirs. A key both have is settled by the
        table of clashes: keep, take, delete, refuse, or go deeper. A key only the new mapping has meets "nothing" in
        the same table, so that a system can also refuse or ignore newcomers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.merge.classes import COUNT, LIST, MAP, MAPS, SCALARS, TEXT, classify
from lamina.merge.pieces import NEW, OLD, Edit, Piece
from lamina.merge.whole import DESCEND, KEEP, TAKE
from lamina.paths import MISSING

if TYPE_CHECKING:
    from lamina.merge.policy import Policy, Table, Trail
    from lamina.merge.run import Run

_FULL = {kind: of * COUNT + of for kind, of in ((str, TEXT), (dict, MAP), (list, LIST))}
"""The cell of a table where two values of a kind meet that are not empty."""


_NO_MAPPINGS = SCALARS | {list}


class Union:
    """Combine two mappings key by key."""

    __slots__ = ("_taking", "clash", "name")

    def __init__(self, clash: Table, name: str = "union") -> None:
        self.name = name
        self.clash = clash
        self._taking = all(clash.cells[at] is TAKE for at in range(COUNT * COUNT) if at % COUNT not in MAPS)
        """Whether whatever is no mapping is taken, whatever it meets."""

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: Run) -> Piece:  # noqa: PLR0912 - the hot loop
        # This is where merging spends its time: what the policy would do is done here, in one go.
        if self._taking and _NO_MAPPINGS.issuperset(map(type, new.values())):
            return Edit({**old, **new}, dict.fromkeys(new, NEW))
        entries: dict[Any, Piece] = {}
        result: dict[Any, Any] | None = None
        cells, get = self.clash.cells, old.get
        inner, everywhere = policy, policy.everywhere
        below = policy.table.cells
        for key, value in new.items():
            before = get(key, MISSING)
            kind = type(value)
            if kind is type(before) and value and before and kind in _FULL:
                classes = _FULL[kind]
            else:
                classes = classify(before) * COUNT + classify(value)
            operator = cells[classes]
            if operator is not TAKE:
                if not everywhere:
                    inner = policy.enter(key)
                    below = inner.table.cells
                if operator is DESCEND:
                    operator = below[classes]
                if operator is KEEP:
                    entries[key] = OLD
                    continue
            if operator is TAKE:
                entries[key] = NEW
                after = value
            else:
                piece = entries[key] = operator.apply(before, value, inner, (trail, key, key), run)
                after = before if piece is OLD else value if piece is NEW else piece.value  # type: ignore[union-attr]
            if after is before:
                continue
            if result is None:
                result = old.copy()
            if after is MISSING:
                del result[key]
            else:
                result[key] = after
        return Edit(old if result is None else result, entries)
