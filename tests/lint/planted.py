"""Planted defects: one folder a rule, `bad` with the defect and `good` without, and where the rule must fire."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Planted:
    """The inputs of both sets, and the places in the bad one as `file:line`."""

    inputs: tuple[str, ...]
    places: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    flags: str = ""
    """The options as they are given on the command line."""

    @property
    def command(self) -> str:
        """What finds the defect on the command line."""
        return " ".join(["lamina lint", *filter(None, [self.flags]), *self.inputs])


TWO = ("image.yaml", "team.yaml")
ONE = ("team.yaml",)

PLANTED = {
    "redundant-value": Planted(TWO, ("team.yaml:2",)),
    "always-overridden": Planted(("global.yaml", "site.yaml"), ("global.yaml:20",)),
    "lost-layer": Planted(TWO, ("team.yaml:2",)),
    "unreachable-rule": Planted((".",), ("./Datum.yml:6",)),
    "idle-rule": Planted(TWO, ("image.yaml:2",)),
    "strikes-nothing": Planted(TWO, ("team.yaml:3",)),
    "kind-changes": Planted(TWO, ("team.yaml:4",)),
    "near-miss-key": Planted(TWO, ("team.yaml:2",)),
    "duplicate-key": Planted(ONE, ("team.yaml:4",)),
    "never-matches": Planted((".",), ("./Roles/Wbe.yml:1",)),
    "cleartext-secret": Planted(ONE, ("team.yaml:4",)),
}
