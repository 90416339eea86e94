"""How many findings there are of each severity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.errors import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.errors import Note


def count(findings: Iterable[Note]) -> dict[Severity, int]:
    """The number of findings of each severity."""
    counts = dict.fromkeys(Severity, 0)
    for note in findings:
        counts[note.severity] += 1
    return counts
