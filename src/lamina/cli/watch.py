"""`lamina diff --watch`: render again on every save, and say what that changes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from lamina._support.escapes import one_line, text_of
from lamina.cli.loaded_workspace import check_followed, loaded_workspace
from lamina.cli.notes import head_of
from lamina.cli.output import echo, print_error
from lamina.cli.terminal import takes_colour
from lamina.errors import LaminaError, Severity
from lamina.project.shared_entries import in_targets
from lamina.views.compat_check import CODE
from lamina.views.diff.phrases import count
from lamina.workspace.saved_files import paths_below, saved_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.cli.selected_targets import SelectedTargets
    from lamina.errors import Note
    from lamina.project.shared_entries import SharedEntry
    from lamina.workspace.impact import Impact
    from lamina.workspace.workspace import Workspace

_MOST = 30
"""How many changes or findings are printed for a save; after a checkout there may be thousands."""
_NAMED = 5
"""How many files are named."""


def watch_targets(selected: SelectedTargets) -> int:
    """Render all targets, then watch the files: on every save, print which targets change, how, and why."""
    project = selected.project
    check_followed(selected)
    saves = saved_paths(project.root)
    next(saves)  # from now on, nothing that is saved is missed
    started = time.perf_counter()
    workspace = loaded_workspace(selected)
    _print_line(f"rendered {_rendered(workspace)}, {_since(started)}; watching {project.prefix.rstrip('/') or '.'}")
    try:
        for paths in saves:
            if paths:
                _follow(workspace, paths)
    except KeyboardInterrupt:
        pass
    return 0


def _rendered(workspace: Workspace) -> str:
    """How many targets were rendered; where some failed, of how many."""
    outcomes = list(workspace.outcomes())
    done = sum(not each.failed for each in outcomes)
    return ("" if done == len(outcomes) else f"{done} of ") + count(len(outcomes), "target")


def _follow(workspace: Workspace, saved: Iterable[str]) -> None:
    paths = paths_below(workspace.project.root, saved)
    started = time.perf_counter()
    try:
        impact = workspace.refresh(paths)
    except LaminaError as error:
        print_error(str(error))
        return
    if impact.rendered or impact:
        _print(impact, workspace, _since(started))


def _print(impact: Impact, workspace: Workspace, duration: str) -> None:
    from lamina.views.diff.text import as_text

    total = len(workspace.targets)
    saved = one_line(_named([workspace.project.prefix + path for path in impact.files]))
    echo("\n")  # between one save and the next
    echo(f"{click.style(saved, bold=True) if takes_colour() else saved}: ")
    _print_line(f"{count(impact.rendered, 'target')} rendered, {duration}")
    if impact.differences:
        echo(as_text(impact.differences, colour=takes_colour(), most=_MOST))
    _print_findings([group for group in impact.findings if _is_shown(group.entry)], total)
    resolved = [group for group in impact.resolved if group.entry.severity is not Severity.INFO]
    for group in resolved[:_MOST]:
        print_error(one_line(f"gone: {group.entry.message} in {in_targets(group.targets, total)}"))
    _print_more(resolved, "gone")
    if not impact:
        _print_line("nothing changes")


def _is_shown(note: Note) -> bool:
    """Whether a note is printed; the many on values that differ from the manual concern the system, not the save."""
    return note.code != CODE or note.severity is not Severity.INFO


def _print_findings(found: Sequence[SharedEntry[Note]], total: int) -> None:
    for group in found[:_MOST]:
        print_error(f"{head_of(group.entry.severity)}{group.entry}")
        print_error(one_line(f"  in {in_targets(group.targets, total)}"))
    _print_more(found, "found")


def _print_more(groups: Sequence[object], what: str) -> None:
    if len(groups) > _MOST:
        print_error(f"… and {len(groups) - _MOST:,} more {what}")


def _named(paths: Sequence[str]) -> str:
    """Files by name, or the first of many."""
    shown = ", ".join(paths[:_NAMED])
    return f"{shown} and {count(len(paths) - _NAMED, 'more file')}" if len(paths) > _NAMED else shown


def _since(started: float) -> str:
    return f"{(time.perf_counter() - started) * 1000:,.0f} ms"


def _print_line(text: str) -> None:
    echo(text_of([text]))
