"""The budget of one template: steps, bytes and time, and the cost of values.

Every value that a template creates is counted when it is created, or before if it may be large; nothing is refunded. So
a template never has more memory than it was allowed to create. Operations on whole values (a filter, a comparison,
printing) cost as much as the values written out, even if they contain the same list many times.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, Final, NamedTuple

from lamina.budget import MIB, text_size

STEPS: Final = 250_000
"""How many steps a template may take; a step is about a turn of an empty loop."""
SECONDS: Final = 1.25
"""How long it may take, if steps are slow; a template is rendered up to four times for one result."""
MEMORY: Final = 48 * MIB
"""How many bytes all its values together may have."""
LARGEST: Final = 4 * MIB
"""How many bytes one value may take when it is written out."""
ITEMS: Final = 200_000
"""How many items one value may have, those inside of items included."""
PRINTED: Final = 32 * MIB
"""How much it may print, at all places together."""
BITS: Final = 100_000
"""How long a number may be."""
NODE: Final = 64
"""The approximate size of a value besides its text."""

_AT_ONCE: Final = 1024
"""How many bytes the template language processes in a step."""
_VISITS: Final = 8
"""How many items are visited in a step."""


class Exceeded(Exception):
    """The template exceeds its budget."""


class Size(NamedTuple):
    """How large a value is when written out: its items, their text in bytes, and how deep they are nested."""

    items: int
    text: int
    depth: int

    @property
    def taken(self) -> int:
        """The approximate memory."""
        return self.text + self.items * NODE


class TemplateBudget:
    """The remaining budget of one template."""

    def __init__(self) -> None:
        self._steps = STEPS
        self._memory = MEMORY
        self._printed = PRINTED
        self._until = monotonic() + SECONDS

    @property
    def taken(self) -> int:
        """How many steps were taken."""
        return STEPS - max(0, self._steps)

    def spend(self, steps: int) -> None:
        """Count steps."""
        self._steps -= steps
        if self._steps < 0:
            raise Exceeded(f"it takes more than {STEPS:,} steps, which is Lamina's limit")
        if monotonic() > self._until:
            raise Exceeded(f"it takes more than {SECONDS} seconds, which is Lamina's limit")

    def make(self, size: int) -> None:
        """Count bytes that are created."""
        self._memory -= size
        if size > LARGEST:
            raise too_large()
        if self._memory < 0:
            raise Exceeded(f"it builds more than {MEMORY // MIB} MiB of strings and lists, which is Lamina's limit")

    def traverse(self, size: int) -> None:
        """Count the steps to process so many bytes."""
        self.spend(1 + size // _AT_ONCE)

    def print(self, size: int) -> None:
        """Count bytes that are printed."""
        self._printed -= size
        if self._printed < 0:
            raise Exceeded(f"it prints more than {PRINTED // MIB} MiB, which is Lamina's limit")

    def size_of(self, *values: Any) -> Size:
        """The total size of values; rejects values that are too large or contain themselves."""
        items = text = depth = 0
        level: list[Any] = list(values)
        while level:
            items += len(level)
            nested: list[Any] = []
            for value in level:
                if isinstance(value, (str, bytes)):
                    text += text_size(value)
                elif isinstance(value, int):
                    text += value.bit_length() // 3 + 1
                elif (inside := _inside(value)) is not None:
                    if items + len(nested) + len(inside) > ITEMS:
                        raise too_large()
                    nested += inside
            if text > LARGEST or items > ITEMS:
                raise too_large()
            depth += 1
            level = nested
        self.spend(items // _VISITS + text // _AT_ONCE)
        return Size(items, text, depth)


def _inside(value: Any) -> Any:
    """The content of a container, keys included; empty for a scalar."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, (list, tuple, set, frozenset)) else None


def too_large() -> Exceeded:
    return Exceeded(
        f"it builds a string of more than {LARGEST // MIB} MiB or a list of more than {ITEMS:,} items, "
        "which is Lamina's limit"
    )
