"""Outline: the keys of a file, and its documents where it has several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.editor.file_text import FileText
    from lamina.editor.open_project import OpenProject
    from lamina.workspace.outline import OutlineEntry


def outline(project: OpenProject, path: str) -> list[types.DocumentSymbol]:
    """The symbols of a file, also of one that cannot be parsed."""
    if project.workspace.file(path) is None:
        return []
    return _symbols(project.text_of(path), project.workspace.outline(path))


def _symbols(text: FileText, entries: Iterable[OutlineEntry]) -> list[types.DocumentSymbol]:
    return [
        types.DocumentSymbol(
            name=entry.name or "''",
            kind=types.SymbolKind.Module
            if entry.is_document
            else types.SymbolKind.Object
            if entry.inside
            else types.SymbolKind.Key,
            range=types.Range(text.position(entry.line - 1, entry.column - 1), text.end_of(entry.last_line - 1)),
            selection_range=text.from_column(entry.line - 1, entry.column - 1),
            children=_symbols(text, entry.inside),
        )
        for entry in entries
    ]
