"""The limits of one template: steps, bytes and time, and the cost of values.

Every value that a template creates is counted when it is created, or before if it may be large; nothing is refunded. So
a template never has more memory than it was allowed to create. Operations on whole values (a filter, a comparison,
printing) cost as much as the values written out, even if they contain the same list many times.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from lamina.budget import MIB, Budget, text_size

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


def to_render() -> Budget:
    """The budget of one template: what it does, and what it builds."""
    return Budget(STEPS, MEMORY, _takes_too_much, "steps", seconds=SECONDS)


def to_print() -> Budget:
    """How much one template may print."""
    return Budget(size=PRINTED, exceeded=_prints_too_much)


def _takes_too_much(what: str) -> Exceeded:
    return Exceeded(f"it takes more than {what}, which is Lamina's limit")


def _prints_too_much(what: str) -> Exceeded:
    return Exceeded(f"it prints more than {what}, which is Lamina's limit")


def make(budget: Budget, size: int) -> None:
    """Count bytes that are created."""
    if size > LARGEST:
        raise too_large()
    budget.spend(size=size)


def traverse(budget: Budget, size: int) -> None:
    """Count the steps to process so many bytes."""
    budget.spend(1 + size // _AT_ONCE)


def size_of(budget: Budget, *values: Any) -> Size:
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
    budget.spend(items // _VISITS + text // _AT_ONCE)
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
