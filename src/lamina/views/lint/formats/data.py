"""Findings as JSON; version 1 of the format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.origins import origin_data
from lamina.paths import show
from lamina.sources.json.writer import dump
from lamina.views.lint.formats.counts import count

if TYPE_CHECKING:
    from lamina.errors import Note
    from lamina.views.lint.api import Linted
    from lamina.views.lint.fixes import PlacedEdit


def as_json(linted: Linted) -> str:
    """The findings and their counts."""
    counts = {severity.word: number for severity, number in count(linted.findings).items()}
    findings = [note_data(note) for note in linted.findings]
    if linted.targets is not None:
        for data, note in zip(findings, linted.findings, strict=True):
            data["targets"] = list(linted.targets[note])
    if linted.edits is not None:
        for data, note in zip(findings, linted.findings, strict=True):
            data["fix"] = _fix_data(linted.edits.get(note))
    return dump({"version": 1, "findings": findings, "counts": counts})


def _fix_data(edit: PlacedEdit | None) -> dict[str, Any] | None:
    """The edit that fixes a finding: from `start` up to, but without, `end`."""
    if edit is None:
        return None
    start, end = ({"line": line, "column": column} for line, column in (edit.start, edit.end))
    return {"title": edit.title, "source": edit.source, "start": start, "end": end, "text": edit.text}


def note_data(note: Note) -> dict[str, Any]:
    """A finding as plain data."""
    return {
        "code": note.code,
        "severity": note.severity.word,
        "message": note.message,
        "at": origin_data(note.at) if note.at else None,
        "path": show(note.path) if note.path else None,
        "related": [{"message": label, "at": origin_data(origin)} for label, origin in note.related],
        "hint": note.hint,
        "subject": note.subject,
    }
