"""Diagnostics: what there is to say about a file, as an editor lists it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from lamina._support.escapes import visible
from lamina.errors import Severity
from lamina.project.shared_entries import in_targets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.editor.open_project import OpenProject
    from lamina.errors import Note
    from lamina.project.shared_entries import SharedEntry

_SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_MOST: Final = 500
"""How many findings of one file are shown."""


def diagnostics(project: OpenProject, path: str, found: Iterable[SharedEntry[Note]]) -> list[types.Diagnostic]:
    """The findings of a file, each once, with the targets it is about where that is not all."""
    return [diagnostic_of(project, path, each.entry, each.targets) for each in islice(found, _MOST)]


def diagnostic_of(project: OpenProject, path: str, note: Note, targets: Sequence[str]) -> types.Diagnostic:
    """A finding of a file."""
    total = len(project.workspace.seen().outcomes)
    text = note.message if not targets or len(targets) == total else f"{note.message} (in {in_targets(targets, total)})"
    if note.hint:
        text += f"\nhint: {note.hint}"
    related = [
        types.DiagnosticRelatedInformation(location, visible(label))
        for label, origin in note.related
        if (location := project.location(origin)) is not None
    ]
    start = types.Position(0, 0)
    return types.Diagnostic(
        range=project.text_of(path).at(note.at) if note.at else types.Range(start, start),
        message=visible(text, keep="\n"),
        severity=_SEVERITIES[note.severity],
        code=note.code,
        source="lamina",
        related_information=related or None,
    )
