"""Idle edits: lines that were edited without changing any result."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lamina.origins import data_or_none, origin_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.origins import Origin
    from lamina.views.schemas.changes import IdleEditData

EditedLine = tuple[int, str, int]
"""The side, 0 before and 1 after, the source and the line."""


class IdleEdit(NamedTuple):
    """An edited line that has no effect, and the line that replaces what it says, if it is known."""

    origin: Origin
    is_gone: bool
    """Whether it is a line of the side before."""
    by: Origin | None = None

    def __str__(self) -> str:
        what = "is gone and had" if self.is_gone else "changed and has"
        why = f" (replaced at {self.by.source}:{self.by.line})" if self.by else ""
        return f"{self.origin.source}:{self.origin.line} {what} no effect{why}"

    def as_data(self) -> IdleEditData:
        """The edit as plain data."""
        return {
            "origin": origin_data(self.origin),
            "gone": self.is_gone,
            "replaced_at": data_or_none(self.by),
        }


class EditEffects(NamedTuple):
    """The edited lines between two results: those without effect, and the others."""

    idle: Mapping[EditedLine, IdleEdit]
    others: frozenset[EditedLine]
