"""Records: classes that only hold named values.

A record is a dataclass with keyword arguments, without the comparisons and printed forms that most of ours never use:
making those takes two thirds of the time it takes to make a dataclass, and every command pays for it when it starts.
Type checkers hold records for frozen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, dataclass_transform

Kind = TypeVar("Kind")

if TYPE_CHECKING:

    @dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(field,))
    def record(kind: type[Kind]) -> type[Kind]:
        """A class as a record."""

else:
    record = dataclass(eq=False, repr=False, slots=True, kw_only=True)
