"""What lines decide: from the lines of a source to the values of results that they set, lose or steer.

The way back is taken from each result: a part of it is looked into only if something of its history is in a range of
the source that holds a line, so that nothing is guessed from names and little is looked at. One walk serves all lines
of a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lamina.engine.change import MergeChange, PartOfChange
from lamina.engine.delta import NEW, OLD, Compose, Computed, MapDelta, Ref, Removed
from lamina.engine.history import directive_of, events_of
from lamina.engine.node import LiteralNode, Node, SourceNode
from lamina.engine.plan import Merge, Start, Step
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
from lamina.workspace.requested_line import RequestedLines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

    from lamina.engine.delta import Delta
    from lamina.engine.plan import AnyStep, Directive
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.sources.source import Source
    from lamina.views.result import Result
    from lamina.workspace.requested_line import Requested

    RulePaths = dict[Origin, list[Path]]
    RulePlace = tuple[Path, str | None]
    """A path of a result, and the output it is in where there are several."""


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
    stale: bool = False
    """Whether the target fails now, and this was so when it did not."""

    @property
    def inner(self) -> str:
        """The path inside of the document or node, as it is written."""
        return show(self.path if self.output is None else self.path[1:])

    @property
    def where(self) -> str:
        """The path as it is written."""
        return show(self.path)


_WINDOW = 4_096
"""How many lines are looked for in one walk; a number has a bit for each."""


def uses_of_lines(
    results: Sequence[tuple[str, Result]],
    source: Source,
    lines: Iterable[int],
    run: Run,
    *,
    known: KnownRules | None = None,
    check: Callable[[], object] = lambda: None,
) -> dict[int, list[LineUse]]:
    """The uses of lines of a source in results, of those that have any; `check` may raise to end it."""
    wanted, found = sorted(set(lines)), dict[int, list[LineUse]]()
    for start in range(0, len(wanted), _WINDOW):
        requested = RequestedLines(source.name, wanted[start : start + _WINDOW], None, source, run)
        found |= _uses_in(results, requested, source.name, known or KnownRules(), check)
    return found


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
    requested = RequestedLines(source, [line], column, text, run or Run())
    return _uses_in(list(results), requested, source, KnownRules(), lambda: None).get(line, [])


def _uses_in(
    results: Sequence[tuple[str, Result]],
    requested: RequestedLines,
    source: str,
    known: KnownRules,
    check: Callable[[], object],
) -> dict[int, list[LineUse]]:
    in_results = []
    for name, result in results:
        check()
        in_results.append(_UsesInResult(name, result, requested, source, known))
    found: dict[int, list[LineUse]] = {}
    for line, bit in requested.lines_of(requested.all_bits):
        of_rules = [each.by_rule(line, bit) for each in in_results]
        rules = requested.rules_among({origin for each in of_rules for origin in each}, line)
        pairs = zip(in_results, of_rules, strict=True)
        uses = [use for each, by_rule in pairs for use in each.uses(bit, by_rule, rules)]
        if uses:
            found[line] = uses
    return found


def is_layer(result: Result, source: str) -> bool:
    """Whether anything a result was made from is in a source."""
    sources = (each for output in result.outputs for each in source_nodes_behind(output.node))
    return any(each.positions.locate(0, 0).source == source for each in sources)


class KnownRules:
    """Where the rules of each source were used in outputs, found once for all sources of an output.

    After an edit most outputs are the ones from before, and nothing has to be found of these again.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Node, dict[str, RulePaths]]] = {}

    def of(self, result: Result, source: str) -> dict[Origin, list[RulePlace]]:
        """The places of a result that were merged by each rule in a source."""
        found: dict[Origin, list[RulePlace]] = {}
        for number, output in enumerate(result.outputs):
            start: Path = (number,) if result.many else ()
            name = output.output.name if result.many else None
            for rule, paths in self._of_output(output.node).get(source, {}).items():
                found.setdefault(rule, []).extend(((*start, *path), name) for path in paths)
        return found

    def _of_output(self, node: Node) -> dict[str, RulePaths]:
        known = self._known.get(id(node))
        if known is None:  # the node is held while its identity is in use
            known = self._known[id(node)] = node, rule_paths(node)
        return known[1]

    def keep(self, results: Iterable[Result]) -> None:
        """Forget the outputs of all other results."""
        kept = {id(output.node) for result in results for output in result.outputs}
        self._known = {key: known for key, known in self._known.items() if key in kept}


class _UsesInResult:
    """The uses of lines in one result, and those of the rules in their source."""

    def __init__(self, target: str, result: Result, requested: RequestedLines, source: str, known: KnownRules) -> None:
        self._target, self._result, self._requested = target, result, requested
        self._source, self._known = source, known
        self._own: dict[int, list[LineUse]] = {}
        self._exact = 0
        for number, output in enumerate(result.outputs):
            start: Path = (number,) if result.many else ()
            search = OutputSearch(requested, target, start, output.output.name if result.many else None)
            search.visit(output.node)
            for bit, uses in search.innermost():
                self._own.setdefault(bit, []).extend(uses)
            self._exact |= sum(search.exact)
        for bit, use in _not_reached(target, result, requested, requested.all_bits & ~sum(self._own)):
            self._own.setdefault(bit, []).append(use)
        self._rules_of_steps = _rules_of_steps(result, requested)

    def by_rule(self, line: int, bit: int) -> dict[Origin, list[LineUse]]:
        """The values that each rule in the source was used for, unless the line cannot be about a rule."""
        # To look at all values takes long; a line that is in a result itself is mostly no rule.
        if bit & self._exact and not self._requested.rules_among(self._rules_of_steps, line):
            return {}
        return self._uses_by_rule

    @cached_property
    def _uses_by_rule(self) -> dict[Origin, list[LineUse]]:
        places = self._known.of(self._result, self._source)
        return {
            rule: [LineUse(self._target, path, "steers", None, output) for path, output in found]
            for rule, found in places.items()
        }

    def uses(self, bit: int, by_rule: Mapping[Origin, list[LineUse]], rules: Set[Origin]) -> list[LineUse]:
        """The uses of a line, given the rules that it belongs to."""
        own = self._own.get(bit, [])
        steered = list(dict.fromkeys(use for rule, uses in by_rule.items() if rule in rules for use in uses))
        return [*own, *steered] if bit & self._exact or not steered else steered


class _LineMatch:
    """What of the lines is in the history of a node."""

    __slots__ = ("any_key", "keys", "sources")

    def __init__(self) -> None:
        self.sources: list[tuple[SourceNode, int]] = []
        """The sources that have lines in their range, and which."""
        self.keys: dict[Any, int] = {}
        """The keys of the node below which lines may be, in an order that is always the same, and which lines."""
        self.any_key = 0
        """Which of them may be below any key."""

    @property
    def bits(self) -> int:
        """All lines of which there is something in it."""
        found = self.any_key | self.source_bits
        for bits in self.keys.values():
            found |= bits
        return found

    @property
    def source_bits(self) -> int:
        """The lines in the range of any source."""
        found = 0
        for _, bits in self.sources:
            found |= bits
        return found

    def sources_of(self, bits: int) -> list[SourceNode]:
        """The sources that have any of some lines in their range."""
        return [source for source, there in self.sources if there & bits]

    def add_keys(self, keys: Iterable[Any], bits: int) -> None:
        """Something of lines may be below keys."""
        for key in keys:
            self.keys[key] = self.keys.get(key, 0) | bits


class ResultPlace:
    """A node of an output, its path there, what of the lines is in its history, and the node that it is in.

    The path of the node itself may be an earlier one: items of lists move. `bits` are the lines that lead to it.
    """

    __slots__ = ("bits", "container", "found", "node", "path")

    def __init__(self, path: Path, node: Node, found: _LineMatch, container: Node, bits: int) -> None:
        self.path = path
        self.node = node
        self.found = found
        self.container = container
        self.bits = bits


class OutputSearch:
    """Looks for lines in one output."""

    def __init__(self, requested: Requested, target: str, start: Path, output: str | None) -> None:
        self._requested = requested
        self._target = target
        self._start = start
        self._output = output
        self.exact: dict[int, list[LineUse]] = {}
        self._covered: dict[int, list[LineUse]] = {}
        """Where a line is in what a value was made from, but nothing of the value comes from it."""

    def visit(self, root: Node) -> None:
        for place, inner in self.places(root):
            held = [(source, bits & place.bits & self._requested.holds(source)) for source, bits in place.found.sources]
            for bit in _each_bit(held):
                sources = [source for source, bits in held if bits & bit]
                uses = self.uses_at(place, sources, {each.origin() for each in sources}, bit)
                self.exact.setdefault(bit, []).extend(uses)
            above = place.found.source_bits & place.bits
            for _, bits in held:
                above &= ~bits
            for each in inner:
                above &= ~(each.found.source_bits & each.bits)
            for bit in _each_bit([(None, above)]):
                self._visit_around(place, place.found.sources_of(bit), bit)

    def _visit_around(self, place: ResultPlace, sources: list[SourceNode], bit: int) -> None:
        """Add the uses of a line that is in sources of a place, at none of the places inside."""
        uses = self._by_parts(place, sources, bit) or self.uses_at(place, sources, set(), bit)
        counting = [use for use in uses if use.verdict not in ("overridden", "ignored")]
        if counting:
            self.exact.setdefault(bit, []).extend(counting)
        self._covered.setdefault(bit, []).extend(uses)

    def places(self, root: Node) -> Iterator[tuple[ResultPlace, list[ResultPlace]]]:
        """The places that have something of what is asked about in their history, each with those inside of it."""
        pending = [ResultPlace((), root, self._found_in(root), root, self._requested.all_bits)]
        while pending:
            place = pending.pop()
            inner = self._inside(place)
            pending += inner
            yield place, inner

    def _inside(self, place: ResultPlace) -> list[ResultPlace]:
        """The places inside of one that have something of the lines in their history, the last one first.

        Also those of members that a step removed.
        """
        node, found = place.node, place.found
        value, wanted, any_key = node.value, found.keys, found.any_key & place.bits
        if any_key:
            keys = _keys(value)
        elif wanted:
            keys = [key for key in _keys(value) if key in wanted]
        else:
            return []
        if isinstance(value, dict) and (any_key or len(keys) < len(wanted)):
            keys += [key for key in wanted if key not in value]
        inner: list[ResultPlace] = []
        for key in reversed(keys):
            bits = (any_key | wanted.get(key, 0)) & place.bits
            if bits:
                child = node.child(key)
                inside = self._found_in(child)
                bits &= inside.bits
                if bits:
                    inner.append(ResultPlace((*place.path, key), child, inside, node, bits))
        return inner

    def _found_in(self, node: Node) -> _LineMatch:
        """What in the history of a node is in a range of the source that holds a line."""
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
                # A dialect shows it in another form; parts of it may come from elsewhere.
                found.any_key = self._requested.all_bits
            if id(node.positions) not in self._requested.elsewhere and (bits := self._requested.covers(node)):
                self._add_source(node, bits, found)
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
        if not all(map(_takes_sides, entries.values())):
            is_open = True
        if sources or is_open:
            found.sources += sources
            found.add_keys(entries, self._requested.all_bits if is_open else _all_of(sources))

    def _add_all_behind(self, node: Node, found: _LineMatch) -> None:
        """Add whatever a node was made from; it may be below any key."""
        sources, is_open = self._sources_behind(node)
        if sources or is_open:
            found.sources += sources
            found.any_key |= self._requested.all_bits if is_open else _all_of(sources)

    def _sources_behind(self, node: Node) -> tuple[list[tuple[SourceNode, int]], bool]:
        """The sources in the history of a node that have lines, and whether another one is shown in another form:
        parts of that may come from elsewhere."""
        elsewhere, covers = self._requested.elsewhere, self._requested.covers
        found: list[tuple[SourceNode, int]] = []
        is_open = False
        for each in source_nodes_behind(node):
            bits = covers(each) if id(each.positions) not in elsewhere else 0
            if bits:
                found.append((each, bits))
            if type(each) is not SourceNode and bits != self._requested.all_bits:
                is_open = True
        return found, is_open

    def _add_source(self, node: SourceNode, bits: int, found: _LineMatch) -> None:
        found.sources.append((node, bits))
        if node.positions.aliases or node.positions.members:
            found.any_key |= bits  # parts of it are written elsewhere
        elif isinstance(node.value, dict) and type(node) is SourceNode:
            for key, inside in self._requested.members_of(node):
                found.add_keys((key,), inside)
        elif isinstance(node.value, (list, tuple)):
            found.any_key |= bits

    def innermost(self) -> Iterator[tuple[int, list[LineUse]]]:
        """The uses of each line that were found, without those of collections of which something inside is on it, too;
        of a line that is in nothing itself, those of what it is in."""
        for bit, covered in self._covered.items():
            if bit not in self.exact:
                yield bit, covered
        for bit, uses in self.exact.items():
            around = {use.path[:end] for use in uses for end in range(len(use.path))} if len(uses) > 1 else ()
            yield bit, [use for use in uses if use.path not in around]

    def uses_at(
        self, place: ResultPlace, sources: Sequence[SourceNode], line_origins: set[Origin], bit: int = 1
    ) -> list[LineUse]:
        """The uses of a line at one place of the result, given the sources that begin on it, with their origins, or
        those that are around it."""
        winning_origins, is_leaf = origins_of(place.node), not _keys(place.node.value)
        if is_leaf:
            line_origins |= self._requested.origins(bit)
        if not line_origins.isdisjoint(winning_origins):
            return [self._use(place.path, "wins" if line_origins.issuperset(winning_origins) else "merged")]
        if is_leaf and any(each.origin() in winning_origins for each in sources):
            return [self._use(place.path, "merged")]  # it was computed from a collection around the line
        if line_origins and any(_is_inside(each, sources) for each in source_nodes_of(place.node)):
            return [self._use(place.path, "merged")]  # it was an item of a list that begins on the line
        if any(self._requested.merge_keys(each) & bit for each in sources):
            return [self._use(place.path, "merged")]
        if place.node.value is MISSING and _removal(place) in line_origins | self._requested.origins(bit):
            return [self._use(place.path, "steers")]
        removed = self._removed_by_line(place, bit) if place.node.value is MISSING else []
        return removed or [self._lost(place, sources, winning_origins)]

    def _by_parts(self, place: ResultPlace, sources: Sequence[SourceNode], bit: int) -> list[LineUse]:
        """The uses of a key on a line whose value is in the result only in parts, each taken by itself."""
        keys: dict[Any, None] = {}
        for source in sources:
            left_out = source.full.keys() - source.value.keys() if isinstance(source.full, dict) else ()
            for key, (of_key, of_value) in ((key, source.records_of(key)) for key in left_out):
                value = SourceNode(source.full[key], (key,), source.positions, of_value, source.layer)
                if self._requested.has(source, of_key, bit) and any(
                    _is_inside(each, [value]) for each in source_nodes_of(place.node)
                ):
                    keys[key] = None
        return [self._use((*place.path, key), "merged") for key in keys]

    def _removed_by_line(self, place: ResultPlace, bit: int) -> list[LineUse]:
        """The members beside a place that a marker on the line removed."""
        merges = (each for each in walk_back(place.container, predecessors_of) if isinstance(each, MergeChange))
        deltas = ((each, each.delta) for each in merges if each.path == place.container.path)
        removed = {
            key: None
            for merge, delta in deltas
            if isinstance(delta, MapDelta)
            for key, entry in delta.entries.items()
            if isinstance(entry, Removed) and self._is_marker(merge, entry, bit)
        }
        return [self._use((*place.path[:-1], key), "steers") for key in removed]

    def _is_marker(self, merge: MergeChange, entry: Removed, bit: int) -> bool:
        if entry.marker is None:
            return False
        side, path = entry.marker
        return any(self._requested.holds(each) & bit for each in source_nodes_of(merge.side(side).at(path)))

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


def _not_reached(target: str, result: Result, requested: RequestedLines, bits: int) -> Iterator[tuple[int, LineUse]]:
    """The uses of some lines of a layer that no lookup came to, because a higher one has the key."""
    for path, layer in explain_of(result.dialect).layers(result) if bits else ():
        for key, inside in requested.members_of(layer) if requested.covers(layer) & bits else ():
            node = result.node_at((*path, key))
            if node.value is not MISSING:
                use = LineUse(target, (*path, key), "overridden", first_origin(node))
                yield from ((bit, use) for _, bit in requested.lines_of(inside & bits))


def _rules_of_steps(result: Result, requested: RequestedLines) -> set[Origin]:
    """Where the rules begin that steps of a result name, of those in the source of the lines."""
    steps = (step for output in result.outputs for step in output.output.steps)
    return {origin for step in steps if (origin := requested.if_in(_rule_of(step, step.directive))) is not None}


def rule_paths(root: Node) -> dict[str, RulePaths]:
    """The outermost parts of an output that were merged by each rule, for each source with rules; all if no part was.

    A part whose members were all brought by one step has nothing more to say of them.
    """
    paths: dict[Origin, list[Path]] = {}
    pending: list[tuple[Path, Node, frozenset[Origin]]] = [((), root, frozenset())]
    while pending:
        path, node, outer = pending.pop()
        rules, is_uniform = _rules_at(node)
        for rule in sorted(rules - outer, key=lambda origin: (origin.line, origin.column)):
            paths.setdefault(rule, []).append(path)
        outer = outer | rules if path else outer  # all of it is said only of what is said of no part
        if not path or not is_uniform:
            pending += [((*path, key), node.child(key), outer) for key in reversed(_keys(node.value))]
    found: dict[str, RulePaths] = {}
    for rule, at in paths.items():
        found.setdefault(rule.source, {})[rule] = [path for path in at if path] or at
    return found


def _rules_at(node: Node) -> tuple[set[Origin], bool]:
    """Where the rules begin that were used in merges that a node comes from, and whether all of it has the same ones.

    Without a step that sets something further in, of which the part that it sets tells.
    """
    brought = _brought_by(node)
    merges = (
        [each for each in walk_back(node, predecessors_of) if isinstance(each, MergeChange)]
        if brought is None
        else brought
    )
    acting = ((each, each.cause) for each in merges if not (type(each.delta) is MapDelta and each.delta.outer))
    origins = (_rule_of(by.step, directive_of(each, by)) for each, by in acting if isinstance(by, StepRef))
    return {origin for origin in origins if origin is not None}, brought is not None


def _brought_by(node: Node) -> list[MergeChange] | None:
    """The changes that brought a value as a whole where nothing was, from output to output, so that all in it has the
    same history; None if anything else happened to it."""
    changes: list[MergeChange] = []
    while type(here := node.resolved()) is not SourceNode:
        if not isinstance(here, MergeChange) or here.delta is not NEW or here.policy is not None:
            return None
        step = here.cause.step if isinstance(here.cause, StepRef) else None
        if step is None or type(step).directive_at is not Step.directive_at:
            return None
        old = here.old.resolved()
        if type(old) is not LiteralNode or old.value is not MISSING:
            return None
        changes.append(here)
        node = here.new
    return changes


def _rule_of(step: AnyStep, directive: Directive) -> Origin | None:
    """Where the rule of a step begins; a step that names just what it takes has none."""
    source = step.take.source if isinstance(step, (Merge, Start)) else None
    origin = directive.origin
    if not isinstance(source, SourceNode) or source.origin() != origin:
        return origin
    # A mapping begins where its first key does, which may be the rule; then it is no part of the value.
    is_first_taken = not isinstance(source.full, dict) or next(iter(source.full), None) in source.value
    return None if is_first_taken else origin


def _each_bit(several: Iterable[tuple[Any, int]]) -> Iterator[int]:
    """Each bit that any of some numbers has, the lowest first."""
    left = 0
    for _, bits in several:
        left |= bits
    while left:
        bit = left & -left
        yield bit
        left ^= bit


def _all_of(sources: Iterable[tuple[SourceNode, int]]) -> int:
    found = 0
    for _, bits in sources:
        found |= bits
    return found
