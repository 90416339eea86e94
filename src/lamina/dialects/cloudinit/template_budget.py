"""What one template may do: steps, bytes and time, and what each value costs of them.

Every value a template makes is counted when it is made, or before where it may be large; nothing is given back. So what
a template holds is never more than what it was allowed to make. What goes through whole values (a filter, a comparison,
printing) costs as much as they are large when written out, however often the same list is in them.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, Final, NamedTuple

from lamina.budget import MIB, text_size

STEPS: Final = 250_000
"""How many steps a template may take; a step is about a turn of an empty loop."""
SECONDS: Final = 1.25
"""How long it may take, should the steps be slow; a template is rendered up to four times for one result."""
MEMORY: Final = 48 * MIB
"""How many bytes it may make, all values together."""
LARGEST: Final = 4 * MIB
"""How many bytes one value may take when it is written out."""
ITEMS: Final = 200_000
"""How many items one value may have, those inside of items included."""
PRINTED: Final = 32 * MIB
"""How much it may print, at all places together."""
BITS: Final = 100_000
"""How long a number may be."""
NODE: Final = 64
"""What a value takes besides its text, about."""

_AT_ONCE: Final = 1024
"""How many bytes the template language goes through in a step."""
_VISITS: Final = 8
"""How many items are looked at in a step."""


class Exceeded(Exception):
    """The template works or prints beyond what is allowed."""


class Size(NamedTuple):
    """How large a value is when written out: its items, their text in bytes, and how deep they are nested."""

    items: int
    text: int
    depth: int

    @property
    def taken(self) -> int:
        """The memory that takes, about."""
        return self.text + self.items * NODE


class TemplateBudget:
    """What is left for one template."""

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
        """Count bytes that are made, or about to be."""
        self._memory -= size
        if size > LARGEST:
            raise too_large()
        if self._memory < 0:
            raise Exceeded(f"it builds more than {MEMORY // MIB} MiB of strings and lists, which is Lamina's limit")

    def go_through(self, size: int) -> None:
        """Count the time it takes to go through so many bytes."""
        self.spend(1 + size // _AT_ONCE)

    def print(self, size: int) -> None:
        """Count bytes that are printed."""
        self._printed -= size
        if self._printed < 0:
            raise Exceeded(f"it prints more than {PRINTED // MIB} MiB, which is Lamina's limit")

    def size_of(self, *values: Any) -> Size:
        """How large values are together; what is too large, or holds itself, is rejected."""
        items = text = depth = 0
        level: list[Any] = list(values)
        while level:
            items += len(level)
            below: list[Any] = []
            for value in level:
                if isinstance(value, (str, bytes)):
                    text += text_size(value)
                elif isinstance(value, int):
                    text += value.bit_length() // 3 + 1
                elif (inside := _inside(value)) is not None:
                    if items + len(below) + len(inside) > ITEMS:
                        raise too_large()
                    below += inside
            if text > LARGEST or items > ITEMS:
                raise too_large()
            depth += 1
            level = below
        self.spend(items // _VISITS + text // _AT_ONCE)
        return Size(items, text, depth)


def _inside(value: Any) -> Any:
    """What a container holds, keys included; none if it is not a container."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, (list, tuple, set, frozenset)) else None


def too_large() -> Exceeded:
    return Exceeded(
        f"it builds a string of more than {LARGEST // MIB} MiB or a list of more than {ITEMS:,} items, "
        "which is Lamina's limit"
    )
