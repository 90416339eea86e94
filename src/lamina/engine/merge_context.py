"""One run of the kernel: what went wrong, what was worth a remark, and how much may still be built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.budget import Budget

if TYPE_CHECKING:
    from lamina.engine.policy import Trail
    from lamina.paths import Path

DEEPEST = 220
"""How deep containers may be nested once outputs are put into outputs."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two values that the policy rejects or has a note on; `fault` names the reason in general words."""

    fault: str
    old: Any
    new: Any
    old_path: Path
    new_path: Path
    detail: str


class MergeContext:
    """Collects the clashes and remarks of one combine.

    What it builds counts against the budget of the whole run; how many items it compares, against one of its own.
    """

    __slots__ = ("_effort", "budget", "clashes", "remarks")

    def __init__(self, budget: Budget | None = None, effort: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._effort = effort
        self.clashes: list[Conflict] = []
        self.remarks: list[Conflict] = []

    @property
    def effort(self) -> Budget:
        """What may still be compared; made when it is first needed, since most merges compare nothing."""
        if self._effort is None:
            self._effort = Budget(unit="steps")
        return self._effort

    def refuse(self, fault: str, old: Any, new: Any, trail: Trail, detail: str = "") -> None:
        """Record that two values cannot be combined; the whole combine is then void."""
        self.clashes.append(Conflict(fault, old, new, *paths_of(trail), detail))

    def remark(self, fault: str, old: Any, new: Any, trail: Trail, detail: str = "") -> None:
        """Record something the user should know about a combination that went through."""
        self.remarks.append(Conflict(fault, old, new, *paths_of(trail), detail))

    def spend(self, amount: int) -> None:
        """Count values that are looked at."""
        self.effort.spend(amount)

    def build(self, nodes: int = 0, size: int = 0) -> None:
        """Count what is being built."""
        self.budget.spend(nodes, size)

    def build_text(self, length: int) -> None:
        """Count text that is put together bit by bit, which takes time as well."""
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
