"""Operators from outside: a function of two plain values that does not tell where the parts of its answer come from.

It is handed copies, so that it cannot change what others still use; the result is said to come from both sides.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from lamina.merge.pieces import Made, Piece

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.merge.policy import Policy, Trail
    from lamina.merge.run import Run


class Foreign:
    """Combine by calling a function with copies of both values."""

    __slots__ = ("_call", "name")

    def __init__(self, name: str, call: Callable[[Any, Any, Policy, Trail, Run], Any]) -> None:
        self.name = name
        self._call = call

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: Run) -> Piece:
        return Made(self._call(deepcopy(old), deepcopy(new), policy, trail, run), self.name)
