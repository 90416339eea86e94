"""The format operator: `'{0}-{1:d3}' -f 'a', 7`."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.expressions.errors import ExpressionTooLarge, OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.values import exact, scalar, text

if TYPE_CHECKING:
    from lamina.budget import Budget

_FIELD = re.compile(r"\{\{|\}\}|\{(?P<index>\d{1,4})\s*(?:,\s*(?P<width>-?\d{1,4})\s*)?(?::(?P<form>[^{}]*))?\}|[{}]")
_WIDEST = 1000


def formatted(pattern: str, values: list[Any], budget: Budget) -> str:
    """A string with its fields filled in."""

    def fill(match: re.Match[str]) -> str:
        if match["index"] is None:
            if len(match[0]) == 1:
                raise ScriptFailed("the format string has an unbalanced brace")
            return match[0][0]
        at = int(match["index"])
        if at >= len(values):
            raise ScriptFailed(f"the format string uses item {at}, but there are only {len(values)}")
        made = number_text(values[at], match["form"]) if match["form"] else text(values[at])
        width = int(match["width"] or 0)
        if abs(width) > _WIDEST:
            raise ExpressionTooLarge("it builds too much data")
        made = made.ljust(-width) if width < 0 else made.rjust(width)
        budget.spend(size=4 * len(made))
        return made

    budget.spend(1)
    budget.spend(size=4 * len(pattern))
    return _FIELD.sub(fill, pattern)


def number_text(value: Any, form: str) -> str:
    """A number in one of .NET's formats; other values ignore the format."""
    value = scalar(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return text(value)
    standard = re.fullmatch(r"(?P<letter>[dDxXfFnN])(?P<digits>\d{0,2})", form)
    if standard is not None:
        return _standard(value, standard["letter"], standard["digits"])
    zeros = re.fullmatch(r"(?P<whole>0+)(?:\.(?P<part>0+))?", form)
    if zeros is None:
        raise OutsideSubset(f"the format {form!r} is not supported")
    made = _rounded(value, len(zeros["part"] or ""))
    sign = "-" if made.startswith("-") else ""
    head, point, tail = made.lstrip("-").partition(".")
    return sign + head.rjust(len(zeros["whole"]), "0") + point + tail


def _standard(value: int | float, specifier: str, digits: str) -> str:
    wanted = int(digits or 0)
    if specifier in "dDxX":
        if not isinstance(value, int):
            raise ScriptFailed(f"the format {specifier} requires a whole number")
        if specifier in "xX":
            if value < 0:
                raise OutsideSubset("a negative number in hexadecimal is not supported")
            return format(value, specifier).rjust(wanted, "0")
        return ("-" if value < 0 else "") + str(abs(value)).rjust(wanted, "0")
    made = _rounded(value, wanted if digits else 2)
    if specifier in "nN":
        sign, head = ("-", made[1:]) if made.startswith("-") else ("", made)
        integer, point, part = head.partition(".")
        made = f"{sign}{int(integer):,}{point}{part}"
    return made


def _rounded(value: int | float, digits: int) -> str:
    number = exact(value)
    if number is None:
        if not math.isfinite(value):
            raise OutsideSubset("infinity in a format is not supported")
        number = Decimal(repr(float(value)))
    if number.adjusted() > _WIDEST:
        raise OutsideSubset("a number this large in a format is not supported")
    return (
        format(number.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP), "f")
        if digits
        else format(number.to_integral_value(ROUND_HALF_UP), "f")
    )
