"""`lamina explain` for the targets of a project: the same history in several targets once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina._support.escapes import one_line
from lamina.cli.asked_targets import Spoken
from lamina.cli.explain import coloured, concerns, context_of, written
from lamina.cli.output import complain, echo_all
from lamina.cli.render_request import status_of
from lamina.errors import LaminaError
from lamina.project.shared_entries import in_targets, shared

if TYPE_CHECKING:
    from lamina.cli.asked_targets import AskedTargets
    from lamina.cli.render_request import Asked


def explain_targets(asked: AskedTargets, path: str | None, form: str, *, quiet: bool) -> int:
    """Explain a path, or everything, in every target that has it."""
    total = len(asked.targets())
    spoken = Spoken(total)
    texts: list[tuple[str, str]] = []
    absent: list[str] = []
    missing: LaminaError | None = None
    for target, each in asked.each("explaining"):
        try:
            if isinstance(each, LaminaError):
                raise each
            texts += [(target.name, text) for text in _explained(each, path, form, target.name, spoken)]
        except LaminaError as error:
            if error.diagnostic.code == "no-such-path":
                absent.append(target.name)
                missing = error
            else:
                spoken.fail(target.name, error)
    if not texts and missing is not None:
        raise missing
    _print(texts, form, total, {target.name: target.dialect for target in asked.targets()})
    if absent and not quiet:
        complain(one_line(f"no layer sets it in {in_targets(absent, total)}"))
    return spoken.say(quiet=quiet, status_of=status_of)


def _explained(each: Asked, path: str | None, form: str, target: str, spoken: Spoken) -> list[str]:
    result = each.result()
    if path is None:
        spoken.note(target, result.notes)
        return written(result.explain_all(), None, result, form)
    story = result.explain(path)
    spoken.note(target, (note for note in result.notes if concerns(note.path, story.path)))
    return ["".join(written([story], context_of(each, result, path), result, form))]


def _print(texts: list[tuple[str, str]], form: str, total: int, dialects: dict[str, str]) -> None:
    if form == "json":
        from lamina.cli.target_render import framed, member

        echo_all(framed([member(name, dialects[name], text) for name, text in texts], form))
        return
    for number, group in enumerate(shared(texts)):
        head = f"in {in_targets(group.targets, total)}:"
        echo_all([*("\n" if number else ""), one_line(head), "\n", coloured(group.entry.lstrip("\n"), form)])
