"""Values set again to what they already were.

Where two layers say the same, one of them is not needed. Of two values the one that came later is reported, if it could
be omitted in every output that uses it; else the one before it, if that one could. Where the later value takes the
place of the earlier one only the later can be omitted: the earlier one counts as what it repeats.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from lamina.engine.delta import NEW, OLD
from lamina.engine.provenance import source_nodes_of
from lamina.errors import Diagnostic, Fix
from lamina.values import same
from lamina.views.lint.layer_index import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.node import Node, SourceNode
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.views.lint.context import Survey
    from lamina.views.lint.merge_pairs import Meeting


class _Repeat(NamedTuple):
    """Two values that are the same: the later one repeats the earlier."""

    later: SourceNode
    earlier: SourceNode
    meeting: Meeting


def redundant_values(survey: Survey) -> Iterator[Note]:
    """A finding for each value that could be omitted without changing any result."""
    repeats = [repeat for meeting in survey.meetings if (repeat := _repeat(meeting))]
    outputs: dict[Origin, set[str]] = {}
    for later, earlier, meeting in repeats:
        outputs.setdefault(later.origin(), set()).add(meeting.output)
        if meeting.delta is OLD:
            outputs.setdefault(earlier.origin(), set()).add(meeting.output)
    reported: set[Origin] = set()
    for later, earlier, meeting in repeats:
        choices = [(later, earlier), (earlier, later)] if meeting.delta is OLD else [(later, earlier)]
        for value, other in choices:
            if outputs[value.origin()] >= survey.outputs_of(value):
                if value.origin() not in reported:
                    reported.add(value.origin())
                    wins = (value is later) == (meeting.delta is NEW)
                    yield replace(_finding(survey, value, other, meeting), fix=_removal(value) if wins else None)
                break


def _repeat(meeting: Meeting) -> _Repeat | None:
    if meeting.delta not in (OLD, NEW) or not meeting.both or _names_an_item(meeting):
        return None
    if not same(meeting.old.value, meeting.new.value):
        return None
    later, earlier = _alone(meeting.new), _alone(meeting.old)
    if later is None or earlier is None or later.origin() == earlier.origin():
        return None
    return _Repeat(later, earlier, meeting)


def _names_an_item(meeting: Meeting) -> bool:
    """Whether a value is in an item of a list: two items may have been matched because it is the same."""
    return len(meeting.path) > 1 and type(meeting.path[-2]) is int


def _alone(node: Node) -> SourceNode | None:
    """The one written value a node is, if it is one."""
    found = list(source_nodes_of(node))
    return found[0] if len(found) == 1 else None


def _finding(survey: Survey, value: SourceNode, other: SourceNode, meeting: Meeting) -> Note:
    return Diagnostic(
        code="redundant-value",
        message=f"{survey.name(value, meeting)} has the same value as in {other.layer}",
        at=place_of(value),
        path=survey.full_path(meeting.output, meeting.path),
        related=(("the same value is here", place_of(other)),),
        hint="remove it here, unless it is meant to stay when the other one changes",
        subject=value.layer,
    )


def _removal(value: SourceNode) -> Fix | None:
    """What removes an entry of a mapping; items of lists have positions, which others may count on.

    Only the value that wins is removed: the other one may be a default for results that do not exist yet.
    """
    if not value.path or not isinstance(value.path[-1], str):
        return None
    return Fix(title="remove it", action="remove", at=place_of(value))
