"""Code actions: the fixes of findings, and edits that make the value of a line count where it is overridden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml
from lsprotocol import types

from lamina.errors import LaminaError
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lamina.editor.open_project import OpenProject

SET: Final = "lamina.set"
_MOST: Final = 8
"""For how many targets an action is offered by itself."""


def quick_fixes(project: OpenProject, path: str, at: types.Range) -> list[types.CodeAction]:
    """The actions for some lines of a file."""
    lines = range(at.start.line, at.end.line + 1)
    return [*_fixes(project, path, lines), *_settings(project, path, at.start.line)]


def _fixes(project: OpenProject, path: str, lines: range) -> Iterator[types.CodeAction]:
    for diagnostic, edit in project.fixes.get(path, ()):
        if diagnostic.range.start.line in lines or diagnostic.range.end.line in lines:
            yield types.CodeAction(
                edit.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                is_preferred=True,
                edit=types.WorkspaceEdit(changes={project.uri_of(path): [project.text_edit(path, edit)]}),
            )


def _settings(project: OpenProject, path: str, line: int) -> Iterator[types.CodeAction]:
    """Make the value of a line count in targets where it is overridden."""
    lost: dict[str, list[str]] = {}
    for use in project.uses_at(path, line + 1):
        if use.verdict == "overridden" and not use.stale:
            where = f"{use.output}.{use.inner}" if use.output else use.inner
            lost.setdefault(where, []).append(use.target)
    for where, targets in list(lost.items())[:1]:
        wanted = [[each] for each in targets[:_MOST]]
        if len(targets) > 1:
            wanted.append(targets)
        for names in wanted:
            shown = names[0] if len(names) == 1 else f"all {len(names)} targets that override it"
            yield types.CodeAction(
                f"Lamina: use this value in {shown}",
                kind=types.CodeActionKind.RefactorRewrite,
                command=types.Command(
                    "use this value", SET, arguments=[project.uri_of(path), line, where, names, None]
                ),
            )


def proposed(
    project: OpenProject, path: str, line: int, where: str, targets: Sequence[str], text: str | None
) -> types.WorkspaceEdit | str:
    """The edit that gives targets a value, as YAML, by default that of a line; or why there is none."""
    try:
        value = project.value_on(path, line) if text is None else yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError, LaminaError):
        return "the value cannot be read"
    if value is MISSING:
        return "the value of this line is not known"
    try:
        found = project.workspace.propose(where, value, targets)
    except LaminaError as error:
        return str(error)
    if found.done:
        return "it is so already"
    if not found.exact:
        reasons = "; ".join(f"{place}: {reason}" for place, reason in found.refused.items())
        return f"no edit changes this and nothing else{f' ({reasons})' if reasons else ''}"
    return _workspace_edit(project, found.exact[0].texts)


def _workspace_edit(project: OpenProject, texts: Mapping[str, bytes]) -> types.WorkspaceEdit:
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for path, data in texts.items():
        uri, old = project.uri_of(path), project.text_of(path)
        if project.workspace.file(path) is None:
            changes.append(types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True)))
        version = types.OptionalVersionedTextDocumentIdentifier(uri, project.versions.get(path))
        changes.append(types.TextDocumentEdit(version, [old.edit_to(data)]))
    return types.WorkspaceEdit(document_changes=changes)
