"""What a project consists of: its targets as they are declared, what is ignored, and how it is linted.

A project file declares targets; so do a manifest, a folder with nodes, and inputs on the command line.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lamina.errors import Note, Severity
    from lamina.origins import Origin
    from lamina.protocol.dialect import Dialect

SOURCES: Final = ("each", "nodes", "manifest")
"""The fields that make an entry a pattern; exactly one is allowed."""


@dataclass(frozen=True, slots=True)
class GivenInputs:
    """Inputs that a caller named: paths as they are written, in the order they are merged.

    `allowed` are further folders whose files they may refer to; `owners` are the dialects that have the options given,
    among which theirs is looked for first.
    """

    paths: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    owners: Callable[[], Sequence[str]] = field(default=list, compare=False)


@dataclass(frozen=True, slots=True)
class LintSettings:
    """How the targets of a project are linted."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str | None = None
    severity: Mapping[str, Severity] = field(default_factory=dict)
    baseline: str | None = None

    def weighed(self, note: Note) -> Note:
        """A finding with the severity that the project sets for its code."""
        return replace(note, severity=self.severity.get(note.code, note.severity))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTargets:
    """The declaration of a target, or of a pattern for targets; `place` returns where a key of it is written."""

    key: str
    dialect: str | None
    passed: Dialect[Any] | None = field(default=None, compare=False, repr=False)
    """The dialect itself, if a caller passed one instead of a name."""
    inputs: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    each: str | None = None
    nodes: str | None = None
    repositories: tuple[str, ...] = ()
    manifest: str | None = None
    allowed: tuple[str, ...] = ()
    """Further folders that a manifest may name files in, if the caller allowed any."""
    given: GivenInputs | None = None
    """The inputs themselves, where a caller named them instead of a project file."""
    name: str | None = None
    guessed: bool = False
    """Whether `lamina init` assumed what is merged, and nobody has confirmed it."""
    place: Callable[..., Origin] = field(compare=False, repr=False)

    @property
    def is_pattern(self) -> bool:
        return any(getattr(self, source) is not None for source in SOURCES)


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """The content of a project file."""

    path: str
    declared: tuple[DeclaredTargets, ...] = ()
    ignore: tuple[str, ...] = ()
    lint: LintSettings = LintSettings()

    @property
    def folder(self) -> str:
        return os.path.dirname(self.path) or "."
