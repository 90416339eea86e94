"""Deletions that hit nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.errors import Diagnostic
from lamina.linting.layers import place_of
from lamina.merge.mapping import Union
from lamina.merge.nodes import Written
from lamina.merge.pieces import Edit
from lamina.merge.whole import DELETE
from lamina.paths import show
from lamina.plan import Put

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import Note
    from lamina.linting.meetings import Meeting
    from lamina.linting.survey import Survey
    from lamina.merge.policy import Policy
    from lamina.places import Origin

_ANYTHING = 1
"""Stands for a value that would have been there."""


def empty_strikes(survey: Survey) -> Iterator[Note]:
    """A finding for each value that would delete another one, had there been any, in no output."""
    missed: dict[Origin, tuple[Meeting, Written]] = {}
    hit: set[Origin] = set()
    for meeting in survey.meetings:
        for key, found in _deletions(meeting):
            node = meeting.new.child(key)
            if not isinstance(node, Written):
                continue
            if found:
                hit.add(node.origin())
            else:
                missed.setdefault(node.origin(), (meeting, node))
    for place, (meeting, node) in missed.items():
        if place not in hit:
            yield _finding(meeting, node)


def _deletions(meeting: Meeting) -> Iterator[tuple[Any, bool]]:
    """The keys of a merged mapping whose new value says "delete", and whether there was anything to delete."""
    step, old, new = meeting.step, meeting.old.value, meeting.new.value
    if not isinstance(step, Put) or not isinstance(meeting.piece, Edit) or not isinstance(old, dict):
        return
    if not isinstance(new, dict):
        return
    operator = _policy_at(step, meeting).table.pick(old, new)
    if isinstance(operator, Union):
        for key, value in new.items():
            if key in meeting.piece.entries and operator.clash.pick(_ANYTHING, value) is DELETE:
                yield key, key in old


def _policy_at(step: Put, meeting: Meeting) -> Policy:
    policy = step.policy
    for name in meeting.path[len(step.path) :]:
        if not isinstance(name, int):
            policy = policy.enter(name)
    return policy


def _finding(meeting: Meeting, node: Written) -> Note:
    path = (*meeting.path, node.path[-1])
    return Diagnostic(
        code="strikes-nothing",
        message=f"{show(path)} is to be deleted, but no earlier layer sets it",
        at=place_of(node),
        path=path,
        hint="leave it out, or check the spelling of the key",
        subject=node.layer,
    )
