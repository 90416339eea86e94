"""Linting the files of a workspace as they are seen: what was found of a target is kept until a file of it changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lamina.errors import InputError, LaminaError
from lamina.project.target_fixes import TargetRuns
from lamina.project.target_lint import lint_targets
from lamina.sources.inputs import Inputs
from lamina.views.lint.api import Linted
from lamina.views.lint.fixes import with_edits
from lamina.views.lint.selection import Selection
from lamina.workspace.cancelling import check_cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from lamina.project.project import Project
    from lamina.project.target import Target
    from lamina.project.target_lint import Group
    from lamina.protocol.dialect import Dialect
    from lamina.sources.source import Source
    from lamina.workspace.cancelling import IsCancelled
    from lamina.workspace.live_view import LiveView


class LiveLint:
    """The findings of the targets of a project in a live view of its files."""

    def __init__(self, project: Project, view: LiveView, targets: Sequence[Target], cancelled: IsCancelled) -> None:
        self._project, self._view, self._targets, self._cancelled = project, view, targets, cancelled
        self._settings = project.lint
        self._selection = Selection(self._settings.select, self._settings.ignore)
        self._complete = not project.patterns

    def linted(self, paths: Collection[str] | None) -> Linted:
        """The findings in some files, or all."""
        if not self._targets:
            return Linted((), ())
        try:
            found = lint_targets(
                self._targets, self._request, self._selection, self._settings, self._spread, complete=self._complete
            )
        except InputError as error:  # of the only target there is
            found = Linted(error.diagnostics, (), targets=dict.fromkeys(error.diagnostics, (self._targets[0].name,)))
        if paths is None:
            return found
        names = {self._project.prefix + path for path in paths}
        return replace(found, findings=tuple(each for each in found.findings if each.at and each.at.source in names))

    def with_edits(self, paths: Collection[str]) -> Linted:
        """The findings in some files with the edits that fix them; each edit was tried on all targets."""
        found = self.linted(paths)
        if not any(each.fix for each in found.findings):
            return replace(found, edits={})
        runs = TargetRuns(self._targets, self._targets, self._request, self._selection, self._settings, self._complete)
        names = {self._project.prefix + path: path for path in paths}

        def editable(name: str) -> Source | None:
            return self._view.read(names[name]) if name in names else None

        return with_edits(found, runs, editable)

    def _request(self, target: Target) -> tuple[Dialect[Any], Inputs, Any]:
        check_cancelled(self._cancelled)
        inputs = target.gathered(self._view)
        return target.system, Inputs(()) if inputs is None else inputs, target.dialect_options()

    def _spread(self, lint: Callable[[Group], Linted], groups: Sequence[Group]) -> Iterator[Linted | LaminaError]:
        for group in groups:
            check_cancelled(self._cancelled)
            key = ("linted", group[0], group[1].name, repr(group[1].options), self._selection)
            yield self._view.cache.once(key, lambda group=group: _outcome(lint, group))  # type: ignore[misc]


def _outcome(lint: Callable[[Group], Linted], group: Group) -> Linted | LaminaError:
    try:
        return lint(group)
    except LaminaError as error:
        return type(error).of(error.diagnostics)  # without the frames it came through
