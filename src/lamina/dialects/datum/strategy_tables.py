"""The strategies as policies.

A value is a table, a list of tables (nothing but tables, one at least), a plain list, or of a base type. The specific
value is the old side here, the lower layer's the new one. Two values of different kinds are not merged: the specific
one stays and the program warns.

table        MostSpecific keeps it whole. Otherwise keys are taken in that are not there yet, and nested lists are
             merged by the strategy of their own path. `deep` also merges nested tables: by the entry of their path,
             or when only the default applies, by the parent's; a table over anything else then fails the lookup.
plain list   MostSpecific keeps it. Unique adds what is not there yet, specific items first. Sum joins; items of both
             sides that a marker of the specific list names are omitted.
tables       MostSpecific keeps the list. Sum joins. UniqueKeyValTuples adds items whose tuple is not there yet.
             DeepTuple merges every item with all lower ones of the same tuple, member by member, and adds the rest.
clean-up     In the end markers are taken out, by the strategy of each path: keys that hold the prefix anywhere, list
             items that begin with it together with equal items after them, items with a marked tuple value.

In some cases the program unwraps a list: one item becomes that item and an empty list null. That happens under
MostSpecific, if types differ, and if Unique leaves one item. Inside a table merging wraps it again, and cleaning up
undoes that.

The manual's rules differ: Unique puts the generic items first; `deep` also merges nested lists by the parent's
strategy, and DeepTuple nested tables; lists are returned as lists; a marker and what it names are both gone, only
from lower layers, at every level; a prefix is a prefix. An empty list can be merged with any other.

See How values merge in docs/reference/datum.md; golden cases in hashtables.json, base-arrays.json, hash-arrays.json,
knockouts.json and random.json.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum import powershell_regex
from lamina.dialects.datum.equality import ItemEquality, TupleEquality
from lamina.dialects.datum.handlers import Script
from lamina.dialects.datum.knockout_markers import ItemMarkers, KeyMarkers, TupleMarkers
from lamina.dialects.datum.operators.cleanup import CleanByItems, CleanItems, CleanKeys, CleanRecords
from lamina.dialects.datum.operators.deeper import Deeper
from lamina.dialects.datum.operators.lists import SelectiveJoin
from lamina.dialects.datum.operators.records import Fields, Joined, Keyed
from lamina.dialects.datum.operators.tables import KnockoutUnion
from lamina.dialects.datum.operators.unwrap import UNWRAP_LIST, ByItems, Unpacked, UnwrapResult
from lamina.dialects.datum.strategy import Lists, Records, Strategy, Tables
from lamina.engine.operators.whole import KEEP, TAKE, RejectPair, Warn
from lamina.engine.policy import Cases
from lamina.paths import MISSING
from lamina.sources.caseless_keys import caseless
from lamina.values import ALL, LISTS, MAPS, NULL, UNKNOWN

if TYPE_CHECKING:
    from lamina.engine.policy import Operator
    from lamina.origins import Origin

DEFAULT_PREFIX: Final = "--"
NULL_ITEM: Final = "null-item"
FIELD_CONFLICT: Final = "field-clash"
NOT_A_TABLE: Final = "not-a-mapping"
DIFFERENT: Final = "different-kinds"

_ITEMS: Final = ItemEquality()
_TUPLES: Final = TupleEquality()


@dataclass(frozen=True, slots=True)
class StrategyRules:
    """The tables of one strategy: how values merge, and how the result is cleaned up."""

    merge: Cases
    clean: Cases


def rules_of(strategy: Strategy, documented: bool, origin: Origin | None = None) -> StrategyRules:
    """The rules of a strategy in one compatibility mode; `origin` is where findings on its patterns point."""
    rules = _Documented(strategy, origin) if documented else _ProgramRules(strategy, origin)
    return StrategyRules(rules.merge_table(), rules.clean_table())


class _ProgramRules:
    """The program's rules."""

    keep_list: Operator = UNWRAP_LIST
    """The operator for a list that is returned unwrapped."""
    lenient = False

    def __init__(self, strategy: Strategy, origin: Origin | None) -> None:
        self.strategy = strategy
        self.origin = origin
        self.deep = strategy.tables is Tables.DEEP

    def merge_table(self) -> Cases:
        # Where types differ the manual is silent, so lists are unwrapped by its rules, too (case read-folded).
        different_types = Warn(UNWRAP_LIST, DIFFERENT)
        tables: Operator = KEEP if self.strategy.tables is Tables.SPECIFIC else self.union(self.deep)
        lists = ByItems(self.records(), self.lists(), different_types, lenient=self.lenient)
        scalars = tuple(kind for kind in ALL if kind not in (*LISTS, *MAPS))
        kept = tuple(kind for kind in ALL if kind in (*scalars, *(MAPS if tables is KEEP else ())) and kind != NULL)
        return Cases(
            (kept, (UNKNOWN,), KEEP),  # with a remark or without one
            # A state of the fold that has become null counts as absent.
            ((NULL,), ALL, TAKE),
            (ALL, (NULL,), RejectPair(NULL_ITEM)),
            (MAPS, MAPS, tables),
            (LISTS, LISTS, Unpacked(lists, NULL_ITEM)),
            (LISTS, ALL, Unpacked(different_types, NULL_ITEM)),
            (ALL, LISTS, Unpacked(different_types, NULL_ITEM)),
            (scalars, scalars, KEEP),
            (ALL, ALL, different_types),
        )

    def union(self, deep: bool) -> KnockoutUnion:
        inner = Deeper(inherit=True, fault=NOT_A_TABLE)
        tables: Operator = inner if deep else KEEP
        different_types = Cases((MAPS, ALL, tables), (LISTS, ALL, self.nested_lists()), (ALL, ALL, KEEP))
        union = KnockoutUnion(different_types, KeyMarkers(self.strategy.prefix or DEFAULT_PREFIX))
        inner.mappings = union
        return union

    def nested_lists(self) -> Operator:
        return Deeper(wrap=True)

    def lists(self) -> Operator:
        match self.strategy.lists:
            case Lists.SPECIFIC:
                return self.keep_list
            case Lists.UNIQUE:
                return self.unique()
            case Lists.SUM:
                return self.sum()
        return KEEP

    def unique(self) -> Operator:
        return UnwrapResult(SelectiveJoin("old", unique=_ITEMS))

    def sum(self) -> Operator:
        knockout = self.item_markers(by_item=False)
        return SelectiveJoin("old", knockout=knockout, affected=("old", "new"), closes=knockout is not None)

    def item_markers(self, *, by_item: bool) -> ItemMarkers | None:
        if self.strategy.prefix is None:
            return None
        return ItemMarkers(self.strategy.prefix, self.origin, literal=False, by_item=by_item)

    def records(self) -> Operator:
        fields = self.strategy.tuple_keys
        match self.strategy.records:
            case Records.SPECIFIC:
                return self.keep_list
            case Records.SUM:
                return Joined(Fields(fields, _TUPLES, exact_case, raw_read=any_case), NULL_ITEM, self.knockout_of_sum())
            case Records.UNIQUE:
                return self.keyed(Fields(fields, _TUPLES, exact_case, "last", raw_read=any_case), None)
            case Records.DEEP:
                return self.keyed(Fields(fields, _TUPLES, exact_case, raw_read=any_case), self.items())
        return KEEP

    def items(self) -> Operator:
        """The operator for two matching items of a list."""
        return self.union(self.deep)

    def knockout_of_sum(self) -> TupleMarkers | None:
        # A sum of tables loses its markers but not the items they name (case tuple-sum-not-knocked-out).
        return None

    def keyed(self, fields: Fields, then: Operator | None) -> Operator:
        return Keyed(
            fields,
            then=then,
            null_fault=NULL_ITEM,
            conflict_fault=FIELD_CONFLICT,
            knockout=self.tuple_markers(),
            as_compared=with_script_values,
        )

    def tuple_markers(self) -> TupleMarkers | None:
        if self.strategy.prefix is None or not self.strategy.tuple_keys:
            return None
        return TupleMarkers(self.strategy.prefix, self.strategy.tuple_keys)

    def clean_table(self) -> Cases:
        tables: Operator = KEEP if self.strategy.tables is Tables.SPECIFIC else self.clean_keys()
        records: Operator = CleanRecords(self.tuple_markers(), tables) if self.strategy.records_cleaned else KEEP
        return Cases((MAPS, ALL, tables), (LISTS, ALL, CleanByItems(records, self.clean_lists())), (ALL, ALL, KEEP))

    def clean_keys(self) -> Operator:
        prefix, origin = self.strategy.prefix, self.origin
        if prefix is None:
            return CleanKeys(None)
        # The prefix is searched for as a pattern, anywhere in a key (case key-containing-prefix-dropped).
        is_found = powershell_regex.searcher(prefix, origin)
        return CleanKeys(lambda key: is_found(str(key)))

    def clean_lists(self) -> Operator:
        if self.strategy.lists is Lists.SPECIFIC:
            return self.keep_list
        knockout = self.item_markers(by_item=True)
        return KEEP if knockout is None else CleanItems(knockout)


class _Documented(_ProgramRules):
    """The manual's rules, and the program's where it is silent."""

    keep_list = KEEP
    lenient = True

    def nested_lists(self) -> Operator:
        return Deeper(inherit=self.deep)

    def unique(self) -> Operator:
        return SelectiveJoin("new", unique=_ITEMS, knockout=self.item_markers(by_item=True))

    def sum(self) -> Operator:
        return SelectiveJoin("old", knockout=self.item_markers(by_item=False))

    def item_markers(self, *, by_item: bool) -> ItemMarkers | None:
        if self.strategy.prefix is None:
            return None
        return ItemMarkers(self.strategy.prefix, self.origin, literal=True, by_item=by_item)

    def items(self) -> Operator:
        return self.union(True)

    def knockout_of_sum(self) -> TupleMarkers | None:
        return self.tuple_markers()

    def clean_keys(self) -> Operator:
        markers = KeyMarkers(self.strategy.prefix or DEFAULT_PREFIX)
        return CleanKeys(lambda key: markers.target(key) is not MISSING, inherit=self.deep)

    def clean_lists(self) -> Operator:
        knockout = None if self.strategy.lists is Lists.SPECIFIC else self.item_markers(by_item=True)
        return KEEP if knockout is None else CleanItems(knockout, affected=False)


def with_script_values(item: Any) -> Any:
    """An item as it is compared: with the values of the scripts in its members (case handler-tuple-key)."""
    if not isinstance(item, dict) or not any(isinstance(value, Script) for value in item.values()):
        return item
    return {key: _script_value(value) for key, value in item.items()}


def _script_value(value: Any) -> Any:
    return value.value_of() if isinstance(value, Script) and value.value_of is not None else value


def any_case(item: Any, name: str) -> Any:
    """The member of that name in any case: a null there fails the merge, whether or not the key is used."""
    return item.get(caseless(name), MISSING) if isinstance(item, dict) else MISSING


def exact_case(item: Any, name: str) -> Any:
    """The member of exactly that spelling: tuple keys are looked up with case (case tuple-key-name-case)."""
    if isinstance(item, dict):
        for key, value in item.items():
            if str.__eq__(key, name):
                return value
    return MISSING
