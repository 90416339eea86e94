"""Findings as text for people: by file, with counts on the last line."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from lamina._support.escapes import text_of
from lamina.errors import Severity
from lamina.views.lint.formats.counts import count
from lamina.views.lint.formats.groups import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.errors import Note
    from lamina.views.lint.api import Linted

_NO_FILE = "(no file)"


def as_text(linted: Linted, *, summary: bool = True) -> str:
    """The findings, those of one file together, and how many there are."""
    lines: list[str] = []
    for name, notes in by_file(grouped(linted.causes)):
        lines.append(name)
        for note in notes:
            lines.extend(f"  {line}" for text in _lines(note) for line in text.split("\n"))
        lines.append("")
    return text_of([*lines, last_line(linted)] if summary else lines[:-1])


def by_file(findings: Sequence[Note]) -> Iterator[tuple[str, Iterator[Note]]]:
    """The findings of each file, which belong together."""
    return groupby(findings, key=lambda note: note.at.source if note.at else _NO_FILE)


def _lines(note: Note) -> Iterator[str]:
    place = f"{note.at.line}:{note.at.column} " if note.at else ""
    part = f" ({note.at.part})" if note.at and note.at.part else ""
    yield f"{place}{note.severity.word}: {note.message} [{note.code}]{part}"
    for label, origin in note.related:
        yield f"  {origin}: {label}"
    if note.consequences:
        yield f"  {note.what_follows}"
    if note.hint:
        yield f"  hint: {note.hint}"


def last_line(linted: Linted) -> str:
    """How many findings there are, in words."""
    findings = linted.causes
    known = f" ({linted.known:,} in the baseline)" if linted.known else ""
    if not findings:
        return f"no new findings{known}" if known else "no findings"
    counts = count(findings)
    words = [_number(counts[severity], severity) for severity in reversed(Severity) if counts[severity]]
    files = len({note.at.source for note in findings if note.at})
    fixable = f"; {len(linted.edits):,} fixable with --fix" if linted.edits else ""
    others = len(linted.findings) - len(findings)
    follow = f", from which {others:,} more follow{'s' * (others == 1)}" if others else ""
    return f"{', '.join(words)} in {files} file{'' if files == 1 else 's'}{follow}{known}{fixable}"


def _number(how_many: int, severity: Severity) -> str:
    plural = "" if how_many == 1 or severity is Severity.INFO else "s"
    return f"{how_many} {severity.word}{plural}"
