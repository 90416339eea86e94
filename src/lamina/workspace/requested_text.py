"""A value or a key that somebody looks for, and what of a document has it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.engine.alias_map import children
from lamina.engine.node import SourceNode
from lamina.paths import MISSING
from lamina.sources.json.brief import in_brief
from lamina.workspace.requested_line import Requested, is_member

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.origins import PositionMap
    from lamina.paths import Path


class TextMatch(NamedTuple):
    """A part of a document that has the text: its path from the part that was searched, and its record."""

    path: Path
    record: int


@dataclass(slots=True)
class _Searched:
    """What of a document was searched, as ranges of records that do not overlap, and what has the text."""

    positions: PositionMap  # held while its identity is in use
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    records: list[int] = field(default_factory=list)

    def has(self, start: int, end: int) -> bool:
        at = bisect_right(self.starts, start) - 1
        return at >= 0 and end <= self.ends[at]

    def add(self, start: int, end: int, records: set[int]) -> None:
        outside = [
            (first, last) for first, last in zip(self.starts, self.ends, strict=True) if not start <= first < end
        ]
        self.starts, self.ends = map(list, zip(*sorted([*outside, (start, end)]), strict=True))
        if records:
            self.records = sorted({*self.records, *records})


class RequestedText(Requested):
    """A text that is looked for as a value and as a key; every document is searched once."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._documents: dict[int, _Searched] = {}
        self._inside: dict[tuple[int, int], list[TextMatch]] = {}

    def records(self, node: SourceNode) -> list[int]:
        """The records of a document that have the text: all of them that were found so far."""
        positions, index = node.positions, node.positions.resolve(node.index)
        searched = self._documents.get(id(positions))
        if searched is None:
            searched = self._documents[id(positions)] = _Searched(positions)
        start, end = index - self.has_key(node), index + positions.sizes.get(index, 1)
        if not searched.has(start, end):
            own = {start} if start < index else set[int]()
            searched.add(start, end, own | {match.record for match in self._matches(node)})
            if not searched.records and end >= positions.record_count and not index:
                self.elsewhere.add(id(positions))
        return searched.records

    def others_in(self, node: SourceNode, without: set[tuple[int, int]]) -> list[TextMatch]:
        """What has the text in a node, without some records of documents; of what aliases repeat, the first place."""
        positions, index = node.positions, node.positions.resolve(node.index)
        document, end = id(positions), index + positions.sizes.get(index, 1)
        records = self.records(node)
        inside = records[bisect_left(records, index) : bisect_left(records, end)]
        if all((document, record) in without for record in inside):
            return []
        if (document, index) not in self._inside:
            self._inside[document, index] = list(self._matches(node))
        return [match for match in self._inside[document, index] if (document, match.record) not in without]

    def has_key(self, node: SourceNode) -> bool:
        """Whether a node has the text as its key."""
        return is_member(node) and self.is_key(node.path[-1])

    def is_key(self, key: Any) -> bool:
        """Whether a step of a path is the text."""
        return not isinstance(key, int) and str(key) == self._text

    def is_value(self, value: Any) -> bool:
        """Whether a value is the text."""
        return matches_text(value, self._text)

    def _matches(self, node: SourceNode) -> Iterator[TextMatch]:
        """What has the text in a node."""
        pending: list[tuple[Path, SourceNode]] = [((), node)]
        while pending:
            path, node = pending.pop()
            if type(node) is SourceNode:
                yield from self._matches_in(node.full, node.index, node.positions, path)
            elif not isinstance(node.value, (dict, list)):
                if self.is_value(node.value):
                    yield TextMatch(path, node.positions.resolve(node.index))
            else:  # a dialect shows it in another form
                inner = [(key, node.child(key)) for key, _ in children(node.value)]
                members = [(key, each) for key, each in inner if isinstance(each, SourceNode)]
                yield from (TextMatch((*path, key), each.index - 1) for key, each in members if self.is_key(key))
                pending += [((*path, key), each) for key, each in members if each.positions is node.positions]

    def _matches_in(self, value: Any, index: int, positions: PositionMap, path: Path) -> Iterator[TextMatch]:
        pending = [(path, value, index)]
        seen: set[int] = set()
        while pending:
            path, value, index = pending.pop()
            index = positions.resolve(index)
            if index in seen:
                continue
            seen.add(index)
            if isinstance(value, dict):
                for key, (of_key, of_value) in positions.pairs(index, value).items():
                    if self.is_key(key):
                        yield TextMatch((*path, key), of_key)
                    pending.append(((*path, key), value[key], of_value))
            elif isinstance(value, (list, tuple)):
                inner = zip(value, positions.children(index), strict=False)
                pending += [((*path, at), item, record) for at, (item, record) in enumerate(inner)]
            elif self.is_value(value):
                yield TextMatch(path, index)


def matches_text(value: Any, text: str) -> bool:
    """Whether a value matches a text: the string itself, or the YAML scalar written like it."""
    if isinstance(value, (dict, list)) or value is MISSING:
        return False
    return value == text if isinstance(value, str) else text in (in_brief(value), str(value))
