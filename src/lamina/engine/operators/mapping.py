"""Operators for mappings.

union   the old mapping's keys in their order, then those that only the new one has, in their order. The table of
        cases decides about each key of the new mapping: keep, take, delete, reject, or go deeper. A key that only
        the new mapping has is looked up with the class ABSENT, so that a system can also reject or ignore new keys.

A key whose values are combined by their own policy takes the new side's spelling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import ENTRY
from lamina.engine.delta import NEW, OLD, Delta, MapDelta
from lamina.engine.operators.whole import DESCEND, KEEP, TAKE
from lamina.paths import MISSING
from lamina.values import ALL, COUNT, LIST, MAP, MAPS, NUMBER, SCALARS, TEXT, TRUE, UNKNOWN, classify

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Cases, Policy, Trail

_ALIKE = {
    kind: of * COUNT + of
    for kind, of in ((str, TEXT), (dict, MAP), (list, LIST), (int, NUMBER), (float, NUMBER), (bool, TRUE))
}
"""The cell of a table for two values of a type that are neither empty nor zero, as most are."""


_NO_MAPPINGS = SCALARS | {list}


class MemberOperator:
    """Combines two members of a mapping by a policy of their own, which `policy` returns for their key."""

    __slots__ = ()

    def policy(self, policy: Policy, key: Any) -> Policy:
        return policy.enter(key)


class Union:
    """Combine two mappings key by key."""

    __slots__ = ("_takes_all", "_taking", "cases", "name")

    def __init__(self, cases: Cases, name: str = "union") -> None:
        self.name = name
        self.cases = cases
        self._taking = all(
            cases.cells[old * COUNT + new] is TAKE for old in (*ALL, UNKNOWN) for new in ALL if new not in MAPS
        )
        """Whether any new value that is not a mapping is taken, whatever the old value is."""
        self._takes_all = self._taking and all(cell is TAKE for cell in cases.cells)

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        if self._takes_all or (self._taking and _NO_MAPPINGS.issuperset(map(type, new.values()))):
            value = new if _has_keys_of(old, new) else {**old, **new}
            run.build(len(value), len(value) * ENTRY)
            return MapDelta(value, dict.fromkeys(new, NEW))
        return merge_mappings(self.cases, old, new, policy, trail, run)

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        if self._takes_all or (self._taking and _NO_MAPPINGS.issuperset(map(type, new.values()))):
            value = new if _has_keys_of(old, new) else {**old, **new}
            run.build(len(value), len(value) * ENTRY)
            return value
        return merge_values(self.cases, old, new, policy, trail, run)


def merge_mappings(  # noqa: PLR0912 - what the operators would do one by one is done here, in one go
    cases: Cases, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext
) -> MapDelta:
    """Two mappings combined by a table of cases."""
    cells = cases.cells
    entries: dict[Any, Delta] = {}
    under: dict[Any, Policy] = {}
    result: dict[Any, Any] | None = None
    get, enter, members = old.get, policy.enter, policy.members
    for key, value in new.items():
        before = get(key, MISSING)
        kind = type(value)
        classes = _ALIKE.get(kind) if kind is type(before) and value and before else None
        if classes is None:
            classes = classify(before) * COUNT + classify(value)
        operator = cells[classes]
        inner = policy
        if operator is DESCEND:
            if members is not None:
                inner = members.get(key) or enter(key)
            operator = inner.table.cells[classes]
        elif operator is not TAKE and operator is not KEEP:
            if isinstance(operator, MemberOperator):
                inner = under[key] = operator.policy(policy, key)
            elif members is not None:
                inner = members.get(key) or enter(key)
        if operator is KEEP:
            entries[key] = OLD
            continue
        if operator is TAKE:
            entries[key] = NEW
            after = value
        else:
            delta = entries[key] = operator.apply(before, value, inner, (trail, key, key), run)
            # value_of, inlined.
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
        result = _with_key_spellings(old if result is None else result, under)
    elif result is not None and _has_keys_of(result, new) and all(entry is NEW for entry in entries.values()):
        result = new
    value = old if result is None else result
    run.build(len(value), len(value) * ENTRY)
    return MapDelta(value, entries, under or None)


def merge_values(  # noqa: PLR0912 - likewise
    cases: Cases, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext
) -> Any:
    """What `merge_mappings` gives, without the delta."""
    cells = cases.cells
    spellings: dict[Any, Policy] = {}
    result: dict[Any, Any] | None = None
    get, alike, enter, members = old.get, _ALIKE.get, policy.enter, policy.members
    is_taken = True
    for key, value in new.items():
        before = get(key, MISSING)
        kind = type(value)
        classes = alike(kind) if kind is type(before) and value and before else None
        if classes is None:
            classes = classify(before) * COUNT + classify(value)
        operator, inner, forms = cells[classes], policy, cases.forms
        if operator is DESCEND:
            if members is not None:
                inner = members.get(key) or enter(key)
            table = inner.table
            operator, forms = table.cells[classes], table.forms
        elif operator is not TAKE and operator is not KEEP:
            if isinstance(operator, MemberOperator):
                inner = spellings[key] = operator.policy(policy, key)
            elif members is not None:
                inner = members.get(key) or enter(key)
        if operator is TAKE:
            after = value
        else:
            after = before if operator is KEEP else forms[classes](before, value, inner, (trail, key, key), run)
            is_taken = is_taken and after is value
        if after is before:
            continue
        if result is None:
            result = old.copy()
        if after is MISSING:
            del result[key]
        else:
            result[key] = after
    if spellings and not {*map(id, spellings)}.issubset(map(id, old)):
        result = _with_key_spellings(old if result is None else result, spellings)
    elif result is not None and is_taken and _has_keys_of(result, new):
        result = new
    value = old if result is None else result
    run.build(len(value), len(value) * ENTRY)
    return value


def _has_keys_of(mapping: dict[Any, Any], new: Any) -> bool:
    """Whether a mapping has the keys of a new one in the same order; with all its values it then is the new one."""
    return type(new) is dict and len(mapping) == len(new) and all(map(_is_same_key, mapping, new))


def _is_same_key(one: Any, other: Any) -> bool:
    """Whether two keys cannot be distinguished: they are one object, or plain strings that are equal."""
    return one is other or (type(one) is type(other) is str and bool(one == other))


def _with_key_spellings(mapping: dict[Any, Any], spellings_used: dict[Any, Any]) -> dict[Any, Any]:
    """The mapping with some of its keys in another spelling."""
    spellings = {key: key for key in spellings_used}
    return {spellings.get(key, key): value for key, value in mapping.items()}
