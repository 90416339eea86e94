"""Conversion of one side, or both, to another type before they are combined.

A `Cast` is a named function on plain values. The parts of a converted value have no origins of their own, but that of
the value that was converted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.engine.delta import NEW, OLD, Compose, Computed, Delta, SideName, value_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Operator, Policy, Trail


@dataclass(frozen=True, slots=True)
class Cast:
    """A named conversion of a value."""

    name: str
    change: Callable[[Any], Any]


ITEMS = Cast("its items", list)
"""What iterating over the value gives: the characters of a string, the keys of a mapping."""


class Convert:
    """Combine after converting the old side, the new side or both."""

    __slots__ = ("_fault", "name", "new", "old", "then")

    def __init__(self, then: Operator, *, old: Cast | None = None, new: Cast | None = None, fault: str = "") -> None:
        """`fault` is the fault for a value that cannot be converted."""
        self.name = f"{then.name} of {' and '.join(cast.name for cast in (old, new) if cast)}"
        self.then = then
        self.old = old
        self.new = new
        self._fault = fault

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        try:
            old_part = _view(OLD, old, "old", self.old)
            new_part = _view(NEW, new, "new", self.new)
        except (TypeError, ValueError) as error:
            run.reject(self._fault, old, new, trail, str(error))
            return OLD
        old_value, new_value = value_of(old_part, old, new), value_of(new_part, old, new)
        delta = self.then.apply(old_value, new_value, policy, trail, run)
        return Compose(value_of(delta, old_value, new_value), old_part, new_part, delta)


def _view(unconverted: Delta, value: Any, side: SideName, cast: Cast | None) -> Delta:
    return unconverted if cast is None else Computed(cast.change(value), cast.name, side)
