"""Types of values, as far as merging distinguishes them.

A policy looks up values by class. Absent, null, empty and non-empty are distinguished, and so are true, false, zero and
other numbers, because some systems treat them differently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.paths import Path

ABSENT: Final = 0
NULL: Final = 1
FALSE: Final = 2
TRUE: Final = 3
ZERO: Final = 4
NUMBER: Final = 5
EMPTY_TEXT: Final = 6
TEXT: Final = 7
EMPTY_LIST: Final = 8
LIST: Final = 9
EMPTY_MAP: Final = 10
MAP: Final = 11
OTHER: Final = 12
"""Dates, bytes, sets: values that operators treat as scalars."""

COUNT: Final = 13
ALL: Final = tuple(range(COUNT))

BOOLS: Final = (FALSE, TRUE)
NUMBERS: Final = (ZERO, NUMBER)
TEXTS: Final = (EMPTY_TEXT, TEXT)
LISTS: Final = (EMPTY_LIST, LIST)
MAPS: Final = (EMPTY_MAP, MAP)
PRESENT: Final = tuple(range(1, COUNT))

SCALARS: Final = frozenset({str, int, float, bool, type(None)})
"""The types of values that contain no others, as far as a fast check can decide."""

_WORDS: Final = (
    "nothing",
    "null",
    "a boolean",
    "a boolean",
    "a number",
    "a number",
    "an empty string",
    "a string",
    "an empty list",
    "a list",
    "an empty mapping",
    "a mapping",
    "a value of another type",
)


def classify(value: Any) -> int:
    """The class of a value."""
    kind = type(value)
    if kind is str:
        return TEXT if value else EMPTY_TEXT
    if kind is dict:
        return MAP if value else EMPTY_MAP
    if kind is list:
        return LIST if value else EMPTY_LIST
    if value is None:
        return NULL
    if kind is bool:
        return TRUE if value else FALSE
    if kind is int or kind is float:
        return NUMBER if value else ZERO
    if value is MISSING:
        return ABSENT
    return _classify_unusual(value)


def _classify_unusual(value: Any) -> int:
    """Subclasses (keys without case are strings too) and the types of YAML tags."""
    if isinstance(value, str):
        return TEXT if value else EMPTY_TEXT
    if isinstance(value, dict):
        return MAP if value else EMPTY_MAP
    if isinstance(value, (list, tuple)):
        return LIST if value else EMPTY_LIST
    if isinstance(value, (int, float)):
        return NUMBER if value else ZERO
    return OTHER


def word_for(value: Any) -> str:
    """The name of the value's type in messages, with its article: `a list`, `null`."""
    return _WORDS[classify(value)]


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of the same types: 1, 1.0 and true are three values; NaN equals NaN."""
    if one is other:
        return True
    if type(one) is not type(other) and not (isinstance(one, float) and isinstance(other, float)):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124 - both are not a number


def differences(own_value: Any, other_value: Any, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """The paths at which two values differ; mappings are compared by key, everything else as a whole."""
    if own_value is other_value:
        return
    if isinstance(own_value, dict) and isinstance(other_value, dict):
        for key in {**own_value, **other_value}:
            yield from differences(own_value.get(key, MISSING), other_value.get(key, MISSING), (*path, key))
    elif not same(own_value, other_value):
        yield path, own_value, other_value
