"""The budget of one evaluation: operations, bytes and depth, so that the outcome is the same on every machine."""

from __future__ import annotations

from lamina.dialects.datum.expressions.errors import ExpressionTooLarge

OPERATIONS = 100_000
BYTES = 4 * 1024 * 1024
SECONDS = 0.5
"""How long all patterns of one evaluation may search together; nothing else is limited by time."""
DEPTH = 48
"""How deep expressions and handlers may be nested."""


class EvaluationBudget:
    """The remaining operations and bytes of one evaluation, nested ones included."""

    __slots__ = ("bytes", "depth", "operations", "seconds")

    def __init__(self, operations: int = OPERATIONS, size: int = BYTES) -> None:
        self.operations = operations
        self.bytes = size
        self.seconds = SECONDS
        self.depth = 0

    def spend(self, operations: int = 1) -> None:
        """Count operations."""
        self.operations -= operations
        if self.operations < 0:
            raise ExpressionTooLarge("it takes too many operations")

    def hold(self, size: int) -> None:
        """Count the size of a value before it is built."""
        self.bytes -= size
        if self.bytes < 0:
            raise ExpressionTooLarge("it builds too much data")

    def enter(self) -> None:
        """Go one level deeper."""
        self.depth += 1
        if self.depth > DEPTH:
            raise ExpressionTooLarge("it is nested too deeply")

    def leave(self) -> None:
        self.depth -= 1
