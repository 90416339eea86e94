"""Candidates: the edits of files that could bring a goal about, in the order in which somebody would try them.

They follow from the history: the place that a value comes from, and for each mapping around it the places where layers
have members of it. What a system does with an edit is not asked here: each candidate is tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from lamina.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.history import Event
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.protocol.extensions import NodeLayer
    from lamina.views.result import Result
    from lamina.workspace.proposals.goal import Goal


Action: TypeAlias = Literal["change", "add", "remove", "create"]


class Candidate(NamedTuple):
    """An edit of one file: a value that is replaced, added or removed."""

    action: Action
    source: str
    line: int
    column: int
    inner: Path = ()
    """For what is added: the path from the mapping that begins at the place."""
    of_list: str = ""
    """If the goal is inside of a list: the target of which the whole list, with the goal in it, is added."""

    @property
    def place(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source


def candidates_of(goal: Goal, target: str, result: Result, layers: tuple[NodeLayer, ...]) -> Iterator[Candidate]:
    """The edits that could bring a goal about in one result: where the value comes from, then where it could be added.

    The layers of the target are places, too, also those of which no file is there yet. What is inside of a list is
    added with the list.
    """
    path = goal.steps_in(result)
    events = _events(result, path)
    if goal.removes:
        yield from (_at("remove", event.origin) for event in reversed(events) if _is_in_file(event.origin))
        return
    for event in reversed(events):
        if _is_in_file(event.origin):
            yield _at("change", event.origin)
        for each in event.reads:
            if _is_in_file(each):
                yield _at("change", each)
    depth = 1 if result.many else 0
    of_list = ""
    for end, step in enumerate(path[depth:], start=depth):
        if isinstance(step, int):
            path, of_list = path[:end], target
            break
    for candidate in _added(result, path, depth, layers):
        yield candidate._replace(of_list=of_list)


def _added(result: Result, path: Path, depth: int, layers: tuple[NodeLayer, ...]) -> Iterator[Candidate]:
    for end in range(len(path) - 1, depth - 1, -1):
        for event in reversed(_events(result, path[:end])):
            if _is_in_file(event.origin) and isinstance(event.value, dict):
                yield _at("add", event.origin)._replace(inner=path[end:])
    for layer in reversed(layers):
        if layer.file is not None:
            yield Candidate("add", layer.file, 0, 0, path[depth:])
    for layer in reversed(layers):
        if layer.file is None and layer.path.endswith((".yaml", ".yml", ".json")):
            yield Candidate("create", layer.path, 0, 0, path[depth:])


def _events(result: Result, path: Path) -> list[Event]:
    try:
        return list(result.history_at(path).events)
    except UsageError:
        return []


def _is_in_file(origin: Origin | None) -> bool:
    return origin is not None and origin.part is None


def _at(action: Action, origin: Origin | None) -> Candidate:
    assert origin is not None
    return Candidate(action, origin.source, origin.line, origin.column)
