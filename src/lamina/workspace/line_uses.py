"""What a line decides: from a line of a source to the values of results that it sets, loses or steers.

The way back is taken from each result: a part of it is looked into only if something of its history is in a range of
the source that holds the line, so that nothing is guessed from names and little is looked at.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.engine.history import directive_of
from lamina.engine.merged_node import MergedNode
from lamina.engine.node import Node, SourceNode
from lamina.engine.provenance import first_origin, origins_of, predecessors_of, source_nodes_behind, walk_back
from lamina.engine.step_context import StepRef
from lamina.paths import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.origins import Origin, PositionMap
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
    requested = _RequestedLine(source, line, column)
    return [use for name, result in results for use in _uses_in(name, result, requested)]


def is_layer(result: Result, source: str) -> bool:
    """Whether anything a result was made from is in a source."""
    sources = (each for output in result.outputs for each in source_nodes_behind(output.node))
    return any(each.positions.locate(0, 0).source == source for each in sources)


def _uses_in(target: str, result: Result, requested: _RequestedLine) -> list[LineUse]:
    exact: list[LineUse] = []
    covered: list[LineUse] = []
    for number, output in enumerate(result.outputs):
        start: Path = (number,) if result.many else ()
        search = _OutputSearch(requested, target, start, output.output.name if result.many else None)
        search.visit(output.node)
        exact += search.innermost()
        covered += search.covered
    return exact or list(_by_directive(target, result, requested)) or covered


class _RequestedLine:
    """The line that is asked for, and which records of a source's documents are on it."""

    def __init__(self, source: str, line: int, column: int | None) -> None:
        self._source = source
        self._line = line
        self._column = column
        self._known: dict[int, tuple[PositionMap, list[int]]] = {}

    def records(self, positions: PositionMap) -> list[int]:
        """The records of a document that are on the line, in order."""
        known = self._known.get(id(positions))
        if known is None:  # the document is held while its identity is in use
            known = self._known[id(positions)] = positions, self._records(positions)
        return known[1]

    def _records(self, positions: PositionMap) -> list[int]:
        if not positions.lines or positions.locate(positions.lines[0], positions.columns[0]).source != self._source:
            return []
        shift = positions.locate(0, 0).line
        found = [at for at, line in enumerate(positions.lines) if line + shift == self._line]
        if self._column is not None:
            before = [at for at in found if positions.columns[at] < self._column]
            last = max((positions.columns[at] for at in before), default=-1)
            found = [at for at in before if positions.columns[at] == last]
        return found

    def covers(self, node: SourceNode) -> bool:
        """Whether the line is in the range of the source that a node is in."""
        known = self._known.get(id(node.positions))  # asked for each layer of each value, so without a call
        records = self.records(node.positions) if known is None else known[1]
        if not records:
            return False
        if node.positions.aliases or node.positions.members:
            return True  # what is inside may be written elsewhere
        at = bisect_left(records, node.index - 1)
        return at < len(records) and records[at] < node.index + node.positions.sizes.get(node.index, 1)

    def holds(self, node: SourceNode) -> bool:
        """Whether a node, or its key, begins on the line; a collection begins with its key."""
        records = self.records(node.positions)
        if not records:
            return False
        is_member = bool(node.path) and not isinstance(node.path[-1], int)
        wanted = {node.index - 1} if is_member else set()
        if not _keys(node.value):
            wanted |= {node.index, node.positions.resolve(node.index)}
        return not wanted.isdisjoint(records)

    def members_of(self, node: SourceNode) -> Iterator[Any]:
        """The keys of a mapping whose entry, key or value, is in a range of the source that holds the line."""
        records = self.records(node.positions)
        for key in node.value:
            first, value = node.records_of(key)
            at = bisect_left(records, first)
            if at < len(records) and records[at] < value + node.positions.sizes.get(value, 1):
                yield key

    def is_rule(self, origin: Origin | None) -> bool:
        return origin is not None and origin.source == self._source and origin.line == self._line


class _OutputSearch:
    """Looks for the line in one output."""

    def __init__(self, requested: _RequestedLine, target: str, start: Path, output: str | None) -> None:
        self._requested = requested
        self._target = target
        self._start = start
        self._output = output
        self.exact: list[LineUse] = []
        self.covered: list[LineUse] = []
        """Where the line is in what a value was made from, but nothing of the value comes from it."""

    def visit(self, root: Node) -> None:
        pending = [(root, self._sources_on_line(root))]
        while pending:
            node, sources_on_line = pending.pop()
            if not sources_on_line:
                continue
            sources = [each for each in sources_on_line if self._requested.holds(each)]
            if sources:
                self.exact += self._classified(node, sources)
            children = [node.child(key) for key in reversed(self._candidates(node, sources_on_line))]
            inner = [(child, found) for child in children if (found := self._sources_on_line(child))]
            pending += inner
            if not sources and not inner:
                self.covered.append(self._overridden(node))

    def _candidates(self, node: Node, sources_on_line: Sequence[SourceNode]) -> list[Any]:
        """The keys of a node below which the line may be.

        A mapping has a member from the members of that key, if those it was made from are at the same path.
        """
        keys = _keys(node.value)
        if not isinstance(node.value, dict) or not all(_is_aligned(each, node) for each in sources_on_line):
            return keys
        wanted = {key for each in sources_on_line for key in self._requested.members_of(each)}
        return [key for key in keys if key in wanted]

    def innermost(self) -> list[LineUse]:
        """The uses that were found, without those of collections of which something inside is on the line, too."""
        around = {use.path[:end] for use in self.exact for end in range(len(use.path))}
        return [use for use in self.exact if use.path not in around]

    def _sources_on_line(self, node: Node) -> list[SourceNode]:
        """What in the history of a node is in a range of the source that holds the line."""
        if isinstance(node, SourceNode):
            return [node] if self._requested.covers(node) else []
        return [each for each in source_nodes_behind(node) if self._requested.covers(each)]

    def _classified(self, node: Node, sources: Sequence[SourceNode]) -> Iterator[LineUse]:
        """The uses of the line at one node of the result."""
        winning_origins = origins_of(node)
        line_origins = {each.origin() for each in sources}
        winner = next((each for each in winning_origins if each not in line_origins), None)
        if line_origins & set(winning_origins):
            yield self._use(node, "merged" if winner is not None else "wins", None)
            return
        yield self._overridden(node)

    def _overridden(self, node: Node) -> LineUse:
        winner = first_origin(node)
        return self._use(node, "overridden" if winner is not None else "ignored", winner)

    def _use(self, node: Node, verdict: str, by: Origin | None) -> LineUse:
        return LineUse(self._target, (*self._start, *node.path), verdict, by, self._output)


def _is_aligned(source: SourceNode, node: Node) -> bool:
    """Whether members of a mapping in a source become members with the same key in a node."""
    positions = source.positions
    return source.path == node.path and isinstance(source.value, dict) and not (positions.aliases or positions.members)


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, (list, tuple)) else []


def _by_directive(target: str, result: Result, requested: _RequestedLine) -> Iterator[LineUse]:
    """The values that were merged by a rule on the line."""
    for number, output in enumerate(result.outputs):
        start: Path = (number,) if result.many else ()
        name = output.output.name if result.many else None
        for node in _nodes_with_rule(output.node, requested):
            yield LineUse(target, (*start, *node.path), "steers", None, name)


def _nodes_with_rule(root: Node, requested: _RequestedLine) -> list[Node]:
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


def _has_rule(node: Node, requested: _RequestedLine) -> bool:
    """Whether a rule on the line had a say in a merge that a node comes from."""
    return any(
        isinstance(each, MergedNode)
        and isinstance(each.cause, StepRef)
        and requested.is_rule(directive_of(each, each.cause).origin)
        for each in walk_back(node, predecessors_of)
    )
