"""Comments that are meant to hide findings, and name a rule that does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina._support import suggestions
from lamina.dialects import registry as dialects
from lamina.errors import Diagnostic, Severity
from lamina.protocol.lint import rules_of
from lamina.views.lint.codes import CODES
from lamina.views.lint.selection import fits
from lamina.views.lint.suppressions import codes_named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.views.lint.context import Survey


def unknown_ignores(survey: Survey) -> Iterator[Note]:
    """A finding for each code in a comment that is not one.

    A dialect that was installed may have more codes than are known here, so its comments are not judged.
    """
    dialect = survey.rendered.dialect
    if dialect.name not in dialects.BUILT_IN:
        return
    known = [*(rule.code for rule in rules_of(dialect)), *CODES]
    for word, at in _codes_named(survey):
        if not any(fits(code, (word,)) for code in known):
            yield Diagnostic(
                code="unknown-rule",
                message=f"there is no lint rule {word!r}, so this comment hides nothing",
                at=at,
                hint=suggestions.did_you_mean(word, known, "lamina rule lists the rules"),
                severity=Severity.WARNING,
            )


def _codes_named(survey: Survey) -> Iterator[tuple[str, Origin]]:
    for source in list(survey.record.sources.values()):
        yield from codes_named(source)
