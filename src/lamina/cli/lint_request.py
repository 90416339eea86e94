"""Requests of `lamina lint`: what is linted, fixed, and compared with a baseline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.views.lint.api import Linted
    from lamina.views.lint.fix_runs import EditableFiles
    from lamina.views.lint.fixes import FixOutcome, Runs


@dataclass(frozen=True, slots=True)
class LintRequest:
    """One request, of inputs or of the targets of a project."""

    linted: Callable[[], Linted]
    runs: Runs
    editable: EditableFiles

    def without_known(self, path: str) -> LintRequest:
        """The same request without the findings of a baseline."""
        from lamina.sources.inputs import read_file
        from lamina.views.lint.baseline import read, without_known

        known, folder = read(read_file(path, path)), str(FilePath(path).parent)

        def new(linted: Linted, changed: Mapping[str, bytes]) -> Linted:
            return without_known(linted, known, folder, changed)

        return replace(self, linted=lambda: new(self.linted(), {}), runs=_NewOnly(self.runs, new))

    def fixed(self) -> Linted:
        """Fix what can be fixed, in the files; the findings that are left."""
        from lamina.cli.lint_fix import write_fixes

        return write_fixes(self.runs, self.editable.read)

    def shown_fixes(self) -> int:
        """Print what would be fixed; the exit status."""
        from lamina.cli.lint_fix import show_fixes

        return show_fixes(self.runs, self.editable.read)

    def with_edits(self, linted: Linted) -> Linted:
        """The findings with the edits that fix them."""
        from lamina.views.lint.fixes import with_edits

        return with_edits(linted, self.runs, self.editable.read)


@dataclass(frozen=True, slots=True)
class _NewOnly:
    """Runs of which only findings that are not in a baseline count."""

    runs: Runs
    new: Callable[[Linted, Mapping[str, bytes]], Linted]

    def linted(self, changed: Mapping[str, bytes]) -> Linted:
        return self.new(self.runs.linted(changed), changed)

    def outcome(self, changed: Mapping[str, bytes]) -> FixOutcome:
        return self.runs.outcome(changed)
