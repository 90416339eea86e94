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
from lamina.dialects.datum.operators.simple_values import merge_simple, merge_simple_plain, orderless_test
from lamina.dialects.datum.strategy import Lists, Tables
from lamina.engine.delta import MapDelta, value_of
from lamina.engine.merge_context import MergeContext
from lamina.engine.operators.mapping import keys_copied
from lamina.engine.suffix_cache import OrderMatters, shared_merge
from lamina.errors import LaminaError
from lamina.paths import MISSING
from lamina.sources.powershell.case_insensitive import with_case

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.dialects.datum.lookup_options import Entries, PathLookup
    from lamina.engine.policy import Names, Policy
    from lamina.engine.suffix_cache import SharedPart


class SharedLookup:
    """The value of a lookup, as it is and with plain keys; each is made when it is asked for."""

    __slots__ = ("_make", "_value", "plain")

    def __init__(self, make: Callable[[], Any], plain: Any = MISSING) -> None:
        self._make = make
        self._value: Any = MISSING
        self.plain = plain
        """The value with plain keys, if that is known already, else MISSING."""

    @property
    def value(self) -> Any:
        if self._value is MISSING:
            self._value = self._make()
        return self._value


def shared_value(
    at: PathLookup, values: Sequence[Any], entries: Entries, *, own: bool, plain: bool
) -> SharedLookup | None:
    """What the layers give at a path, the most specific first; None where they have to be merged in that order.

    With `own`, the first value is one that only this node has; with `plain`, the value with plain keys is wanted.
    """
    if entries.markers is None or len(values) < 2:
        return None
    merge = at.derived.once("merge", lambda: _merge_of(at.names, entries))
    try:
        if not own:
            whole = _part(merge, values)
            if plain and not entries.clean:
                return SharedLookup(lambda: whole.value, _plain_part(whole))
            value = whole.value
        else:
            merge.check(values[0])
            lower = _part(merge, values[1:])
            if plain and not entries.clean and (found := merge.combine_plain(values[0], lower)) is not MISSING:
                return SharedLookup(lambda: merge.combine(values[0], lower.value)[0], found)
            value = merge.combine(values[0], lower.value)[0]
        made = _applied(entries.cleaning(at.names), value, MISSING)[0] if entries.clean else value
    except OrderMatters:
        return None
    return SharedLookup(lambda: made)


def _part(merge: _LookupMerge, values: Sequence[Any]) -> SharedPart:
    part = shared_merge(merge, values)
    if part.value is MISSING:
        raise OrderMatters
    return part


def _plain_part(part: SharedPart) -> Any:
    """What a part is with plain keys; made from that of the part below it, which is shared."""
    return part.derived.once("plain", lambda: _made_plain(part))


def _made_plain(part: SharedPart) -> Any:
    values, merge = part.held
    if len(values) > 1 and isinstance(merge, _LookupMerge):
        found = merge.combine_plain(values[0], _part(merge, values[1:]))
        if found is not MISSING:
            return found
    return with_case(part.value)


_LISTS: Final = {Lists.SPECIFIC: 0, Lists.UNCHANGED: 0, Lists.SUM: 1, Lists.UNIQUE: 2}
"""How two lists in tables are merged, as an argument of `merge_simple`."""


def _merge_of(names: Names, entries: Entries) -> _LookupMerge:
    tables = entries.find(names).strategy.tables
    if merge_simple is None or tables is Tables.SPECIFIC or not entries.is_uniform(names):
        return _LookupMerge(names, entries)
    # Lists are merged by the entry of their own path; where there is none, by the default.
    return _SimpleMerge(names, entries, (tables is Tables.DEEP, _LISTS[entries.default.strategy.lists]))


class _LookupMerge:
    """Merges two values at a path by its policy."""

    __slots__ = ("_is_orderless", "_policy", "how")

    def __init__(self, names: Names, entries: Entries) -> None:
        self._is_orderless = orderless_test(entries.markers or (), entries.compares)
        self._policy = entries.merging(names)
        self.how = ("datum", id(self._policy))

    def check(self, value: Any) -> None:
        if not self._is_orderless(value):
            raise OrderMatters

    def combine(self, upper: Any, lower: Any) -> tuple[Any, int | None]:
        return _applied(self._policy, upper, lower)

    def combine_plain(self, upper: Any, lower: SharedPart) -> Any:
        """The same with plain keys; MISSING where that has to be made from the value."""
        return MISSING


class _SimpleMerge(_LookupMerge):
    """The same where one strategy holds for everything below the path."""

    __slots__ = ("_rule",)

    def __init__(self, names: Names, entries: Entries, rule: tuple[bool, int]) -> None:
        super().__init__(names, entries)
        self._rule = rule

    def combine(self, upper: Any, lower: Any) -> tuple[Any, int | None]:
        assert merge_simple is not None
        return _counted(merge_simple(upper, lower, *self._rule))

    def combine_plain(self, upper: Any, lower: SharedPart) -> Any:
        assert merge_simple_plain is not None
        found = merge_simple_plain(upper, lower.value, _plain_part(lower), *self._rule)
        return MISSING if found is NotImplemented else _counted(found)[0]


def _counted(found: tuple[Any, int] | None) -> tuple[Any, int]:
    """A value that was made and what it took, after that is counted."""
    if found is None:
        raise OrderMatters
    try:
        budget.charge(steps=found[1])
    except BudgetExceeded:
        raise OrderMatters from None
    return found


def _applied(policy: Policy, old: Any, new: Any) -> tuple[Any, int | None]:
    """What a policy makes of two values, and how many keys were copied for that, if it is known."""
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
    return value_of(delta, old, new), None
