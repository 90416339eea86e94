"""Decimal numbers that keep their digits: `1.10` is a number, and as text it is still `1.10`.

.NET reads such a scalar as its decimal type, which keeps the number of digits. Everywhere else the value is the nearest
float.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

_CONTEXT = Context(prec=28, rounding=ROUND_HALF_EVEN)
"""The number of digits that every value of .NET's decimal type can have."""


class WrittenDecimal(float):
    """A float with the digits it was written with."""

    __slots__ = ("text",)

    text: str
    """The number as .NET writes it: no exponent, no plus sign, a digit before the point."""

    def __new__(cls, number: Decimal) -> WrittenDecimal:
        held = _CONTEXT.plus(number)
        made = super().__new__(cls, held)
        made.text = format(held, "f")
        return made

    @property
    def exact(self) -> Decimal:
        """The number with all its digits."""
        return Decimal(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return WrittenDecimal, (Decimal(self.text),)

    def __copy__(self) -> WrittenDecimal:
        return self

    def __deepcopy__(self, memo: Any) -> WrittenDecimal:
        return self
