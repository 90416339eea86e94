"""Codes that were renamed: an old one means the new one wherever a code is given, for one release.

This table is the only place that knows the old names. Findings always carry the new ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.errors import Diagnostic, Fix, Severity
from lamina.views.lint.codes import CODES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.errors import Note
    from lamina.origins import Origin

CODE: Final = "deprecated-code"

RENAMED: Final = {
    "changed-by-another": "changed-by-other-document",
    "defect": "internal-error",
    "entries-lost": "entries-overridden",
    "found-nowhere": "lookup-not-found",
    "header-lost": "header-ignored",
    "idle-lookup-option": "unused-lookup-option",
    "idle-rule": "unused-rule",
    "joined-text": "concatenated-strings",
    "kind-changes": "type-change",
    "layer-beside-folder": "layer-folder-mismatch",
    "lookup-needed": "lookup-required",
    "lost-layer": "overridden-layer",
    "mixed-surfaces": "mixed-rule-sets",
    "nameless-node": "unnamed-node",
    "needs-failed": "dependency-failed",
    "never-matches": "never-used",
    "no-answer": "no-response",
    "node-needed": "node-required",
    "odd-answer": "unexpected-response",
    "odd-archive-entry": "unexpected-archive-entry",
    "option-of-other-dialect": "option-for-other-dialect",
    "output-in-fleet": "output-inside-inputs",
    "path-cut": "truncated-path",
    "rejected": "request-rejected",
    "rule-needed": "rule-required",
    "same-node-name": "duplicate-node-name",
    "scalar-under-merge": "scalar-with-merge-strategy",
    "second-layering-policy": "multiple-layering-policies",
    "settings-text": "settings-as-string",
    "spoilt-letters": "garbled-characters",
    "strikes-nothing": "deletes-nothing",
    "text-as-list": "string-as-list",
    "texts-not-joined": "strings-not-joined",
    "tuple-key-never-present": "missing-tuple-key",
    "unheard-strategy": "ignored-strategy",
    "unknown-strategy-word": "unknown-strategy-name",
}
"""The old names, each with the new one."""

_OLD: Final = {new: old for old, new in RENAMED.items()}


def current(code: str) -> str:
    """The name a code has now."""
    return RENAMED.get(code, code)


def names_of(code: str) -> tuple[str, ...]:
    """The names a code may be given by: its own, and the one it had."""
    old = _OLD.get(code)
    return (code,) if old is None else (code, old)


def deprecations(words: Iterable[str], at: Origin | None = None) -> Iterator[Note]:
    """A note for each word that is an old code, or the beginning of one."""
    for word in dict.fromkeys(words):
        for old, new in RENAMED.items():
            if word == old or (word and old.startswith(word) and not _is_current(word)):
                yield renamed_note(old, new, at)


def _is_current(word: str) -> bool:
    return any(code.startswith(word) for code in CODES)


def renamed_note(old: str, new: str, at: Origin | None = None) -> Note:
    """The note on one old code."""
    return Diagnostic(
        code=CODE,
        message=f"the code {old} is now called {new}",
        at=at,
        hint=f"write {new}; the old name works for one more release",
        severity=Severity.INFO,
        fix=Fix(title=f"write {new}", action="replace", at=at, old=old, new=new) if at else None,
    )
