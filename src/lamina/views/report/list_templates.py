"""Templates of lists: lists in stacks that were made by the same steps have rows that differ only in their items.

The first such list is worked out as any other. Where it consists of whole lists of layers, its row is the template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.views.report.history_patterns import equality_pattern
from lamina.views.report.outline_parts import UnknownPart
from lamina.views.report.row_content import ITEMS_OF_PATTERN

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lamina.paths import Path
    from lamina.views.report.interning import InternedTables
    from lamina.views.report.outline_parts import WrittenPart
    from lamina.views.report.pattern_rows import PatternRows
    from lamina.views.report.shared_parts import Sharing


class ListTemplate(NamedTuple):
    """The row of a list without its items."""

    pattern: int
    steps: tuple[int, ...]
    """How many steps of its path the events of items have."""
    runs: tuple[tuple[int, int], ...]
    """The pattern of items, and which of the lists of layers they are."""
    same: int | None
    """Which of the lists of layers is the same as the whole, if any is."""


class LayeredList(NamedTuple):
    """A list of which it is known what each layer has."""

    key: Any
    value: list[Any]
    path: Path
    slots: tuple[int, ...]
    lists: list[WrittenPart]
    known: Hashable
    """All that its template depends on."""


class ListTemplates:
    """The templates of one page."""

    def __init__(self, tables: InternedTables, patterns: PatternRows, sharing: Sharing) -> None:
        self._tables = tables
        self._patterns = patterns
        self._sharing = sharing
        self._known: dict[Hashable, ListTemplate | None] = {}

    def layered(self, key: Any, value: Any, path: Path, slots: tuple[int, ...], made: Hashable) -> LayeredList | None:
        """A list, if all layers have a list of single values there; `made` is how it was made."""
        if type(value) is not list or not value:
            return None
        try:
            lists = [self._sharing.inner(self._sharing.written[slot], key, list) for slot in slots]
        except UnknownPart:
            return None
        items = [self._patterns.item_texts(part) for part in lists]
        if None in items:
            return None
        known = made, len(path), equality_pattern(items), *map(bool, items)
        return LayeredList(key, value, path, slots, lists, known)

    def row(self, layered: LayeredList) -> int | None:
        """The number of the row of a list, by its template; None if there is none."""
        template = self._known.get(layered.known)
        if template is None:
            return None
        runs = [(pattern, layered.lists[at]) for pattern, at in template.runs]
        if self._same(layered, [part for _, part in runs]) != template.same:
            return None
        return self._patterns.items_row(layered, template, runs)

    def learn(self, layered: LayeredList, number: int) -> None:
        """Make the row of a list the template of others, if it can be."""
        row: Any = self._tables.rows.entry(number)
        if row[0] != ITEMS_OF_PATTERN or layered.known in self._known:
            return
        pattern, count = row[3], row[4]
        numbers: tuple[int, ...] = row[5 + count :]
        steps, runs = numbers[1 : 1 + 2 * numbers[0] : 2], numbers[1 + 2 * numbers[0] :]
        idents = [part.ident for part in layered.lists]
        found: list[tuple[int, int]] = []
        for inner, ident, start, items in zip(*(runs[at::4] for at in range(4)), strict=True):
            at = idents.index(ident)
            if start or items != len(layered.lists[at].value):
                self._known[layered.known] = None
                return
            found.append((inner, at))
        same = self._same(layered, [layered.lists[at] for _, at in found])
        self._known[layered.known] = ListTemplate(pattern, steps, tuple(found), same)

    def _same(self, layered: LayeredList, parts: list[WrittenPart]) -> int | None:
        """Which of the lists of layers is the same as the whole that some of them make up."""
        whole = tuple([text for part in parts for text in part.items or ()])
        return next((at for at, part in enumerate(layered.lists) if part.items == whole), None)
