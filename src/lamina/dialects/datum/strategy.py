"""Strategies: how values at a path are merged, by an option entry.

A strategy is a preset's name or a table. Preset names are whole words without case; any other text counts as
MostSpecific. In a table the names of the fields are found without case, and the words in them are matched as the
program does: mostly by their start. An unknown or missing word merges the top keys of tables and keeps the specific
list; there is a note, since it is probably a mistake.

The manual shows `Unique` as its own preset; the program does not know it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.dialects.datum.equality import text_form, truth
from lamina.dialects.datum.messages import UNKNOWN_STRATEGY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import Note
    from lamina.origins import Origin


class Tables(Enum):
    """How two tables are merged."""

    SPECIFIC = "MostSpecific"
    TOP_KEYS = "hash"
    DEEP = "deep"


class Lists(Enum):
    """How two plain lists are merged."""

    SPECIFIC = "MostSpecific"
    UNIQUE = "Unique"
    SUM = "Sum"
    UNCHANGED = "kept"
    """The specific list too, but not unwrapped."""


class Records(Enum):
    """How two lists of tables are merged."""

    SPECIFIC = "MostSpecific"
    UNIQUE = "UniqueKeyValTuples"
    DEEP = "DeepTuple"
    SUM = "Sum"
    UNCHANGED = "kept"


FIELDS: Final = ("merge_hash", "merge_baseType_array", "merge_hash_array", "merge_options", "strategy")
PRESETS: Final = ("MostSpecific", "First", "hash", "MergeTopKeys", "deep", "MergeRecursively")


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """How tables, plain lists and lists of tables are merged."""

    tables: Tables = Tables.SPECIFIC
    lists: Lists = Lists.SPECIFIC
    records: Records = Records.SPECIFIC
    prefix: str | None = None
    tuple_keys: tuple[str, ...] = ()
    at_once: bool = False
    """The first value found is returned at once, without merging or cleaning up."""
    records_cleaned: bool = False
    """Whether the clean-up goes into a list of tables."""
    written: str = "MostSpecific"

    @property
    def merges(self) -> bool:
        """Whether a lookup of a table looks at its members at all."""
        return self.tables is not Tables.SPECIFIC and not self.at_once

    def rounds_are_silent(self, *, documented: bool) -> bool:
        """Whether merging a merged simple table with each of its layers again reports nothing.

        The types in the result are those of the layers, so types never differ; only where markers knock out items
        during the merge, a pattern is tried on items that it was not tried on before.
        """
        with_knockout = (Lists.SUM, Lists.UNIQUE) if documented else (Lists.SUM,)
        return self.prefix is None or self.lists not in with_knockout

    def cleans(self, *, documented: bool) -> bool:
        """Whether cleaning up may change a simple table: there may be markers, or lists are unwrapped."""
        return documented or self.prefix is not None or self.lists is Lists.SPECIFIC


MOST_SPECIFIC: Final = Strategy()
_HASH: Final = Strategy(tables=Tables.TOP_KEYS, prefix="--", written="hash")
_DEEP: Final = Strategy(
    tables=Tables.DEEP,
    lists=Lists.UNIQUE,
    records=Records.DEEP,
    prefix="--",
    tuple_keys=("Name", "Version"),
    records_cleaned=True,
    written="deep",
)
_PRESETS: Final = {
    "mostspecific": MOST_SPECIFIC,
    "first": MOST_SPECIFIC,
    "hash": _HASH,
    "mergetopkeys": _HASH,
    "deep": _DEEP,
    "mergerecursively": _DEEP,
}
_UNIQUE: Final = Strategy(lists=Lists.UNIQUE, written="Unique")


def strategy_of(entry: Any, *, documented: bool) -> Strategy:
    """The strategy of an option entry."""
    if isinstance(entry, str):
        known = _PRESETS.get(entry.lower())
        if known is None:
            known = _UNIQUE if documented and entry.lower() == "unique" else MOST_SPECIFIC
        return replace(known, written=str(entry))
    return _from_table(_OptionTable(entry))


class _OptionTable:
    """A table of options, by names without case; anything that is none has no members."""

    def __init__(self, value: Any) -> None:
        self._members = {str(key).lower(): item for key, item in value.items()} if isinstance(value, dict) else {}

    def get(self, name: str) -> Any:
        return self._members.get(name.lower())


def _from_table(table: _OptionTable) -> Strategy:
    options = _OptionTable(table.get("merge_options"))
    lists, records = text_form(table.get("merge_baseType_array")), text_form(table.get("merge_hash_array"))
    prefix = options.get("knockout_prefix")
    return Strategy(
        tables=_tables(table.get("merge_hash")),
        lists=_lists(lists),
        records=_records(records),
        prefix=text_form(prefix) if truth(prefix) else None,
        tuple_keys=_tuple_keys(options.get("tuple_keys")),
        at_once=bool(re.match("MostSpecific|First", text_form(table.get("strategy")), re.IGNORECASE)),
        records_cleaned=not re.match("MostSpecific$|First", records, re.IGNORECASE),
        written=_as_written(table),
    )


def _tables(word: Any) -> Tables:
    if re.match("MostSpecific$|First", text_form(word), re.IGNORECASE):
        return Tables.SPECIFIC
    return Tables.DEEP if text_form(word).lower() == "deep" else Tables.TOP_KEYS


def _lists(word: str) -> Lists:
    if re.match("MostSpecific$|First", word, re.IGNORECASE):
        return Lists.SPECIFIC
    if re.match("Unique", word, re.IGNORECASE):
        return Lists.UNIQUE
    return Lists.SUM if re.match("Sum|Add", word, re.IGNORECASE) else Lists.UNCHANGED


def _records(word: str) -> Records:
    if re.match("MostSpecific|First", word, re.IGNORECASE):
        return Records.SPECIFIC
    if re.match("UniqueKeyValTuples", word, re.IGNORECASE):
        return Records.UNIQUE
    if re.match("DeepTuple|DeepItemMergeByTuples", word, re.IGNORECASE):
        return Records.DEEP
    return Records.SUM if re.match("Sum", word, re.IGNORECASE) else Records.UNCHANGED


def _tuple_keys(value: Any) -> tuple[str, ...]:
    keys = [text_form(key) for key in value] if isinstance(value, list) else [] if value is None else [text_form(value)]
    return tuple(keys) if truth(keys) else ()


def _as_written(table: _OptionTable) -> str:
    parts = [f"{name}: {text_form(table.get(name))}" for name in FIELDS[:3] if table.get(name) is not None]
    options = _OptionTable(table.get("merge_options"))
    if keys := _tuple_keys(options.get("tuple_keys")):
        parts.append(f"tuple_keys: {', '.join(keys)}")
    if truth(options.get("knockout_prefix")):
        parts.append(f"knockout_prefix: {options.get('knockout_prefix')}")
    return "{" + ", ".join(parts) + "}"


def unknown_words(path: str, entry: Any, origin: Origin | None, *, documented: bool = False) -> Iterator[Note]:
    """Unknown names in an option entry, which the program accepts silently."""
    if isinstance(entry, str):
        if entry.lower() not in _PRESETS and not (documented and entry.lower() == "unique"):
            message = f"unknown preset {entry!r}; MostSpecific is used"
            yield _unknown_word(path, message, _preset_suggestion(entry), origin)
        return
    if not isinstance(entry, dict):
        return
    table = _OptionTable(entry)
    for key in entry:
        if str(key).lower() not in {name.lower() for name in (*FIELDS, "sort_merged_arrays")}:
            yield _unknown_word(path, f"unknown option {str(key)!r} is ignored", _suggestion(str(key), FIELDS), origin)
    yield from _unknown_words(path, table, origin)


def _unknown_words(path: str, table: _OptionTable, origin: Origin | None) -> Iterator[Note]:
    word = table.get("merge_hash")
    if word is not None and _tables(word) is Tables.TOP_KEYS and text_form(word).lower() != "hash":
        known: tuple[str, ...] = ("MostSpecific", "First", "hash", "deep")
        yield _unknown_word(
            path, f"unknown merge_hash {word!r}; top-level keys are merged", _suggestion(text_form(word), known), origin
        )
    word = table.get("merge_baseType_array")
    if word is not None and _lists(text_form(word)) is Lists.UNCHANGED:
        known = ("MostSpecific", "First", "Unique", "Sum", "Add")
        message = f"unknown merge_baseType_array {word!r}; the most specific list is used"
        yield _unknown_word(path, message, _suggestion(text_form(word), known), origin)
    word = table.get("merge_hash_array")
    if word is not None and _records(text_form(word)) is Records.UNCHANGED:
        known = ("MostSpecific", "First", "UniqueKeyValTuples", "DeepTuple", "DeepItemMergeByTuples", "Sum")
        message = f"unknown merge_hash_array {word!r}; the most specific list is used"
        yield _unknown_word(path, message, _suggestion(text_form(word), known), origin)


def _preset_suggestion(word: str) -> str:
    if word.lower() == "unique":
        return "write a table: merge_baseType_array: Unique"
    return _suggestion(word, PRESETS)


def _suggestion(word: str, known: tuple[str, ...]) -> str:
    return suggestions.did_you_mean(word, known, f"known: {', '.join(known)}")


def _unknown_word(path: str, message: str, hint: str, origin: Origin | None) -> Note:
    return UNKNOWN_STRATEGY.at(origin, subject=path, problem=message, hint=hint)
