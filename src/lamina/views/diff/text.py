"""The changes as text: one per line, with a sign in front and the cause at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina._support.escapes import one_line
from lamina.views.diff.change import ChangeKind
from lamina.views.diff.grouping import is_whole_output
from lamina.views.diff.phrases import (
    SIGNS,
    because,
    count,
    failure_details,
    failure_text,
    idle_text,
    in_path,
    listed,
    source_text,
    summary,
    values,
)

if TYPE_CHECKING:
    from lamina.views.diff.grouping import ChangeGroup, ShownDifferences

_COLOURS = {
    ChangeKind.ADDED: 32,
    ChangeKind.REMOVED: 31,
    ChangeKind.CHANGED: 33,
    ChangeKind.MOVED: 36,
    ChangeKind.PROVENANCE: 35,
}
_DIM = 2
_FAILED = 31


def as_text(differences: ShownDifferences, *, colour: bool = False, most: int | None = None) -> str:
    """The changes, at most so many, then how many there are."""
    groups = differences.groups
    lines = [line for group in groups[:most] for line in _lines(group, differences, colour)]
    if most is not None and len(groups) > most:
        lines.append(f"… and {count(len(groups) - most, 'more change')}")
    for failed in differences.failures:
        lines.append(_coloured(f"! {failure_text(failed, differences)}", _FAILED, colour))
        lines += [f"    {one_line(line)}" for line in failure_details(failed)]
    lines += [_coloured(line, _DIM, colour) for line in idle_text(differences)]
    return "\n".join([*lines, summary(differences)]) + "\n"


def _lines(group: ChangeGroup, differences: ShownDifferences, colour: bool) -> list[str]:
    change = group.change
    line = _coloured(
        f"{SIGNS[change.kind]} {_where(group, differences)}{_change_text(group)}", _COLOURS[change.kind], colour
    )
    causes_text = because(change.causes)
    if causes_text and change.kind is not ChangeKind.PROVENANCE:
        line += _coloured(f", because {causes_text}", _DIM, colour)
    in_all_outputs = group.within is not None and len(group.outputs) == differences.outputs
    return [line] if in_all_outputs or len(group.outputs) < 2 else [line, f"    {one_line(listed(group.outputs))}"]


def _where(group: ChangeGroup, differences: ShownDifferences) -> str:
    """The outputs a change is in, if there are several."""
    if not differences.many:
        return ""
    if group.is_whole_output:
        return f"{differences.noun} {group.outputs[0]}"
    if len(group.outputs) == 1:
        return f"{group.outputs[0]}: "
    return f"{len(group.outputs):,} of {count(differences.outputs, differences.noun)}: "


def _change_text(group: ChangeGroup) -> str:
    if group.is_whole_output:
        return ""
    change, where = group.change, in_path(group)
    before, after = values(change)
    if change.kind is ChangeKind.MOVED:
        return f"{where} moved from {before} to {after}"
    if change.kind is ChangeKind.PROVENANCE:
        return f"{where} {after}, {source_text(change)}"
    if group.within is not None and is_whole_output(change):
        return where
    return f"{where} {before} → {after}" if before and after else f"{where} {before or after}"


def _coloured(text: str, code: int, colour: bool) -> str:
    text = one_line(text)
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text
