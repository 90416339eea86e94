"""The budget of a search: how many steps may be spent on a better answer before a simpler one is used."""

from __future__ import annotations

STEPS = 2_000_000
CHANGES = 100_000


class SearchBudget:
    """What is left of the steps that searching may take, and of the changes that are reported one by one."""

    def __init__(self, steps: int = STEPS, changes: int = CHANGES) -> None:
        self.steps = steps
        self.changes = changes

    def spend(self, steps: int) -> bool:
        """Take some steps; returns whether there were any left."""
        self.steps -= steps
        return self.steps >= 0
