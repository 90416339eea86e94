"""The line that somebody asks about, and what of a document is on it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Any

from lamina.sources.scalar_lines import ScalarLines
from lamina.sources.source import Source
from lamina.workspace.rule_lines import rules_of_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Set

    from lamina.engine.node import SourceNode
    from lamina.origins import Origin, PositionMap
    from lamina.run import Run


class Requested(ABC):
    """What somebody asks about: records of documents, of which nearly all documents have none."""

    def __init__(self) -> None:
        self._with_aliases: dict[int, tuple[list[int], list[int]]] = {}
        self.elsewhere: set[int] = set()
        """The identities of documents that have no such record: most layers of most values have not."""
        self.origins: set[Origin] = set()
        """The origins of all such records, where they are asked about together."""

    @abstractmethod
    def records(self, node: SourceNode) -> list[int]:
        """The records that are asked about in the document of a node, as far as they concern the node, in order."""

    def covers(self, node: SourceNode) -> bool:
        """Whether something that is asked about is in the range of the source that a node is in."""
        positions = node.positions
        records = self._reached(node)
        if not records:
            return False
        index = node.index
        # The record before the value of a member is that of its key; before an item it is of another one.
        at = bisect_left(records, index - 1 if is_member(node) else index)
        return at < len(records) and records[at] < index + positions.sizes.get(index, 1)

    def _reached(self, node: SourceNode) -> list[int]:
        """The records that are asked about, and the aliases of them or of what is around them, in order."""
        records, positions = self.records(node), node.positions
        if not records or not positions.aliases:
            return records
        known = self._with_aliases.get(id(positions))
        if known is None or known[0] is not records:
            known = self._with_aliases[id(positions)] = records, list(records)
            for alias, anchor in sorted(positions.aliases.items()):  # an anchor, and all in it, precedes its aliases
                at = bisect_left(known[1], anchor)
                if at < len(known[1]) and known[1][at] < anchor + positions.sizes.get(anchor, 1):
                    insort(known[1], alias)
        return known[1]

    def holds(self, node: SourceNode) -> bool:
        """Whether a node, or its key, is asked about; a collection begins with its key."""
        records, index = self.records(node), node.index
        if is_member(node) and _is_among(index - 1, records):
            return True
        if isinstance(node.value, (dict, list, tuple)) and node.value:
            return False
        return _is_among(index, records) or _is_among(node.positions.resolve(index), records)

    def has_merge_key(self, node: SourceNode) -> bool:
        """Whether a merge key of the mapping, `<<: *anchor`, is asked about."""
        positions, index = node.positions, node.positions.resolve(node.index)
        members = positions.members.get(index)
        if members is None:
            return False
        values, end = {value for _, value in members.values()}, index + positions.sizes.get(index, 1)
        aliases = positions.aliases.keys() - values
        return any(index < record < end and record in aliases for record in self.records(node))

    def members_of(self, node: SourceNode) -> Iterator[Any]:
        """The keys of a mapping whose entry, key or value, holds something that is asked about."""
        records = self.records(node)
        for key in node.value:
            first, value = node.records_of(key)
            at = bisect_left(records, first)
            if at < len(records) and records[at] < value + node.positions.sizes.get(value, 1):
                yield key


class RequestedLine(Requested):
    """The line that is asked for, and which records of a source's documents are on it.

    With the `text` of the source, rules are found that begin above the line.
    """

    def __init__(self, source: str, line: int, column: int | None, text: Source | None, run: Run) -> None:
        super().__init__()
        self._source = source
        self._text = text
        self._run = run
        self._line = line
        self._column = column
        self._known: dict[int, tuple[PositionMap, list[int]]] = {}
        self._scalars: dict[int, tuple[Source, ScalarLines]] = {}

    def records(self, node: SourceNode) -> list[int]:
        """The records of a document that are on the line: what begins there, and a text that goes on there."""
        positions = node.positions
        known = self._known.get(id(positions))
        if known is None:  # the document is held while its identity is in use
            known = self._known[id(positions)] = positions, self._records(positions)
            if not known[1]:
                self.elsewhere.add(id(positions))
            self.origins.update(map(positions.origin, known[1]))
        return known[1]

    def _records(self, positions: PositionMap) -> list[int]:
        # All of a document is in one source; to ask for its positions would unpack those of every document.
        if not positions.record_count or positions.locate(0, 0).source != self._source:
            return []
        places = list(zip(positions.lines, positions.columns, strict=True))
        lines = [positions.locate(*place).line for place in places]
        begins = [at for at, line in enumerate(lines) if line == self._line]
        if self._column is not None:
            begins = [at for at in begins if positions.columns[at] < self._column]
            last = max((positions.columns[at] for at in begins), default=-1)
            begins = [at for at in begins if positions.columns[at] == last]
            if begins:
                return begins
        above = max((at for at, line in enumerate(lines) if line < self._line), key=places.__getitem__, default=None)
        return begins if above is None or not self._goes_on(positions, above, begins) else [above, *begins]

    def _goes_on(self, positions: PositionMap, record: int, begins: list[int]) -> bool:
        """Whether the scalar that is the last to begin above the line is still there on it, with what begins there."""
        source = Source.behind(positions)
        if record in positions.sizes or record in positions.aliases or source is None:
            return False
        if id(source) not in self._scalars:
            self._scalars[id(source)] = source, ScalarLines(source)
        scalars = self._scalars[id(source)][1]
        if any(scalars.begins_line((positions.lines[at], positions.columns[at])) for at in begins):
            return False
        first = positions.lines[record]
        last = scalars.last_line((first, positions.columns[record]))
        return any(positions.locate(line, 0).line == self._line for line in range(first + 1, last + 1))

    def if_in(self, origin: Origin | None) -> Origin | None:
        """A place if it is in the source of the line, else none."""
        return origin if origin is not None and origin.source == self._source else None

    def rules_among(self, rules: Collection[Origin]) -> Set[Origin]:
        """The rules that the line belongs to, of some that begin in its source."""
        if self._text is None or not rules:
            return {origin for origin in rules if origin.line == self._line}
        return rules_of_line(self._text, self._line, rules, self._run)


def _is_among(record: int, records: list[int]) -> bool:
    """Whether a record is one of some, which are in order."""
    at = bisect_left(records, record)
    return at < len(records) and records[at] == record


def is_member(node: SourceNode) -> bool:
    """Whether a node is the value of a key."""
    return bool(node.path) and not isinstance(node.path[-1], int)
