"""PowerShell's equality, which depends on the type of its left operand and so is not symmetric.

text      the other's text form, without case (with case where duplicates are looked for)
boolean   the truth of the other: true equals any string but the empty one
number    the other read as a number ('' is 0); where duplicates are looked for, a string is rounded before it is
          compared with an integer
list      among tuple values: equal unless one of its items differs from the other's text form
table     among tuple values: two tables always count as equal, a table and anything else cannot be compared
null      null
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum.equality_index import Incomparable, KeyReader
from lamina.dialects.datum.operators.unwrap import holds_mappings
from lamina.sources.caseless_keys import folded
from lamina.sources.decimals import WrittenDecimal

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

TABLE_TEXT: Final = "System.Collections.Specialized.OrderedDictionary"
LIST_TEXT: Final = "System.Object[]"

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,16}")
_NEVER: Final = object()
"""A key that no left value has."""


def text_form(value: Any) -> str:
    """The string that PowerShell converts a value to."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, float):
        return value.text if isinstance(value, WrittenDecimal) else _float_text(value)
    if isinstance(value, dict):
        return TABLE_TEXT
    if isinstance(value, list):
        return " ".join(LIST_TEXT if isinstance(item, list) else text_form(item) for item in value)
    return str(value)


def _float_text(value: float) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "-∞"
    digits, _, power = repr(value).partition("e")
    if power:
        return f"{digits.removesuffix('.0')}E{'-' if power[0] == '-' else '+'}{power.lstrip('+-'):>02}"
    if value.is_integer() and abs(value) >= 1e15:
        shifted = f"{int(value)}".lstrip("-")
        rest = shifted[1:].rstrip("0")
        return f"{'-' if value < 0 else ''}{shifted[0]}{'.' if rest else ''}{rest}E+{len(shifted) - 1}"
    return digits.removesuffix(".0")


def truth(value: Any) -> bool:
    """Whether PowerShell considers a value true: a list of one item like that item, a table always."""
    if isinstance(value, list):
        return truth(value[0]) if len(value) == 1 else bool(value)
    return True if isinstance(value, dict) else bool(value)


def number_of(value: Any) -> int | float | None:
    """A value read as a number, if it can be."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float)):
        return value
    if not isinstance(value, str):
        return None
    text = value.strip()
    if not text:
        return 0
    if _HEX.fullmatch(text):
        return int(text, 16)
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        return None
    return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else float(text)


def _rounded(value: Any) -> int | float | None:
    number = number_of(value)
    if isinstance(value, str) and isinstance(number, float):
        return round(number) if math.isfinite(number) else None
    return number


class ScalarEquality:
    """The equality of plain values; `exact` is how duplicates and markers in plain lists are looked for."""

    def __init__(self, *, exact: bool = False) -> None:
        self.name = "PowerShell's equality" + (" with case" if exact else "")
        self._exact = exact

    def same(self, left: Any, right: Any) -> bool:
        key_reader = self.key_reader(left)
        return key_reader is not None and key_reader.read(right) == key_reader.key

    def key_reader(self, left: Any) -> KeyReader | None:
        if left is None:
            return KeyReader("null", lambda right: right is None, True)
        if isinstance(left, bool):
            return KeyReader("truth", _or_never(truth), left)
        if isinstance(left, (int, float)):
            rounds = self._exact and isinstance(left, int)
            return (
                KeyReader("rounded", _or_never(_rounded), left)
                if rounds
                else KeyReader("number", _or_never(number_of), left)
            )
        if isinstance(left, str):
            return self._text_key_reader(left)
        return None

    def _text_key_reader(self, left: str) -> KeyReader:
        if self._exact:
            return KeyReader("text", _or_never(text_form), str(left))
        return KeyReader("text", _or_never(lambda right: folded(text_form(right))), folded(left))


def _or_never(read: Callable[[Any], Hashable]) -> Callable[[Any], Hashable]:
    def reading(right: Any) -> Hashable:
        if right is None:
            return _NEVER
        key = read(right)
        return _NEVER if key is None else key

    return reading


class ItemEquality(ScalarEquality):
    """How duplicates in plain lists are found: tables all count as equal, lists go by their text form."""

    def __init__(self) -> None:
        super().__init__(exact=True)

    def key_reader(self, left: Any) -> KeyReader | None:
        if isinstance(left, dict):
            return KeyReader("table", lambda right: isinstance(right, dict), True)
        if isinstance(left, list):
            return self._text_key_reader(text_form(left))
        key_reader = super().key_reader(left)
        if key_reader is None:
            return None
        read = key_reader.read
        return KeyReader(
            ("item", key_reader.name), lambda right: _NEVER if isinstance(right, dict) else read(right), key_reader.key
        )

    def _text_key_reader(self, left: str) -> KeyReader:
        return KeyReader(
            "text", lambda right: _NEVER if isinstance(right, (dict, type(None))) else text_form(right), left
        )


class TupleEquality:
    """How the values of tuple keys are compared."""

    name = "PowerShell's equality"

    def __init__(self) -> None:
        self._scalars = ScalarEquality()

    def same(self, left: Any, right: Any) -> bool:
        if _of_tables(left) or _of_tables(right):
            _compare_tables(left, right)
            return True
        if isinstance(left, list):
            return not truth([item for item in left if not self._scalars.same(item, right)])
        return self._scalars.same(left, right)

    def key_reader(self, left: Any) -> KeyReader | None:
        return self._scalars.key_reader(left)


def _of_tables(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and holds_mappings(value))


def _compare_tables(left: Any, right: Any) -> None:
    """Tables are compared without an outcome, but everything in them must be comparable."""
    stack = [(left, right)]
    while stack:
        left, right = stack.pop()
        if not (isinstance(left, dict) and isinstance(right, dict)):
            raise Incomparable("a table is compared with something else")
        pairs = ((left[key], right[key]) for key in left if key in right)
        stack.extend((own, other) for own, other in pairs if _of_tables(own) or _of_tables(other))
