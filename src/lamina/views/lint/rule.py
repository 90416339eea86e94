"""Rules: what a lint finding is called, how much it matters, and what finds it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina.errors import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lamina.dialects.base import Dialect
    from lamina.errors import Note
    from lamina.views.lint.context import Survey
    from lamina.views.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRule:
    """One rule; `check` finds what it is about, or is left out where rendering itself gives the notes."""

    code: str
    """Stable, never reused; words with dashes between."""
    title: str
    about: str
    """One sentence: what is found, and why it matters."""
    severity: Severity = Severity.WARNING
    check: Callable[[Survey], Iterable[Note]] | None = None
    of_all: bool = False
    """Whether the rule only makes sense where no part of the inputs is singled out."""
    opt_in: bool = False
    """Whether the rule is only looked at where it is selected."""
    covers: tuple[str, ...] = ()
    """Codes of general rules whose findings on the same place, or one this rule points at, are then left out."""

    fix: str = ""
    """What `lamina lint --fix` does about a finding, where there is one safe fix."""

    def findings(self, survey: Survey) -> Iterator[Note]:
        """What the rule finds; a check may look for several codes and serve several rules.

        A finding may matter less than the rule says, never more.
        """
        for note in self.check(survey) if self.check else ():
            if note.code == self.code:
                yield replace(note, severity=min(self.severity, note.severity))


def on_result(check: Callable[[Result], Iterable[Note]]) -> Callable[[Survey], Iterable[Note]]:
    """A check that needs no more than the result."""
    return lambda survey: check(survey.rendered)


def rules_of(dialect: Dialect[Any]) -> tuple[LintRule, ...]:
    """The dialect's own rules, loaded from where it says they are."""
    return tuple(dialect.extension("lint") or ())
