"""Fixes for the targets of a project: a change of a file is checked against every target that reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina.errors import LaminaError
from lamina.project.target_lint import lint_groups, lint_targets
from lamina.views.lint.fix_runs import FixRequest, combined_outcome
from lamina.views.lint.trial_inputs import TrialInputs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from lamina.project.declared import LintSettings
    from lamina.project.target import Target
    from lamina.project.target_lint import LintRequestOf
    from lamina.protocol.dialect import Dialect
    from lamina.sources.inputs import Inputs
    from lamina.views.lint.api import Linted
    from lamina.views.lint.fixes import FixOutcome
    from lamina.views.lint.selection import Selection


@dataclass(frozen=True, slots=True)
class TargetRuns:
    """The targets of a project; those that are not selected are rendered too, since they may share files."""

    targets: Sequence[Target]
    all_targets: Sequence[Target]
    request_of: LintRequestOf
    selection: Selection
    settings: LintSettings
    complete: bool

    def linted(self, changed: Mapping[str, bytes]) -> Linted:
        def one(target: Target) -> tuple[Dialect[Any], Inputs, Any]:
            dialect, inputs, options = self.request_of(target)
            return dialect, TrialInputs(changed).applied_to(inputs), options

        return lint_targets(self.targets, one, self.selection, self.settings, complete=self.complete)

    def outcome(self, changed: Mapping[str, bytes]) -> FixOutcome:
        return combined_outcome(self._requests(), changed)

    def _requests(self) -> Iterator[FixRequest]:
        for _, target in lint_groups(self.all_targets):
            try:
                yield FixRequest(*self.request_of(target))
            except LaminaError:
                continue  # linting the target reports it
