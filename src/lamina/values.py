"""Types of values, as far as merging distinguishes them.

A policy looks up values by class. Absent, null, empty and non-empty are distinguished, and so are true, false, zero and
other numbers, because some systems treat them differently.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.origins import Origin
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
"""Dates, bytes, sets, values with a tag: values that operators treat as scalars."""
UNKNOWN: Final = 13
"""A value that is not known, of any of the types above; a table of cases has its operators by itself."""

COUNT: Final = 14
ALL: Final = tuple(range(UNKNOWN))

BOOLS: Final = (FALSE, TRUE)
NUMBERS: Final = (ZERO, NUMBER)
TEXTS: Final = (EMPTY_TEXT, TEXT)
LISTS: Final = (EMPTY_LIST, LIST)
MAPS: Final = (EMPTY_MAP, MAP)
PRESENT: Final = tuple(range(1, UNKNOWN))

SCALARS: Final = frozenset({str, int, float, bool, type(None)})
"""The types of values that contain no others, as far as a fast check can decide."""

_CONTAINERS: Final = (dict, list, tuple)

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
    "unknown",
)


class Tagged:
    """A value with a tag of another program's, such as `!vault`: kept as it is, and printed as it was written."""

    __slots__ = ("content", "style", "tag")

    def __init__(self, tag: str, content: Any, style: str | None = None) -> None:
        """`style` is how a string was written: quoted, or as a block."""
        self.tag = tag
        self.content = content
        self.style = style

    def __eq__(self, other: object) -> bool:
        return type(other) is Tagged and self.tag == other.tag and same(self.content, other.content)

    def __hash__(self) -> int:
        return hash((self.tag, str(self.content)))

    def __str__(self) -> str:
        return f"{self.tag} {self.content}"

    __repr__ = __str__


class Unknown:
    """A value that cannot be known: why, and where that is written; `text` is what stands in its place, if anything.

    `hint` is what would make it known. Two unknown values with the same reason, place and text are equal here; what
    they are may still differ.
    """

    __slots__ = ("at", "hint", "reason", "text")

    def __init__(self, reason: str, at: Origin | None = None, text: str | None = None, hint: str | None = None) -> None:
        self.reason = reason
        self.at = at
        self.text = text
        self.hint = hint

    def __eq__(self, other: object) -> bool:
        return type(other) is Unknown and (self.reason, self.at, self.text) == (other.reason, other.at, other.text)

    def __hash__(self) -> int:
        return hash((self.reason, self.at, self.text))

    @property
    def description(self) -> str:
        """The reason, after the text that stands in the value's place."""
        return self.reason if self.text is None else f"{self.text}: {self.reason}"

    def __str__(self) -> str:
        return f"unknown ({self.description})"

    __repr__ = __str__


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
    return UNKNOWN if isinstance(value, Unknown) else OTHER


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


def holds_unknown(value: Any) -> bool:
    """Whether a value is unknown, or anything in it."""
    if type(value) is Unknown:
        return True
    pending = [value] if isinstance(value, _CONTAINERS) else []
    while pending:  # level by level: each is looked at by type, of which there are few
        inside = [*chain.from_iterable([each.values() if isinstance(each, dict) else each for each in pending])]
        kinds = set(map(type, inside)) - SCALARS
        if Unknown in kinds:
            return True
        pending = [each for each in inside if type(each) not in SCALARS and isinstance(each, _CONTAINERS)]
    return False


def unknown_values(value: Any, path: Path = ()) -> Iterator[tuple[Path, Unknown]]:
    """The unknown values in a value, each with its path."""
    if isinstance(value, Unknown):
        yield path, value
    elif isinstance(value, (dict, list, tuple)) and holds_unknown(value):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from unknown_values(member, (*path, key))


def replace_unknown(value: Any, replaced: Callable[[Unknown], Any]) -> Any:
    """The value with something else in the place of what is unknown; MISSING leaves it out. The rest is shared."""
    if isinstance(value, Unknown):
        return replaced(value)
    if not isinstance(value, (dict, list, tuple)) or not holds_unknown(value):
        return value
    if isinstance(value, dict):
        pairs = ((key, replace_unknown(member, replaced)) for key, member in value.items())
        return {key: member for key, member in pairs if member is not MISSING}
    return [made for each in value if (made := replace_unknown(each, replaced)) is not MISSING]
