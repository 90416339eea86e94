"""What a push would change, as a server answers it, for people: a line for each change, with its cause below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.escapes import one_line
from lamina.views.diff.change import CAUSES, ChangeKind, How
from lamina.views.diff.phrases import SECRET, SIGNS, count
from lamina.views.report.value_text import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONG = 80
"""Characters of a value that are shown."""


def impact_text(impact: dict[str, Any]) -> str:
    """The changes of an answer, and how many there are."""
    changes = impact["changes"]
    if not changes:
        return "no changes in the rendered documents; nothing was written\n"
    documents = {change["output"] for change in changes}
    lines = [one_line(line) for change in changes for line in _lines(change)]
    reach = f"{count(len(changes), 'change')} in {count(len(documents), 'rendered document')}"
    lines.append(f"{reach}; nothing was written")
    return "\n".join(lines) + "\n"


def _lines(change: dict[str, Any]) -> Iterator[str]:
    sides = [_value(change, side) for side in ("before", "after") if side in change]
    where = f"{change['output']}: {change['path']}" if sides else change["output"]
    yield f"{SIGNS[ChangeKind(change['kind'])]} {where}" + (f": {' → '.join(sides)}" if sides else "")
    for cause in change["causes"]:
        origin = cause["origin"]
        at = f" at {origin['source']}:{origin['line']}" if origin else ""
        words = CAUSES[How(cause["how"])].format(text=cause["rule"])
        yield f"    {words}{at}"


def _value(change: dict[str, Any], side: str) -> str:
    return SECRET if change.get("secret") else on_one_line(change[side], _LONG)
