"""How much one evaluation may take: operations, bytes and depth, counted so that no machine gives another outcome."""

from __future__ import annotations

from lamina.dialects.datum.expressions.errors import ExpressionTooLarge

OPERATIONS = 100_000
BYTES = 4 * 1024 * 1024
SECONDS = 0.5
"""How long all patterns of one evaluation may search together; nothing else is limited by time."""
DEPTH = 48
"""How deep an expression may be nested, and how far handlers may lead to one another."""


class EvaluationBudget:
    """What is left of the operations and bytes of one evaluation, nested ones included."""

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
        """Count the size of something that is about to be built, before it is."""
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
