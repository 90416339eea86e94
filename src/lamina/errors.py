"""Findings: one form for everything Lamina reports about an input.

A `Diagnostic` says what happened, where, and what would be right. A fatal one is carried by a `LaminaError`; one that
does not stop the work is a `Note`. The command line, the JSON outputs and the pages all print the same object.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lamina._support.escapes import one_line

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from lamina.origins import Origin
    from lamina.paths import Path


class Severity(IntEnum):
    """How much a finding matters; ordered, so that thresholds can be compared."""

    INFO = 10
    WARNING = 20
    ERROR = 30

    @property
    def word(self) -> str:
        return self.name.lower()


class Effect(NamedTuple):
    """What a fix does to a result: the value at a path of an output, before and after; MISSING for none."""

    output: str
    path: Path
    before: Any
    after: Any
    exactly: bool = True
    """Whether the value afterwards is known; otherwise any value is accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A safe change of a file that removes a finding; the results change only as in `effects`.

    `quote` puts quotes around the scalar at the origin, `remove` removes the entry whose key is there, `rename` renames
    that key, `add-key` adds a line to the document the origin is in, `add-start` adds a line at the top of the file,
    `replace` changes the text at the origin.
    """

    title: str
    """The change as an instruction: `put it in quotes`."""
    action: Literal["quote", "remove", "rename", "add-key", "add-start", "replace"]
    at: Origin
    old: str = ""
    """The current text."""
    new: str = ""
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding: a stable code, one plain sentence, and where it applies."""

    code: str
    message: str
    at: Origin | None = None
    path: Path = ()
    related: tuple[tuple[str, Origin], ...] = ()
    hint: str | None = None
    severity: Severity = Severity.ERROR
    subject: str | None = None
    """What the finding is about, in the dialect's own words (a part, a document, a node)."""
    fix: Fix | None = field(default=None, compare=False, repr=False)
    """The change that removes the finding, if there is one that needs no decision."""
    error_if_strict: bool = field(default=False, compare=False)
    """A result depends on an assumption: with `--strict` that is an error, whatever the severity."""
    cause: Diagnostic | None = field(default=None, compare=False, repr=False)
    """The finding that this one follows from: what it needs failed for that reason."""
    consequences: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What fails because of this, where that is not listed by itself."""

    def lines(self) -> list[str]:
        """The finding as text: the sentence, then related origins and the hint, indented; escaped for output."""
        head = f"{self.at}: {self.message} [{self.code}]" if self.at else f"{self.message} [{self.code}]"
        rest = [f"  {origin}: {label}" for label, origin in self.related]
        if self.consequences:
            rest.append(f"  {self.what_follows}")
        if self.hint:
            rest.append(f"  hint: {self.hint}")
        return [one_line(line) for line in (head, *rest)]

    @property
    def what_follows(self) -> str:
        """How much else fails because of this, and what first."""
        count = len(self.consequences)
        more = f" and {count - _NAMED:,} more" if count > _NAMED else ""
        return (
            f"because of this, {count:,} more fail{'s' * (count == 1)}: {', '.join(self.consequences[:_NAMED])}{more}"
        )

    def __str__(self) -> str:
        return "\n".join(self.lines())


_NAMED = 3
"""How many consequences of a finding are named."""

Note = Diagnostic
"""A finding that does not stop the work."""


def causes_of(findings: Sequence[Diagnostic]) -> dict[int, Diagnostic]:
    """The findings that follow from no other among them, by position, each with what follows from it."""
    causes: dict[Hashable, list[str]] = {_key(each): [] for each in findings if each.cause is None}
    shown: dict[int, Diagnostic] = {}
    for position, each in enumerate(findings):
        follows = causes.get(_key(each.cause)) if each.cause else None
        if follows is None:
            shown[position] = each
        else:
            follows.append(each.subject or str(each.at or each.message))
    for position, each in shown.items():
        if follows := causes.pop(_key(each), None):
            shown[position] = replace(each, consequences=tuple(dict.fromkeys(follows)))
    return shown


def _key(finding: Diagnostic) -> Hashable:
    """What a finding keeps when its severity changes, or when others of the same place are added to its message."""
    return finding.code, finding.at or finding.message


@dataclass(frozen=True, slots=True)
class Message:
    """A row of a dialect's messages: a code, a sentence and a hint, with `{words}` that are filled in where it is used.

    The engine fills in the messages for the faults of its steps: `{path}`, `{within}` (", at " and the path; empty at
    the top level), `{old}`, `{new}` (short forms of the values), `{old_kind}`, `{new_kind}`, `{layer}`, `{detail}`.
    """

    code: str
    message: str
    hint: str | None = None
    severity: Severity = Severity.ERROR
    at_directive: bool = False
    """The finding points to the line that caused the step, not to the value."""
    error_if_strict: bool = False

    def at(
        self,
        origin: Origin | None = None,
        path: Path = (),
        /,
        *,
        subject: str | None = None,
        related: Iterable[tuple[str, Origin | None]] = (),
        fix: Fix | None = None,
        hint: str | None = None,
        **words: object,
    ) -> Diagnostic:
        """The finding with these words, and `{subject}`; related places without an origin are left out.

        `hint` is for a hint that is not made of words, which the row then does not have.
        """
        if hint is None and self.hint is not None:
            hint = self.hint.format(subject=subject, **words)
        return Diagnostic(
            code=self.code,
            message=self.message.format(subject=subject, **words),
            at=origin,
            path=path,
            related=tuple((label, place) for label, place in related if place),
            hint=hint,
            severity=self.severity,
            subject=subject,
            fix=fix,
            error_if_strict=self.error_if_strict,
        )


class LaminaError(Exception):
    """Every error Lamina raises on purpose; carries all findings of the pass, the first one in `diagnostic`."""

    def __init__(self, diagnostic: Diagnostic, *more: Diagnostic) -> None:
        super().__init__(diagnostic, *more)
        self.diagnostics: tuple[Diagnostic, ...] = (diagnostic, *more)

    @property
    def diagnostic(self) -> Diagnostic:
        return self.diagnostics[0]

    @classmethod
    def of(cls, diagnostics: Iterable[Diagnostic]) -> LaminaError:
        """One error for all findings of a pass."""
        return cls(*diagnostics)

    def __str__(self) -> str:
        return "\n".join(map(str, causes_of(self.diagnostics).values()))


class InputError(LaminaError):
    """An input could not be read: bad syntax, a missing file, or an exceeded limit."""


class MergeError(LaminaError):
    """The layers cannot be combined, as the real program would reject them too."""


class Reject(MergeError):
    """The inputs cannot be rendered; raised while compiling, with one finding or several."""


class UsageError(LaminaError):
    """The request itself is wrong: an unknown dialect, option or path."""
