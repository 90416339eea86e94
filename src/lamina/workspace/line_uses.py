"""What a line decides: from a line of a source to the values of results that it sets, loses or steers.

The way back is taken from each result: a part of it is looked into only if something of its history is in a range of
the source that holds the line, so that nothing is guessed from names and little is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.engine.change import MergeChange, PartOfChange
from lamina.engine.delta import NEW, OLD, Compose, Computed, MapDelta, Ref, Removed
from lamina.engine.history import directive_of, events_of
from lamina.engine.node import LiteralNode, Node, SourceNode
from lamina.engine.plan import Merge, Start
from lamina.engine.provenance import (
    VisitedNodes,
    first_origin,
    origins_of,
    predecessors_of,
    source_nodes_behind,
    source_nodes_of,
    walk_back,
)
from lamina.engine.step_context import StepRef
from lamina.paths import MISSING, show
from lamina.protocol.extensions import explain_of
from lamina.run import Run
from lamina.workspace.requested_line import RequestedLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from lamina.engine.delta import Delta
    from lamina.engine.plan import AnyStep, Directive
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.sources.source import Source
    from lamina.views.result import Result
    from lamina.workspace.requested_line import Requested
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


def uses_of_line(outcomes: Iterable[Outcome], source: Source, line: int, column: int | None, run: Run) -> list[LineUse]:
    """The uses of a line of a source in the results of targets, in their order."""
    results = ((outcome.target.name, outcome.result) for outcome in outcomes if outcome.result is not None)
    return uses_in_results(results, source.name, line, column, text=source, run=run)


def uses_in_results(
    results: Iterable[tuple[str, Result]],
    source: str,
    line: int,
    column: int | None = None,
    *,
    text: Source | None = None,
    run: Run | None = None,
) -> list[LineUse]:
    """The uses of a line of a source in results, each with the name of its target.

    With the text of the source, they include those of rules that begin above the line.
    """
    requested = RequestedLine(source, line, column, text, run or Run())
    in_results = [_UsesInResult(name, result, requested) for name, result in results]
    rules = requested.rules_among({origin for each in in_results for origin in each.by_rule})
    return [use for each in in_results for use in each.uses(rules)]


def is_layer(result: Result, source: str) -> bool:
    """Whether anything a result was made from is in a source."""
    sources = (each for output in result.outputs for each in source_nodes_behind(output.node))
    return any(each.positions.locate(0, 0).source == source for each in sources)


class _UsesInResult:
    """The uses of a line in one result, and those of the rules in its source."""

    def __init__(self, target: str, result: Result, requested: RequestedLine) -> None:
        self._own: list[LineUse] = []
        self._is_exact = False
        for number, output in enumerate(result.outputs):
            start: Path = (number,) if result.many else ()
            search = OutputSearch(requested, target, start, output.output.name if result.many else None)
            search.visit(output.node)
            self._own += search.innermost() or search.covered
            self._is_exact |= bool(search.exact)
        self._own = self._own or list(_not_reached(target, result, requested))
        self.by_rule: dict[Origin, list[LineUse]] = {}
        """The values that each rule in the source of the line was used for."""
        # To look at all values takes long; a line that is in a result itself is mostly no rule.
        if not self._is_exact or requested.rules_among(_rules_of_steps(result, requested)):
            self.by_rule = _uses_by_rule(target, result, requested)

    def uses(self, rules: Set[Origin]) -> list[LineUse]:
        """The uses of the line, given the rules that it belongs to."""
        steered = list(dict.fromkeys(use for rule, uses in self.by_rule.items() if rule in rules for use in uses))
        return [*self._own, *steered] if self._is_exact or not steered else steered


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


class ResultPlace:
    """A node of an output, its path there, what of the line is in its history, and the node that it is in.

    The path of the node itself may be an earlier one: items of lists move.
    """

    __slots__ = ("container", "found", "node", "path")

    def __init__(self, path: Path, node: Node, found: _LineMatch, container: Node) -> None:
        self.path = path
        self.node = node
        self.found = found
        self.container = container


class OutputSearch:
    """Looks for the line in one output."""

    def __init__(self, requested: Requested, target: str, start: Path, output: str | None) -> None:
        self._requested = requested
        self._target = target
        self._start = start
        self._output = output
        self.exact: list[LineUse] = []
        self.covered: list[LineUse] = []
        """Where the line is in what a value was made from, but nothing of the value comes from it."""

    def visit(self, root: Node) -> None:
        for place, inner in self.places(root):
            sources = [each for each in place.found.sources if self._requested.holds(each)]
            if sources:
                self.exact += self.uses_at(place, sources, {each.origin() for each in sources})
            elif place.found.sources and not any(each.found.sources for each in inner):
                uses = self._by_parts(place) or self.uses_at(place, place.found.sources, set())
                self.exact += [use for use in uses if use.verdict not in ("overridden", "ignored")]
                self.covered += uses

    def places(self, root: Node) -> Iterator[tuple[ResultPlace, list[ResultPlace]]]:
        """The places that have something of what is asked about in their history, each with those inside of it."""
        pending = [ResultPlace((), root, self._found_in(root), root)]
        while pending:
            place = pending.pop()
            inner = self._inside(place)
            pending += inner
            yield place, inner

    def _inside(self, place: ResultPlace) -> list[ResultPlace]:
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
        inner: list[ResultPlace] = []
        for key in reversed(keys):
            child = node.child(key)
            inside = self._found_in(child)
            if inside.sources or inside.keys or inside.any_key:
                inner.append(ResultPlace((*place.path, key), child, inside, node))
        return inner

    def _found_in(self, node: Node) -> _LineMatch:
        """What in the history of a node is in a range of the source that holds the line."""
        found = _LineMatch()
        visited = VisitedNodes()
        pending: list[Node] = [node]
        while pending:
            here = visited.arrive(pending.pop())
            while isinstance(here, MergeChange):
                here = visited.arrive(here.old) if self._add_change(here, found, pending) else None
            if here is not None and type(here) is not LiteralNode:
                self._add_unchanged(here, found, pending)
        return found

    def _add_change(self, change: MergeChange, found: _LineMatch, pending: list[Node]) -> bool:
        """Add what a change brought; returns whether what was there before is to be looked at by itself."""
        new, delta = change.new, change.delta
        if delta is OLD or delta is NEW or (type(delta) is MapDelta and not delta.outer):
            # Both sides have the members of the merged mapping by their own keys.
            if type(new) is not SourceNode or id(new.positions) not in self._requested.elsewhere:
                pending.append(new)
        elif type(delta) is MapDelta:
            self._add_members_set(new, delta.entries, found)
        else:
            self._add_all_behind(change, found)
            return False
        return True

    def _add_unchanged(self, node: Node, found: _LineMatch, pending: list[Node]) -> None:
        """Add a node that no step changed as a whole; what a part consists of is looked at later."""
        if isinstance(node, SourceNode):
            if type(node) is not SourceNode:
                found.any_key = True  # a dialect shows it in another form; parts of it may come from elsewhere
            if id(node.positions) not in self._requested.elsewhere and self._requested.covers(node):
                self._add_source(node, found)
        elif isinstance(node, PartOfChange):
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

    def uses_at(self, place: ResultPlace, sources: Sequence[SourceNode], line_origins: set[Origin]) -> list[LineUse]:
        """The uses of the line at one place of the result, given the sources that begin on it, with their origins, or
        those that are around it."""
        winning_origins, is_leaf = origins_of(place.node), not _keys(place.node.value)
        if is_leaf:
            line_origins |= self._requested.origins
        if not line_origins.isdisjoint(winning_origins):
            return [self._use(place.path, "wins" if line_origins.issuperset(winning_origins) else "merged")]
        if is_leaf and any(each.origin() in winning_origins for each in sources):
            return [self._use(place.path, "merged")]  # it was computed from a collection around the line
        if line_origins and any(_is_inside(each, sources) for each in source_nodes_of(place.node)):
            return [self._use(place.path, "merged")]  # it was an item of a list that begins on the line
        if any(map(self._requested.has_merge_key, sources)):
            return [self._use(place.path, "merged")]
        if place.node.value is MISSING and _removal(place) in line_origins | self._requested.origins:
            return [self._use(place.path, "steers")]
        removed = self._removed_by_line(place) if place.node.value is MISSING else []
        return removed or [self._lost(place, sources, winning_origins)]

    def _by_parts(self, place: ResultPlace) -> list[LineUse]:
        """The uses of a key on the line whose value is in the result only in parts, each taken by itself."""
        keys: dict[Any, None] = {}
        for source in place.found.sources:
            left_out = source.full.keys() - source.value.keys() if isinstance(source.full, dict) else ()
            records = self._requested.records(source)
            for key, (of_key, of_value) in ((key, source.records_of(key)) for key in left_out):
                value = SourceNode(source.full[key], (key,), source.positions, of_value, source.layer)
                if of_key in records and any(_is_inside(each, [value]) for each in source_nodes_of(place.node)):
                    keys[key] = None
        return [self._use((*place.path, key), "merged") for key in keys]

    def _removed_by_line(self, place: ResultPlace) -> list[LineUse]:
        """The members beside a place that a marker on the line removed."""
        merges = (each for each in walk_back(place.container, predecessors_of) if isinstance(each, MergeChange))
        deltas = ((each, each.delta) for each in merges if each.path == place.container.path)
        removed = {
            key: None
            for merge, delta in deltas
            if isinstance(delta, MapDelta)
            for key, entry in delta.entries.items()
            if isinstance(entry, Removed) and self._is_marker(merge, entry)
        }
        return [self._use((*place.path[:-1], key), "steers") for key in removed]

    def _is_marker(self, merge: MergeChange, entry: Removed) -> bool:
        if entry.marker is None:
            return False
        side, path = entry.marker
        return any(map(self._requested.holds, source_nodes_of(merge.side(side).at(path))))

    def _lost(self, place: ResultPlace, sources: Sequence[SourceNode], winning_origins: Sequence[Origin]) -> LineUse:
        """The use at a place that has nothing of the line."""
        winner = next(iter(winning_origins), None)
        if place.node.value is MISSING:
            winner = _remover(place, sources)
        elif _keys(place.node.value) and _has_more_of(place.node, sources):
            winner = None  # an item that was left out, such as one that is there already
        return self._use(place.path, "ignored" if winner is None else "overridden", winner)

    def _use(self, path: Path, verdict: str, by: Origin | None = None) -> LineUse:
        return LineUse(self._target, (*self._start, *path), verdict, by, self._output)


def _remover(place: ResultPlace, sources: Sequence[SourceNode]) -> Origin | None:
    """What removed a value: a marker, or what won over the whole container that it was in."""
    markers = [event.by for event in events_of(place.node) if event.by is not None]
    if markers:
        return markers[-1]
    if (removal := _removal(place)) is not None:
        return removal
    return None if _has_more_of(place.container, sources) else first_origin(place.container)


def _removal(place: ResultPlace) -> Origin | None:
    """Where a value is written that removed what was at its own path, such as a null that deletes."""
    last = next(iter(reversed(list(events_of(place.node)))), None)
    return last.origin if last is not None and last.verdict == "removed" else None


def _has_more_of(node: Node, sources: Sequence[SourceNode]) -> bool:
    """Whether something else of the documents that sources are in is in a value."""
    documents = {id(each.positions) for each in sources}
    return any(id(each.positions) in documents for each in source_nodes_of(node))


def _is_inside(written: SourceNode, sources: Sequence[SourceNode]) -> bool:
    """Whether a part of a document is in one of some collections in it."""
    same = [each for each in sources if each.positions is written.positions and each.index < written.index]
    return any(written.index < each.index + each.positions.sizes.get(each.index, 1) for each in same)


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


def _not_reached(target: str, result: Result, requested: RequestedLine) -> Iterator[LineUse]:
    """The uses of a line of a layer that no lookup came to, because a higher one has the key."""
    for path, layer in explain_of(result.dialect).layers(result):
        for key in requested.members_of(layer) if requested.covers(layer) else ():
            node = result.node_at((*path, key))
            if node.value is not MISSING:
                yield LineUse(target, (*path, key), "overridden", first_origin(node))


def _rules_of_steps(result: Result, requested: RequestedLine) -> set[Origin]:
    """Where the rules begin that steps of a result name, of those in the source of the line."""
    steps = (step for output in result.outputs for step in output.output.steps)
    return {origin for step in steps if (origin := requested.if_in(_rule_of(step, step.directive))) is not None}


def _uses_by_rule(target: str, result: Result, requested: RequestedLine) -> dict[Origin, list[LineUse]]:
    """The outermost parts of a result that were merged by each rule in the source of the line; all if no part was."""
    found: dict[Origin, list[LineUse]] = {}
    for number, output in enumerate(result.outputs):
        start: Path = (number,) if result.many else ()
        name = output.output.name if result.many else None
        paths: dict[Origin, list[Path]] = {}
        pending: list[tuple[Path, Node, frozenset[Origin]]] = [((), output.node, frozenset())]
        while pending:
            path, node, outer = pending.pop()
            rules = _rules_at(node, requested) - outer
            for rule in sorted(rules, key=lambda origin: (origin.line, origin.column)):
                paths.setdefault(rule, []).append(path)
            outer = outer | rules if path else outer  # all of it is said only of what is said of no part
            pending += [((*path, key), node.child(key), outer) for key in reversed(_keys(node.value))]
        for rule, at in paths.items():
            parts = [path for path in at if path] or at
            found.setdefault(rule, []).extend(LineUse(target, (*start, *path), "steers", None, name) for path in parts)
    return found


def _rules_at(node: Node, requested: RequestedLine) -> set[Origin]:
    """Where the rules begin that were used in merges that a node comes from, of those in the source of the line.

    Without a step that sets something further in, of which the part that it sets tells.
    """
    merges = (each for each in walk_back(node, predecessors_of) if isinstance(each, MergeChange))
    acting = ((each, each.cause) for each in merges if not (type(each.delta) is MapDelta and each.delta.outer))
    origins = (_rule_of(by.step, directive_of(each, by)) for each, by in acting if isinstance(by, StepRef))
    return {origin for each in origins if (origin := requested.if_in(each)) is not None}


def _rule_of(step: AnyStep, directive: Directive) -> Origin | None:
    """Where the rule of a step begins; a step that names just what it takes has none."""
    source = step.take.source if isinstance(step, (Merge, Start)) else None
    origin = directive.origin
    if not isinstance(source, SourceNode) or source.origin() != origin:
        return origin
    # A mapping begins where its first key does, which may be the rule; then it is no part of the value.
    is_first_taken = not isinstance(source.full, dict) or next(iter(source.full), None) in source.value
    return None if is_first_taken else origin
