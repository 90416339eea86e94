"""The context of one merge: conflicts, remarks, and what may still be built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.budget import Budget

if TYPE_CHECKING:
    from lamina.engine.policy import Trail
    from lamina.paths import Path

DEEPEST = 220
"""How deep containers may be nested in a result; outputs inserted into outputs can nest deeper than any input."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two values that an operator rejects or has a remark on; `fault` is the reason, worded by the dialect."""

    fault: str
    old: Any
    new: Any
    old_path: Path
    new_path: Path
    detail: str


class MergeContext:
    """Collects the conflicts and remarks of one merge.

    What is built counts against the budget of the whole run; comparisons count against a budget of this merge.
    """

    __slots__ = ("_effort", "budget", "build", "conflicts", "remarks")

    def __init__(self, budget: Budget | None = None, effort: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self.build = self.budget.spend
        """Counts nodes and bytes that are built."""
        self._effort = effort
        self.conflicts: list[Conflict] = []
        self.remarks: list[Conflict] = []

    @property
    def effort(self) -> Budget:
        """The budget for comparisons; created when first needed, since most merges compare nothing."""
        if self._effort is None:
            self._effort = Budget(unit="steps")
        return self._effort

    def reject(self, fault: str, old: Any, new: Any, trail: Trail, detail: str = "") -> None:
        """Record that two values cannot be combined; the whole merge then fails."""
        self.conflicts.append(Conflict(fault, old, new, *paths_of(trail), detail))

    def remark(self, fault: str, old: Any, new: Any, trail: Trail, detail: str = "") -> None:
        """Record something the user should know about a merge that succeeds."""
        self.remarks.append(Conflict(fault, old, new, *paths_of(trail), detail))

    def spend(self, amount: int) -> None:
        """Count values that are compared."""
        self.effort.spend(amount)

    def build_text(self, length: int) -> None:
        """Count a string that is assembled piece by piece, which also takes time."""
        self.effort.spend(length)
        self.budget.spend(size=length)


def paths_of(trail: Trail) -> tuple[Path, Path]:
    """The trail as two paths: one in the old side, one in the new."""
    old: list[Any] = []
    new: list[Any] = []
    while trail is not None:
        trail, old_step, new_step = trail
        old.append(old_step)
        new.append(new_step)
    return tuple(reversed(old)), tuple(reversed(new))
