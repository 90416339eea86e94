"""The rules of plain layers: how a later value is merged with an earlier one, and the table of each rule.

Without a rule two mappings are merged key by key at every depth, and everything else is replaced by the later value.
The setting `lists` makes all lists append, prepend or unique; `nulls` makes a null delete the value, or be ignored.
A rule is a word for a path:

deep      mappings key by key, as without a rule
take      the later value as a whole; keep: the earlier one
append    two lists joined, the earlier one's items first; prepend: the later one's; unique: each item once
by-key    two lists of mappings: items with the same key, or the same part of a string, are merged or taken, and the
          others added; a mapping may stand for a list of entries
join      two strings, with a separator between them
sum       two numbers
reject    two different values are an error; lock: so is any later value but the same
delete    nothing is left

With `knockout`, an item or a key with the prefix removes what it names from the earlier value.

A table is asked with the types of the old and of the new value. Operators for one type (lists, numbers, strings) hold
where both values have it. Where only one has it, a rule is an error, and a default takes the new value. Where neither
has it, values are merged as if there were no rule, so that a pattern such as `**` can be used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.layers.operators import (
    AS_LIST,
    KeyedMember,
    KnockoutByPrefix,
    MatchByKey,
    NewValue,
    Recursive,
    RuleListJoin,
    SameOnly,
    Sum,
    TakeAnyForm,
    WrongType,
    as_mapping,
    by_fields,
    by_form,
    by_part,
)
from lamina.plugin import operators as lpo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.dialects.layers.operators import Side

    Row = tuple[Iterable[int], Iterable[int], lpo.Operator]

WORDS: Final = ("deep", "take", "keep", "append", "prepend", "unique", "by-key", "join", "sum", "reject", "lock")
"""What a rule can say."""
LIST_WORDS: Final = ("replace", "append", "prepend", "unique")
"""What can be said for all lists that no rule is for."""

_NOTHING = (lp.ABSENT, lp.NULL)
_NULL = (lp.NULL,)
_ABSENT = (lp.ABSENT,)
_NOT_MAPS = tuple(each for each in lp.ALL if each not in lp.MAPS)


@dataclass(frozen=True, slots=True)
class RuleMerge:
    """How values are merged: by which word, and with what."""

    word: str = "deep"
    fields: tuple[str, ...] = ()
    split: str | None = None
    part: int = 1
    separator: str = ""
    knockout: str | None = None
    first: str = "earlier"
    items: str = "merge"
    short: str | None = None
    """How items that are strings are written, as a pattern whose groups are keys."""
    otherwise: tuple[tuple[str, str], ...] = ()
    member: Any = None
    """The value of an entry of a list that has none, where the list meets a mapping."""
    single: bool = False
    """Whether a value that is no list is one of a single item."""


class RuleTables:
    """The tables for one way to treat nulls and lists.

    Where nulls delete, there is none in a result; with `only_present` those stay that had nothing to delete. Where they
    are ignored, they do not replace anything.
    """

    def __init__(self, *, nulls: str | None, lists: str, only_present: bool = False) -> None:
        self._deletes = nulls == "delete" and not only_present
        self._ignores = nulls == "ignore"
        self._only_present = only_present
        self._lists = RuleListJoin("new" if lists == "prepend" else "old", unique=lists == "unique")
        self._joins_lists = lists != "replace"
        self._by_path = lp.Union(lp.Cases.everywhere(KeyedMember()))
        """Merges mappings where rules may hold for their members."""
        self._plain_union = lp.Union(lp.Cases(*self._plain_rows(lp.DESCEND)))
        self.default = lp.Cases(*self._plain_rows(self._plain_union))
        """The table where no rule can hold any more."""

    def _plain_rows(self, mappings: lpo.Operator) -> list[Row]:
        own_nulls = self._null_rows() if self._only_present or self._ignores else ()
        rows: list[Row] = [*own_nulls, (lp.MAPS, lp.MAPS, mappings)]
        if self._deletes:
            rows = [*self._null_rows(), *rows, (_NOT_MAPS, lp.MAPS, NewValue(_Again(self)))]
        return [*rows, *self._list_rows(), (lp.ALL, lp.ALL, lp.TAKE)]

    def _new_value_rows(self) -> list[Row]:
        """The rows for a member that the old mapping does not have."""
        if not self._deletes:
            return [(_ABSENT, lp.ALL, lp.TAKE)]
        lists = [row for row in self._list_rows() if row[0] == _NOTHING]
        rows: list[Row] = [(_ABSENT, _NULL, lp.KEEP), (_ABSENT, lp.MAPS, NewValue(_Again(self)))]
        return [*rows, *lists, (_ABSENT, lp.ALL, lp.TAKE)]

    @property
    def plain_union(self) -> lpo.Operator:
        """Merges mappings where no rule can hold."""
        return self._plain_union

    def _null_rows(self) -> list[Row]:
        if self._only_present:
            return [(lp.PRESENT, _NULL, lp.DELETE)]
        if self._ignores:
            return [(lp.PRESENT, _NULL, lp.KEEP)]
        return [(_ABSENT, _NULL, lp.KEEP), (lp.PRESENT, _NULL, lp.DELETE)] if self._deletes else []

    def _list_rows(self) -> list[Row]:
        if not self._joins_lists:
            return []
        return [(lp.LISTS, lp.LISTS, self._lists), (_NOTHING, lp.LISTS, self._lists)]

    def of(self, merging: RuleMerge | None) -> lp.Cases:
        """The table of a rule; without one, that of a path below which rules may hold."""
        merging = merging or RuleMerge()
        union = self._union(merging)
        rows = self._rows(merging, union)
        if merging.word == "delete" or (self._ignores and merging.word == "take"):
            pass
        elif merging.word not in ("keep", "reject", "lock"):
            rows = [*self._null_rows(), *rows]
        elif self._deletes:
            rows = [(_ABSENT, _NULL, lp.KEEP), *rows]
        mappings: list[Row] = [(lp.MAPS, lp.MAPS, union), (_NOT_MAPS, lp.MAPS, NewValue(union))]
        return lp.Cases(*rows, *mappings, *self._list_rows(), (lp.ALL, lp.ALL, lp.TAKE))

    def _union(self, merging: RuleMerge) -> lpo.Operator:
        return (
            self._by_path
            if merging.knockout is None
            else KnockoutByPrefix(self._by_path, merging.knockout, deletes=self._deletes)
        )

    def _rows(self, merging: RuleMerge, union: lpo.Operator) -> list[Row]:
        match merging.word:
            case "take":
                return [(lp.ALL, lp.ALL, lp.TAKE)]
            case "keep":
                return [(lp.PRESENT, lp.ALL, lp.KEEP)]
            case "lock":
                return [(lp.PRESENT, lp.ALL, SameOnly("locked", deletes=self._deletes))]
            case "reject":
                conflict = SameOnly("conflict", deletes=self._deletes)
                recursive = Recursive(
                    lp.Union(lp.Cases(*self._new_value_rows(), (lp.ALL, lp.ALL, lp.DESCEND))), conflict
                )
                return [(lp.MAPS, lp.MAPS, recursive), (lp.PRESENT, lp.ALL, conflict)]
            case "sum":
                return _typed(lp.NUMBERS, Sum())
            case "join":
                return _typed(lpo.STRINGS, lpo.JoinStrings(merging.separator))
            case "delete":
                return [(lp.ALL, lp.ALL, lp.DELETE)]
            case "append" | "prepend" | "unique" | "by-key":
                lists = self._list_operator(merging, union)
                rows = [(_NOTHING, lp.LISTS, lists), *_also_mapping(merging, union), *_also_single(merging, lists)]
                return [*rows, *_typed(lp.LISTS, lists)]
            case _:
                return []

    def _list_operator(self, merging: RuleMerge, union: lpo.Operator) -> lpo.Operator:
        first: Side = "new" if merging.word == "prepend" or merging.first == "later" else "old"
        if merging.word != "by-key":
            return RuleListJoin(first, unique=merging.word == "unique", prefix=merging.knockout)
        if merging.short is not None:
            key_of = by_form(merging.fields, merging.short, dict(merging.otherwise))
            return MatchByKey(key_of, TakeAnyForm(), merging.knockout, first)
        if merging.split is not None:
            return MatchByKey(by_part(merging.split, merging.part), lp.TAKE, merging.knockout, first)
        items = lp.TAKE if merging.items == "take" else union
        return MatchByKey(by_fields(merging.fields), items, merging.knockout, first)


def _also_mapping(merging: RuleMerge, union: lpo.Operator) -> list[Row]:
    """The rows for a mapping and a list of its entries."""
    if merging.split is None or merging.part != 1:
        return []
    entries = as_mapping(merging.split, merging.member)
    return [
        (lp.LISTS, lp.MAPS, lpo.Convert(union, old=entries, fault="no-key")),
        (lp.MAPS, lp.LISTS, lpo.Convert(union, new=entries, fault="no-key")),
    ]


def _also_single(merging: RuleMerge, lists: lpo.Operator) -> list[Row]:
    """The rows for values that count as a list of one."""
    if not merging.single:
        return []
    ones = tuple(each for each in lp.PRESENT if each not in (*lp.LISTS, *lp.MAPS, *_NULL))
    return [
        (ones, ones, lpo.Convert(lists, old=AS_LIST, new=AS_LIST)),
        (ones, lp.LISTS, lpo.Convert(lists, old=AS_LIST)),
        (lp.LISTS, ones, lpo.Convert(lists, new=AS_LIST)),
    ]


class _Again:
    """The plain union of tables, which is being made when this is."""

    name = "merge"

    def __init__(self, tables: RuleTables) -> None:
        self._tables = tables

    def apply(self, old: object, new: object, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        return self._tables.plain_union.apply(old, new, policy, trail, run)


def _typed(types: tuple[int, ...], operator: lpo.Operator) -> list[Row]:
    """An operator for two values of a type; one value alone of the type is an error, unless it meets nothing."""
    others = [each for each in lp.PRESENT if each not in types and each != lp.NULL]
    return [(types, types, operator), (types, others, WrongType()), (others, types, WrongType())]
