"""Search for a value or a key: every line that sets it, in which outputs and at which paths, and whether it counts.

The documents of the layers are searched, and the way from there to the results is that of `line_uses`: what `find` says
of a line is what `where` says of it. What no document has as it is, because it was computed, is found in the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.budget import check_shown
from lamina.engine.node import SourceNode
from lamina.engine.provenance import origins_of
from lamina.engine.secrecy import SECRET
from lamina.paths import MISSING
from lamina.protocol.extensions import explain_of
from lamina.sources.caseless_keys import with_case
from lamina.views.redaction import has_secret_history
from lamina.workspace.line_uses import OutputSearch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.node import Node
    from lamina.engine.step_context import Folded
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.views.result import Result
    from lamina.workspace.line_uses import ResultPlace
    from lamina.workspace.requested_text import RequestedText

_COUNTING = frozenset(("wins", "merged", "computed"))


class FoundValue(NamedTuple):
    """A line that sets a value or a key: the path, the value as the line has it, and the verdict, as in `LineUse`.

    A collection is found where its key is written. What was `computed` is in the result, and no line has it as it is.
    """

    output: str | None
    path: Path
    value: Any
    origin: Origin | None
    verdict: str

    def __hash__(self) -> int:
        value = None if isinstance(self.value, (dict, list)) else repr(self.value)
        return hash((self.output, self.path, value, self.origin, self.verdict))

    @property
    def counts(self) -> bool:
        """Whether the result has it at this path."""
        return self.verdict in _COUNTING


def values_found(result: Result, requested: RequestedText) -> Iterator[FoundValue]:
    """The lines that set a value or a key, by path: those that count first."""
    check_shown(result.plain)
    plain = result.plain if result.many else [result.plain]
    for output, value in zip(result.outputs, plain, strict=False):
        found: dict[Path, list[FoundValue]] = {}
        for each in _OutputFinds(result, output, requested).found(value):
            found.setdefault(each.path, []).append(each)
        for at_path in found.values():
            yield from dict.fromkeys(sorted(at_path, key=lambda each: not each.counts))


class _OutputFinds:
    """The search in one output."""

    def __init__(self, result: Result, output: Folded, requested: RequestedText) -> None:
        self._result = result
        self._node = output.node
        self._requested = requested
        self._name = output.output.name if result.many else None
        self._search = OutputSearch(requested, "", (), None)
        self._claimed: set[tuple[int, int]] = set()
        """The records that are at a place of their own; others are in what was replaced as a whole."""
        self._paths: set[Path] = set()
        """The paths of which it is known where their value, or a part of it, is written."""

    def found(self, plain: Any) -> Iterator[FoundValue]:
        places = [(place, source) for place, _ in self._search.places(self._node) for source, _ in place.found.sources]
        at_place = [(place, source) for place, source in places if self._requested.holds(source)]
        outer = {(_identity(source), place.path[:end]) for place, source in at_place for end in range(len(place.path))}
        for place, source in at_place:
            if (_identity(source), place.path) not in outer:
                yield from self._set_at(place, source)
        collections = [each for each in places if isinstance(each[1].value, (dict, list, tuple))]
        lost = [list(self._lost_with(*each)) for each in reversed(collections)]  # the innermost first
        yield from (each for inside in reversed(lost) for each in inside)
        yield from self._not_reached()
        yield from self._computed(plain)

    def _set_at(self, place: ResultPlace, source: SourceNode) -> Iterator[FoundValue]:
        document, index = id(source.positions), source.index
        self._claimed |= {(document, index - 1), (document, source.positions.resolve(index))}
        for use in self._search.uses_at(place, [source], {source.origin()}):
            yield from self._shown_as(use.path, source, use.verdict, self._is_secret(place.node))

    def _lost_with(self, place: ResultPlace, source: SourceNode) -> Iterator[FoundValue]:
        """What is set inside of a collection and has no place of its own: it was replaced or left out with that.

        Or the value of the place was computed from the collection.
        """
        matches = self._requested.others_in(source, self._claimed)
        self._claimed |= {(id(source.positions), each.record) for each in matches}
        for path in dict.fromkeys(each.path for each in matches):
            node = source.at(path)
            if isinstance(node, SourceNode):  # else it is a directive, which is no part of the layer
                use = self._search.uses_at(place, [source], {node.origin()})[0]
                inside = () if use.verdict in _COUNTING else path
                yield from self._shown_as((*place.path, *inside), node, use.verdict, self._is_secret(place.node))

    def _not_reached(self) -> Iterator[FoundValue]:
        """What is set in layers that no lookup came to, because a higher one has the key."""
        for start, layer in explain_of(self._result.dialect).layers(self._result):
            for path in dict.fromkeys(each.path for each in self._requested.others_in(layer, self._claimed)):
                winner, node = self._result.node_at((*start, path[0])), layer.at(path)
                if winner.value is not MISSING and isinstance(node, SourceNode):
                    yield from self._shown_as((*start, *path), node, "overridden", self._is_secret(winner))

    def _is_secret(self, node: Node) -> bool:
        """Whether what is said about a part of the result must not be shown: it may be a rule that makes it secret."""
        return self._result.hides_secrets and has_secret_history(node)

    def _shown_as(self, path: Path, source: SourceNode, verdict: str, is_secret: bool) -> Iterator[FoundValue]:
        """A line as it is written, unless it was looked for by a value that must not be shown."""
        value, is_key = SECRET if is_secret else self._shown(source), self._requested.has_key(source)
        if is_key or self._requested.is_value(value):
            begins_with_key = is_key and bool(value) and isinstance(value, (dict, list))
            origin = source.positions.origin(source.index - 1) if begins_with_key else source.origin()
            found = FoundValue(self._name, self._plain(path), value, origin, verdict)
            if found.counts:
                self._paths |= {found.path[:end] for end in range(len(found.path) + 1)}
            yield found

    def _computed(self, plain: Any) -> Iterator[FoundValue]:
        """The values of the result that no document has there as they are."""
        for path in _paths(plain, self._requested):
            if path in self._paths:
                continue
            node = self._node.at(self._result.keys(path))
            value = self._shown(node)
            if self._requested.is_value(value) or (path and self._requested.is_key(path[-1])):
                origins: list[Origin | None] = [*origins_of(node)]
                for origin in origins or [None]:
                    yield FoundValue(self._name, path, value, origin, "computed")

    def _shown(self, node: Node) -> Any:
        value = self._result.shown_value(node)
        return value if self._result.spec.key_type is None else with_case(value)

    def _plain(self, path: Path) -> Path:
        return (
            path
            if self._result.spec.key_type is None
            else tuple(str(each) if isinstance(each, str) else each for each in path)
        )


def _identity(source: SourceNode) -> tuple[int, int]:
    return id(source.positions), source.index


def _paths(value: Any, requested: RequestedText) -> Iterator[Path]:
    """The paths of a result that end in a key, or lead to a value, that is looked for."""
    pending: list[tuple[Path, Any]] = [((), value)]
    while pending:
        path, value = pending.pop()
        if requested.is_value(value) or (path and requested.is_key(path[-1])):
            yield path
        if isinstance(value, dict):
            pending += reversed([((*path, key), inner) for key, inner in value.items()])
        elif isinstance(value, list):
            pending += reversed([((*path, at), inner) for at, inner in enumerate(value)])


def where(location: FoundValue) -> str:
    """The line of a location and the verdict on it."""
    return f"{location.origin or 'made by the program'}, {location.verdict}"
