"""Definition: from a line that is overridden to what won over it, from one that wins to what it replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.editor.hover import shown_values

if TYPE_CHECKING:
    from lsprotocol import types

    from lamina.editor.open_project import OpenProject
    from lamina.origins import Origin


def definition(project: OpenProject, path: str, position: types.Position) -> list[types.Location]:
    """The lines that win over the one at a position; if it wins everywhere, those that it replaced."""
    line = position.line + 1
    uses = project.uses_at(path, line)
    winners = dict.fromkeys(use.by for use in uses if use.by is not None)
    if not winners:
        winners = dict.fromkeys(
            event.origin
            for history, _ in shown_values(project, [use for use in uses if use.verdict != "steers"] or uses)
            for event in reversed(history.events)
            if event.origin is not None
        )
    return locations(project, [each for each in winners if not is_line(project, each, path, line)])


def locations(project: OpenProject, origins: list[Origin]) -> list[types.Location]:
    """Origins as locations, each line once; those that are in no file of the project are left out."""
    found: dict[tuple[str, int], types.Location] = {}
    for origin in origins:
        location = project.location(origin)
        if location is not None:
            found.setdefault((location.uri, location.range.start.line), location)
    return list(found.values())


def is_line(project: OpenProject, origin: Origin, path: str, line: int) -> bool:
    """Whether an origin is on a line of a file."""
    return origin.line == line and project.workspace.path_of(origin) == path
