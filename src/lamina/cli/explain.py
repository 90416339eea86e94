"""`lamina explain`: the history of one path, or of all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import escaped_json, text_of
from lamina.budget import to_show
from lamina.cli.click_options import DialectCommand, inputs_and_options, jobs_option, notes_option
from lamina.cli.format_option import format_option
from lamina.cli.help_sections import example
from lamina.cli.key_request import wanted
from lamina.cli.notes import show_notes, status_of
from lamina.cli.output import echo_all
from lamina.cli.render_request import NO_INPUT, render_request_of
from lamina.cli.target_request import selected_targets_of
from lamina.cli.terminal import takes_colour
from lamina.dialects.extensions import explain_of
from lamina.errors import Diagnostic, InputError, Severity, UsageError
from lamina.views.explain import as_data, as_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.budget import Budget
    from lamina.cli.render_request import RenderRequest
    from lamina.dialects.extensions import Context
    from lamina.engine.history import History
    from lamina.errors import Note
    from lamina.views.result import Result


@click.command("explain", cls=DialectCommand, epilog=example("lamina explain users[0].name base.yaml site.yaml"))
@click.argument("path", required=False, default=None)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Explain every value; with PATH, in a project or a folder with nodes, count its values over all targets.",
)
@click.option(
    "--key", metavar="KEY", help="The path to explain, whatever it looks like; all arguments are inputs then."
)
@click.option("--find", "by_value", is_flag=True, help="List where a value is set; PATH is the value to find.")
@format_option()
@notes_option
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
@jobs_option
@inputs_and_options
def command(
    path: str | None,
    everything: bool,
    key: str | None,
    by_value: bool,
    form: str,
    kinds: tuple[str, ...],
    quiet: bool,
    **given: Any,
) -> int:
    r"""Show which layers set the value at PATH, in order, and what happened to each value.

    PATH is written a.b[0]; quote keys with special characters (a."b.c"). JSON Pointers (/a/b/0) and Datum paths
    (a\b) work too.
    """
    requested_path, counted = wanted(path, key, given, everything=everything, quiet=quiet)
    if requested_path is None and by_value:
        raise click.UsageError("--all and --find cannot be used together.")
    targets = counted or selected_targets_of(given)
    if targets is not None and not targets.is_one:
        if by_value:
            raise click.UsageError("--find is for one target, which --target names; lamina find looks at all.")
        if counted is not None:
            from lamina.cli.target_values import explain_key

            return explain_key(counted, requested_path or "", form, quiet=quiet)
        from lamina.cli.target_explain import explain_targets

        return explain_targets(targets, requested_path, form, quiet=quiet, kinds=kinds)
    request = (
        targets.only()
        if targets
        else render_request_of(given, NO_INPUT if requested_path is None else _only_path(path))
    )
    result = request.rendered()
    texts, notes = _explained(request, result, requested_path, form, by_value=by_value)
    echo_all(coloured(text, form) for text in texts)
    if not quiet:
        show_notes(notes, kinds, differences=requested_path is not None)
    return status_of(result.notes)


def _explained(
    request: RenderRequest, result: Result, path: str | None, form: str, *, by_value: bool
) -> tuple[list[str], Sequence[Note]]:
    """The history of a path, of everything, or of where a value is, and the notes that belong to it."""
    if path is None:
        return written(result.histories(), None, result, form), result.notes
    if by_value:
        from lamina.workspace.find_value import find_value, locations_text

        locations, histories = find_value(result, path)
        return written(histories, None, result, form) if form == "json" else [text_of(locations_text(locations))], ()
    history = history_at(result, path)
    texts = written([history], context_of(request, result, path, history), result, form)
    return texts, tuple(note for note in result.notes if is_about(note.path, history.path))


def history_at(result: Result, path: str) -> History:
    """The history at a path; if nothing is there and something was dropped, it could not be read: that may have it."""
    try:
        return result.history_at(path)
    except UsageError as error:
        if all(note.severity < Severity.ERROR for note in result.notes):
            raise
        raise InputError.of(error.diagnostics) from None


def _only_path(path: str | None) -> Diagnostic:
    hint = "PATH comes first: lamina explain PATH INPUT...; --all explains every value"
    return Diagnostic(code="no-input", message=f"no input given: {path} is read as PATH", hint=hint)


def context_of(request: RenderRequest, result: Result, path: str, history: History) -> Context | None:
    """What else explains the value at a path."""
    from lamina.paths import parse, resolve_path

    # The path of a history starts inside its output; of several outputs the first step picks one.
    full_path = parse(path) if result.many else history.path
    return explain_of(request.dialect).context(result, request.inputs, resolve_path(full_path, result.plain))


def written(histories: Iterable[History], extra_context: Context | None, result: Result, form: str) -> list[str]:
    """The histories in pieces, since those of every value may be large; all are computed before any is printed."""
    budget = to_show()
    if form == "json":
        return _json(histories, extra_context, result, budget)
    texts = [as_tree(history, result, budget) for history in histories]
    texts[1:] = [f"\n{text}" for text in texts[1:]]
    return [*texts, extra_context.text] if extra_context else texts


def _json(histories: Iterable[History], extra_context: Context | None, result: Result, budget: Budget) -> list[str]:
    """The histories as one JSON text, written one by one: the data of all of them would take many times the memory."""
    from lamina.sources.json.writer import dump

    texts = [_inside(escaped_json(dump(as_data(history, result, budget), budget=budget)), 4) for history in histories]
    between = ["[\n    ", *[",\n    "] * (len(texts) - 1)]
    explained = [piece for pair in zip(between, texts, strict=False) for piece in pair]
    head = '{\n  "version": 1,\n  "explained": '
    context = [',\n  "background": ', _inside(escaped_json(dump(extra_context.data)), 2)] if extra_context else []
    return [head, *(explained or ["["]), "\n  ]" if texts else "]", *context, "\n}\n"]


def _inside(text: str, indent: int) -> str:
    """A JSON text as it appears inside another one; line ends in its strings are escaped."""
    return text.rstrip("\n").replace("\n", "\n" + " " * indent)


_VERDICT = re.compile(r"^([├└]─ )(\S+)", re.MULTILINE)
_COLOURS = {"ignored": "yellow", "replaced": "cyan", "removed": "red", "knocked": "red"}


def coloured(text: str, form: str) -> str:
    """The text with its verdicts in colour, where it goes to a terminal that may have it."""
    if form != "text" or not takes_colour():
        return text
    return _VERDICT.sub(lambda match: match[1] + click.style(match[2], fg=_COLOURS.get(match[2], "green")), text)


def is_about(note: tuple[Any, ...], path: tuple[Any, ...]) -> bool:
    """Whether a note is about the requested path, something above it or something below it."""
    return note[: len(path)] == path[: len(note)]
