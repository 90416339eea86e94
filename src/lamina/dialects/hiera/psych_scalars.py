"""What plain scalars of YAML mean to Psych, the YAML library of Ruby.

Puppet loads data with a few classes only: a date or time makes the whole file unreadable.
"""

from __future__ import annotations

import re
from typing import Any, Final

from lamina.plugin import formats as lpf

_NULL: Final = re.compile(r"|~|null", re.IGNORECASE)
_TRUE: Final = re.compile(r"yes|true|on", re.IGNORECASE)
_FALSE: Final = re.compile(r"no|false|off", re.IGNORECASE)
_INFINITE: Final = re.compile(r"([-+]?)\.inf", re.IGNORECASE)
_NAN: Final = re.compile(r"\.nan", re.IGNORECASE)
_TIME: Final = re.compile(
    r"-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(\d\d)?))?"
    r"|\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)",
    re.ASCII,
)
_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)")
_OCTAL: Final = re.compile(r"([-+]?)0([0-7_,]+)")
_OTHER_BASE: Final = re.compile(r"([-+]?)0(?:x([0-9a-fA-F_,]+)|b([01_,]+))")
_BASE_60: Final = re.compile(r"([-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2})(\.[0-9_]*)?")
_FLOAT: Final = re.compile(r"[-+]?([0-9][0-9_,]*)?\.[0-9]*([eE][-+][0-9]+)?")
_NUMBER: Final = re.compile(r"[-+.]?[0-9][-+0-9a-fA-Fx_,.:]*")
_QUOTED_SYMBOL: Final = re.compile(r""":["']((?:[^"\\]|\\.)*?)["']""", re.DOTALL)


_SCALE: Final = (3600, 60, 1)


class Symbol:
    """A symbol of Ruby: as a key it counts as text, as a value it is rejected."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f":{self.name}"


class TimeScalarError(Exception):
    """The text is a date or a time, which Puppet does not load."""


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def _to_integer(text: str) -> int:
    """What `to_i` makes of digits, which ends at a doubled underscore."""
    match = re.match(r"[-+]?\d+(?:_\d+)*", text)
    return int(match[0].replace("_", "")) if match else 0


def _base_60(parts: list[str], fraction: str | None) -> int | float:
    """The first part counts hours, however many follow."""
    if fraction is None:
        return sum(_to_integer(part) * _SCALE[at] for at, part in enumerate(parts))
    parts = [*parts[:-1], parts[-1] + (fraction.replace("_", "") if fraction != "." else "")]
    return sum(float(part.replace("_", "")) * _SCALE[at] for at, part in enumerate(parts))


def _integer(text: str) -> int | None:
    if _DECIMAL.fullmatch(text):
        return int(text.replace(",", "").replace("_", ""))
    if match := _OCTAL.fullmatch(text):
        return int(match[1] + (match[2].replace(",", "").replace("_", "") or "0"), 8)
    if match := _OTHER_BASE.fullmatch(text):
        digits = (match[2] or match[3]).replace(",", "").replace("_", "")
        return int(match[1] + digits, 16 if match[2] else 2) if digits else None
    return None


def _float(text: str) -> float | None:
    match = _FLOAT.fullmatch(text)
    if match is None or not any(char.isdigit() for char in text.partition("e")[0].partition("E")[0]):
        return None
    return float(text.replace(",", "").replace("_", ""))


def plain(text: str) -> Any:
    """The value of plain text."""
    if text[:1].isalpha() or not text or text[0] == "~":
        if _NULL.fullmatch(text):
            return None
        return True if _TRUE.fullmatch(text) else False if _FALSE.fullmatch(text) else text
    if match := _INFINITE.fullmatch(text):
        return float("-inf") if match[1] == "-" else float("inf")
    if _NAN.fullmatch(text):
        return float("nan")
    if _TIME.fullmatch(text):
        raise TimeScalarError(text)
    number = _integer(text)
    if number is not None:
        return number
    if match := _BASE_60.fullmatch(text):
        return _base_60(match[1].split(":"), match[2])
    decimal = _float(text)
    if decimal is not None:
        return decimal
    if text[0] == ":" and len(text) > 1:
        quoted = _QUOTED_SYMBOL.match(text)
        return Symbol(quoted[1] if quoted else text[1:])
    return text


def _plain_and_common(text: str) -> Any:
    """The same for the reader of plainly written text, which leaves the rare forms to the other one."""
    try:
        value = plain(text)
    except TimeScalarError:
        raise lpf.OddScalarError(text) from None
    if isinstance(value, Symbol):
        raise lpf.OddScalarError(text)
    return value


PSYCH: Final = lpf.ScalarTable("psych", _plain_and_common, _is_number, "yYnNtTfFoO+-.0123456789~:")
