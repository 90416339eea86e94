"""Values of lookups whose lower layers many nodes have in common: a role, a location and what is below them.

Datum merges from the node's own layer down. For simple tables without markers among their keys the order makes no
difference to the value, as long as nothing is rejected and nothing is warned of:

tables   The keys of the upper layers come first, and a key that both have keeps the upper value or is merged deeper; by
         which strategy, only its path decides.
lists    Joining (Sum) and keeping the most specific one do not depend on the order. Leaving out what is there already
         (Unique) does not among texts; equality among other values goes by the left one.
kinds    A list or table over anything else is rejected or warned of. Whatever layer it is in, it is met in either
         order, so that the lookup is done in its real order then.

Cleaning up comes at the end and sees the same value either way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import budget
from lamina.budget import ENTRY, BudgetExceeded
from lamina.dialects.datum.operators.simple_values import is_orderless, merge_simple
from lamina.dialects.datum.strategy import Lists, Tables
from lamina.engine.delta import MapDelta, value_of
from lamina.engine.merge_context import MergeContext
from lamina.engine.operators.mapping import keys_copied
from lamina.engine.suffix_cache import OrderMatters, shared_merge
from lamina.errors import LaminaError
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.dialects.datum.lookup_options import Entries
    from lamina.engine.policy import Names, Policy


def shared_value(names: Names, values: Sequence[Any], entries: Entries, *, own: bool) -> Any:
    """What the layers give at a path, the most specific first; MISSING where they have to be merged in that order.

    With `own`, the first value is one that only this node has.
    """
    if entries.markers is None or len(values) < 2:
        return MISSING
    value = shared_merge(_merge_of(names, entries), values, own=own)
    if value is MISSING or not entries.clean:
        return value
    try:
        return _applied(entries.cleaning(names), value, MISSING)
    except OrderMatters:
        return MISSING


_LISTS: Final = {Lists.SPECIFIC: 0, Lists.UNCHANGED: 0, Lists.SUM: 1, Lists.UNIQUE: 2}
"""What becomes of two lists inside tables, as `merge_simple` has it."""


def _merge_of(names: Names, entries: Entries) -> _LookupMerge:
    tables = entries.looked_up(names).strategy.tables
    if merge_simple is None or tables is Tables.SPECIFIC or not entries.is_uniform(names):
        return _LookupMerge(names, entries)
    # Lists are merged by the entry of their own path; where there is none, by the default.
    return _PlainMerge(names, entries, merge_simple, (tables is Tables.DEEP, _LISTS[entries.default.strategy.lists]))


class _LookupMerge:
    """Merges two values at a path by its policy."""

    __slots__ = ("_entries", "_policy", "how")

    def __init__(self, names: Names, entries: Entries) -> None:
        self._entries = entries
        self._policy = entries.merging(names)
        self.how = ("datum", id(self._policy))

    def check(self, value: Any) -> None:
        if not is_orderless(value, self._entries.markers or (), self._entries.compares):
            raise OrderMatters

    def combine(self, upper: Any, lower: Any) -> Any:
        return _applied(self._policy, upper, lower)


class _PlainMerge(_LookupMerge):
    """The same where one strategy holds for everything below the path."""

    __slots__ = ("_merge", "_rule")

    def __init__(
        self,
        names: Names,
        entries: Entries,
        merge: Callable[[Any, Any, bool, int], tuple[Any, int] | None],
        rule: tuple[bool, int],
    ) -> None:
        super().__init__(names, entries)
        self._merge = merge
        self._rule = rule

    def combine(self, upper: Any, lower: Any) -> Any:
        found = self._merge(upper, lower, *self._rule)
        if found is None:
            raise OrderMatters
        value, made = found
        try:
            budget.charge(steps=made)
        except BudgetExceeded:
            raise OrderMatters from None
        return value


def _applied(policy: Policy, old: Any, new: Any) -> Any:
    run = MergeContext(budget.current_budget())
    try:
        delta = policy.combine(old, new, None, run)
        if run.conflicts or run.remarks:
            raise OrderMatters
        if type(delta) is MapDelta:
            copied = keys_copied(delta)
            run.build(copied, copied * ENTRY)
    except (BudgetExceeded, LaminaError):
        raise OrderMatters from None  # the steps in their real order say what is wrong, if they meet it at all
    return value_of(delta, old, new)
