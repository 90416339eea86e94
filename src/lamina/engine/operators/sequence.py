"""Operators for lists.

join   the items of both lists, one side's before the other's; items are never merged with each other
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import ITEM
from lamina.engine.delta import Delta, ListDelta, SideName

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Policy, Trail


class JoinLists:
    """Concatenate both lists, that of `first` before the other."""

    __slots__ = ("first", "name")

    def __init__(self, first: SideName = "old") -> None:
        self.name = f"join({first} first)"
        self.first = first

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        joined = self.value(old, new, policy, trail, run)
        return ListDelta.joined(joined, self.first, len(old if self.first == "old" else new))

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        joined = [*old, *new] if self.first == "old" else [*new, *old]
        length = len(joined)
        run.build(length, length * ITEM)
        return joined
