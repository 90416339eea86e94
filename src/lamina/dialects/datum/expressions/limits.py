"""The limits of one evaluation: operations, bytes and depth, so that the outcome is the same on every machine."""

from __future__ import annotations

from lamina.budget import MIB, Budget
from lamina.dialects.datum.expressions.errors import ExpressionTooLarge

OPERATIONS = 100_000
BYTES = 4 * MIB
SECONDS = 0.5
"""How long all patterns of one evaluation may search together; nothing else is limited by time."""
DEPTH = 48
"""How deep expressions and handlers may be nested."""


def to_evaluate() -> Budget:
    """The budget of one evaluation, nested ones included."""
    return Budget(OPERATIONS, BYTES, _too_large, "operations", seconds=SECONDS, levels=DEPTH)


def _too_large(what: str) -> ExpressionTooLarge:
    return ExpressionTooLarge(f"it takes more than {what}")
