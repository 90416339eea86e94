"""`lamina where`: what a line of a file decides."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lamina._support.escapes import text_of
from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options
from lamina.cli.output import echo, echo_json, status_of
from lamina.cli.selected_targets import TargetMessages
from lamina.cli.target_request import selected_targets
from lamina.errors import Diagnostic, LaminaError, Severity, UsageError
from lamina.project.shared_entries import in_targets
from lamina.run import Run
from lamina.sources.inputs import read_file
from lamina.views.lint.tracked_inputs import recorded
from lamina.workspace.line_use_data import as_data, grouped
from lamina.workspace.line_uses import is_layer, uses_in_results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.cli.selected_targets import RenderRequest, SelectedTargets
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.project.target import Target
    from lamina.sources.source import Source
    from lamina.workspace.line_uses import LineUse

_LOCATION = re.compile(r"(?P<file>.+?):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?")

_WORDS = {
    "wins": "set by this line",
    "merged": "set by this line and others",
    "overridden": "overridden",
    "ignored": "not affected by this line",
    "steers": "decided by the rule on this line",
}


@click.command("where", cls=DialectCommand, epilog=example("lamina where site.yaml:12 base.yaml site.yaml"))
@click.argument("place", metavar="LOCATION")
@format_option()
@inputs_and_options
def command(place: str, form: str, **given: Any) -> int:
    """Show what a line of a file decides: in which targets it wins, is overridden, or controls the merge.

    LOCATION is FILE:LINE, FILE:LINE:COLUMN, or FILE#path. Without inputs, the targets are those of the project, or of
    the current folder. The exit status is 0 even if the line decides nothing, unless something could not be read.
    """
    selected = selected_targets(given, by_node=True)
    asked = _position(place)
    total = len(selected.targets())
    messages = TargetMessages(total)
    uses: list[LineUse] = []
    chosen: list[str] = []
    looked, complete = 0, True
    for target, outcome in selected.each("looking", lambda target, each: _used(target, each, asked)):
        if isinstance(outcome, LaminaError):
            messages.fail(target.name, outcome)
            complete = False
            continue
        looked += 1
        uses += outcome.uses
        chosen += [target.name] if outcome.is_chosen else []
        complete = complete and not outcome.dropped
        messages.note(target.name, outcome.dropped)
    if looked:
        file = _shown(selected, asked.file)
        chosen = list(_targets_of_file(selected, asked.file) or (() if uses else chosen))
        if form == "json":
            from lamina.sources.json.writer import dump

            echo_json(dump(as_data(file, asked.line, asked.column, uses, chosen)))
        else:
            at = f"{selected.project.prefix}{file}:{asked.line}"
            nowhere = [_not_found(at, chosen, total, complete=complete)]
            echo(text_of(_lines(at, uses, total) if uses else nowhere))
    return messages.print_all(quiet=False, status_of=status_of)


class _Asked(NamedTuple):
    """The file, line and column that somebody asks about."""

    file: str
    line: int
    column: int | None


class _Used(NamedTuple):
    """What a line is used for in a target; whether its file chooses what is merged; what was left out of the result."""

    uses: list[LineUse]
    is_chosen: bool
    dropped: list[Note]


def _used(target: Target, each: RenderRequest, asked: _Asked) -> _Used:
    tracked, record = recorded(each.inputs)
    result = replace(each, inputs=tracked).result()
    dropped = [note for note in result.notes if note.severity >= Severity.ERROR]
    real = os.path.realpath(asked.file)
    source = next((each for each in record.sources.values() if os.path.realpath(each.name) == real), None)
    if source is None:
        return _Used([], False, dropped)
    uses = uses_in_results([(target.name, result)], source.name, asked.line, asked.column, text=source)
    return _Used(uses, not uses and not is_layer(result, source.name), dropped)


def _targets_of_file(selected: SelectedTargets, file: str) -> Sequence[str]:
    """All targets for the project file, which declares them."""
    project = selected.project
    is_project = bool(project.file.path) and os.path.realpath(file) == os.path.realpath(project.file.path)
    return [target.name for target in selected.targets()] if is_project else ()


def _shown(selected: SelectedTargets, file: str) -> str:
    """A file as a path from the root of the project."""
    return os.path.relpath(os.path.realpath(file), selected.project.root).replace(os.sep, "/")


def _position(place: str) -> _Asked:
    """The file, line and column that an argument names."""
    file, sign, inside = place.rpartition("#")
    if sign:
        at = _origin_of(read_file(file, file), inside)
        return _Asked(file, at.line, at.column)
    found = _LOCATION.fullmatch(place)
    if found is None:
        raise click.UsageError(f"{place} is not a location; write FILE:LINE, FILE:LINE:COLUMN, or FILE#path.")
    read_file(found["file"], found["file"])  # a file that is not there decides nothing, but nobody means that
    return _Asked(found["file"], int(found["line"]), int(found["column"]) if found["column"] else None)


def _origin_of(source: Source, text: str) -> Origin:
    """Where the key of a path is written in a file, or the item of a list."""
    from lamina.engine.node import SourceNode
    from lamina.paths import MISSING, parse, resolve_path
    from lamina.sources import document_cache

    for document in document_cache.yaml_documents(source, Run()):
        node = SourceNode(document.value, (), document.positions, 0, source.name)
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
            message=f"there is nothing at {text} in {source.name}",
            hint="write a path of the file itself, a.b[0], not one of the result",
        )
    )


def _lines(place: str, uses: list[LineUse], total: int) -> list[str]:
    lines = [f"{place} decides:"]
    for group in grouped(uses):
        use = group.entry
        by = f" by {use.by.source}:{use.by.line}" if use.by else ""
        where = f"{use.output}: {use.inner}" if use.output else use.inner
        reach = f", in {in_targets(group.targets, total)}" if total > 1 else ""
        lines.append(f"  {where}: {_WORDS[use.verdict]}{by}{reach}")
    return lines


def _not_found(place: str, chosen_by: Sequence[str], total: int, *, complete: bool) -> str:
    if not chosen_by:
        scope = "" if complete else " in the targets that could be rendered"
        return f"{place} decides nothing{scope}: no value comes from it, and no rule on it was used in a merge"
    reach = f" for {in_targets(chosen_by, total)}" if total > 1 else ""
    return f"no value comes from {place}; it may choose what is merged, since the file is read{reach}"
