"""Which rules a line of a file belongs to.

A rule is known by the place where it begins: its key, its value, or a part of that. The other lines of the rule belong
to it, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.errors import InputError
from lamina.sources.document_cache import yaml_documents

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

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
    def all_origins(self) -> set[Origin]:
        """Where anything in it begins."""
        end = self.record + self.positions.sizes.get(self.record, 1)
        return set(map(self.positions.origin, range(self.first, end)))

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


def rules_of_line(source: Source, line: int, rules: Collection[Origin], run: Run) -> set[Origin]:
    """The rules, of those that begin in a file, that a line of the file belongs to; lines count from one."""
    on_line = {origin for origin in rules if origin.line == line}
    levels = _levels(source, line - 1, run)
    on_line |= {origin for level in levels for entry in level if entry.line == line - 1 for origin in entry.all_origins}
    if not on_line.isdisjoint(rules):
        return on_line
    for level in levels:
        around = {origin for entry in level for origin in _starts(entry, rules)}
        if not around.isdisjoint(rules):
            return around
    return set()


def _starts(entry: _RecordedEntry, rules: Collection[Origin]) -> set[Origin]:
    """Where a rule around a line may begin: in an item of a list, all of which belongs together, anywhere.

    A mapping begins where its first entry does: if others of its entries are rules, then so is that one, and not the
    mapping.
    """
    if entry.first == entry.record:
        return entry.all_origins
    first, *others = [*entry.inside()] or [entry]
    is_shared = any(not each.all_origins.isdisjoint(rules) for each in others)
    return entry.origins - (first.origins if is_shared else set())


def _levels(source: Source, line: int, run: Run) -> list[list[_RecordedEntry]]:
    """The entries that a line is in, counted from zero; the innermost ones first."""
    try:
        documents = yaml_documents(source, run)
    except InputError:
        return []  # another format, or nothing was read from it
    starts = [document.positions.lines[0] for document in documents]
    around = [document for document, start in zip(documents, starts, strict=True) if start <= line][-1:]
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
