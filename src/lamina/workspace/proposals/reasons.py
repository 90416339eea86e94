"""Reasons: why an edit does not do, and what is known of a value that no edit reaches; each names its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.errors import UsageError
from lamina.paths import MISSING, show, walk
from lamina.values import Unknown, differences
from lamina.workspace.proposals.goal import real_value

if TYPE_CHECKING:
    from lamina.engine.history import Event
    from lamina.paths import Path
    from lamina.views.result import Result
    from lamina.workspace.proposals.goal import Goal

_WITHOUT_EFFECT = ("ignored", "overridden")
_PASSED = ("substituted", "interpolated", "computed")
_MOST_ORIGINS = 3


def why_not(goal: Goal, before: Result, after: Result, *, brings: bool) -> str:
    """Why a wanted target is not what it is to be after an edit."""
    if brings:
        return _what_else(goal, before, after)
    event = _deciding(_events(after, goal.steps_in(after)))
    if event is None:
        return "the system takes nothing from there"
    if event.origin is None:
        return f"another value stays: {_rule(event)}"
    return f"the value at {event.origin} stays, {_rule(event)}"


def why_not_set(result: Result, goal: Goal) -> str:
    """What prevents that the value is set directly: it is unknown, or made from others; empty if neither."""
    path = goal.steps_in(result)
    value = walk(real_value(result), path)
    if isinstance(value, Unknown):
        return f"it is unknown: {value.reason}" + (f" ({value.at})" if value.at else "")
    events = _events(result, path)
    event = _deciding(events)
    if event is None:
        return ""
    origins = [each for each in dict.fromkeys((event.origin, *event.reads, *_origins(result, path))) if each]
    passed = next((each for each in events if each.verdict in _PASSED), None)
    event = passed or event
    if len(origins) > 1 or event.reads or passed:
        places = ", ".join(map(str, origins[:_MOST_ORIGINS]))
        more = f" and {len(origins) - _MOST_ORIGINS} more" if len(origins) > _MOST_ORIGINS else ""
        return f"it is made from {places}{more}, {_rule(event)}; what is made from these changes with them"
    if not origins:
        return f"it is written in no file: {_rule(event)}"
    return ""


def _what_else(goal: Goal, before: Result, after: Result) -> str:
    """The first path that changes beside the one that is meant."""
    return _difference(before, after, goal.expected(before))


def difference_between(before: Result, after: Result) -> str:
    """The first path that differs between two results of a target."""
    return _difference(before, after, real_value(before))


def _difference(before: Result, after: Result, expected: object) -> str:
    found = real_value(after)
    if after.many and isinstance(expected, list) and isinstance(found, list):
        return _other_document(before, after, expected, found)
    path = next((path for path, _, _ in differences(expected, found)), None)
    return "the value is of another type then" if path is None else _changes(after, path, show(path))


def _other_document(before: Result, after: Result, expected: list[object], found: list[object]) -> str:
    """The first path of a document that changes beside the one that is meant."""
    old = {folded.output.name: value for folded, value in zip(before.outputs, expected, strict=True)}
    for number, (folded, value) in enumerate(zip(after.outputs, found, strict=True)):
        name = folded.output.name
        if name not in old:
            return f"{name} is new then"
        path = next((path for path, _, _ in differences(old.pop(name), value)), None)
        if path is not None:
            return _changes(after, (number, *path), f"{name}: {show(path)}")
    return f"{next(iter(old), 'the order of the documents')} is gone or another one then"


def _changes(after: Result, path: Path, shown: str) -> str:
    event = _deciding(_events(after, path))
    return f"{shown} changes, too{'' if event is None else f', {_rule(event)}'}"


def _deciding(events: list[Event]) -> Event | None:
    """The event that made the value what it is."""
    return next((event for event in reversed(events) if event.verdict not in _WITHOUT_EFFECT), None)


def _rule(event: Event) -> str:
    return f"by {event.directive}" if event.directive is not None else f"as it is {event.verdict}"


def _origins(result: Result, path: Path) -> tuple[object, ...]:
    try:
        found = result.history_at(path)
    except UsageError:
        return ()
    return found.origins if found.value is not MISSING and not isinstance(found.value, (dict, list)) else ()


def _events(result: Result, path: Path) -> list[Event]:
    try:
        return list(result.history_at(path).events)
    except UsageError:
        return []
