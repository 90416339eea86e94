"""Jobs: what the workers of one fleet run get, and what they send back.

All of it is small and can be pickled: names, options and digests travel, never trees. The texts of results do only
where they are wanted on standard output.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina.errors import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.protocol.extensions import FleetNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is the same for all nodes of a run.

    `root` is the folder of the inputs, as every worker sees it; `prefix` is what comes before the names of inputs
    when they are shown. Without `output` the texts are returned. `run` names the run. `allowed` are
    further folders whose files inputs may name; `ignore` are patterns of files that are not listed.
    `options` are those of all nodes; those in `fixed` are the caller's, and win over a node's own.
    """

    run: str
    dialect: str
    options: tuple[tuple[str, Any], ...]
    fixed: tuple[tuple[str, Any], ...] = ()
    root: str
    prefix: str = ""
    form: str = "yaml"
    sort: bool = True
    unknown: str = "mark"
    output: str | None = None
    allowed: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JournalRow:
    """What the journal knows of a node: digests of what it was rendered from and of its text, and what was read beside
    its inputs, by folder and name (no digest: it was looked for and missing)."""

    inputs: str
    text: str
    sibling_files: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """One node to render, unless it is as the journal knows it."""

    node: FleetNode
    known: JournalRow | None = None


@dataclass(slots=True, eq=False)
class RepeatedFinding:
    """One finding: whether it means failure, how many nodes it was said of, and some of them."""

    failed: bool
    severity: Severity
    count: int = 0
    nodes: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Report:
    """The outcome of a batch."""

    rendered: int = 0
    current: int = 0
    """Nodes whose output was up to date."""
    failed: int = 0
    dropped: int = 0
    """Rendered nodes of which something was dropped."""
    repeated: dict[str, RepeatedFinding] = field(default_factory=dict)
    rows: list[tuple[str, JournalRow]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def count(self) -> int:
        return self.rendered + self.current + self.failed

    def add_finding(self, text: str, node: str, severity: Severity, *, failed: bool = False) -> None:
        """Note what was said of a node; the same said of many is kept once."""
        repeated = self.repeated.setdefault(text, RepeatedFinding(failed, severity))
        repeated.count += 1
        if len(repeated.nodes) < 3:
            repeated.nodes.append(node)

    def fail(self, text: str, node: str) -> None:
        """Count a node that could not be rendered."""
        self.failed += 1
        self.add_finding(text, node, Severity.ERROR, failed=True)

    def add(self, other: Report, most: int = 1000) -> None:
        """Add the counts and findings of another report; of the findings, not more than `most` different ones."""
        self.rendered += other.rendered
        self.current += other.current
        self.failed += other.failed
        self.dropped += other.dropped
        self.seconds += other.seconds
        for text, repeated in other.repeated.items():
            if text in self.repeated or len(self.repeated) < most:
                known = self.repeated.setdefault(text, RepeatedFinding(repeated.failed, repeated.severity))
                known.count += repeated.count
                known.nodes = [*known.nodes, *repeated.nodes][:3]
