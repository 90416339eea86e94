"""What readers see of a workspace: the state between two updates, which never changes.

An update works on the next state, and shows it when it is done; who reads meanwhile does not wait.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from lamina.workspace.dependencies import Dependencies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lamina.errors import LaminaError, Note
    from lamina.project.target import Target
    from lamina.views.result import Result


@dataclass(frozen=True, slots=True, eq=False)
class TargetOutcome:
    """What rendering a target gave: a result or an error, and what it was made from."""

    target: Target
    result: Result | None
    error: LaminaError | None
    needs: Dependencies = field(default_factory=Dependencies)

    def behind(self, broken: LaminaError | None) -> TargetOutcome:
        """The same as it is seen: where the targets cannot be listed, the reason for that is the error of each."""
        return self if broken is None else replace(self, error=broken)

    @property
    def failed(self) -> bool:
        """Whether asking for the result raises an error."""
        return self.error is not None

    @property
    def findings(self) -> Sequence[Note]:
        """What there is to say about it."""
        if self.error is not None:
            return self.error.diagnostics
        return self.result.notes if self.result is not None else ()

    def findings_with(self, good: Result | None) -> Sequence[Note]:
        """The same; while it fails, with the notes of its last good result, which an error neither solves nor adds."""
        return (*self.findings, *(good.notes if good is not None else ())) if self.failed else self.findings


class LastGood(NamedTuple):
    """The last result that a target had."""

    target: str
    result: Result
    is_stale: bool
    """Whether the target fails now."""
    text: bytes | None
    """A file as it was then."""


class Seen(NamedTuple):
    """All targets with what rendering them gave, and the last good results."""

    outcomes: tuple[TargetOutcome, ...]
    good: Mapping[str, Result]
    since_good: Mapping[str, Mapping[str, bytes | None]]
    """For targets that fail now: what files that changed since were when they did not."""
    broken: LaminaError | None

    def readers(self, path: str, real: str, text: bytes | None) -> Iterator[LastGood]:
        """The last good results of the targets that read a file, which is `text` now."""
        for outcome in self.outcomes:
            name = outcome.target.name
            result, since = self.good.get(name), self.since_good.get(name, {})
            if result is not None and (real in outcome.needs.files or path in since):
                is_stale = outcome.failed or self.broken is not None
                yield LastGood(name, result, is_stale, since.get(path, text))
