"""Rules: the code of a lint finding, its severity, and the check that finds it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina.errors import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lamina.errors import Note
    from lamina.protocol.dialect import Dialect
    from lamina.protocol.rendered import Checked, Rendered


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRule:
    """One rule; `check` finds the mistakes, or is omitted if rendering itself gives the notes."""

    code: str
    """Stable, never reused; words with dashes between."""
    title: str
    about: str
    """One sentence: what is found, and why it matters."""
    severity: Severity = Severity.WARNING
    check: Callable[[Checked], Iterable[Note]] | None = None
    of_all: bool = False
    """Whether the rule only makes sense if no part of the inputs is selected."""
    opt_in: bool = False
    """Whether the rule is only checked if it is selected."""
    covers: tuple[str, ...] = ()
    """Codes of general rules whose findings at the same location, or one that this rule points at, are then omitted."""

    fix: str = ""
    """What `lamina lint --fix` does about a finding, if there is one safe fix."""

    def findings(self, checked: Checked) -> Iterator[Note]:
        """What the rule finds; a check may look for several codes and serve several rules.

        A finding may have a lower severity than the rule, never a higher one.
        """
        for note in self.check(checked) if self.check else ():
            if note.code == self.code:
                yield replace(note, severity=min(self.severity, note.severity))


def on_result(check: Callable[[Rendered], Iterable[Note]]) -> Callable[[Checked], Iterable[Note]]:
    """A check that needs only the result."""
    return lambda checked: check(checked.rendered)


def rules_of(dialect: Dialect[Any]) -> tuple[LintRule, ...]:
    """The dialect's own rules, loaded from its extension."""
    return tuple(dialect.extension("lint") or ())
