"""Values that change their kind from one layer to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.errors import Diagnostic
from lamina.linting.layers import place_of
from lamina.merge.lineage import writings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import Note
    from lamina.linting.meetings import Meeting
    from lamina.linting.survey import Survey
    from lamina.merge.nodes import Written
    from lamina.places import Origin

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "a boolean"),
    ((int, float), "a number"),
    (str, "a text"),
    (dict, "a mapping"),
    ((list, tuple), "a list"),
)


def kind_changes(survey: Survey) -> Iterator[Note]:
    """A finding for each value that meets one of another kind."""
    told: set[Origin] = set()
    for meeting in survey.meetings:
        if not meeting.both or meeting.old.value is None or meeting.new.value is None:
            continue
        if meeting.step.verb is not None:
            # What is filled in from elsewhere often takes the place of something that only stands for it.
            continue
        before, after = kind_of(meeting.old.value), kind_of(meeting.new.value)
        written = list(writings_of(meeting.new))
        if before != after and written and written[0].origin() not in told:
            told.add(written[0].origin())
            yield _finding(survey, meeting, written[0], before, after)


def kind_of(value: Any) -> str:
    """What people call a value's kind; numbers are one kind, whole or not."""
    return next((word for kinds, word in _KINDS if isinstance(value, kinds)), f"a {type(value).__name__}")


def _finding(survey: Survey, meeting: Meeting, written: Written, before: str, after: str) -> Note:
    earlier = next(writings_of(meeting.old), None)
    where = earlier.layer if earlier else "an earlier layer"
    return Diagnostic(
        code="kind-changes",
        message=f"{survey.name(written, meeting)} is {after} here and {before} in {where}",
        at=place_of(written),
        path=survey.full_path(meeting.output, meeting.path),
        related=((f"{before} is here", earlier.origin()),) if earlier else (),
        hint="write both as one kind; quotes make a text",
        subject=written.layer,
    )
