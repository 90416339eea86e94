"""The lines that somebody asks about, and what of a document is on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Any

from lamina.sources.scalar_lines import ScalarLines
from lamina.sources.source import Source
from lamina.workspace.rule_lines import RuleLines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence, Set

    from lamina.engine.node import SourceNode
    from lamina.origins import Origin, PositionMap
    from lamina.run import Run


class Requested(ABC):
    """What somebody asks about: records of documents, of which nearly all documents have none.

    Several things, such as the lines of a file, are looked for in one walk: each is a bit of the numbers that say which
    of them are somewhere.
    """

    def __init__(self) -> None:
        self._with_aliases: dict[int, tuple[list[int], list[int]]] = {}
        self.elsewhere: set[int] = set()
        """The identities of documents that have no such record: most layers of most values have not."""
        self.all_bits = 1

    @abstractmethod
    def records(self, node: SourceNode) -> list[int]:
        """The records that are asked about in the document of a node, as far as they concern the node, in order."""

    def origins(self, bit: int) -> Set[Origin]:  # noqa: ARG002 - one that has several things needs it
        """The origins of all records of a thing, where they are asked about together."""
        return frozenset()

    def bits_of(self, positions: PositionMap, records: Sequence[int]) -> int:  # noqa: ARG002 - likewise
        """What is asked about that has any of these records."""
        return 1 if records else 0

    def covers(self, node: SourceNode) -> int:
        """What is asked about that is in the range of the source that a node is in."""
        positions = node.positions
        records = self._reached(node)
        if not records:
            return 0
        index = node.index
        # The record before the value of a member is that of its key; before an item it is of another one.
        return self._between(positions, records, index - 1 if is_member(node) else index, _end(positions, index))

    def _between(self, positions: PositionMap, records: list[int], start: int, end: int) -> int:
        at = bisect_left(records, start)
        if at == len(records) or records[at] >= end:
            return 0
        return self.bits_of(positions, records[at : bisect_left(records, end, at)])

    def _reached(self, node: SourceNode) -> list[int]:
        """The records that are asked about, and the aliases of them or of what is around them, in order."""
        records, positions = self.records(node), node.positions
        if not records or not positions.aliases:
            return records
        known = self._with_aliases.get(id(positions))
        if known is None or known[0] is not records:
            known = self._with_aliases[id(positions)] = records, list(records)
            for alias, anchor in sorted(positions.aliases.items()):  # an anchor, and all in it, precedes its aliases
                bits = self._between(positions, known[1], anchor, _end(positions, anchor))
                if bits:
                    self._reach_by(positions, alias, bits)
                    if not _is_among(alias, known[1]):
                        insort(known[1], alias)
        return known[1]

    def _reach_by(self, positions: PositionMap, alias: int, bits: int) -> None:  # noqa: B027 - one thing needs no more
        """What is asked about is reached by an alias, too; who has several things keeps which."""

    def holds(self, node: SourceNode) -> int:
        """What is asked about that is a node or its key; a collection begins with its key."""
        records, index, positions = self.records(node), node.index, node.positions
        held = [index - 1] if is_member(node) else []
        if not isinstance(node.value, (dict, list, tuple)) or not node.value:
            held += [index, positions.resolve(index)]
        return self._own_bits(positions, [record for record in held if _is_among(record, records)])

    def _own_bits(self, positions: PositionMap, records: Sequence[int]) -> int:
        """The same as `bits_of`, without what is reached by aliases."""
        return self.bits_of(positions, records)

    def has(self, node: SourceNode, record: int, bit: int) -> bool:
        """Whether a record of the document of a node is one of a thing that is asked about."""
        return _is_among(record, self.records(node)) and bool(self._own_bits(node.positions, [record]) & bit)

    def merge_keys(self, node: SourceNode) -> int:
        """What is asked about that is a merge key of the mapping, `<<: *anchor`."""
        positions, index = node.positions, node.positions.resolve(node.index)
        members = positions.members.get(index)
        if members is None:
            return 0
        values, end = {value for _, value in members.values()}, _end(positions, index)
        aliases = positions.aliases.keys() - values
        return self._own_bits(
            positions, [each for each in self.records(node) if index < each < end and each in aliases]
        )

    def members_of(self, node: SourceNode) -> Iterator[tuple[Any, int]]:
        """The keys of a mapping whose entry, key or value, holds something that is asked about, and what."""
        records, positions = self.records(node), node.positions
        for key in node.value:
            first, value = node.records_of(key)
            at, end = bisect_left(records, first), _end(positions, value)
            if at < len(records) and records[at] < end:
                yield key, self._own_bits(positions, records[at : bisect_left(records, end, at)])


class RequestedLines(Requested):
    """The lines that are asked for, and which records of a source's documents are on each.

    A `column` is of the only line. With the `text` of the source, rules are found that begin above a line.
    """

    def __init__(self, source: str, lines: Sequence[int], column: int | None, text: Source | None, run: Run) -> None:
        super().__init__()
        self._source = source
        self._text = text
        self._run = run
        self._bits = {line: 1 << at for at, line in enumerate(sorted(lines))}
        self._lines = {bit: line for line, bit in self._bits.items()}
        self.all_bits = (1 << len(self._bits)) - 1
        self._column = column
        self._known: dict[int, tuple[PositionMap, list[int]]] = {}
        self._own: dict[int, dict[int, int]] = {}
        """The lines each record of a document is on."""
        self._reaching: dict[int, dict[int, int]] = {}
        """The same with what aliases stand for."""
        self._unions: dict[tuple[int, int, int], int] = {}
        self._origins: dict[int, set[Origin]] = {bit: set() for bit in self._lines}
        self._scalars: dict[int, tuple[Source, ScalarLines]] = {}
        self._rules: dict[frozenset[Origin], RuleLines] = {}

    def lines_of(self, bits: int) -> Iterator[tuple[int, int]]:
        """The lines of some bits, each with its bit."""
        while bits:
            bit = bits & -bits
            yield self._lines[bit], bit
            bits ^= bit

    def origins(self, bit: int) -> Set[Origin]:
        return self._origins[bit]

    def bits_of(self, positions: PositionMap, records: Sequence[int]) -> int:
        if not records:
            return 0
        place = id(positions), records[0], records[-1]
        known = self._unions.get(place)
        if known is None:
            known = self._unions[place] = _union(self._reaching[id(positions)], records)
        return known

    def _own_bits(self, positions: PositionMap, records: Sequence[int]) -> int:
        return _union(self._own[id(positions)], records) if records else 0

    def _reach_by(self, positions: PositionMap, alias: int, bits: int) -> None:
        reaching = self._reaching[id(positions)]
        reaching[alias] = reaching.get(alias, 0) | bits

    def records(self, node: SourceNode) -> list[int]:
        """The records of a document that are on the lines: what begins there, and a text that goes on there."""
        positions = node.positions
        known = self._known.get(id(positions))
        if known is None:  # the document is held while its identity is in use
            own = self._on_lines(positions)
            known = self._known[id(positions)] = positions, sorted(own)
            self._own[id(positions)], self._reaching[id(positions)] = own, dict(own)
            if not own:
                self.elsewhere.add(id(positions))
            for record, bits in own.items():
                for _, bit in self.lines_of(bits):
                    self._origins[bit].add(positions.origin(record))
        return known[1]

    def _on_lines(self, positions: PositionMap) -> dict[int, int]:
        """The lines that each record is on, for those that are on any."""
        # All of a document is in one source; to ask for its positions would unpack those of every document.
        if not positions.record_count or positions.locate(0, 0).source != self._source:
            return {}
        places = list(zip(positions.lines, positions.columns, strict=True))
        lines = [positions.locate(*place).line for place in places]
        beginning: dict[int, list[int]] = {}
        for at, line in enumerate(lines):
            if line in self._bits:
                beginning.setdefault(line, []).append(at)
        on: dict[int, int] = {}
        above, order, next_above = None, sorted(range(len(lines)), key=lines.__getitem__), 0
        for line, bit in self._bits.items():
            while next_above < len(order) and lines[order[next_above]] < line:
                above = max(order[next_above] if above is None else above, order[next_above], key=places.__getitem__)
                next_above += 1
            begins = self._at_column(positions, beginning.get(line, []))
            goes_on = self._column is None or not begins
            if goes_on and above is not None and self._goes_on(positions, above, begins, line):
                begins = [above, *begins]
            for record in begins:
                on[record] = on.get(record, 0) | bit
        return on

    def _at_column(self, positions: PositionMap, begins: list[int]) -> list[int]:
        """Of what begins on a line, what begins last before the column."""
        if self._column is None:
            return begins
        before = [at for at in begins if positions.columns[at] < self._column]
        last = max((positions.columns[at] for at in before), default=-1)
        return [at for at in before if positions.columns[at] == last]

    def _goes_on(self, positions: PositionMap, record: int, begins: list[int], on: int) -> bool:
        """Whether the scalar that is the last to begin above a line is still there on it, with what begins there."""
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
        return any(positions.locate(line, 0).line == on for line in range(first + 1, last + 1))

    def if_in(self, origin: Origin | None) -> Origin | None:
        """A place if it is in the source of the lines, else none."""
        return origin if origin is not None and origin.source == self._source else None

    def rules_among(self, rules: Collection[Origin], line: int) -> Set[Origin]:
        """The rules that a line belongs to, of some that begin in its source."""
        if self._text is None or not rules:
            return {origin for origin in rules if origin.line == line}
        among = frozenset(rules)
        if among not in self._rules:
            self._rules[among] = RuleLines(self._text, among, self._run)
        return self._rules[among].of(line)


def _union(bits: Mapping[int, int], records: Sequence[int]) -> int:
    found = 0
    for record in records:
        found |= bits[record]
    return found


def _end(positions: PositionMap, index: int) -> int:
    """The record behind those of a value."""
    return index + positions.sizes.get(index, 1)


def _is_among(record: int, records: list[int]) -> bool:
    """Whether a record is one of some, which are in order."""
    at = bisect_left(records, record)
    return at < len(records) and records[at] == record


def is_member(node: SourceNode) -> bool:
    """Whether a node is the value of a key."""
    return bool(node.path) and not isinstance(node.path[-1], int)
