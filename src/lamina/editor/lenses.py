"""Lenses: above the first line what is not saved would change, and above lines that do not win everywhere, who does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsprotocol import types

from lamina.project.shared_entries import in_targets
from lamina.views.diff.phrases import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.editor.open_project import OpenProject
    from lamina.workspace.impact import Impact
    from lamina.workspace.line_uses import LineUse

SHOW_IMPACT: Final = "lamina.showImpact"
SHOW_WINNER: Final = "lamina.showWinner"
_MOST: Final = 200
"""How many lines of a file have a lens."""


def lenses(project: OpenProject, path: str) -> list[types.CodeLens]:
    """The lenses of a file."""
    found = []
    if path in project.unsaved:
        title = f"Lamina: {impact_text(project.impact(), len(project.workspace.seen().outcomes))}"
        command = types.Command(title, SHOW_IMPACT, arguments=[project.uri_of(path)])
        found.append(types.CodeLens(types.Range(types.Position(0, 0), types.Position(0, 0)), command))
    if project.shows_lenses and project.workspace.file(path) is not None:
        found += _of_lines(project, path)
    return found


def impact_text(impact: Impact, total: int) -> str:
    """What an edit that is not saved would change, in a few words."""
    failing = {name for each in impact.findings for name in each.targets}
    values, reached = len(impact.changes), len({name for each in impact.changes for name in each.outputs})
    if not impact.targets:
        return "changes nothing"
    where = f"{reached:,} of {count(total, 'target')}" if total > 1 else "the result"
    said = [f"changes {count(values, 'value')} in {where}"] if values else []
    said += [f"a finding in {count(len(failing), 'target')}"] if failing else []
    return ", ".join(said) or f"touches {count(len(impact.targets), 'target')}, no value changes"


def _of_lines(project: OpenProject, path: str) -> Iterator[types.CodeLens]:
    text, shown = project.text_of(path), 0
    for line, uses in project.workspace.uses(path).items():
        title = _title(uses, len(project.workspace.seen().outcomes))
        if title is not None and shown < _MOST:
            shown += 1
            command = types.Command(title, SHOW_WINNER, arguments=[project.uri_of(path), line - 1])
            yield types.CodeLens(text.whole_line(line - 1), command)


def _title(uses: Sequence[LineUse], total: int) -> str | None:
    """What is to be said of a line that is overridden somewhere; nothing of others."""
    lost = list(dict.fromkeys(use.target for use in uses if use.verdict == "overridden"))
    kept = list(dict.fromkeys(use.target for use in uses if use.verdict in ("wins", "merged")))
    if not lost:
        return None
    if not kept:
        by = {f"{use.by.source}:{use.by.line}" for use in uses if use.by is not None}
        return f"overridden{f' by {by.pop()}' if len(by) == 1 else ''}"
    only = [name for name in kept if name not in lost]
    return f"wins in {len(only):,} of {len(only) + len(lost):,} targets, overridden in {in_targets(lost, total)}"
