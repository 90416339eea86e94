"""`lamina explain` for the targets of a project: the same history in several targets once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lamina._support.escapes import one_line
from lamina.cli.asked_targets import Spoken
from lamina.cli.explain import coloured, concerns, context_of, written
from lamina.cli.output import complain, echo_all
from lamina.cli.render_request import status_of
from lamina.errors import LaminaError
from lamina.project.shared_entries import in_targets, shared

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lamina.cli.asked_targets import AskedTargets
    from lamina.cli.render_request import RenderRequest
    from lamina.errors import Note


class Explained(NamedTuple):
    """A history as text, and what else explains the value."""

    text: str
    context: str = ""


def explain_targets(asked: AskedTargets, path: str | None, form: str, *, quiet: bool, kinds: Collection[str]) -> int:
    """Explain a path, or everything, in every target that has it."""
    total = len(asked.targets())
    spoken = Spoken(total)
    texts: list[tuple[str, Explained]] = []
    absent: list[str] = []
    missing: LaminaError | None = None
    for target, made in asked.each("explaining", lambda _, each: _explained(each, path, form)):
        if not isinstance(made, LaminaError):
            texts += [(target.name, found) for found in made[0]]
            spoken.note(target.name, made[1])
        elif made.diagnostic.code == "no-such-path":
            absent.append(target.name)
            missing = made
        else:
            spoken.fail(target.name, made)
    if not texts and missing is not None:
        raise missing
    _print(texts, form, total, {target.name: target.dialect for target in asked.targets()})
    if absent and not quiet:
        complain(one_line(f"no layer sets it in {in_targets(absent, total)}"))
    return spoken.say(quiet=quiet, status_of=status_of, kinds=kinds)


def _explained(each: RenderRequest, path: str | None, form: str) -> tuple[list[Explained], Sequence[Note]]:
    result = each.result()
    if path is None:
        texts = written(result.explain_all(), None, result, form)
        return [Explained(text.lstrip("\n")) for text in texts], result.notes
    story = result.explain(path)
    context = context_of(each, result, path, story)
    text, *more = written([story], context, result, form)
    return [Explained(text, "".join(more))], [note for note in result.notes if concerns(note.path, story.path)]


def _print(texts: list[tuple[str, Explained]], form: str, total: int, dialects: dict[str, str]) -> None:
    if form == "json":
        from lamina.cli.target_render import framed, member

        echo_all(framed([member(name, dialects[name], each.text) for name, each in texts], form))
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
