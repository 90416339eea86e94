"""References: the lines that have a say in the values that a line decides, and what those values were read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.editor.definition import is_line, locations
from lamina.editor.hover import shown_values

if TYPE_CHECKING:
    from lsprotocol import types

    from lamina.editor.open_project import OpenProject
    from lamina.engine.history import History
    from lamina.origins import Origin


def references(
    project: OpenProject, path: str, position: types.Position, *, with_itself: bool = False
) -> list[types.Location]:
    """All lines of the histories of what a line decides."""
    line = position.line + 1
    uses = project.uses_at(path, line)
    origins = dict.fromkeys(origin for history, _ in shown_values(project, uses) for origin in origins_in(history))
    wanted = [each for each in origins if with_itself or not is_line(project, each, path, line)]
    return locations(project, wanted)


def origins_in(history: History) -> list[Origin]:
    """Every place in a history."""
    found: dict[Origin | None, None] = dict.fromkeys(history.origins)
    for event in history.events:
        rule = event.directive.origin if event.directive else None
        found.update(dict.fromkeys((event.origin, event.by, rule, *event.reads)))
    return [each for each in found if each is not None]
