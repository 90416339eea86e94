"""Collecting all findings of a run, each reported once.

A finding of a rule replaces a note of rendering with the same code and location, and the findings of general rules that
it covers. Similar notes with the same location are reported once, with their number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lamina._support.progress import unwatched
from lamina.budget import text_size, to_show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina._support.progress import Counting
    from lamina.budget import Budget
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.protocol.lint import LintRule
    from lamina.views.lint.context import Survey


def findings_of(
    rules: Sequence[LintRule], survey: Survey, notes: Iterable[Note], counting: Counting = unwatched
) -> list[Note]:
    """What the rules find, with the notes of rendering."""
    found: list[Note] = []
    budget = to_show()
    covered_findings: set[tuple[str, Origin | None]] = set()
    for rule in counting(rules):
        own = list(_counted(rule.findings(survey), budget))
        found.extend(own)
        covered_findings.update((code, origin) for code in rule.covers for note in own for origin in _origins(note))
    reported = {(note.code, note.at) for note in found}
    noted = [note for note in _counted(notes, budget) if note.at is None or (note.code, note.at) not in reported]
    return [
        note for note in (*folded(noted), *found) if note.at is None or (note.code, note.at) not in covered_findings
    ]


def _origins(note: Note) -> Iterator[Origin | None]:
    """Where a finding is, and what else it points at: no other rule need report the same there."""
    yield note.at
    yield from (origin for _, origin in note.related)


def _counted(notes: Iterable[Note], budget: Budget) -> Iterator[Note]:
    """The findings, counted against the budget of what may be shown."""
    for note in notes:
        budget.count_path(note.path)
        budget.spend(size=sum(map(text_size, (note.message, note.hint or "", *(label for label, _ in note.related)))))
        yield note


def folded(notes: Iterable[Note]) -> list[Note]:
    """The notes, those of one code on one place as one."""
    groups: dict[tuple[object, ...], list[Note]] = {}
    for note in dict.fromkeys(notes):
        key = (note.code, note.at) if note.at else (note.code, note.message, note.path)
        groups.setdefault(key, []).append(note)
    return [_as_one(group) for group in groups.values()]


def _as_one(notes: list[Note]) -> Note:
    first, *others = notes
    return replace(first, message=f"{first.message} (and {len(others)} more like it)") if others else first
