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
from weakref import ref

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
    from collections.abc import Sequence

    from lamina._support.derived import Derived
    from lamina.dialects.datum.lookup_options import Entries, PathLookup
    from lamina.engine.policy import Names, Policy
    from lamina.engine.suffix_cache import SharedPart


class SharedLookup:
    """The value of a lookup, and what it is with plain keys, if that is known, else MISSING."""

    __slots__ = ("plain", "value")

    def __init__(self, value: Any, plain: Any = MISSING) -> None:
        self.value = value
        self.plain = plain


class PlainTable:
    """A table with plain keys, merged from layers; what it is without case is made when somebody asks for it."""

    __slots__ = ("__weakref__", "_below", "_rule", "_value", "layers", "plain")

    def __init__(self, plain: Any, layers: tuple[Any, ...], below: PlainTable | None, rule: tuple[bool, int]) -> None:
        self.plain = plain
        self.layers = layers
        """What it was merged from, the most specific first."""
        self._below = below
        self._rule = rule
        self._value: Any = layers[0] if below is None else MISSING

    @property
    def value(self) -> Any:
        if self._value is MISSING:
            assert merge_simple is not None and self._below is not None
            made = merge_simple(self.layers[0], self._below.value, *self._rule)
            assert made is not None, "what clashes was rejected when the plain table was made"
            self._value = made[0]
        return self._value


def shared_value(
    at: PathLookup, values: Sequence[Any], entries: Entries, merged: Derived | None, *, own: bool, plain: bool
) -> SharedLookup | PlainTable | None:
    """What the layers give at a path, the most specific first; None where they have to be merged in that order.

    With `own`, the first value is one that only this node has; with `plain`, the value with plain keys is wanted.
    `merged` is where nodes that have all other values in common find what is merged from them, without a look into the
    session, which keeps it as long as there is room.
    """
    if entries.markers is None or len(values) < 2:
        return None
    plain = plain and not entries.clean
    try:
        table_merge = plain_merge_of(at, entries) if plain else None
        if table_merge is not None:
            return _plain_table(table_merge, values, merged, own=own)
        merge = at.derived.once("merge", lambda: _merge_of(at.names, entries))
        if not own:
            whole = _part(merge, values)
            if plain:
                return SharedLookup(whole.value, whole.derived.once("plain", lambda: with_case(whole.value)))
            value = whole.value
        else:
            merge.check(values[0])
            value = merge.combine(values[0], _part(merge, values[1:]).value)[0]
        return SharedLookup(_applied(entries.cleaning(at.names), value, MISSING)[0] if entries.clean else value)
    except OrderMatters:
        return None


def _part(merge: _LookupMerge, values: Sequence[Any]) -> SharedPart:
    part = shared_merge(merge, values)
    if part.value is MISSING:
        raise OrderMatters
    return part


def plain_merge_of(at: PathLookup, entries: Entries) -> PlainKeyMerge | None:
    """How tables with plain keys are merged at a path, whatever node asks; None if they cannot be."""
    found: tuple[PlainKeyMerge | None] | None = at.derived.find("plain merge")
    if found is None:
        can_be = entries.markers is not None and not entries.clean
        found = at.derived.keep("plain merge", (_plain_merge_of(at.names, entries) if can_be else None,))
    return found[0]


def _plain_table(merge: PlainKeyMerge, values: Sequence[Any], merged: Derived | None, *, own: bool) -> PlainTable:
    below = shared_table(merge, values[1:] if own else values, merged)
    if not own:
        return below
    merge.check(values[0])
    return merge.combine(values[0], below)[0]


def shared_table(merge: PlainKeyMerge, values: Sequence[Any], merged: Derived | None) -> PlainTable:
    """What values give that several nodes have, for all of these; `merged` is where they find it."""
    found: ref[PlainTable] | None = None if merged is None else merged.find(merge)
    table = None if found is None else found()
    if table is None:
        table = merge.table(_part(merge, values))
        if merged is not None:
            merged.replace(merge, ref(table))
    return table


_LISTS: Final = {Lists.SPECIFIC: 0, Lists.UNCHANGED: 0, Lists.SUM: 1, Lists.UNIQUE: 2}
"""How two lists in tables are merged, as an argument of `merge_simple`."""


def _merge_of(names: Names, entries: Entries) -> _LookupMerge:
    rule = _rule_of(names, entries)
    return _LookupMerge(names, entries) if rule is None else _SimpleMerge(names, entries, rule)


def _plain_merge_of(names: Names, entries: Entries) -> PlainKeyMerge | None:
    rule = _rule_of(names, entries)
    return None if rule is None else PlainKeyMerge(names, entries, rule)


def _rule_of(names: Names, entries: Entries) -> tuple[bool, int] | None:
    """How simple tables are merged, as arguments of `merge_simple`; None where that cannot be used."""
    tables = entries.find(names).strategy.tables
    if merge_simple is None or tables is Tables.SPECIFIC or not entries.is_uniform(names):
        return None
    # Lists are merged by the entry of their own path; where there is none, by the default.
    return tables is Tables.DEEP, _LISTS[entries.default.strategy.lists]


class _LookupMerge:
    """Merges two values at a path by its policy."""

    __slots__ = ("_is_orderless", "_policy", "how")

    def __init__(self, names: Names, entries: Entries) -> None:
        self._is_orderless = orderless_test(entries.markers or (), entries.compares)
        self._policy = entries.merging(names)
        self.how: tuple[str, int] = ("datum", id(self._policy))

    def check(self, value: Any) -> None:
        if not self._is_orderless(value):
            raise OrderMatters

    def combine(self, upper: Any, lower: Any) -> tuple[Any, int | None]:
        return _applied(self._policy, upper, lower)


class _SimpleMerge(_LookupMerge):
    """The same where one strategy holds for everything below the path."""

    __slots__ = ("_rule",)

    def __init__(self, names: Names, entries: Entries, rule: tuple[bool, int]) -> None:
        super().__init__(names, entries)
        self._rule = rule

    def combine(self, upper: Any, lower: Any) -> tuple[Any, int | None]:
        assert merge_simple is not None
        return _counted(merge_simple(upper, lower, *self._rule))


class PlainKeyMerge(_SimpleMerge):
    """The same for tables with plain keys: a single value is itself, and several give a PlainTable."""

    __slots__ = ()

    def __init__(self, names: Names, entries: Entries, rule: tuple[bool, int]) -> None:
        super().__init__(names, entries, rule)
        self.how = ("datum plain", id(self._policy))

    def table(self, part: SharedPart) -> PlainTable:
        """A part as a table with plain keys."""
        value = part.value
        if type(value) is PlainTable:
            return value
        return part.derived.once("table", lambda: PlainTable(with_case(value), (value,), None, self._rule))

    def combine(self, upper: Any, lower: Any) -> tuple[PlainTable, int]:
        below: PlainTable = lower if type(lower) is PlainTable else self.table(shared_merge(self, (lower,)))
        layers = (upper, *below.layers)
        assert merge_simple is not None and merge_simple_plain is not None
        found = merge_simple_plain(upper, below.layers, below.plain, *self._rule)
        if found is NotImplemented:
            found = merge_simple_plain(upper, below.value, below.plain, *self._rule)
        if found is not NotImplemented:
            plain, count = _counted(found)
        else:
            value, count = _counted(merge_simple(upper, below.value, *self._rule))
            plain = with_case(value)
        return PlainTable(plain, layers, below, self._rule), count


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
