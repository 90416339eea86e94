"""Operators for strings.

concat   the old string, a separator, the new string
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import text_size
from lamina.engine.delta import NEW, OLD, Delta, TextDelta

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Policy, Trail


class JoinStrings:
    """Join two strings with a separator between them."""

    __slots__ = ("name", "parts", "separator")

    def __init__(self, separator: str = "") -> None:
        self.name = f"concat({separator!r})" if separator else "concat"
        self.separator = separator
        self.parts: tuple[Delta | str, ...] = (OLD, separator, NEW) if separator else (OLD, NEW)

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        run.build(size=text_size(old) + text_size(new))
        return TextDelta(f"{old}{self.separator}{new}", self.parts)
