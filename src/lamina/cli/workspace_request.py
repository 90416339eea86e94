"""The workspace a command was asked to look at, and files as it knows them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from lamina.cli.notes import status_of
from lamina.cli.spinner import spinner
from lamina.errors import InputError, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.errors import Note
    from lamina.workspace.workspace import Outcome, Workspace

Decorated = TypeVar("Decorated", bound=Callable[..., object])


def workspace_options(function: Decorated) -> Decorated:
    """The arguments of every command that looks at all targets."""
    root = click.argument("root", default=".", metavar="[DIR]", type=click.Path(exists=True))
    about = "The dialect of a folder without a project file; auto-detected if not given."
    return root(click.option("-d", "--dialect", metavar="NAME", help=about)(function))


def opened_workspace(root: str, dialect: str | None) -> Workspace:
    """The workspace of a folder or project file, all targets rendered; one without targets is an error."""
    from lamina.cli.selected_targets import no_targets
    from lamina.workspace.workspace import Workspace

    workspace = Workspace(root, dialect)
    if not workspace.targets:
        raise InputError(no_targets(workspace.project))
    with spinner("rendering", "target"):
        workspace.load()
    return workspace


def path_in(workspace: Workspace, file: str) -> str:
    """A file, as the caller names it, as a path from the root of a workspace."""
    inside = os.path.relpath(os.path.realpath(file), workspace.project.root)
    return inside.replace(os.sep, "/")


def show_failures(outcomes: Iterable[Outcome]) -> int:
    """Print why targets could not be rendered, or only in part; the exit status that calls for."""
    from lamina.cli.selected_targets import TargetMessages

    everything = list(outcomes)
    messages = TargetMessages(len(everything))
    for each in everything:
        if each.error is not None:
            messages.fail(each.target.name, each.error)
        messages.note(each.target.name, _dropped(each))
    return messages.print_all(quiet=False, status_of=status_of)


def is_incomplete(outcome: Outcome) -> bool:
    """Whether a target could not be rendered, or only in part, so that nobody knows what the rest would say."""
    return outcome.failed or bool(_dropped(outcome))


def _dropped(outcome: Outcome) -> list[Note]:
    """What was left out of the result of a target, as the real system leaves it out."""
    notes = outcome.result.notes if outcome.result is not None else ()
    return [note for note in notes if note.severity >= Severity.ERROR]
