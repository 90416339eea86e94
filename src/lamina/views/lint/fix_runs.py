"""Runs for fixing: the same request linted and rendered again, with some files changed in memory."""

from __future__ import annotations

from collections import Counter
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.errors import LaminaError
from lamina.protocol.extensions import complete_scope
from lamina.sources.inputs import Folder, read_file
from lamina.sources.source import Source
from lamina.views.lint.api import lint_with
from lamina.views.lint.fixes import FixOutcome, outcome_of
from lamina.views.lint.trial_inputs import TrialInputs
from lamina.views.render import notes_of, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.protocol.dialect import Dialect
    from lamina.sources.inputs import Inputs
    from lamina.views.lint.api import Linted
    from lamina.views.lint.selection import Selection


class FixRequest(NamedTuple):
    """A request to render: a dialect, inputs and options."""

    dialect: Dialect[Any]
    inputs: Inputs
    options: Any


class InputRuns(NamedTuple):
    """One request."""

    request: FixRequest
    selection: Selection

    def linted(self, changed: Mapping[str, bytes]) -> Linted:
        dialect, inputs, options = self.request
        return lint_with(dialect, TrialInputs(changed).applied_to(inputs), options, self.selection)

    def outcome(self, changed: Mapping[str, bytes]) -> FixOutcome:
        return combined_outcome([self.request], changed)


def combined_outcome(requests: Iterable[FixRequest], changed: Mapping[str, bytes]) -> FixOutcome:
    """The results of several requests, with some files changed."""
    values: dict[tuple[int, str], Any] = {}
    warnings: Counter[str] = Counter()
    served: set[tuple[int, str]] = set()
    for number, request in enumerate(requests):
        overlay = TrialInputs(changed)
        each = _outcome(number, request, overlay)
        values.update(each.values)
        warnings += each.warnings
        served |= {(number, name) for name in overlay.served}
    return FixOutcome(values, warnings, frozenset(served))


def _outcome(number: int, request: FixRequest, overlay: TrialInputs) -> FixOutcome:
    dialect, inputs, options = request
    whole = complete_scope(dialect, options)
    try:
        work = run(dialect, overlay.applied_to(inputs), options if whole is None else whole)
    except LaminaError as error:
        return outcome_of(number, (), error.diagnostics)
    faults = [fault for folded in work.results.values() for fault in folded.faults]
    outputs = [
        (folded.output.name, folded.node.value)
        for folded in work.results.values()
        if not folded.output.hidden and not folded.failed
    ]
    return outcome_of(number, outputs, [*faults, *notes_of(work)])


class EditableFiles:
    """The files that may be edited: those given, and those below the folders given."""

    def __init__(self, roots: Iterable[str]) -> None:
        self._roots = [FilePath(root).resolve() for root in roots]

    @classmethod
    def of(cls, inputs: Inputs) -> EditableFiles:
        """Those of the inputs of one request."""
        return cls(item.name for item in inputs.items if isinstance(item, (Source, Folder)))

    def read(self, name: str) -> Source | None:
        """A file as it is on disk, if it may be edited."""
        real = FilePath(name).resolve()
        if not real.is_file() or not any(real.is_relative_to(root) for root in self._roots):
            return None
        try:
            return read_file(name, name)
        except LaminaError:
            return None
