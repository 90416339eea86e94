"""Choosing an operator by the values themselves, where their types are not enough.

when   one operator if a test on the two values holds, another if not
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.engine.delta import Delta
    from lamina.plugin import Policy
    from lamina.plugin.operators import MergeContext, Operator, Trail


class When:
    """One operator where a test on the old and the new value holds, another elsewhere."""

    __slots__ = ("name", "otherwise", "test", "then")

    def __init__(self, test: Callable[[Any, Any], bool], then: Operator, otherwise: Operator) -> None:
        self.name = f"{then.name} or {otherwise.name}"
        self.test = test
        self.then = then
        self.otherwise = otherwise

    def choose(self, old: Any, new: Any) -> Operator:
        """The operator for two values."""
        return self.then if self.test(old, new) else self.otherwise

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return self.choose(old, new).apply(old, new, policy, trail, run)
