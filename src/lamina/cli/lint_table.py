"""Findings on a terminal: a table for each file, and at the end one that counts them by rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.errors import Severity
from lamina.views.lint.formats.groups import grouped
from lamina.views.lint.formats.text import by_file, last_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from lamina.cli.tables import Row
    from lamina.errors import Note
    from lamina.views.lint.api import Linted

LEAST = (6, 8, 36)
"""Characters that the columns need: place, severity, message."""

_COLOURS = {Severity.INFO: "cyan", Severity.WARNING: "yellow", Severity.ERROR: "red"}


def as_tables(linted: Linted, *, summary: bool = True) -> str:
    """The findings by file, those of each rule counted, and how many there are."""
    from lamina.cli.tables import Column, grid, text, written

    columns = [Column("", least) for least in LEAST]
    pieces: list[RenderableType | str] = []
    for name, notes in by_file(grouped(linted.causes)):
        pieces += [text(name, "bold"), grid(columns, map(_row, notes)), ""]
    if not summary:
        return written(*pieces[:-1]) if pieces else ""
    if linted.findings:
        pieces += [_by_rule(linted), ""]
    return written(*pieces, last_line(linted))


def _row(note: Note) -> Row:
    from lamina.cli.tables import lines, text

    details = [text(f"{origin}: {label}", "dim") for label, origin in note.related]
    details += [text(note.what_follows, "dim")] if note.consequences else []
    details += [text(f"hint: {note.hint}", "dim")] if note.hint else []
    part = f" ({note.at.part})" if note.at and note.at.part else ""
    return (
        f"{note.at.line}:{note.at.column}" if note.at else "",
        text(note.severity.word, _COLOURS[note.severity]),
        lines(f"{note.message} [{note.code}]{part}", *details),
    )


def _by_rule(linted: Linted) -> RenderableType:
    from lamina.cli.tables import Column, table

    columns = [
        Column("rule", 12),
        Column("severity", 8),
        Column("findings", 8, number=True),
        Column("what it finds", 16),
    ]
    return table(columns, [list(_counts(linted))])


def _counts(linted: Linted) -> Iterator[Row]:
    """A row for each code that was found: the worst first, then the most frequent."""
    from lamina.cli.tables import text

    titles = {rule.code: rule.title for rule in linted.rules}
    found: dict[str, list[Note]] = {}
    for note in linted.causes:
        found.setdefault(note.code, []).append(note)
    for code, notes in sorted(found.items(), key=lambda each: (-_worst(each[1]), -len(each[1]), each[0])):
        severity = _worst(notes)
        yield code, text(severity.word, _COLOURS[severity]), f"{len(notes):,}", titles.get(code, "A note of rendering")


def _worst(notes: Sequence[Note]) -> Severity:
    return max(note.severity for note in notes)
