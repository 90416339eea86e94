"""Why an expression has no value."""

from __future__ import annotations


class ExpressionError(Exception):
    """The only error that parsing and evaluating raise; its text is the reason."""

    @property
    def reason(self) -> str:
        return str(self)


class OutsideSubset(ExpressionError):
    """The expression may be valid, but uses something that is not supported here."""


class ScriptFailed(ExpressionError):
    """PowerShell would fail as well."""


class NotKnown(ExpressionError):
    """It needs a value that is not known here; `hint` says what would make it known."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.hint = hint


class SelfReference(ExpressionError):
    """Evaluating it needs its own value; PowerShell would never finish."""


class ExpressionTooLarge(ExpressionError):
    """It exceeds the limit on operations, memory or depth."""
