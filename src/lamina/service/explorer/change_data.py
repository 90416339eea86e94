"""Changes as the page shows them: each once with all it is in, both values as text, and the places that cause it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.escapes import visible
from lamina.errors import Severity
from lamina.paths import MISSING
from lamina.service.explorer.tree import origin_data_of
from lamina.views.diff.change import ChangeKind
from lamina.views.diff.grouping import is_whole_output
from lamina.views.diff.phrases import SECRET, value_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.errors import Note
    from lamina.views.diff.change import Cause, Change
    from lamina.views.diff.grouping import ChangeGroup
    from lamina.views.result import Result
    from lamina.views.schemas.explorer import ChangeCauseData, ShownChangeData, ShownChangesData, ShownFindingData

MOST = 500
"""How many changes are sent."""
MOST_LINES = 200
"""How many lines of a value are sent."""
LONGEST_LINE = 2_000
MOST_NOTES = 200
"""How many errors are sent."""


def changes_data(groups: Sequence[ChangeGroup]) -> ShownChangesData:
    """The changes, and how many there are in all."""
    return {"total": len(groups), "changes": [_change(group) for group in groups[:MOST]]}


def note_data(note: Note, targets: Sequence[str]) -> ShownFindingData:
    """A finding, and what it is in."""
    return {
        "code": note.code,
        "severity": note.severity.word,
        "message": visible(note.message),
        "place": origin_data_of(note.at),
        "targets": [visible(name) for name in targets],
    }


def new_errors(before: Result, after: Result) -> list[ShownFindingData]:
    """The errors of a result that another one does not have."""
    known = {(note.code, note.message) for note in before.notes}
    found = [note for note in after.notes if note.severity >= Severity.ERROR and (note.code, note.message) not in known]
    return [note_data(note, [note.subject] if note.subject else []) for note in found[:MOST_NOTES]]


def _change(group: ChangeGroup) -> ShownChangeData:
    change = group.change
    before, after = _sides(change)
    return {
        "kind": change.kind.value,
        "whole": is_whole_output(change),
        "path": visible(group.outputs[0] if group.is_whole_output and group.outputs else change.where),
        "within": visible(group.within or ""),
        "holders": [visible(name) for name in group.outputs],
        "before": before,
        "after": after,
        "causes": [_cause(cause) for cause in change.causes],
    }


def _sides(change: Change) -> tuple[str | None, str | None]:
    if is_whole_output(change):
        return None, None
    if change.kind is ChangeKind.MOVED:
        return f"[{change.at_before[-1]}]", f"[{change.at_after[-1]}]"
    return _text(change.before, change.secret), _text(change.after, change.secret)


def _text(value: Any, secret: bool) -> str | None:
    """A value line by line; None if there is none."""
    if value is MISSING:
        return None
    lines = [SECRET] if secret else value_lines(value)
    shown = [visible(line[:LONGEST_LINE]) for line in lines[:MOST_LINES]]
    return "\n".join(shown if len(lines) <= MOST_LINES else [*shown, "…"])


def _cause(cause: Cause) -> ChangeCauseData:
    return {"how": cause.how.value, "place": origin_data_of(cause.origin), "rule": visible(cause.text or "")}
