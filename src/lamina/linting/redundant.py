"""Values set again to what they already were.

Where two layers say the same, the one that wins is not needed: without it the other would give the same result. It is
told of only when that holds in every output that uses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.compat import same
from lamina.errors import Diagnostic
from lamina.linting.layers import place_of
from lamina.merge.lineage import writings_of
from lamina.merge.nodes import Written
from lamina.merge.pieces import NEW, OLD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import Note
    from lamina.linting.meetings import Meeting
    from lamina.linting.survey import Survey
    from lamina.places import Origin


def redundant_values(survey: Survey) -> Iterator[Note]:
    """A finding for each value that could be left out without changing any result."""
    found: dict[Origin, tuple[Written, Meeting, Written]] = {}
    outputs: dict[Origin, set[str]] = {}
    for meeting in survey.meetings:
        pair = _winner_and_loser(meeting)
        if pair is not None:
            place = pair[0].origin()
            found.setdefault(place, (pair[0], meeting, pair[1]))
            outputs.setdefault(place, set()).add(meeting.output)
    for place, (winner, meeting, loser) in found.items():
        if outputs[place] >= {layer.output for layer in survey.holders(winner)}:
            yield _finding(survey, winner, meeting, loser)


def _winner_and_loser(meeting: Meeting) -> tuple[Written, Written] | None:
    if meeting.piece not in (OLD, NEW) or not meeting.both or _names_an_item(meeting):
        return None
    if not same(meeting.old.value, meeting.new.value):
        return None
    winner, loser = (meeting.old, meeting.new) if meeting.piece is OLD else (meeting.new, meeting.old)
    written, other = _alone(winner), _alone(loser)
    return (written, other) if written and other and written.origin() != other.origin() else None


def _names_an_item(meeting: Meeting) -> bool:
    """Whether a value stands in an item of a list: two items may have been matched because it is the same."""
    return len(meeting.path) > 1 and type(meeting.path[-2]) is int


def _alone(node: object) -> Written | None:
    """The one written value a node is, if it is one."""
    if isinstance(node, Written):
        return node
    found = list(writings_of(node))  # type: ignore[arg-type]  # every side of a meeting is a node
    return found[0] if len(found) == 1 else None


def _finding(survey: Survey, winner: Written, meeting: Meeting, loser: Written) -> Note:
    return Diagnostic(
        code="redundant-value",
        message=f"{survey.name(winner, meeting)} is set to what {loser.layer} says, too",
        at=place_of(winner),
        path=survey.full_path(meeting.output, meeting.path),
        related=(("the same value is here", place_of(loser)),),
        hint="leave it out here, unless it is meant to stay when the other one changes",
        subject=winner.layer,
    )
