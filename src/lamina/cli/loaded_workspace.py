"""The workspace of a command that follows files: all targets rendered, and what could not be rendered reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lamina.cli.output import status_of
from lamina.cli.selected_targets import TargetMessages
from lamina.cli.spinner import spinner
from lamina.errors import Severity

if TYPE_CHECKING:
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.workspace.workspace import Workspace


def check_followed(selected: SelectedTargets) -> None:
    """Reject inputs that cannot be followed, and projects without targets."""
    if "-" in selected.request.inputs:
        raise click.UsageError("Standard input cannot be followed; name files or folders.")
    selected.targets()


def loaded_workspace(selected: SelectedTargets, *, with_notes: bool = True) -> Workspace:
    """The workspace of the selected targets; `with_notes`, what there is to say about their results is printed."""
    from lamina.workspace.workspace import Workspace

    workspace = Workspace(selected.project)
    with spinner("rendering", "target"):
        workspace.load()
    messages = TargetMessages(len(workspace.targets))
    for each in workspace.outcomes():
        if each.error is not None:
            messages.fail(each.target.name, each.error)
        notes = each.result.notes if each.result is not None and with_notes else ()
        messages.note(each.target.name, [note for note in notes if note.severity >= Severity.ERROR])
    messages.print_all(quiet=False, status_of=status_of)
    return workspace
