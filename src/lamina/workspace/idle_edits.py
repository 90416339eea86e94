"""Which edits between two results have no effect: what their lines decide is decided by others.

Nothing is rendered to find out, so it is said only where it is sure: no line of the edit is the cause of a change, and
nothing changes, or may have been changed by another edit, below the same top-level key.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from lamina.origins import Origin
from lamina.views.diff.idle_edits import EditEffects, IdleEdit
from lamina.workspace.line_uses import uses_in_results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.views.diff.api import Differences
    from lamina.views.diff.edited_lines import SourceEdit
    from lamina.views.diff.idle_edits import EditedLine
    from lamina.workspace.line_uses import LineUse

    Key = tuple[str | None, tuple[object, ...]]
    """An output, and a key at its top."""

LINES = 200
"""How many edited lines are looked at; what goes beyond is not said to have no effect."""
_OUTPUTS = 20
"""In more outputs than these, fewer lines are looked at."""
_WITHOUT_EFFECT = ("overridden", "ignored")


class _EditUses(NamedTuple):
    """What the lines of an edit are about, and the line that stands for it."""

    shown: EditedLine
    uses: list[LineUse]
    is_idle: bool

    @property
    def keys(self) -> set[Key]:
        return {(use.output, (use.path if use.output is None else use.path[1:])[:1]) for use in self.uses}


def with_idle_edits(differences: Differences) -> Differences:
    """Differences that say which edits have no effect."""
    return replace(differences, idle=tuple(edit_effects(differences).idle.values()))


def edit_effects(differences: Differences, most: int = LINES) -> EditEffects:
    """Which edits have an effect; where anything could not be rendered, nobody knows."""
    edits = list(differences.edits.contents())
    idle = [] if differences.failed or any(differences.unused) else _idle_edits(differences, edits, most)
    shown = frozenset(edit.shown for edit in edits)
    return EditEffects({edit.shown: _idle_edit(edit) for edit in idle}, shown.difference(edit.shown for edit in idle))


def _idle_edits(differences: Differences, edits: list[SourceEdit], most: int) -> list[_EditUses]:
    causes = (cause for change in differences.changes for cause in change.causes)
    named = {(int(not cause.is_gone), *cause.origin[:2]) for cause in causes if cause.origin}
    others = [edit for edit in edits if named.isdisjoint(edit.lines)]
    most = most * _OUTPUTS // max(_OUTPUTS, differences.outputs)  # a line is looked for in all of them
    if not others or sum(len(edit.lines) for edit in edits) > most:
        return []
    known = [_with_uses(differences, edit) for edit in others]
    if not any(edit.is_idle for edit in known):
        return []
    near: set[Key] = {(change.output, change.at_after[:1]) for change in differences.changes}
    near |= {key for edit in known if not edit.is_idle for key in edit.keys}
    near |= {key for edit in edits if edit not in others for key in _with_uses(differences, edit).keys}
    is_sure = not differences.changes and all(edit.is_idle for edit in known)
    return [edit for edit in known if edit.is_idle and (not _meet(edit.keys, near) if edit.uses else is_sure)]


def _meet(some: set[Key], others: set[Key]) -> bool:
    """Whether any two keys are the same; a whole output meets every key of it."""
    return any(
        output == other and (not path or not there or path == there) for output, path in some for other, there in others
    )


def _with_uses(differences: Differences, edit: SourceEdit) -> _EditUses:
    uses = list(_uses(differences, edit))
    return _EditUses(edit.shown, uses, all(use.verdict in _WITHOUT_EFFECT for use in uses))


def _uses(differences: Differences, edit: SourceEdit) -> Iterator[LineUse]:
    """What the lines are about, those that stand for the edit first."""
    for side, source, line in sorted(edit.lines, key=lambda each: each[0] != edit.shown[0]):
        yield from uses_in_results([("", differences.after if side else differences.before)], source, line)


def _idle_edit(edit: _EditUses) -> IdleEdit:
    side, source, line = edit.shown
    by = next((use.by for use in edit.uses if use.by is not None), None)
    return IdleEdit(Origin(source, line, 1), not side, by)
