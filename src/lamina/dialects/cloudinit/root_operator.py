"""Operators that look at where they are: at the root of what is combined, or below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamina.engine.delta import Delta
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Operator, Policy, Trail


class AtRoot:
    """One operator at the root, another below it."""

    __slots__ = ("_below", "_root", "name")

    def __init__(self, root: Operator, below: Operator) -> None:
        self.name = f"{root.name} at the root, else {below.name}"
        self._root = root
        self._below = below

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return (self._root if trail is None else self._below).apply(old, new, policy, trail, run)
