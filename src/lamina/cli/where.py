"""`lamina where`: what a line of a file decides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from lamina._support.escapes import text_of
from lamina.cli.format_option import format_option
from lamina.cli.help_sections import example
from lamina.cli.output import echo, echo_json
from lamina.cli.workspace_request import is_incomplete, opened_workspace, path_in, show_failures, workspace_options
from lamina.errors import Diagnostic, UsageError
from lamina.project.shared_entries import in_targets
from lamina.workspace.line_use_data import as_data, grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.origins import Origin
    from lamina.workspace.line_uses import LineUse
    from lamina.workspace.workspace import Workspace

_LOCATION = re.compile(r"(?P<file>.+?):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?")

_WORDS = {
    "wins": "set by this line",
    "merged": "set by this line and others",
    "overridden": "overridden",
    "ignored": "not affected by this line",
    "steers": "decided by the rule on this line",
}


@click.command("where", epilog=example("lamina where site.yaml:12"))
@click.argument("place", metavar="LOCATION")
@format_option()
@workspace_options
def command(place: str, form: str, root: str, dialect: str | None) -> int:
    """Show what a line of a file decides: in which targets it wins, is overridden, or controls the merge.

    LOCATION is FILE:LINE, FILE:LINE:COLUMN, or FILE#path. DIR is the folder of the project, or a tree without a project
    file. The exit status is 0 even if the line decides nothing, unless something could not be read.
    """
    workspace = opened_workspace(root, dialect)
    file, line, column = _position(place, workspace)
    uses = workspace.where(file, line, column)
    total = len(workspace.targets)
    outcomes = workspace.outcomes()
    if all(each.failed for each in outcomes):
        return show_failures(outcomes)  # nothing is known of the line
    if form == "json":
        from lamina.sources.json.writer import dump

        echo_json(dump(as_data(file, line, column, uses, workspace.chosen_by(file))))
    else:
        place = f"{workspace.project.prefix}{file}:{line}"
        nowhere = [_not_found(place, workspace.chosen_by(file), total, complete=not any(map(is_incomplete, outcomes)))]
        echo(text_of(_lines(place, uses, total) if uses else nowhere))
    return show_failures(outcomes)


def _position(place: str, workspace: Workspace) -> tuple[str, int, int | None]:
    """The file, line and column that an argument names."""
    file, sign, inside = place.rpartition("#")
    if sign:
        at = _origin_of(workspace, path_in(workspace, file), inside)
        return path_in(workspace, file), at.line, at.column
    found = _LOCATION.fullmatch(place)
    if found is None:
        raise click.UsageError(f"{place} is not a location; write FILE:LINE, FILE:LINE:COLUMN, or FILE#path.")
    column = found["column"]
    return path_in(workspace, found["file"]), int(found["line"]), int(column) if column else None


def _origin_of(workspace: Workspace, file: str, text: str) -> Origin:
    """Where the key of a path is written in a file, or the item of a list."""
    from lamina.engine.node import SourceNode
    from lamina.paths import MISSING, parse, resolve_path
    from lamina.run import Run
    from lamina.sources import document_cache

    source = workspace.source(file)
    for document in document_cache.yaml_documents(source, Run()):
        node = SourceNode(document.value, (), document.positions, 0, file)
        steps = resolve_path(parse(text), document.value)
        found = node.at(steps)
        if steps and found.value is not MISSING:
            holder = node.at(steps[:-1])
            key = holder.key_origin(steps[-1]) if isinstance(holder, SourceNode) else None
            place = key or found.origin()
            assert place is not None  # it is in the source
            return place
    raise UsageError(
        Diagnostic(
            code="no-such-path",
            message=f"there is nothing at {text} in {file}",
            hint="write a path of the file itself, a.b[0], not one of the result",
        )
    )


def _lines(place: str, uses: list[LineUse], total: int) -> list[str]:
    lines = [f"{place} decides:"]
    for group in grouped(uses):
        use = group.entry
        by = f" by {use.by.source}:{use.by.line}" if use.by else ""
        where = f"{use.output}: {use.inner}" if use.output else use.inner
        lines.append(f"  {where}: {_WORDS[use.verdict]}{by}, in {in_targets(group.targets, total)}")
    return lines


def _not_found(place: str, chosen_by: Sequence[str], total: int, *, complete: bool) -> str:
    if not chosen_by:
        scope = "" if complete else " in the targets that could be rendered"
        return f"{place} decides nothing{scope}: no value comes from it, and no rule on it was used in a merge"
    return f"no value comes from {place}; it may choose what is merged, since the file is read for " + in_targets(
        chosen_by, total
    )
