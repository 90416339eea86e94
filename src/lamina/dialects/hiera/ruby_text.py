"""Values as Ruby writes them: `to_s` where a value is put into a string, `inspect` inside lists and hashes."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any, Final

_ESCAPES: Final = {
    '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e", "\a": "\\a", "\b": "\\b",
    "\f": "\\f", "\v": "\\v", "\x7f": "\\x7F",
}  # fmt: skip
_SPECIAL: Final = re.compile(r'["\\\x00-\x1f\x7f]|#(?=[{$@])')
_LEAST, _MOST = -4, 16
"""Exponents between which Ruby writes a float without one."""


class NonStringRubyKey:
    """A key of a mapping that Python cannot hash, or would confuse with another; equal to keys written the same."""

    __slots__ = ("text", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.text = inspect(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NonStringRubyKey) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def hash_key(value: Any, there: dict[Any, Any]) -> Any:
    """A value as a key of a mapping: what Python cannot hash is wrapped, and so is what it would take for a key that is
    there. 1 and 1.0 are one key in Python, and two in Ruby."""
    if isinstance(value, (dict, list, bool)):
        return NonStringRubyKey(value)
    same = next((each for each in there if each == value), value) if value in there else value
    return value if type(same) is type(value) else NonStringRubyKey(value)


def to_s(value: Any) -> str:
    """A value as it is put into a string."""
    if isinstance(value, str):
        return value
    return "" if value is None else inspect(value)


def inspect(value: Any) -> str:
    """A value as it is written inside a list or hash."""
    if isinstance(value, str):
        return f'"{_SPECIAL.sub(_escaped, value)}"'
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(inspect, value))}]"
    if isinstance(value, dict):
        pairs = (f"{inspect(key)}=>{inspect(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    return str(value)


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    if char == "#":
        return "\\#"
    return _ESCAPES.get(char) or f"\\x{ord(char):02X}" if char != "\x00" else "\\u0000"


def float_text(value: float) -> str:
    """A float as Ruby writes it."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = _decimal(value)
    if not _LEAST <= exponent < _MOST:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    return f"{sign}{digits[: exponent + 1].ljust(exponent + 1, '0')}.{digits[exponent + 1 :] or '0'}"


def _decimal(value: float) -> tuple[str, str, int]:
    """Sign, digits and exponent of the shortest text that is this number."""
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    assert isinstance(exponent, int)
    return "-" if sign else "", text, exponent + len(digits) - 1
