"""What a line decides: from a line of a source to the values of results that it sets, loses or steers.

The way back is taken from each result: a part of it is looked into only if something of its history is in a range of
the source that holds the line, so that nothing is guessed from names and little is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.engine.delta import NEW, OLD, Compose, Computed, MapDelta, Ref, Removed
from lamina.engine.history import directive_of, events_of
from lamina.engine.merged_node import InheritedNode, MergedNode
from lamina.engine.node import DeferredNode, LiteralNode, Node, SourceNode
from lamina.engine.provenance import (
    first_origin,
    origins_of,
    predecessors_of,
    source_nodes_behind,
    source_nodes_of,
    walk_back,
)
from lamina.engine.step_context import StepRef
from lamina.paths import MISSING, show
from lamina.workspace.requested_line import RequestedLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lamina.engine.delta import Delta
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.views.result import Result
    from lamina.workspace.workspace import Outcome


@dataclass(frozen=True, slots=True)
class LineUse:
    """The use of a line at one path of a target.

    It `wins` if the value there comes from it alone, is `merged` if others add to it, `overridden` if another line
    won over it, `ignored` if nothing of it is in the result although no other line won, and `steers` if it is a rule by
    which the value was merged. `by` is the line that won over it.
    """

    target: str
    path: Path
    verdict: str
    by: Origin | None = None
    output: str | None = None
    """The document or node the path is in, where a target has several."""

    @property
    def inner(self) -> str:
        """The path inside of the document or node, as it is written."""
        return show(self.path if self.output is None else self.path[1:])

    @property
    def where(self) -> str:
        """The path as it is written."""
        return show(self.path)


def uses_of_line(outcomes: Iterable[Outcome], source: str, line: int, column: int | None = None) -> list[LineUse]:
    """The uses of a line of a source in the results of targets, in their order."""
    results = ((outcome.target.name, outcome.result) for outcome in outcomes if outcome.result is not None)
    return uses_in_results(results, source, line, column)


def uses_in_results(
    results: Iterable[tuple[str, Result]], source: str, line: int, column: int | None = None
) -> list[LineUse]:
    """The uses of a line of a source in results, each with the name of its target."""
    requested = RequestedLine(source, line, column)
    return [use for name, result in results for use in _uses_in(name, result, requested)]


def is_layer(result: Result, source: str) -> bool:
    """Whether anything a result was made from is in a source."""
    sources = (each for output in result.outputs for each in source_nodes_behind(output.node))
    return any(each.positions.locate(0, 0).source == source for each in sources)


def _uses_in(target: str, result: Result, requested: RequestedLine) -> list[LineUse]:
    exact: list[LineUse] = []
    covered: list[LineUse] = []
    for number, output in enumerate(result.outputs):
        start: Path = (number,) if result.many else ()
        search = _OutputSearch(requested, target, start, output.output.name if result.many else None)
        search.visit(output.node)
        exact += search.innermost()
        covered += search.covered
    return exact or list(_by_directive(target, result, requested)) or covered


class _LineMatch:
    """What of the line is in the history of a node."""

    __slots__ = ("any_key", "keys", "sources")

    def __init__(self) -> None:
        self.sources: list[SourceNode] = []
        """The sources that have the line in their range."""
        self.keys: dict[Any, Any] = {}
        """The keys of the node below which something of the line may be, in an order that is always the same."""
        self.any_key = False
        """Whether it may be below any key."""


class _ResultPlace:
    """A node of an output, its path there, what of the line is in its history, and the node that it is in.

    The path of the node itself may be an earlier one: items of lists move.
    """

    __slots__ = ("container", "found", "node", "path")

    def __init__(self, path: Path, node: Node, found: _LineMatch, container: Node) -> None:
        self.path = path
        self.node = node
        self.found = found
        self.container = container


class _OutputSearch:
    """Looks for the line in one output."""

    def __init__(self, requested: RequestedLine, target: str, start: Path, output: str | None) -> None:
        self._requested = requested
        self._target = target
        self._start = start
        self._output = output
        self.exact: list[LineUse] = []
        self.covered: list[LineUse] = []
        """Where the line is in what a value was made from, but nothing of the value comes from it."""

    def visit(self, root: Node) -> None:
        pending = [_ResultPlace((), root, self._found_in(root), root)]
        while pending:
            place = pending.pop()
            found = place.found
            sources = [each for each in found.sources if self._requested.holds(each)]
            if sources:
                self.exact += self._uses_at(place, sources, {each.origin() for each in sources})
            inner = self._inside(place)
            pending += inner
            if found.sources and not sources and not any(each.found.sources for each in inner):
                uses = self._uses_at(place, found.sources, set())
                self.exact += [use for use in uses if use.verdict not in ("overridden", "ignored")]
                self.covered += uses

    def _inside(self, place: _ResultPlace) -> list[_ResultPlace]:
        """The places inside of one that have something of the line in their history, the last one first.

        Also those of members that a step removed.
        """
        node, found = place.node, place.found
        value, wanted = node.value, found.keys
        if found.any_key:
            keys = _keys(value)
        elif wanted:
            keys = [key for key in _keys(value) if key in wanted]
        else:
            return []
        if isinstance(value, dict) and (found.any_key or len(keys) < len(wanted)):
            keys += [key for key in wanted if key not in value]
        inner: list[_ResultPlace] = []
        for key in reversed(keys):
            child = node.child(key)
            inside = self._found_in(child)
            if inside.sources or inside.keys or inside.any_key:
                inner.append(_ResultPlace((*place.path, key), child, inside, node))
        return inner

    def _found_in(self, node: Node) -> _LineMatch:
        """What in the history of a node is in a range of the source that holds the line."""
        found = _LineMatch()
        elsewhere = self._requested.elsewhere
        pending: list[Node] = [node]
        seen: set[int] = set()
        """Merges of two merges, whose sides may lead to the same ones; others hold them."""
        while pending:
            node = pending.pop()
            while type(node) is MergedNode:
                new, delta = node.new, node.delta
                if type(new) is MergedNode:
                    if id(node) in seen:
                        break
                    seen.add(id(node))
                if delta is OLD or delta is NEW or (type(delta) is MapDelta and not delta.outer):
                    # Both sides have the members of the merged mapping by their own keys.
                    if type(new) is SourceNode:
                        if id(new.positions) not in elsewhere:
                            pending.append(new)
                    elif type(new) is not LiteralNode:
                        pending.append(new)
                elif type(delta) is MapDelta:
                    self._add_members_set(new, delta.entries, found)
                else:
                    self._add_all_behind(node, found)
                    break
                node = node.old
            else:
                if type(node) is not LiteralNode:
                    self._add_unmerged(node, found, pending)
        return found

    def _add_unmerged(self, node: Node, found: _LineMatch, pending: list[Node]) -> None:
        """Add a node that no merge made; what a deferred node leads to is looked at later."""
        if isinstance(node, SourceNode):
            if type(node) is not SourceNode:
                found.any_key = True  # a dialect shows it in another form; parts of it may come from elsewhere
            if id(node.positions) not in self._requested.elsewhere and self._requested.covers(node):
                self._add_source(node, found)
        elif isinstance(node, DeferredNode):
            pending.append(node.resolved())
        elif isinstance(node, InheritedNode):
            # What happened to its container is said of that: the items of two lists have nothing to do with each other.
            pending.append(node.content)
            if node.before is not node.container.old and node.before is not node.content:
                pending.append(node.before)
        else:
            self._add_all_behind(node, found)

    def _add_members_set(self, new: Node, entries: Mapping[Any, Delta], found: _LineMatch) -> None:
        """Add what a step sets single members of a mapping to; it concerns no others."""
        sources, is_open = self._sources_behind(new)
        if sources or is_open or not all(map(_takes_sides, entries.values())):
            found.sources += sources
            found.keys.update(entries)

    def _add_all_behind(self, node: Node, found: _LineMatch) -> None:
        """Add whatever a node was made from; it may be below any key."""
        sources, is_open = self._sources_behind(node)
        if sources or is_open:
            found.sources += sources
            found.any_key = True

    def _sources_behind(self, node: Node) -> tuple[list[SourceNode], bool]:
        """The sources in the history of a node that have the line, and whether another one is shown in another form:
        parts of that may come from elsewhere."""
        elsewhere, covers = self._requested.elsewhere, self._requested.covers
        found: list[SourceNode] = []
        is_open = False
        while type(node) is MergedNode and type(new := node.new) is SourceNode:  # mostly layers, one after the other
            if id(new.positions) not in elsewhere and covers(new):
                found.append(new)
            node = node.old
        if type(node) is LiteralNode:
            return found, is_open
        for each in source_nodes_behind(node):
            if id(each.positions) not in elsewhere and covers(each):
                found.append(each)
            elif type(each) is not SourceNode:
                is_open = True
        return found, is_open

    def _add_source(self, node: SourceNode, found: _LineMatch) -> None:
        found.sources.append(node)
        if node.positions.aliases or node.positions.members:
            found.any_key = True  # parts of it are written elsewhere
        elif isinstance(node.value, dict) and type(node) is SourceNode:
            found.keys.update(dict.fromkeys(self._requested.members_of(node)))
        elif isinstance(node.value, (list, tuple)):
            found.any_key = True

    def innermost(self) -> list[LineUse]:
        """The uses that were found, without those of collections of which something inside is on the line, too."""
        if len(self.exact) == 1:
            return self.exact
        around = {use.path[:end] for use in self.exact for end in range(len(use.path))}
        return [use for use in self.exact if use.path not in around]

    def _uses_at(self, place: _ResultPlace, sources: Sequence[SourceNode], line_origins: set[Origin]) -> list[LineUse]:
        """The uses of the line at one place of the result, given the sources that begin on it, with their origins, or
        those that are around it."""
        winning_origins, is_leaf = origins_of(place.node), not _keys(place.node.value)
        if is_leaf:
            line_origins |= self._requested.origins
        if not line_origins.isdisjoint(winning_origins):
            return [self._use(place.path, "wins" if line_origins.issuperset(winning_origins) else "merged")]
        if is_leaf and any(each.origin() in winning_origins for each in sources):
            return [self._use(place.path, "merged")]  # it was computed from a collection around the line
        if any(map(self._requested.has_merge_key, sources)):
            return [self._use(place.path, "merged")]
        removed = self._removed_by_line(place) if place.node.value is MISSING else []
        return removed or [self._lost(place, sources, winning_origins)]

    def _removed_by_line(self, place: _ResultPlace) -> list[LineUse]:
        """The members beside a place that a marker on the line removed."""
        merges = (each for each in walk_back(place.container, predecessors_of) if isinstance(each, MergedNode))
        deltas = ((each, each.delta) for each in merges if each.path == place.container.path)
        removed = {
            key: None
            for merge, delta in deltas
            if isinstance(delta, MapDelta)
            for key, entry in delta.entries.items()
            if isinstance(entry, Removed) and self._is_marker(merge, entry)
        }
        return [self._use((*place.path[:-1], key), "steers") for key in removed]

    def _is_marker(self, merge: MergedNode, entry: Removed) -> bool:
        if entry.marker is None:
            return False
        side, path = entry.marker
        return any(map(self._requested.holds, source_nodes_of(merge.side(side).at(path))))

    def _lost(self, place: _ResultPlace, sources: Sequence[SourceNode], winning_origins: Sequence[Origin]) -> LineUse:
        """The use at a place that has nothing of the line."""
        winner = next(iter(winning_origins), None)
        if place.node.value is MISSING:
            winner = _remover(place, sources)
        elif _keys(place.node.value) and _has_more_of(place.node, sources):
            winner = None  # an item that was left out, such as one that is there already
        return self._use(place.path, "ignored" if winner is None else "overridden", winner)

    def _use(self, path: Path, verdict: str, by: Origin | None = None) -> LineUse:
        return LineUse(self._target, (*self._start, *path), verdict, by, self._output)


def _remover(place: _ResultPlace, sources: Sequence[SourceNode]) -> Origin | None:
    """What removed a value: a marker, or what won over the whole container that it was in."""
    markers = [event.by for event in events_of(place.node) if event.by is not None]
    if markers:
        return markers[-1]
    return None if _has_more_of(place.container, sources) else first_origin(place.container)


def _has_more_of(node: Node, sources: Sequence[SourceNode]) -> bool:
    """Whether something else of the documents that sources are in is in a value."""
    documents = {id(each.positions) for each in sources}
    return any(id(each.positions) in documents for each in source_nodes_of(node))


_OF_SIDES = frozenset((Ref, Computed))


def _takes_sides(entry: Delta) -> bool:
    """Whether a member that a step set comes from the two sides of that step, and not from a node of its own."""
    if type(entry) is not Compose:
        return isinstance(entry, (Ref, Computed, Removed))
    if entry.delta is not NEW and entry.delta is not OLD:
        return False
    return type(entry.new) in _OF_SIDES and type(entry.old) in _OF_SIDES


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, (list, tuple)) else []


def _by_directive(target: str, result: Result, requested: RequestedLine) -> Iterator[LineUse]:
    """The values that were merged by a rule on the line."""
    for number, output in enumerate(result.outputs):
        start: Path = (number,) if result.many else ()
        name = output.output.name if result.many else None
        for node in _nodes_with_rule(output.node, requested):
            yield LineUse(target, (*start, *node.path), "steers", None, name)


def _nodes_with_rule(root: Node, requested: RequestedLine) -> list[Node]:
    """The outermost parts of an output that were merged by a rule on the line; all of it if no part was."""
    found: list[Node] = []
    pending = [root.child(key) for key in reversed(_keys(root.value))]
    while pending:
        node = pending.pop()
        if _has_rule(node, requested):
            found.append(node)
        else:
            pending += [node.child(key) for key in reversed(_keys(node.value))]
    return found or [root] * _has_rule(root, requested)


def _has_rule(node: Node, requested: RequestedLine) -> bool:
    """Whether a rule on the line was used in a merge that a node comes from."""
    return any(
        isinstance(each, MergedNode)
        and isinstance(each.cause, StepRef)
        and requested.is_rule(directive_of(each, each.cause).origin)
        for each in walk_back(node, predecessors_of)
    )
