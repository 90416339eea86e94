"""Operators for mappings.

union   the old mapping's keys in their order, then the new one's own keys in theirs. A key both have is merged by the
        table of clashes: keep, take, delete, reject, or go deeper. A key only the new mapping has meets "nothing" in
        the same table, so that a system can also reject or ignore new keys.

A key whose members are combined by a policy of their own takes the new side's spelling.

Merging spends its time here: `settle` and counting are done by a C extension where that was built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.native import compiled
from lamina.engine.delta import NEW, OLD, Delta, ListDelta, MapDelta, TextDelta
from lamina.engine.operators.member_protocols import BY_TABLE, LIST_JOINS, OWN_POLICY, TEXT_JOINS, by_table
from lamina.engine.operators.whole import DESCEND, KEEP, TAKE
from lamina.paths import MISSING
from lamina.values import COUNT, LIST, MAP, MAPS, SCALARS, TEXT, classify

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Cases, Operator, Policy, Trail

_FULL = {kind: of * COUNT + of for kind, of in ((str, TEXT), (dict, MAP), (list, LIST))}
"""The cell of a table where two values of a kind meet that are not empty."""


_NO_MAPPINGS = SCALARS | {list}


@by_table
class Union:
    """Combine two mappings key by key."""

    __slots__ = ("_taking", "cells", "clash", "guard", "name", "spends")

    def __init__(self, clash: Cases, name: str = "union") -> None:
        self.name = name
        self.clash = clash
        self.cells = clash.cells
        self.guard = ""
        self.spends = False
        self._taking = all(clash.cells[at] is TAKE for at in range(COUNT * COUNT) if at % COUNT not in MAPS)
        """Whether anything that is not a mapping is taken, whatever the old value is."""

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        if self._taking and _NO_MAPPINGS.issuperset(map(type, new.values())):
            return MapDelta({**old, **new}, dict.fromkeys(new, NEW))
        return settle(self.cells, old, new, policy, trail, run)


def settle_plainly(  # noqa: PLR0912 - what the operators would do one by one is done here, in one go
    cells: list[Operator], old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext
) -> MapDelta:
    """Two mappings combined by a table of clashes, given by its cells."""
    entries: dict[Any, Delta] = {}
    under: dict[Any, Policy] = {}
    result: dict[Any, Any] | None = None
    get, everywhere = old.get, policy.everywhere
    for key, value in new.items():
        before = get(key, MISSING)
        kind = type(value)
        if kind is type(before) and value and before and kind in _FULL:
            classes = _FULL[kind]
        else:
            classes = classify(before) * COUNT + classify(value)
        operator = cells[classes]
        inner = policy
        if operator is not TAKE and operator is not KEEP:
            if type(operator) in OWN_POLICY:
                inner = under[key] = operator.policy(policy, key)  # type: ignore[attr-defined]
            elif not everywhere:
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
            delta = entries[key] = operator.apply(before, value, inner, (trail, key, key), run)
            # As value_of does it, without the call.
            after = before if delta is OLD else value if delta is NEW else delta.value
        if after is before:
            continue
        if result is None:
            result = old.copy()
        if after is MISSING:
            del result[key]
        else:
            result[key] = after
    if under and not {*map(id, under)}.issubset(map(id, old)):
        result = _respelt(old if result is None else result, under)
    return MapDelta(old if result is None else result, entries, under or None)


def _respelt(mapping: dict[Any, Any], spelt: dict[Any, Any]) -> dict[Any, Any]:
    """The mapping with some of its keys in another spelling; the same object if nothing changes."""
    spellings = {key: key for key in spelt}
    return {spellings.get(key, key): value for key, value in mapping.items()}


def count_keys_copied(delta: MapDelta) -> int:
    """How many keys the mappings have that were copied for a delta, nested ones included."""
    pending = [delta]
    copied = 0
    while pending:
        edit = pending.pop()
        copied += len(edit.value)
        pending += [entry for entry in edit.entries.values() if type(entry) is MapDelta]
    return copied


_compiled = compiled("lamina.engine.operators._mapping_merge")
if _compiled is not None:
    _compiled.configure(
        *(MapDelta, TextDelta, ListDelta),
        *(BY_TABLE, OWN_POLICY, TEXT_JOINS, LIST_JOINS),
        *(DESCEND, KEEP, TAKE, OLD, NEW, MISSING, classify),
    )
settle = settle_plainly if _compiled is None else _compiled.settle
keys_copied = count_keys_copied if _compiled is None else _compiled.keys_copied
