"""Values of PowerShell data files as they are written, and what a type in front of one makes of it (`[int]'5'`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from lamina.sources.decimals import WrittenDecimal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)"
    r"|(?P<digits>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?P<power>[eE][+-]?[0-9]+)?)"
    r"(?P<suffix>u?[lLyYsS]|[uUdDnN])?(?P<unit>[kKmMgGtTpP][bB])?(?![\w.])"
)


@dataclass(slots=True, eq=False)
class Psd1Value:
    """A value or key as written, with its position; collections contain their parts."""

    at: int
    kind: Literal["scalar", "list", "table"]
    value: Any = None
    parts: list[Psd1Value] = field(default_factory=list)
    end: int | None = None
    """Where it ends; not known of keys."""


def truth(part: Psd1Value) -> bool:
    if part.kind == "list":
        return truth(part.parts[0]) if len(part.parts) == 1 else bool(part.parts)
    return part.kind == "table" or bool(part.value)


def text_of_value(part: Psd1Value) -> str:
    value = part.value
    if part.kind != "scalar":
        return "System.Collections.Hashtable" if part.kind == "table" else "System.Object[]"
    if isinstance(value, float):
        return value.text if isinstance(value, WrittenDecimal) else repr(value).removesuffix(".0")
    return "" if value is None else str(value)


def decimal(text: str) -> Any:
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else WrittenDecimal(number)


def _number(part: Psd1Value) -> Any:
    """A constant as a number: strings are parsed, null is 0."""
    value = part.value
    if value is None or isinstance(value, (bool, int, float)):
        return value if isinstance(value, float) else int(value or 0)
    match = NUMBER.fullmatch(value.strip())
    if not value.strip():
        return 0
    if match is None or match["suffix"] or match["unit"] or match["binary"]:
        raise ValueError
    if match["hex"]:
        return int(match[0], 16)
    return float(match[0]) if match["power"] or "." in match["digits"] else int(match[0])


def _within(low: int, high: int) -> Callable[[Psd1Value], int]:
    def rounded(part: Psd1Value) -> int:
        number: int = round(_number(part))  # halves go to the even neighbour, as .NET rounds
        if not low <= number <= high:
            raise ValueError
        return number

    return rounded


def _character(part: Psd1Value) -> str:
    if isinstance(part.value, str):
        if len(part.value) != 1:
            raise ValueError
        return part.value
    return chr(_within(0, 0xFFFF)(part))


CASTS: Mapping[str, Callable[[Psd1Value], Any]] = {
    "int": _within(-(1 << 31), (1 << 31) - 1),
    "int32": _within(-(1 << 31), (1 << 31) - 1),
    "long": _within(-(1 << 63), (1 << 63) - 1),
    "int64": _within(-(1 << 63), (1 << 63) - 1),
    "byte": _within(0, 255),
    "double": lambda part: float(_number(part)),
    "bool": truth,
    "char": _character,
    "number": _number,
}
