"""Findings of the dialect, in short."""

from __future__ import annotations

from typing import NoReturn

from lamina import plugin as lp


def fault(code: str, message: str, at: lp.Origin | None, hint: str) -> NoReturn:
    """Stop with one finding."""
    raise lp.Reject(lp.Diagnostic(code=code, message=message, at=at, hint=hint))


def warning(code: str, message: str, at: lp.Origin | None, hint: str) -> lp.Diagnostic:
    """A finding that stops nothing."""
    return lp.Diagnostic(code=code, message=message, at=at, hint=hint, severity=lp.Severity.WARNING)
