"""Hover: what a line decides, with the value in each target, the layers it was merged from, and the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from lsprotocol import types

from lamina.editor.markdown import code, link, plain, value
from lamina.errors import UsageError
from lamina.paths import MISSING
from lamina.project.shared_entries import in_targets
from lamina.views.explain import location_of
from lamina.workspace.line_use_data import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.editor.open_project import OpenProject
    from lamina.engine.history import Event, History
    from lamina.workspace.line_uses import LineUse

VERDICTS: Final = {
    "wins": "set by this line",
    "merged": "set by this line and others",
    "overridden": "overridden",
    "ignored": "not affected by this line",
    "steers": "decided by the rule on this line",
}
_MOST_PLACES: Final = 6
"""How many places of results are shown; what a line of a common layer decides may be in hundreds."""
_MOST_VALUES: Final = 4
"""How many different values are shown of one place."""
_MOST_EVENTS: Final = 12
"""How many layers of one value are shown."""


class ShownValue(NamedTuple):
    """A value at one place, and the targets that have it, merged in the same way."""

    history: History
    targets: list[str]


def hover(project: OpenProject, path: str, position: types.Position) -> types.Hover | None:
    """What the line at a position decides; None if that is nothing."""
    text = project.text_of(path)
    uses = project.uses_at(path, position.line + 1)
    if not uses:
        return None
    lines = list(_lines(project, uses))
    if any(use.stale for use in uses):
        lines.insert(0, "*a target fails now: this is from before*\n")
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n".join(lines)), text.whole_line(position.line))


def _lines(project: OpenProject, uses: list[LineUse]) -> Iterator[str]:
    total = len(project.workspace.seen().outcomes)
    places: dict[tuple[str | None, str, str], list[LineUse]] = {}
    for group in grouped(uses):
        members = [use for use in uses if use.target in group.targets and _same(use, group.entry)]
        places.setdefault((group.entry.output, group.entry.inner, group.entry.verdict), []).extend(members)
    for number, ((output, inner, verdict), members) in enumerate(places.items()):
        if number == _MOST_PLACES:
            yield f"\n*… and {len(places) - number:,} more places*"
            return
        where = f"{code(inner)} of {plain(output)}" if output else code(inner)
        yield f"{'' if number == 0 else chr(10)}**{where}** {VERDICTS[verdict]}\n"
        yield from _values(project, members, total)


def _same(use: LineUse, other: LineUse) -> bool:
    return (use.output, use.inner, use.verdict, use.by) == (other.output, other.inner, other.verdict, other.by)


def _values(project: OpenProject, uses: list[LineUse], total: int) -> Iterator[str]:
    values = shown_values(project, uses)
    for number, (history, targets) in enumerate(values):
        if number == _MOST_VALUES:
            yield f"*… and {len(values) - number:,} more values*\n"
            return
        reach = f" in {plain(in_targets(targets, total))}" if total > 1 else ""
        yield f"{value(history.value)}{reach}\n"
        yield from _events(project, history)


def shown_values(project: OpenProject, uses: list[LineUse]) -> list[ShownValue]:
    """The values at the paths of uses, those that are alike in several targets as one; secrets are withheld."""
    found: dict[object, ShownValue] = {}
    good = project.workspace.seen().good
    for use in uses:
        result = good.get(use.target)
        if result is None:
            continue
        try:
            history = result.history_at(use.path)
        except UsageError:  # nothing is there, and nothing ever was
            continue
        alike = (value(history.value), *map(_alike, history.events))
        found.setdefault(alike, ShownValue(history, [])).targets.append(use.target)
    return list(found.values())


def _alike(event: Event) -> tuple[object, ...]:
    """What of an event is shown, or leads anywhere."""
    directive = event.directive
    rule = (directive.text, directive.origin) if directive else None
    return event.verdict, event.origin, event.by, rule, tuple(event.reads), value(event.value)


def _events(project: OpenProject, history: History) -> Iterator[str]:
    left_out = max(0, len(history.events) - _MOST_EVENTS)
    if left_out:
        yield f"- *{left_out:,} earlier layers*"
    for event in history.events[left_out:]:
        yield f"- {_event(project, event, history)}"
    yield ""


def _event(project: OpenProject, event: Event, history: History) -> str:
    parts = [event.verdict]
    if event.value is not MISSING:
        parts.append(value(event.value))
    if event.path != history.path:
        parts.append(f"at {code(location_of(None, event.path))}")
    if event.origin is not None:
        location = project.location(event.origin)
        shown = f"{event.origin.source}:{event.origin.line}"
        uri = "" if location is None else f"{location.uri}#L{location.range.start.line + 1}"
        parts.append(link(shown, uri) if uri else plain(str(event.origin)))
    elif event.layer:
        parts.append(f"in {plain(event.layer)}")
    if event.directive:
        parts.append(f"by {code(str(event.directive))}")
    return " ".join(parts)
