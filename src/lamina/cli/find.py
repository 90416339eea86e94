"""`lamina find`: where a value or a key is set, over all targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import text_of
from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options
from lamina.cli.output import FINDINGS, UNREADABLE, echo, echo_json, print_error, status_of
from lamina.cli.selected_targets import TargetMessages
from lamina.cli.target_request import selected_targets
from lamina.errors import Diagnostic, LaminaError, Severity
from lamina.origins import data_or_none
from lamina.paths import show
from lamina.project.shared_entries import in_targets, shared
from lamina.sources.json.brief import in_brief
from lamina.views.explain import location_of
from lamina.workspace.find_value import values_found, where
from lamina.workspace.requested_text import RequestedText

if TYPE_CHECKING:
    from lamina.cli.selected_targets import RenderRequest
    from lamina.errors import Note
    from lamina.project.shared_entries import SharedEntry
    from lamina.views.schemas.places import FindData, FoundPlaceData
    from lamina.workspace.find_value import FoundValue


@click.command("find", cls=DialectCommand, epilog=example("lamina find 9000 base.yaml site.yaml"))
@click.argument("text", metavar="VALUE|KEY")
@format_option()
@inputs_and_options
def command(text: str, form: str, **given: Any) -> int:
    """List where a value or a key is set, over all targets, and in which of them.

    A value is written as in YAML (8080, true, text). Without inputs, the targets are those of the project, or of the
    current folder. The exit status is 1 if nothing is found.
    """
    selected = selected_targets(given, by_node=True)
    total = len(selected.targets())
    messages = TargetMessages(total)
    locations: list[tuple[str, FoundValue]] = []
    unread: list[str] = []
    for target, outcome in selected.each("searching", lambda _, each: _found_in(each, text)):
        if isinstance(outcome, LaminaError):
            messages.fail(target.name, outcome)
            unread.append(target.name)
            continue
        found, dropped = outcome
        locations += [(target.name, location) for location in found]
        messages.note(target.name, dropped)
        unread += [target.name] if dropped else []
    groups = shared(locations)
    if form == "json":
        from lamina.sources.json.writer import dump

        data: FindData = {"version": 1, "text": text, "places": [_data(group) for group in groups]}
        echo_json(dump(data))
    else:
        echo(text_of(_line(group, total) for group in groups))
    status = messages.print_all(quiet=False, status_of=status_of)
    if groups:
        return status
    print_error(str(_not_searched(text, in_targets(unread, total)) if unread else _not_found(text)))
    return UNREADABLE if unread else FINDINGS


def _found_in(each: RenderRequest, text: str) -> tuple[list[FoundValue], list[Note]]:
    """The places in a target, and what was left out of its result."""
    result = each.result()
    return list(values_found(result, RequestedText(text))), [n for n in result.notes if n.severity >= Severity.ERROR]


def _not_found(text: str) -> Diagnostic:
    hint = "a value is written as in YAML (8080, true, text), a key without its parents"
    return Diagnostic(code="no-such-value", message=f"no layer has the value or key {text}", hint=hint)


def _not_searched(text: str, unread: str) -> Diagnostic:
    return Diagnostic(
        code="not-searched",
        message=f"no layer that could be read has the value or key {text}; something could not be read in {unread}",
        hint="correct what is reported above, then search again",
    )


def _line(group: SharedEntry[FoundValue], total: int) -> str:
    location = group.entry
    what = f"{location_of(location.output, location.path)}: {in_brief(location.value)}"
    reach = f" in {in_targets(group.targets, total)}" if total > 1 else ""
    return f"{what} ({where(location)}){reach}"


def _data(group: SharedEntry[FoundValue]) -> FoundPlaceData:
    location = group.entry
    return {
        "output": location.output,
        "path": show(location.path),
        "value": location.value,
        "at": data_or_none(location.origin),
        "counts": location.counts,
        "verdict": location.verdict,
        "targets": group.targets,
    }
