"""Compatibility check: where the program and its manual differ on the user's input.

The other one is rendered when somebody asks, and every path where the two differ gets one note.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from lamina.budget import MIB, text_size
from lamina.engine.provenance import first_origin
from lamina.engine.step_context import short
from lamina.errors import Diagnostic, LaminaError, Severity
from lamina.paths import MISSING, Path, show
from lamina.protocol.dialect import has_compat
from lamina.values import differences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import Note
    from lamina.protocol.dialect import Dialect
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result

_MAX_TEXT = 16 * MIB
"""How much text the notes on differences may have in total."""

CODE = "compat-differs"
OTHER = {"program": "manual", "manual": "program"}
"""The other mode of each; the last two are of dialects made for an earlier release."""


class Render(Protocol):
    """Renders inputs by a dialect with its options."""

    def __call__(self, chosen: Dialect[Any], inputs: Inputs, options: Any) -> Result: ...


def compat_notes(rendered: Result, inputs: Inputs, render: Render) -> list[Note]:
    """One note for each path where the other compatibility mode gives another value; none if there is no other."""
    if not has_compat(rendered.options):
        return []
    other = OTHER[rendered.options.compat]
    try:
        against = render(rendered.dialect, inputs, replace(rendered.options, compat=other))
    except LaminaError as error:
        return [_rejected(rendered, other, error)]
    if rendered.many:
        return _in_bounds(_notes_of_many(rendered, against, other))
    differing = differences(rendered.shown, against.shown)
    return _in_bounds(
        _note(rendered, path, own_value, other_value, other) for path, own_value, other_value in differing
    )


def is_difference(note: Note) -> bool:
    """Whether a note says that the program and its manual differ in one value."""
    return note.code == CODE and note.severity is Severity.INFO


def _in_bounds(notes: Iterator[Note]) -> list[Note]:
    """The first notes, within the limit; they accompany a result, and must not outgrow it."""
    shown_notes: list[Note] = []
    free = _MAX_TEXT
    for note in notes:
        free -= text_size(note.message)
        if free < 0:
            return [*shown_notes, _and_more(note)]
        shown_notes.append(note)
    return shown_notes


def _and_more(note: Note) -> Note:
    return replace(note, message="the program and the manual differ in more values than are listed", path=())


def _notes_of_many(rendered: Result, against: Result, other: str) -> Iterator[Note]:
    """The notes on each output, set against the one of the same name."""
    others = {output.output.name: output for output in against.outputs}
    for number, output in enumerate(rendered.outputs):
        name = output.output.name
        value = against.shown_value(others[name].node) if name in others else MISSING
        for path, own_value, other_value in differences(rendered.shown_value(output.node), value, (number,)):
            # The position of an output says little beside its name, and differs between targets that share it.
            note = _note(rendered, path, own_value, other_value, other, shown=path[1:])
            yield replace(note, message=f"{name}: {note.message}", subject=name)


def _note(
    rendered: Result, path: Path, own_value: Any, other_value: Any, other: str, shown: Path | None = None
) -> Note:
    name, manual = rendered.dialect.name, rendered.dialect.manual
    where = show(path if shown is None else shown)
    shipped, documented = (own_value, other_value) if other == "manual" else (other_value, own_value)
    gives = f"{name} leaves it out" if shipped is MISSING else f"{name} gives {short(shipped, 60)}"
    other_outcome = "the key would be absent" if documented is MISSING else f"it would be {short(documented, 60)}"
    return Diagnostic(
        code=CODE,
        message=f"{where}: {gives}; by {manual} {other_outcome}",
        at=first_origin(rendered.node_at(path)),
        path=path,
        hint=f"--compat {other} renders the other one",
        severity=Severity.INFO,
    )


def _rejected(rendered: Result, other: str, error: LaminaError) -> Note:
    followed = rendered.dialect.manual if other == "manual" else rendered.dialect.name
    return Diagnostic(
        code=CODE,
        message=f"{followed} would reject this input: {error.diagnostic.message}",
        at=error.diagnostic.at,
        hint=f"--compat {other} shows the error",
        severity=Severity.WARNING,
    )
