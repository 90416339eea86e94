"""`lamina watch`: render again on every save, and say what that changes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from lamina._support.escapes import one_line, text_of
from lamina.cli.help_sections import example
from lamina.cli.output import echo, print_error
from lamina.cli.render_request import head_of
from lamina.cli.terminal import takes_colour
from lamina.cli.workspace_request import opened_workspace, show_failures, workspace_options
from lamina.errors import LaminaError, Severity
from lamina.project.shared_entries import in_targets
from lamina.views.compat_check import CODE
from lamina.views.diff.phrases import count
from lamina.workspace.saved_files import paths_below, saved_paths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.workspace.impact import Impact
    from lamina.workspace.workspace import Workspace


@click.command("watch", epilog=example("lamina watch"))
@workspace_options
def command(root: str, dialect: str | None) -> int:
    """Render all targets, then watch the files: on every save, print which targets change, how, and why.

    Stop it with Ctrl-C. DIR is the folder of the project, or a tree without a project file.
    """
    saves = saved_paths(root)
    next(saves)  # from now on, nothing that is saved is missed
    started = time.perf_counter()
    workspace = opened_workspace(root, dialect)
    show_failures(workspace.outcomes())
    _print_line(f"rendered {count(len(workspace.targets), 'target')}, {_since(started)}; watching {root}")
    try:
        for paths in saves:
            if paths:
                _follow(workspace, paths)
    except KeyboardInterrupt:
        pass
    return 0


def _follow(workspace: Workspace, saved: Iterable[str]) -> None:
    paths = paths_below(workspace.project.root, saved)
    started = time.perf_counter()
    try:
        impact = workspace.refresh(paths)
    except LaminaError as error:
        print_error(str(error))
        return
    if impact.rendered or impact:
        _print(impact, paths, len(workspace.targets), _since(started))


def _print(impact: Impact, paths: list[str], total: int, duration: str) -> None:
    from lamina.views.diff.text import as_text

    _print_line(f"{', '.join(paths)}: {count(impact.rendered, 'target')} rendered, {duration}")
    if impact.changes:
        echo(as_text(impact.differences, colour=takes_colour()))
    for group in impact.findings:
        if group.entry.code == CODE and group.entry.severity is Severity.INFO:
            continue  # there are many, and they concern the system more than the save
        print_error(f"{head_of(group.entry.severity)}{group.entry}")
        print_error(one_line(f"  in {in_targets(group.targets, total)}"))
    for group in impact.resolved:
        if group.entry.severity is Severity.INFO:
            continue  # it went with the value it was about
        print_error(one_line(f"gone: {group.entry.message} in {in_targets(group.targets, total)}"))
    if not impact:
        _print_line("nothing changes")


def _since(started: float) -> str:
    return f"{(time.perf_counter() - started) * 1000:,.0f} ms"


def _print_line(text: str) -> None:
    echo(text_of([text]))
