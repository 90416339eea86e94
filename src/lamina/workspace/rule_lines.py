"""Which rules a line of a file belongs to.

A rule is known by the place where it begins: its key, its value, or a part of that. The other lines of the rule belong
to it, too.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.errors import InputError
from lamina.sources.document_cache import yaml_documents

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from lamina.origins import Origin, PositionMap
    from lamina.run import Run
    from lamina.sources.source import Source


class _RecordedEntry(NamedTuple):
    """An entry of a mapping or an item of a list: the value, its record, and the first record that belongs to it."""

    value: Any
    record: int
    first: int
    positions: PositionMap

    @property
    def line(self) -> int:
        return self.positions.lines[self.first]

    @property
    def origins(self) -> set[Origin]:
        """Where it begins: its value, and its key."""
        return {self.positions.origin(self.first), self.positions.origin(self.record)}

    @property
    def end(self) -> int:
        """The record behind the last one that belongs to it."""
        return self.record + self.positions.sizes.get(self.record, 1)

    def inside(self) -> Iterator[_RecordedEntry]:
        """The entries in its value, as far as they are written there."""
        positions, index = self.positions, self.record
        if index in positions.aliases:
            return
        if isinstance(self.value, dict):
            for key, (of_key, of_value) in positions.pairs(index, self.value).items():
                if index < of_key < index + positions.sizes.get(index, 1):
                    yield _RecordedEntry(self.value[key], of_value, of_key, positions)
        elif isinstance(self.value, list):
            for item, record in zip(self.value, positions.children(index), strict=False):
                yield _RecordedEntry(item, record, record, positions)


class RuleLines:
    """Some rules that begin in a file, and which of them each line of the file belongs to."""

    def __init__(self, source: Source, rules: Collection[Origin], run: Run) -> None:
        self._rules = rules
        try:
            self._documents = yaml_documents(source, run)
        except InputError:
            self._documents = []  # another format, or nothing was read from it
        self._starts = [document.positions.lines[0] for document in self._documents]
        self._by_line: dict[int, set[Origin]] = {}
        for rule in rules:
            self._by_line.setdefault(rule.line, set()).add(rule)
        self._records: dict[int, tuple[list[int], list[Origin]]] = {}
        self._known: dict[int, set[Origin]] = {}

    def of(self, line: int) -> set[Origin]:
        """The rules that a line belongs to; lines count from one."""
        known = self._known.get(line)
        if known is None:
            known = self._known[line] = self._found(line)
        return known

    def _found(self, line: int) -> set[Origin]:
        levels = self._levels(line - 1)
        on_line = set(self._by_line.get(line, ()))
        for level in levels:
            for entry in level:
                if entry.line == line - 1:
                    on_line.update(self._in(entry))
        if on_line:
            return on_line
        for level in levels:
            around = {origin for entry in level for origin in self._beginning(entry)}
            if around:
                return around
        return set()

    def _in(self, entry: _RecordedEntry) -> Sequence[Origin]:
        """The rules that begin anywhere in an entry."""
        known = self._records.get(id(entry.positions))
        if known is None:
            found = [
                (at, each)
                for at in range(entry.positions.record_count)
                if (each := entry.positions.origin(at)) in self._rules
            ]
            known = self._records[id(entry.positions)] = [at for at, _ in found], [each for _, each in found]
        records, origins = known
        return origins[bisect_left(records, entry.first) : bisect_left(records, entry.end)]

    def _beginning(self, entry: _RecordedEntry) -> Iterable[Origin]:
        """Where a rule around a line may begin: in an item of a list, all of which belongs together, anywhere.

        A mapping begins where its first entry does: if others of its entries are rules, then so is that one, and not
        the mapping.
        """
        inside = self._in(entry)
        if entry.first == entry.record or not inside:
            return inside
        first, *others = [*entry.inside()] or [entry]
        is_shared = any(map(self._in, others))
        own = entry.origins - (first.origins if is_shared else set())
        return [origin for origin in inside if origin in own]

    def _levels(self, line: int) -> list[list[_RecordedEntry]]:
        """The entries that a line is in, counted from zero; the innermost ones first."""
        around = [each for each, start in zip(self._documents, self._starts, strict=True) if start <= line][-1:]
        levels: list[list[_RecordedEntry]] = []
        for document in around:
            entries = [_RecordedEntry(document.value, 0, 0, document.positions)]
            while entries := [inner for entry in entries for inner in _on_line(entry.inside(), line)]:
                levels.append(entries)
        return levels[::-1]


def _on_line(entries: Iterable[_RecordedEntry], line: int) -> list[_RecordedEntry]:
    """The entries that begin on a line; if there is none, the last that begins above it."""
    above = [entry for entry in entries if entry.line <= line]
    last = max((entry.line for entry in above), default=-1)
    return [entry for entry in above if entry.line == last][-1 if last < line else 0 :]
