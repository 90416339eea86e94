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
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from lamina._support import suggestions
from lamina.dialects.datum.equality import text_form, truth
from lamina.dialects.datum.messages import UNKNOWN_STRATEGY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


Meaning = TypeVar("Meaning")

FIELDS: Final = ("merge_hash", "merge_baseType_array", "merge_hash_array", "merge_options", "strategy")
MERGE_OPTIONS: Final = ("knockout_prefix", "tuple_keys", "sort_merged_arrays")
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


@dataclass(frozen=True, slots=True)
class _Words(Generic[Meaning]):
    """A field of a table of options: what the words in it mean, each by a pattern, of which the first counts."""

    field: str
    meanings: Mapping[str, Meaning]
    otherwise: Meaning
    """What any other word means."""
    consequence: str
    known: tuple[str, ...]
    """The words, for suggestions."""

    def found(self, table: _OptionTable) -> Meaning | None:
        """What the word in a table means; None if it is unknown, or there is none."""
        word = text_form(table.get(self.field))
        patterns = self.meanings.items()
        return next((meaning for pattern, meaning in patterns if re.match(pattern, word, re.IGNORECASE)), None)

    def meaning(self, table: _OptionTable) -> Meaning:
        """What the word in a table means."""
        found = self.found(table)
        return self.otherwise if found is None else found


_TABLES: Final = _Words(
    "merge_hash",
    {r"MostSpecific$|First": Tables.SPECIFIC, r"deep\Z": Tables.DEEP, r"hash\Z": Tables.TOP_KEYS},
    Tables.TOP_KEYS,
    "top-level keys are merged",
    ("MostSpecific", "First", "hash", "deep"),
)
_LISTS: Final = _Words(
    "merge_baseType_array",
    {r"MostSpecific$|First": Lists.SPECIFIC, "Unique": Lists.UNIQUE, "Sum|Add": Lists.SUM},
    Lists.UNCHANGED,
    "the most specific list is used",
    ("MostSpecific", "First", "Unique", "Sum", "Add"),
)
_RECORDS: Final = _Words(
    "merge_hash_array",
    {
        "MostSpecific|First": Records.SPECIFIC,
        "UniqueKeyValTuples": Records.UNIQUE,
        "DeepTuple|DeepItemMergeByTuples": Records.DEEP,
        "Sum": Records.SUM,
    },
    Records.UNCHANGED,
    "the most specific list is used",
    ("MostSpecific", "First", "UniqueKeyValTuples", "DeepTuple", "DeepItemMergeByTuples", "Sum"),
)


def _from_table(table: _OptionTable) -> Strategy:
    options = _OptionTable(table.get("merge_options"))
    records = text_form(table.get(_RECORDS.field))
    prefix = options.get("knockout_prefix")
    return Strategy(
        tables=_TABLES.meaning(table),
        lists=_LISTS.meaning(table),
        records=_RECORDS.meaning(table),
        prefix=text_form(prefix) if truth(prefix) else None,
        tuple_keys=_tuple_keys(options.get("tuple_keys")),
        at_once=bool(re.match("MostSpecific|First", text_form(table.get("strategy")), re.IGNORECASE)),
        records_cleaned=not re.match("MostSpecific$|First", records, re.IGNORECASE),
        written=_as_written(table),
    )


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
    options = table.get("merge_options")
    for key in options if isinstance(options, dict) else ():
        if str(key).lower() not in MERGE_OPTIONS:
            message = f"unknown option {str(key)!r} of merge_options is ignored"
            yield _unknown_word(path, message, _suggestion(str(key), MERGE_OPTIONS), origin)
    yield from _unknown_words(path, table, origin)


def _unknown_words(path: str, table: _OptionTable, origin: Origin | None) -> Iterator[Note]:
    for words in (_TABLES, _LISTS, _RECORDS):
        word = table.get(words.field)
        if word is not None and words.found(table) is None:
            message = f"unknown {words.field} {word!r}; {words.consequence}"
            yield _unknown_word(path, message, _suggestion(text_form(word), words.known), origin)


def _preset_suggestion(word: str) -> str:
    if word.lower() == "unique":
        return "write a table: merge_baseType_array: Unique"
    return _suggestion(word, PRESETS)


def _suggestion(word: str, known: tuple[str, ...]) -> str:
    return suggestions.did_you_mean(word, known, f"known: {', '.join(known)}")


def _unknown_word(path: str, message: str, hint: str, origin: Origin | None) -> Note:
    return UNKNOWN_STRATEGY.at(origin, subject=path, problem=message, hint=hint)
