"""Edits of files as text: a patch of them, what they change in the results, and how they are written."""

from __future__ import annotations

import os
import sys
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from lamina._support.escapes import one_line
from lamina.cli.output import print_error
from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.workspace.impact import Impact
    from lamina.workspace.workspace import Workspace

_MOST_CHANGES: Final = 8
_CONTEXT: Final = 3


def patch(workspace: Workspace, texts: Mapping[str, bytes], before: Mapping[str, bytes | None]) -> str:
    """Edits as a unified diff, for `git apply`; lines around a change are left out where a file has secrets."""
    return "".join(line for path in sorted(texts) for line in _lines(workspace, path, before.get(path), texts[path]))


def _lines(workspace: Workspace, path: str, before: bytes | None, after: bytes) -> Iterator[str]:
    old = [] if before is None else before.decode("utf-8", "replace").splitlines(keepends=True)
    new = after.decode("utf-8", "replace").splitlines(keepends=True)
    secrets = workspace.secret_lines(path) if before is not None else frozenset()
    context = 0 if secrets else _CONTEXT
    changed = {at for at, line in enumerate(old, start=1) if line not in new} if secrets else set()
    if secrets & changed:
        raise UsageError(
            Diagnostic(
                code="secret-value",
                message=f"line {min(secrets & changed)} of {path} would change and be printed, and it holds a secret",
                hint="add --cleartext-secrets to show it, or edit the file by hand",
            )
        )
    names = os.devnull if before is None else f"a/{path}", f"b/{path}"
    for line in unified_diff(old, new, *names, n=context):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def changes(impact: Impact) -> list[str]:
    """What edits change in the results, and what goes wrong with them."""
    from lamina.views.diff.text import as_text

    lines = as_text(impact.differences, most=_MOST_CHANGES).splitlines() if impact.differences else []
    findings = [str(each.entry).splitlines()[0] for each in impact.findings[:_MOST_CHANGES]]
    return [f"  {line}" for line in (*lines, *findings)] or ["  nothing"]


def write_or_ask(workspace: Workspace, texts: Mapping[str, bytes], *, write: bool, ask: bool) -> None:
    """Write edits if that was asked for, or if somebody at a terminal says so."""
    if not write and ask and sys.stdin.isatty() and sys.stdout.isatty():
        write = click.confirm("write it?", default=False)
    elif not write and ask:
        print_error("nothing was written; --write does it")
    if write:
        _write(workspace, texts)


def _write(workspace: Workspace, texts: Mapping[str, bytes]) -> None:
    from lamina.cli.write_files import unwritable, write_file

    for path, data in texts.items():
        file = Path(workspace.project.root, path)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(error, str(file)) from None
        write_file(str(file), data)
        print_error(one_line(f"wrote {path}"))
