"""The limits of a search: how much may be spent on a better answer before a simpler one is used."""

from __future__ import annotations

from lamina.budget import Budget

STEPS = 2_000_000
CHANGES = 100_000
"""How many changes are reported one by one."""


def to_search(steps: int = STEPS) -> Budget:
    """What may be spent on finding the items that belong together."""
    return Budget(steps)
