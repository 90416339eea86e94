"""What is said of values that are not known, and what stands in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.errors import Diagnostic, InputError, Severity
from lamina.paths import MISSING, show
from lamina.values import Unknown, holds_unknown, replace_unknown, unknown_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.engine.step_context import Folded
    from lamina.errors import Note
    from lamina.paths import Path

CODE: Final = "not-known"
_HINT: Final = "--unknown null prints null in its place, --unknown omit leaves it out"
FORMS: Final = ("mark", "null", "omit", "error")
"""How what is not known is printed: with a tag, as null, not at all, or as an error."""


def unknown_notes(outputs: Iterable[Folded]) -> Iterator[Note]:
    """A note for each reason for which values are not known, with the first of them and how many there are."""
    found: dict[tuple[str, str], list[tuple[Path, Unknown]]] = {}
    for output in outputs:
        if holds_unknown(output.value):
            for path, unknown in unknown_values(output.value):
                found.setdefault((output.output.name, unknown.reason), []).append((path, unknown))
    for (name, _), values in found.items():
        yield _note(name, values)


def _note(name: str, values: list[tuple[Path, Unknown]]) -> Note:
    path, unknown = values[0]
    more = f" and {len(values) - 1} more are" if len(values) > 1 else " is"
    return Diagnostic(
        code=CODE,
        message=f"{show(path) or 'the result'}{more} unknown: {unknown.reason}",
        at=unknown.at,
        path=path,
        hint=unknown.hint or _HINT,
        severity=Severity.ERROR,
        subject=name,
    )


def without_unknown(value: Any, form: str) -> Any:
    """A value as it is to be printed."""
    if form == "mark" or not holds_unknown(value):
        return value
    if form == "error":
        [first, *others] = [_note("", [found]) for found in unknown_values(value)]
        raise InputError(first, *others)
    replaced = replace_unknown(value, lambda unknown: None if form == "null" else MISSING)  # noqa: ARG005
    return None if replaced is MISSING else replaced
