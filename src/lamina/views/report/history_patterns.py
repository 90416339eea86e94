"""History patterns: histories that differ only in the origins and values of the layers.

The first history of a pattern is worked out; what it shows is kept with the number of a writing instead of each layer,
place and value. All others of that pattern are filled in from their own writings, by the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina.views.report.interning import NONE

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lamina.paths import Path
    from lamina.views.report.shown_history import ShownHistory

_FEW = 16
"""Of so many values the first one that is the same is found soonest by looking at one after the other."""

Writing = tuple[int, int, int]
"""What a layer has: the layer, the place, the text of the value."""


@dataclass(frozen=True, slots=True)
class HistoryPattern:
    """A history without the writings; each is a number in the writings of whoever has that history."""

    origins: tuple[int, ...]
    events: tuple[tuple[int, int, int, int], ...]
    """Rule, writing, how many steps of the path of the list are its own (0: it is that of the value), output."""
    statuses: tuple[tuple[int, int], ...]
    """Writing, status."""


def pattern_of(shown: ShownHistory, written_at: Sequence[Writing], parent_path: Path = ()) -> HistoryPattern | None:
    """The pattern of a history over its writings; None if it shows more than they have.

    `parent_path` is the path of the list that the value is in, whose path an event may have.
    """
    if shown.hints:
        return None
    places = [writing[:2] for writing in written_at]
    layers = [writing[0] for writing in written_at]
    events = []
    for (rule, *writing, path, output, by, lost), steps in zip(shown.events, shown.paths, strict=True):
        if by != NONE or lost or tuple(writing) not in written_at:
            return None
        if path != NONE and (not steps or not parent_path or parent_path[-len(steps) :] != steps):
            return None
        events.append((rule, written_at.index(tuple(writing)), len(steps or ()) if path != NONE else 0, output))
    origins = list(zip(shown.origins[::2], shown.origins[1::2], strict=True))
    statuses = list(zip(shown.statuses[::2], shown.statuses[1::2], strict=True))
    if not set(origins) <= set(places) or not {layer for layer, _ in statuses} <= set(layers):
        return None
    return HistoryPattern(
        tuple(places.index(origin) for origin in origins),
        tuple(events),
        tuple((layers.index(layer), status) for layer, status in statuses),
    )


def equality_pattern(values: Sequence[Hashable]) -> tuple[int, ...]:
    """Which of some values are the same, whatever they are: where each occurs first."""
    if len(values) < _FEW:
        return tuple(map(values.index, values))
    first: dict[Hashable, int] = {}
    return tuple([first.setdefault(value, at) for at, value in enumerate(values)])
