"""The list of lint rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina._support.escapes import text_of
from lamina.cli.terminal import fits_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.protocol.lint import LintRule

_LEAST = (16, 8, 24)


def rules_listed(dialect: str | None) -> str:
    """All rules, or those that hold for a dialect: a table on a terminal, else a line for each."""
    from lamina.dialects import registry as dialects
    from lamina.protocol.lint import rules_of
    from lamina.views.lint.rules import GENERAL, rules_for

    if dialect:
        rules: Sequence[LintRule] = rules_for(dialects.find(dialect))
    else:
        rules = [*GENERAL, *(rule for name in dialects.names() for rule in rules_of(dialects.find(name)))]
    rows = [(rule.code, rule.severity.word, rule.title) for rule in rules]
    return _as_table(rows) if fits_width(_LEAST) else _as_text(rows)


def _as_table(rows: list[tuple[str, str, str]]) -> str:
    from lamina.cli.tables import Column, table, written

    titles = ("code", "severity", "what is found")
    return written(table([Column(*pair) for pair in zip(titles, _LEAST, strict=True)], [[row] for row in rows]))


def _as_text(rows: list[tuple[str, str, str]]) -> str:
    width = max(len(code) for code, _, _ in rows)
    return text_of(f"{code:<{width}}  {severity:<7}  {title}" for code, severity, title in rows)
