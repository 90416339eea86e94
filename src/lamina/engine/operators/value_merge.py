"""Merging for the value alone: a value is merged into a member of a mapping, which is changed.

That is possible as long as only operators are met that keep, take, go deeper, or promise what `member_protocols`
describes: these report nothing, so that the value is all there is to know of them.

`merge_member` is in a C extension where it is built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import ENTRY, ITEM, text_size
from lamina.engine.operators.mapping import EXTENSION
from lamina.engine.operators.member_protocols import BY_TABLE, LIST_JOINS, OWN_POLICY, TEXT_JOINS
from lamina.engine.operators.whole import DESCEND, KEEP, TAKE
from lamina.paths import MISSING
from lamina.values import COUNT, classify

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Operator, Policy


def merge_member_py(
    target: dict[Any, Any], key: Any, new: Any, policy: Policy, made: dict[int, Any], run: MergeContext
) -> bool:
    """Merge a value into a member of a mapping, which is changed; False if that takes more than promises.

    `made` has the containers inside of it that may be changed, too.
    """
    before = target.get(key, MISSING)
    return _merge_by(policy.table.pick(before, new), target, key, new, policy, made, run)


def _merge_by(
    operator: Operator,
    target: dict[Any, Any],
    key: Any,
    new: Any,
    policy: Policy,
    made: dict[int, Any],
    run: MergeContext,
) -> bool:
    before = target.get(key, MISSING)
    kind = type(operator)
    if operator is KEEP:
        return True
    if operator is TAKE:
        target[key] = new
        return True
    types = type(before), type(new)
    if types == (dict, dict):
        if kind not in BY_TABLE or not _table_holds(operator, before, new):
            return False
        if operator.spends:  # type: ignore[attr-defined]  # a TableOperator, as its class has promised
            run.spend(len(new))
        if id(before) not in made:
            before = target[key] = before.copy()
            made[id(before)] = before
        if not _merge_members(operator.cells, before, new, policy, made, run):  # type: ignore[attr-defined]  # likewise
            return False
        run.build(len(before), len(before) * ENTRY)
        return True
    if types == (str, str) and kind in TEXT_JOINS:
        run.build(size=text_size(before) + text_size(new))
        target[key] = f"{before}{operator.separator}{new}"  # type: ignore[attr-defined]  # a TextJoiner
        return True
    if types == (list, list) and kind in LIST_JOINS:
        _join_list(target, key, new, made, run, old_first=operator.first == "old")  # type: ignore[attr-defined]  # a ListJoiner
        return True
    return False


def _join_list(
    target: dict[Any, Any], key: Any, new: list[Any], made: dict[int, Any], run: MergeContext, *, old_first: bool
) -> None:
    before = target[key]
    length = len(before) + len(new)
    run.build(length, length * ITEM)
    if old_first and id(before) in made:
        before += new
        return
    joined = target[key] = [*before, *new] if old_first else [*new, *before]
    made[id(joined)] = joined


def _merge_members(
    cells: list[Operator],
    target: dict[Any, Any],
    new: dict[Any, Any],
    policy: Policy,
    made: dict[int, Any],
    run: MergeContext,
) -> bool:
    for key, value in new.items():
        before = target.get(key, MISSING)
        place = classify(before) * COUNT + classify(value)
        operator, inner = cells[place], policy
        if operator is TAKE:
            target[key] = value
            continue
        if operator is KEEP:
            continue
        if type(operator) in OWN_POLICY:
            found = _member_operator(operator, key, before, value, policy)
            if found is None:
                return False
            operator, inner = found
        elif not policy.everywhere:
            inner = policy.enter(key)
        if operator is DESCEND:
            operator = inner.table.cells[place]
        if not _merge_by(operator, target, key, value, inner, made, run):
            return False
    return True


def _member_operator(
    operator: Any, key: Any, before: Any, value: Any, policy: Policy
) -> tuple[Operator, Policy] | None:
    """The operator for two mappings of an operator with policies of its own, and the policy; None for all else.

    A key may get the spelling of the new side; the spelling of a string is always the same.
    """
    inner: Policy = operator.policy(policy, key)
    if type(key) is not str or inner.explicit or type(before) is not dict or type(value) is not dict:
        return None
    return operator.mappings, inner


def _table_holds(operator: Any, old: dict[Any, Any], new: dict[Any, Any]) -> bool:
    """Whether the table of an operator applies to two mappings."""
    guard: str | None = operator.guard
    if guard is None:
        return False
    return not guard or all(isinstance(key, str) and guard not in key for mapping in (old, new) for key in mapping)


merge_member = merge_member_py if EXTENSION is None else EXTENSION.merge_member
