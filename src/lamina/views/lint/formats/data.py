"""Findings as JSON; version 1 of the form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.paths import show
from lamina.sources.json.writer import dump
from lamina.views.explain import origin_data
from lamina.views.lint.formats.counts import count

if TYPE_CHECKING:
    from lamina.errors import Note
    from lamina.views.lint.api import Linted


def as_json(linted: Linted) -> str:
    """The findings and their counts."""
    counts = {severity.word: number for severity, number in count(linted.findings).items()}
    findings = [note_data(note) for note in linted.findings]
    if linted.targets is not None:
        for data, note in zip(findings, linted.findings, strict=True):
            data["targets"] = list(linted.targets[note])
    return dump({"version": 1, "findings": findings, "counts": counts})


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
