"""`lamina explain`: the history of one path, or of all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lamina._support.escapes import escaped_json, one_line
from lamina.budget import to_show
from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options, notes_of, notes_option
from lamina.cli.key_request import key_request
from lamina.cli.output import echo_all, print_error, status_of
from lamina.cli.selected_targets import TargetMessages
from lamina.cli.target_json import target_json, with_frame
from lamina.cli.terminal import takes_colour
from lamina.errors import InputError, LaminaError, Severity, UsageError
from lamina.project.shared_entries import in_targets, shared
from lamina.protocol.extensions import explain_of
from lamina.views.explain import as_data, as_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.budget import Budget
    from lamina.cli.selected_targets import RenderRequest, SelectedTargets
    from lamina.engine.history import History
    from lamina.errors import Note
    from lamina.project.target import Target
    from lamina.protocol.extensions import Context
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
@format_option()
@notes_option
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
@inputs_and_options
def command(
    path: str | None,
    everything: bool,
    key: str | None,
    form: str,
    kinds: tuple[str, ...],
    quiet: bool,
    **given: Any,
) -> int:
    r"""Show which layers set the value at PATH, in order, and what happened to each value.

    PATH is written a.b[0]; quote keys with special characters (a."b.c"). JSON Pointers (/a/b/0) and Datum paths
    (a\b) work too.
    """
    request = key_request(path, key, given, everything=everything, quiet=quiet)
    if request.is_counted:
        from lamina.cli.key_values import explain_key

        return explain_key(request.targets, request.path or "", form, quiet=quiet)
    return _explain(request.targets, request.path, form, quiet=quiet, kinds=kinds)


class Explained(NamedTuple):
    """A history as text, in pieces, and what else explains the value."""

    texts: list[str]
    context: str = ""

    @property
    def text(self) -> str:
        return "".join(self.texts)


def _explain(selected: SelectedTargets, path: str | None, form: str, *, quiet: bool, kinds: tuple[str, ...]) -> int:
    """Explain a path, or everything, in every target that has it."""
    total = len(selected.targets())
    messages = TargetMessages(total)
    found: list[tuple[Target, list[Explained]]] = []
    absent: list[str] = []
    missing: LaminaError | None = None
    for target, outcome in selected.each("explaining", lambda _, each: _explained(each, path, form, kinds)):
        if not isinstance(outcome, LaminaError):
            found.append((target, outcome[0]))
            messages.note(target.name, (*target.notes, *outcome[1]))
        elif isinstance(outcome, UsageError) and outcome.diagnostic.code == "no-such-path":
            absent.append(target.name)
            missing = outcome
        else:
            messages.fail(target.name, outcome)
    if not found and missing is not None:
        return messages.print_missing(missing)
    if form == "json":
        echo_all(with_frame(target_json(target, explained[0].texts) for target, explained in found))
    elif total == 1:
        for number, each in enumerate(explained for _, all_of_one in found for explained in all_of_one):
            echo_all([*("\n" if number else ""), coloured(each.text), each.context])
    else:
        _print_shared([(target.name, each) for target, explained in found for each in explained], total)
    if absent and not quiet:
        print_error(one_line(f"no layer sets it in {in_targets(absent, total)}"))
    return messages.print_all(quiet=quiet, status_of=status_of, kinds=kinds)


def _explained(
    each: RenderRequest, path: str | None, form: str, kinds: tuple[str, ...]
) -> tuple[list[Explained], Sequence[Note]]:
    result = each.result()
    if path is None:
        histories: Iterable[History] = result.histories()
        context, notes = None, notes_of(result, kinds)
    else:
        history = history_at(result, path)
        histories, context = [history], _context_of(each, result, path, history)
        notes = tuple(
            note
            for note in (*result.notes, *result.compat_notes)
            if note.severity >= Severity.ERROR or _is_about(note.path, history.path)
        )
    budget = to_show()
    if form == "json":
        return [Explained(_json(histories, context, result, budget))], notes
    texts = [Explained([as_tree(history, result, budget)]) for history in histories]
    return [each._replace(context=context.text) if context else each for each in texts], notes


def _print_shared(texts: list[tuple[str, Explained]], total: int) -> None:
    """Each history once, with the targets it is that of."""
    contexts: dict[str, set[str]] = {}
    for _, each in texts:
        contexts.setdefault(each.text, set()).add(each.context)
    for number, group in enumerate(shared(texts, lambda each: each.text)):
        text, context = group.entry.text, group.entry.context
        head = one_line(f"in {in_targets(group.targets, total)}:")
        # What else explains a value may differ where its history does not; a single target shows it.
        more = context if len(contexts[text]) == 1 else ""
        echo_all([*("\n" if number else ""), head, "\n", coloured(text), more])


def history_at(result: Result, path: str) -> History:
    """The history at a path; if nothing is there and something was dropped, it could not be read: that may have it."""
    try:
        return result.history_at(path)
    except UsageError as error:
        if all(note.severity < Severity.ERROR for note in result.notes):
            raise
        raise InputError.of(error.diagnostics) from None


def _context_of(request: RenderRequest, result: Result, path: str, history: History) -> Context | None:
    """What else explains the value at a path."""
    from lamina.paths import resolve_path

    # The path of a history starts inside its output; of several outputs the first step picks one.
    full_path = result.requested_path(path) if result.many else history.path
    return explain_of(request.dialect).context(result, request.inputs, resolve_path(full_path, result.plain))


def _json(histories: Iterable[History], extra_context: Context | None, result: Result, budget: Budget) -> list[str]:
    """The histories inside of a JSON object, written one by one: the data of all would take many times the memory."""
    from lamina.sources.json.writer import dump

    texts = [_inside(escaped_json(dump(as_data(history, result, budget), budget=budget)), 4) for history in histories]
    between = ["[\n    ", *[",\n    "] * (len(texts) - 1)]
    explained = [piece for pair in zip(between, texts, strict=False) for piece in pair]
    context = [',\n  "background": ', _inside(escaped_json(dump(extra_context.data)), 2)] if extra_context else []
    return ['"explained": ', *(explained or ["["]), "\n  ]" if texts else "]", *context]


def _inside(text: str, indent: int) -> str:
    """A JSON text as it appears inside another one; line ends in its strings are escaped."""
    return text.rstrip("\n").replace("\n", "\n" + " " * indent)


_VERDICT = re.compile(r"^([├└]─ )(\S+)", re.MULTILINE)
_COLOURS = {"ignored": "yellow", "replaced": "cyan", "removed": "red", "knocked": "red"}


def coloured(text: str) -> str:
    """The text with its verdicts in colour, where it goes to a terminal that may have it."""
    if not takes_colour():
        return text
    return _VERDICT.sub(lambda match: match[1] + click.style(match[2], fg=_COLOURS.get(match[2], "green")), text)


def _is_about(note: tuple[Any, ...], path: tuple[Any, ...]) -> bool:
    """Whether a note is about the requested path, something above it or something below it."""
    return note[: len(path)] == path[: len(note)]
