"""Findings as JSON; version 1 of the format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.origins import data_or_none, origin_data
from lamina.paths import show
from lamina.sources.json.writer import dump
from lamina.views.lint.formats.counts import count

if TYPE_CHECKING:
    from lamina.errors import Note
    from lamina.views.lint.api import Linted
    from lamina.views.lint.fixes import PlacedEdit
    from lamina.views.schemas.findings import FindingData, FixData, LintData, TextPlaceData


def as_json(linted: Linted) -> str:
    """The findings and their counts, as text."""
    return dump(as_data(linted))


def as_data(linted: Linted) -> LintData:
    """The findings and their counts."""
    counts = {severity.word: number for severity, number in count(linted.causes).items()}
    return {"version": 1, "findings": [_data(note, linted) for note in linted.causes], "counts": counts}


def _data(note: Note, linted: Linted) -> FindingData:
    data: FindingData = {
        "code": note.code,
        "severity": note.severity.word,
        "message": note.message,
        "at": data_or_none(note.at),
        "path": show(note.path) if note.path else None,
        "related": [{"message": label, "at": origin_data(origin)} for label, origin in note.related],
        "hint": note.hint,
        "subject": note.subject,
        "consequences": list(note.consequences),
        "targets": list(linted.targets[note]) if linted.targets else [],
    }
    if linted.edits is not None:
        data["fix"] = _fix_data(linted.edits.get(note))
    return data


def _fix_data(edit: PlacedEdit | None) -> FixData | None:
    """The edit that fixes a finding: from `start` up to, but without, `end`."""
    if edit is None:
        return None
    return {
        "title": edit.title,
        "source": edit.source,
        "start": _place(edit.start),
        "end": _place(edit.end),
        "text": edit.text,
    }


def _place(place: tuple[int, int]) -> TextPlaceData:
    return {"line": place[0], "column": place[1]}
