"""`lamina find`: where a value or a key is set, over all targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import text_of
from lamina.cli.format_option import format_option
from lamina.cli.help_sections import example
from lamina.cli.output import echo, echo_json
from lamina.cli.workspace_request import is_incomplete, opened_workspace, show_failures, workspace_options
from lamina.errors import Diagnostic, InputError, UsageError
from lamina.paths import show
from lamina.project.shared_entries import in_targets, shared
from lamina.views.explain import in_brief, location_of
from lamina.workspace.find_value import values_found, where
from lamina.workspace.requested_text import RequestedText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.project.shared_entries import SharedEntry
    from lamina.workspace.find_value import FoundValue
    from lamina.workspace.workspace import Workspace


@click.command("find", epilog=example("lamina find 9000"))
@click.argument("text", metavar="VALUE|KEY")
@format_option()
@workspace_options
def command(text: str, form: str, root: str, dialect: str | None) -> int:
    """List where a value or a key is set, over all targets, and in which of them.

    A value is written as in YAML (8080, true, text). DIR is the folder of the project, or a tree without a project
    file.
    """
    workspace = opened_workspace(root, dialect)
    groups = shared(_locations(workspace, text))
    if not groups:
        unread = [each.target.name for each in workspace.outcomes() if is_incomplete(each)]
        if unread:
            show_failures(workspace.outcomes())
            raise InputError(_not_searched(text, in_targets(unread, len(workspace.targets))))
        hint = "a value is written as in YAML (8080, true, text), a key without its parents"
        raise UsageError(Diagnostic(code="no-such-value", message=f"no layer has the value or key {text}", hint=hint))
    if form == "json":
        from lamina.sources.json.writer import dump

        echo_json(dump({"version": 1, "text": text, "places": [_data(group) for group in groups]}))
    else:
        echo(text_of(_line(group, len(workspace.targets)) for group in groups))
    return show_failures(workspace.outcomes())


def _not_searched(text: str, unread: str) -> Diagnostic:
    return Diagnostic(
        code="not-searched",
        message=f"no layer that could be read has the value or key {text}; something could not be read in {unread}",
        hint="correct what is reported above, then search again",
    )


def _locations(workspace: Workspace, text: str) -> Iterator[tuple[str, FoundValue]]:
    requested = RequestedText(text)
    for outcome in workspace.outcomes():
        if outcome.result is not None:
            for location in values_found(outcome.result, requested):
                yield outcome.target.name, location


def _line(group: SharedEntry[FoundValue], total: int) -> str:
    location = group.entry
    what = f"{location_of(location.output, location.path)}: {in_brief(location.value)}"
    return f"{what} ({where(location)}) in {in_targets(group.targets, total)}"


def _data(group: SharedEntry[FoundValue]) -> dict[str, Any]:
    location, at = group.entry, group.entry.origin
    return {
        "output": location.output,
        "path": show(location.path),
        "value": location.value,
        "at": {"source": at.source, "line": at.line, "column": at.column} if at else None,
        "counts": location.counts,
        "verdict": location.verdict,
        "targets": group.targets,
    }
