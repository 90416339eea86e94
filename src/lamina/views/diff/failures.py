"""Failures: what one side could not render, and so cannot be compared; it was neither added nor removed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from lamina.errors import Severity
from lamina.origins import data_or_none

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from lamina.errors import Note
    from lamina.views.diff.match_sources import SourceNames
    from lamina.views.result import Result
    from lamina.views.schemas.changes import FailureReason

SIDES: Final[tuple[Literal["before"], Literal["after"]]] = ("before", "after")


class Failure(NamedTuple):
    """An output, or a part of one, that one side could not render, and why."""

    output: str | None
    """The output, if there are several."""
    inside: str
    """The part of the output; empty for the whole."""
    side: int | None
    """Which side it is: 0 before, 1 after; None if the reason says it."""
    note: Note

    @property
    def reason(self) -> str:
        """Where and why, in one line."""
        place = f"{self.note.at}: " if self.note.at else ""
        return f"{place}{self.note.message} [{self.note.code}]"


@dataclass(slots=True, eq=False)
class FailureGroup:
    """A failure and the outputs it is in; the first of its members represents all."""

    failure: Failure
    outputs: list[str] = field(default_factory=list)

    @property
    def within(self) -> str:
        """What failed inside of each output; empty for the whole."""
        return self.failure.inside


class FailedOutputs:
    """What a result lacks because it could not be rendered."""

    def __init__(self, rendered: Result, names: Iterable[str | None], side: int) -> None:
        self._only = rendered.outputs[0].output.name if rendered.spec.shape == "one" and rendered.outputs else None
        self._side = side
        self._errors = [note for note in rendered.notes if note.severity >= Severity.ERROR]
        self._failures: dict[tuple[str | None, str], Failure] = {}
        known = {name for name in names if name is not None}
        for name, folded in rendered.record.results.items():
            for note in folded.faults[:1]:
                output, inside = self._place(name, known)
                self._failures.setdefault((output, inside), Failure(output, inside, side, note))

    def _place(self, name: str, known: set[str]) -> tuple[str | None, str]:
        """The output and the part of it that a failed step is of, such as a key of a node."""
        output, colon, inside = name.partition(": ")
        if self._only is not None:
            return None, inside if output == self._only else name
        return (output, inside) if colon and output in known and name not in known else (name, "")

    def lacks(self, output: str | None, find_sources: Callable[[], Collection[str]], names: SourceNames) -> bool:
        """Whether an output is missing because one of its sources cannot be read; it counts as failed then."""
        sources = find_sources() if self._errors else ()
        for note in self._errors:
            if note.at is not None and names.of(note.at.source) in sources:
                self._failures[output, ""] = Failure(output, "", self._side, note)
                return True
        return False

    def __iter__(self) -> Iterator[Failure]:
        return iter(self._failures.values())

    def holds(self, output: str | None, inside: Any = "") -> bool:
        """Whether an output, or the member of it with this key, could not be rendered."""
        return (output, str(inside)) in self._failures


def grouped_failures(failures: Iterable[Failure]) -> list[FailureGroup]:
    """The failures, each once with the outputs it is in."""
    groups: dict[object, FailureGroup] = {}
    for failure in failures:
        key = failure.inside, failure.side, failure.reason
        group = groups.setdefault(key, FailureGroup(failure))
        if failure.output is not None:
            group.outputs.append(failure.output)
    return list(groups.values())


def reason_data(failure: Failure) -> FailureReason:
    """A failure as plain data, without what it is in."""
    note = failure.note
    return {
        "within": failure.inside or None,
        "side": None if failure.side is None else SIDES[failure.side],
        "code": note.code,
        "message": note.message,
        "origin": data_or_none(note.at),
    }


def failed_names(groups: Sequence[FailureGroup]) -> list[str]:
    """All outputs of which something failed, each once."""
    return list(dict.fromkeys(name for group in groups for name in group.outputs))
