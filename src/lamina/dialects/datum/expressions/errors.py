"""Why an expression has no value."""

from __future__ import annotations


class ExpressionError(Exception):
    """The only error that parsing and evaluating raise; its text is the reason."""

    @property
    def reason(self) -> str:
        return str(self)


class OutsideSubset(ExpressionError):
    """The expression may be right, but it uses what is not evaluated here."""


class ScriptFailed(ExpressionError):
    """PowerShell would fail on it, too."""


class LeadsToItself(ExpressionError):
    """Evaluating it needs its own value; PowerShell would never finish."""


class ExpressionTooLarge(ExpressionError):
    """It takes more operations, more memory or more depth than an expression may."""
