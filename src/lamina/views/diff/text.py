"""The changes as text: one a line, with a sign in front and the cause behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina._support.escapes import one_line
from lamina.views.diff.change import ChangeKind
from lamina.views.diff.phrases import SIGNS, because, comes_from, count, is_whole, listed, summary, values

if TYPE_CHECKING:
    from lamina.views.diff.api import Differences
    from lamina.views.diff.change import Change
    from lamina.views.diff.grouping import ChangeGroup

_COLOURS = {
    ChangeKind.ADDED: 32,
    ChangeKind.REMOVED: 31,
    ChangeKind.CHANGED: 33,
    ChangeKind.MOVED: 36,
    ChangeKind.PROVENANCE: 35,
}
_DIM = 2


def as_text(differences: Differences, *, colour: bool = False) -> str:
    """The changes, then how many there are."""
    lines = [line for group in differences.groups for line in _lines(group, differences, colour)]
    return "\n".join([*lines, summary(differences)]) + "\n"


def _lines(group: ChangeGroup, differences: Differences, colour: bool) -> list[str]:
    change = group.change
    line = _painted(f"{SIGNS[change.kind]} {_where(group, differences)}{_what(change)}", _COLOURS[change.kind], colour)
    why = because(change.causes)
    if why and change.kind is not ChangeKind.PROVENANCE:
        line += _painted(f", because {why}", _DIM, colour)
    return [line, f"    {one_line(listed(group.outputs))}"] if len(group.outputs) > 1 else [line]


def _where(group: ChangeGroup, differences: Differences) -> str:
    """The outputs a change is in, where there are several."""
    if not differences.many:
        return ""
    if is_whole(group.change):
        return f"{differences.noun} {group.outputs[0]}"
    if len(group.outputs) == 1:
        return f"{group.outputs[0]}: "
    return f"{len(group.outputs):,} of {count(differences.outputs, differences.noun)}: "


def _what(change: Change) -> str:
    if is_whole(change):
        return ""
    before, after = values(change)
    if change.kind is ChangeKind.MOVED:
        return f"{change.where} moved from {before} to {after}"
    if change.kind is ChangeKind.PROVENANCE:
        return f"{change.where} {after}, {comes_from(change)}"
    return f"{change.where} {before} → {after}" if before and after else f"{change.where} {before or after}"


def _painted(text: str, code: int, colour: bool) -> str:
    text = one_line(text)
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text
