"""The uses of a line as plain data, those that are alike in several targets as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.origins import data_or_none
from lamina.project.shared_entries import shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.project.shared_entries import SharedEntry
    from lamina.views.schemas.places import WhereData
    from lamina.workspace.line_uses import LineUse


def as_data(file: str, line: int, column: int | None, uses: Sequence[LineUse], chosen_by: Sequence[str]) -> WhereData:
    """The uses of a line as plain data; its form is versioned. `chosen_by` are the targets that it may choose for."""
    return {
        "version": 1,
        "file": file,
        "line": line,
        "column": column,
        "uses": [
            {
                "path": group.entry.inner,
                "output": group.entry.output,
                "verdict": group.entry.verdict,
                "by": data_or_none(group.entry.by),
                "targets": group.targets,
            }
            for group in grouped(uses)
        ],
        "chosen_by": list(chosen_by),
    }


def _group_key(use: LineUse) -> tuple[Any, ...]:
    return use.path if use.output is None else use.path[1:], use.output, use.verdict, use.by


def grouped(uses: Sequence[LineUse]) -> list[SharedEntry[LineUse]]:
    """The uses, those that are alike in several targets as one."""
    return shared(((use.target, use) for use in uses), _group_key)
