"""`lamina explain` for the targets of a project: the same history in several targets once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lamina._support.escapes import one_line
from lamina.cli.explain import coloured, context_of, history_at, is_about, written
from lamina.cli.notes import status_of
from lamina.cli.output import echo_all, print_error
from lamina.cli.selected_targets import TargetMessages
from lamina.errors import LaminaError, UsageError
from lamina.project.shared_entries import in_targets, shared

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lamina.cli.render_request import RenderRequest
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.errors import Note


class Explained(NamedTuple):
    """A history as text, and what else explains the value."""

    text: str
    context: str = ""


def explain_targets(
    selected: SelectedTargets, path: str | None, form: str, *, quiet: bool, kinds: Collection[str]
) -> int:
    """Explain a path, or everything, in every target that has it."""
    total = len(selected.targets())
    messages = TargetMessages(total)
    texts: list[tuple[str, Explained]] = []
    absent: list[str] = []
    missing: LaminaError | None = None
    for target, outcome in selected.each("explaining", lambda _, each: _explained(each, path, form)):
        if not isinstance(outcome, LaminaError):
            texts += [(target.name, found) for found in outcome[0]]
            messages.note(target.name, (*target.notes, *outcome[1]))
        elif isinstance(outcome, UsageError) and outcome.diagnostic.code == "no-such-path":
            absent.append(target.name)
            missing = outcome
        else:
            messages.fail(target.name, outcome)
    if not texts and missing is not None:
        return messages.print_missing(missing)
    _print(texts, form, total, {target.name: target.dialect for target in selected.targets()})
    if absent and not quiet:
        print_error(one_line(f"no layer sets it in {in_targets(absent, total)}"))
    return messages.print_all(quiet=quiet, status_of=status_of, kinds=kinds, differences=path is not None)


def _explained(each: RenderRequest, path: str | None, form: str) -> tuple[list[Explained], Sequence[Note]]:
    result = each.result()
    if path is None:
        texts = written(result.histories(), None, result, form)
        return [Explained(text.lstrip("\n")) for text in texts], result.notes
    history = history_at(result, path)
    context = context_of(each, result, path, history)
    text, *more = written([history], context, result, form)
    return [Explained(text, "".join(more))], [note for note in result.notes if is_about(note.path, history.path)]


def _print(texts: list[tuple[str, Explained]], form: str, total: int, dialects: dict[str, str]) -> None:
    if form == "json":
        from lamina.cli.target_render import member, with_frame

        echo_all(with_frame([member(name, dialects[name], each.text) for name, each in texts], form))
        return
    contexts: dict[str, set[str]] = {}
    for _, each in texts:
        contexts.setdefault(each.text, set()).add(each.context)
    for number, group in enumerate(shared(texts, lambda each: each.text)):
        text, context = group.entry
        head = one_line(f"in {in_targets(group.targets, total)}:")
        # What else explains a value may differ where its history does not; a single target shows it.
        more = context if len(contexts[text]) == 1 else ""
        echo_all([*("\n" if number else ""), head, "\n", coloured(text, form), more])
