"""Operators for strings.

concat   the old string, a separator, the new string
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import text_size
from lamina.engine.delta import JOINED, Computed, Delta

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Policy, Trail


class JoinStrings:
    """Join two strings with a separator between them."""

    __slots__ = ("name", "separator")

    def __init__(self, separator: str = "") -> None:
        self.name = f"concat({separator!r})" if separator else "concat"
        self.separator = separator

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return Computed(self.value(old, new, policy, trail, run), JOINED)

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        joined = f"{old}{self.separator}{new}"
        run.build(0, text_size(joined))
        return joined
