"""Option entries of Datum as rules by path, for the values that the files of a tree have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.conversion import ConversionRemark, pattern_of
from lamina.dialects.datum.strategy import Lists, Records, Tables
from lamina.sources.powershell.case_insensitive import folded

if TYPE_CHECKING:
    from lamina.dialects.datum.lookup_options import Entries, OptionEntry
    from lamina.dialects.datum.strategy import Strategy
    from lamina.dialects.path_kinds import PathKinds

Rule = dict[str, Any]


def rules_of_entries(entries: Entries, kinds: PathKinds) -> tuple[list[Rule], list[ConversionRemark]]:
    """The rules for all paths of the files, and remarks on what they cannot express."""
    conversion = _EntryConversion(entries)
    for key, member in kinds.members.items():
        conversion.visit(member, entries.find((key,)))
    return [*conversion.rules, *conversion.general()], conversion.remarks


class _EntryConversion:
    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self.rules: list[Rule] = []
        self.remarks: list[ConversionRemark] = []
        default = entries.default.strategy
        self._takes = default.tables is Tables.SPECIFIC or default.at_once

    def general(self) -> list[Rule]:
        """The rules for keys that no file has yet, by the default."""
        if self._takes:
            return [{"path": "*", "merge": "take"}]
        default = self._entries.default.strategy
        deep = self._with_knockout({"merge": "deep"}, default)
        if default.tables is Tables.DEEP:
            return [{"path": "**", **deep}] if default.prefix else []
        return [{"path": "*", **deep}, {"path": "*.*", "merge": "take"}]

    def visit(self, kinds_here: PathKinds, entry: OptionEntry) -> None:
        """Add the rules for a path and what is below it."""
        self._check_spelling(kinds_here)
        found = kinds_here.kinds - {"null", "other"}
        if len(found) > 1:
            self._remark(kinds_here, entry, "files have values of different types here")
            self._rule(kinds_here, {"merge": "take"})
        elif found == {"mapping"}:
            self._table(kinds_here, entry)
        elif found:
            self._list(kinds_here, entry, is_records="records" in found)

    def _table(self, kinds_here: PathKinds, entry: OptionEntry) -> None:
        strategy = entry.strategy
        if strategy.tables is Tables.SPECIFIC or strategy.at_once:
            self._rule(kinds_here, {"merge": "take"})
            return
        self._rule(kinds_here, self._with_knockout({"merge": "deep"}, strategy))
        self._members(kinds_here, entry)

    def _members(self, kinds_here: PathKinds, entry: OptionEntry) -> None:
        """The members of tables that are merged: nested tables by the entry in force, lists by that of their path."""
        for member in kinds_here.members.values():
            own = self._entries.find(member.path)
            if "mapping" not in member.kinds:
                self.visit(member, own)
            elif entry.strategy.tables is Tables.DEEP:
                self.visit(member, entry if own.default else own)
            else:
                self._rule(member, {"merge": "take"})

    def _list(self, kinds_here: PathKinds, entry: OptionEntry, *, is_records: bool) -> None:
        strategy = entry.strategy
        rule = self._records(kinds_here, entry) if is_records else _plain_list(strategy)
        if rule is None or strategy.at_once:
            self._rule(kinds_here, {"merge": "take"})
            return
        self._rule(kinds_here, self._with_knockout(rule, strategy))
        if is_records and strategy.records is Records.DEEP:
            self._members(kinds_here, entry)

    def _records(self, kinds_here: PathKinds, entry: OptionEntry) -> Rule | None:
        strategy = entry.strategy
        if strategy.records in (Records.SPECIFIC, Records.UNCHANGED):
            return None
        if strategy.records is Records.SUM:
            return {"merge": "prepend"}
        fields = strategy.tuple_keys
        if not fields:
            self._remark(
                kinds_here, entry, "without tuple_keys, the keys of one item are those that items are known by"
            )
            return None
        if not all(_has_fields(item, fields) for item in kinds_here.items):
            self._remark(kinds_here, entry, f"not every item has {' and '.join(fields)}")
            return None
        rule: Rule = {"merge": "by-key", "key": list(fields), "first": "later"}
        return rule if strategy.records is Records.DEEP else {**rule, "items": "take"}

    @staticmethod
    def _with_knockout(rule: Rule, strategy: Strategy) -> Rule:
        usable = rule["merge"] in ("deep", "unique", "prepend", "by-key")
        return {**rule, "knockout": strategy.prefix} if strategy.prefix and usable else rule

    def _rule(self, kinds_here: PathKinds, rule: Rule) -> None:
        """Add a rule, unless the general one says the same."""
        if len(kinds_here.path) == 1 and self._takes and rule == {"merge": "take"}:
            return
        if rule == {"merge": "take"} and not kinds_here.kinds & {"mapping"}:
            return  # what a list or a scalar does without a rule
        self.rules.append({"path": pattern_of(tuple(map(_plain, kinds_here.path))), **rule})

    def _remark(self, kinds_here: PathKinds, entry: OptionEntry, why: str) -> None:
        path = tuple(map(_plain, kinds_here.path))
        what = f"{entry.label}, for {pattern_of(path)}"
        self.remarks.append(ConversionRemark(what=what, why=why, at=entry.origin or kinds_here.origin, path=path))

    def _check_spelling(self, kinds_here: PathKinds) -> None:
        """Check spellings: keys are case-insensitive in Datum, so two spellings are one key."""
        spellings = {str(key) for node in kinds_here.nodes for key in [_spelling(node, kinds_here)] if key is not None}
        if len(spellings) < 2:
            return
        what, why = f"the spellings {', '.join(sorted(spellings))}", "they are one key in Datum and two elsewhere"
        for each in sorted(spellings):
            path = (*map(_plain, kinds_here.path[:-1]), each)
            self.remarks.append(ConversionRemark(what=what, why=why, at=kinds_here.origin, path=path))


def _spelling(node: Any, kinds_here: PathKinds) -> str | None:
    last = node.path[-1] if node.path else None
    return str(last) if last is not None and folded(str(last)) == folded(str(kinds_here.path[-1])) else None


def _plain(key: Any) -> Any:
    return str(key) if isinstance(key, str) else key


def _plain_list(strategy: Strategy) -> Rule | None:
    match strategy.lists:
        case Lists.UNIQUE:
            return {"merge": "unique", "first": "later"}
        case Lists.SUM:
            return {"merge": "prepend"}
    return None


def _has_fields(item: Any, fields: tuple[str, ...]) -> bool:
    """Whether an item of a list has all fields, as they are spelt, with values that can be compared."""
    if not isinstance(item, dict):
        return False
    own = {str(key): value for key, value in item.items()}
    return all(own.get(field) is not None and not isinstance(own[field], (dict, list)) for field in fields)
