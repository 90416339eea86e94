"""Where things were written.

An `Origin` is a place a person can open: a source's name, a line and a column, counted from one. A `Tape` holds the
places of a whole document in one flat run of records, one a node in document order, keys included, so that places
cost next to nothing until somebody asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """A place in a source, counted from one; `part` names the piece of the source it lies in, where there is one."""

    source: str
    line: int
    column: int
    part: str | None = None

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}:{self.column}"
        return f"{place} ({self.part})" if self.part else place


class Tape:
    """The places of one document.

    Record i tells the line and column (from zero) of node i and how many records its subtree takes, itself included.
    A mapping is followed by key, value, key, value; a sequence by its items. An alias takes one record; `aliases`
    points from it to the record of its anchor. A mapping whose plain value does not follow from its records in order
    (duplicate keys, merge keys) has an entry in `members`: key to (record of the key, record of the value).
    """

    __slots__ = ("_children", "aliases", "columns", "lines", "locate", "members", "sizes")

    def __init__(self, locate: Callable[[int, int], Origin]) -> None:
        self.locate = locate
        self.lines: list[int] = []
        self.columns: list[int] = []
        self.sizes: list[int] = []
        self.aliases: dict[int, int] = {}
        self.members: dict[int, dict[Any, tuple[int, int]]] = {}
        self._children: dict[int, dict[Any, tuple[int, int]] | list[int]] = {}

    def resolve(self, index: int) -> int:
        """The record that holds what `index` stands for: itself, or the anchor of an alias."""
        return self.aliases.get(index, index)

    def origin(self, index: int) -> Origin:
        """Where record `index` was written, aliases followed."""
        index = self.resolve(index)
        return self.locate(self.lines[index], self.columns[index])

    def item(self, index: int, position: int) -> int:
        """The record of the item at `position` of the sequence (or pair) at `index`."""
        return self._items(self.resolve(index))[position]

    def member(self, index: int, value: dict[Any, Any] | set[Any], key: Any) -> tuple[int, int]:
        """The records of a key and of its value, in the mapping at `index` whose plain value is `value`."""
        return self._members(self.resolve(index), value)[key]

    def _items(self, index: int) -> list[int]:
        known = self._children.get(index)
        if isinstance(known, list):
            return known
        items: list[int] = []
        at, end = index + 1, index + self.sizes[index]
        while at < end:
            items.append(at)
            at += self.sizes[at]
        self._children[index] = items
        return items

    def _members(self, index: int, value: dict[Any, Any] | set[Any]) -> dict[Any, tuple[int, int]]:
        special = self.members.get(index)
        if special is not None:
            return special
        known = self._children.get(index)
        if isinstance(known, dict):
            return known
        items = self._items(index)
        members = {key: (items[2 * i], items[2 * i + 1]) for i, key in enumerate(value)}
        self._children[index] = members
        return members
