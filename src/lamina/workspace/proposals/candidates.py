"""Candidates: the edits of files that could bring a goal about, in the order in which somebody would try them.

They follow from the history: the place that a value comes from, and for each mapping around it the places where layers
have members of it; then the layers of the target, and what the system itself offers for such a case. What a system does
with an edit is not asked here: each candidate is tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from lamina.engine.provenance import source_nodes_of
from lamina.errors import UsageError
from lamina.protocol.extensions import Means, Wanted, means_of
from lamina.values import same
from lamina.views.redaction import has_secret_history

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.history import Event
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.protocol.extensions import NodeLayer
    from lamina.views.result import Result
    from lamina.workspace.proposals.goal import Goal


_LIST, _OWN_MEANS, _WHOLE = 1, 2, 3
"""Weights: a list is written again; the system's own means; all that is around a value is written again."""

Action: TypeAlias = Literal["change", "add", "remove", "create", "document"]


class Candidate(NamedTuple):
    """An edit of one file: a value that is replaced, added or removed."""

    action: Action
    source: str
    line: int
    column: int
    inner: Path = ()
    """For what is added: the path from the mapping that begins at the place."""
    whole: str = ""
    """If more than the value is added: the target of which what is at `inner` is added as it is to be."""
    end: int = 0
    """How many steps of the path lead to that."""
    only_item: bool = False
    """Whether it is the only item of a list, for systems that find items by their keys."""
    means: tuple[Means, ...] = ()
    """What is added to the same document, so that the system takes the value."""
    document: str = ""
    """A document that is added, as JSON."""
    value: str = ""
    """What is added if it is not the wanted value itself, as JSON."""
    why: str = ""
    weight: int = 0
    """How much more somebody has to understand than that a value is written there."""

    @property
    def is_own_means(self) -> bool:
        """Whether it is something that the system itself has for such a case."""
        return bool(self.means or self.document or self.value)

    @property
    def place(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source


def candidates_of(goal: Goal, target: str, result: Result, layers: tuple[NodeLayer, ...]) -> Iterator[Candidate]:
    """The edits that could bring a goal about in one result: where the value comes from, then where it could be added.

    The layers of the target are places, too, also those of which no file is there yet.
    """
    path = goal.steps_in(result)
    events = _events(result, path)
    depth = 1 if result.many else 0
    if goal.removes:
        yield from (_at("remove", event.origin) for event in reversed(events) if _is_in_file(event.origin))
        yield from _wholes(target, result, path, depth, layers)
        yield from _offered(goal, result, path, layers)
        return
    for event in reversed(events):
        if _is_in_file(event.origin):
            yield _at("change", event.origin)
        for each in event.reads:
            if _is_in_file(each):
                yield _at("change", each)
    if not any(isinstance(step, int) for step in path[depth:]):
        yield from _added(result, path, depth, layers)
    yield from _wholes(target, result, path, depth, layers)
    yield from _offered(goal, result, path, layers)


def _wholes(target: str, result: Result, path: Path, depth: int, layers: tuple[NodeLayer, ...]) -> Iterator[Candidate]:
    """What is around the goal, written as a whole: the list that it is in, its item, or what is at the top.

    Systems that take the most specific value do not look into it. Only what is written in one place as it is may be
    written again: anything else would fix what is computed.
    """
    start = next((end for end, step in enumerate(path[depth:], start=depth) if isinstance(step, int)), None)
    if start is not None:
        added = list(_added(result, path[:start], depth, layers))
        yield from (each._replace(whole=target, end=start, weight=_LIST) for each in added)
        if start + 1 < len(path):
            yield from (each._replace(whole=target, end=start + 1, only_item=True, weight=_LIST) for each in added)
    if len(path) > depth + 1 != start and _is_written_once(result, path[: depth + 1]):
        added = list(_added(result, path[: depth + 1], depth, layers))
        yield from (each._replace(whole=target, end=depth + 1, weight=_WHOLE) for each in added)


def _is_written_once(result: Result, path: Path) -> bool:
    node = result.node_at(path)
    written = list(source_nodes_of(node))
    return len(written) == 1 and same(written[0].value, node.value) and not has_secret_history(node)


def _offered(goal: Goal, result: Result, path: Path, layers: tuple[NodeLayer, ...]) -> Iterator[Candidate]:
    """What the system has for such a case."""
    wanted = Wanted(path, goal.value, tuple(layer.file for layer in layers if layer.file is not None))
    around = next((end for end, step in enumerate(path[1:], start=1) if isinstance(step, int)), len(path))
    for offer in means_of(result.dialect).offers(result, wanted):
        if offer.document and has_secret_history(result.node_at(path[:around])):
            continue
        action: Action = "document" if offer.document else "add"
        line, column = (offer.at.line, offer.at.column) if offer.at is not None else (0, 0)
        yield Candidate(
            action,
            offer.source,
            line,
            column,
            offer.inner,
            means=offer.means,
            document=offer.document,
            value=offer.value,
            why=offer.why,
            weight=_OWN_MEANS,
        )


def _added(result: Result, path: Path, depth: int, layers: tuple[NodeLayer, ...]) -> Iterator[Candidate]:
    for end in range(len(path) - 1, depth - 1, -1):
        for event in reversed(_events(result, path[:end])):
            is_there = event.path == path[depth:end] and not event.inside
            if is_there and _is_in_file(event.origin) and isinstance(event.value, dict):
                yield _at("add", event.origin)._replace(inner=path[end:])
    for layer in reversed(layers):
        if layer.file is not None:
            yield Candidate("add", layer.file, 0, 0, path[depth:])
    for layer in reversed(layers):
        if layer.file is None and layer.path.endswith((".yaml", ".yml", ".json")):
            yield Candidate("create", layer.path, 0, 0, path[depth:])


def added_at(result: Result, path: Path, source: str) -> Iterator[Candidate]:
    """Where a file could have a value: the mappings that it has around it, then at the top."""
    depth = 1 if result.many else 0
    yield from (each for each in _added(result, path, depth, ()) if each.source == source)
    yield Candidate("add", source, 0, 0, path[depth:])


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
