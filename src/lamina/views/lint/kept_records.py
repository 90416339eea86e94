"""Kept records: what of the sources is in the results.

A result consists of parts that are in one source as they are, and most of these are large. So a part is marked by the
range of its records in the source, and nothing in it is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lamina.engine.node import SourceNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.engine.node import Node
    from lamina.origins import PositionMap


class KeptRecords:
    """The records of each document that are in the results, or that had an effect on them."""

    def __init__(self) -> None:
        self._documents: dict[int, _Marks] = {}
        """By the identity of their positions."""
        self._kept: dict[int, bytearray] = {}
        """By that of their lines, which the forms of one document have in common."""

    def add_whole(self, node: SourceNode) -> None:
        """Mark everything in a value."""
        pending: list[Node] = [node]
        seen: set[tuple[int, int]] = set()
        while pending:
            here = pending.pop()
            if not isinstance(here, SourceNode):
                continue
            marks = self._marks(here.positions)
            if _is_leaf(here) or marks.is_one_range(here):
                marks.mark(here)
            elif (key := (id(here.value), here.index)) not in seen:
                seen.add(key)
                pending.extend(children_of(here))

    def add(self, node: SourceNode) -> None:
        """Mark a value, but not what is in it."""
        marks = self._marks(node.positions)
        marks.kept[node.positions.resolve(node.index)] = 1

    def holds(self, node: SourceNode) -> bool:
        """Whether a value itself is marked; of a collection that is not, something in it may be."""
        return self._marks(node.positions).kept[node.positions.resolve(node.index)] == 1

    def holds_any(self, node: SourceNode) -> bool:
        """Whether a value, or anything in it, is marked."""
        pending: list[Node] = [node]
        seen: set[tuple[int, int]] = set()
        while pending:
            here = pending.pop()
            if not isinstance(here, SourceNode) or (key := (id(here.value), here.index)) in seen:
                continue
            marks = self._marks(here.positions)
            if self.holds(here) or (marks.is_one_range(here) and marks.any_in(here)):
                return True
            if not marks.is_one_range(here):
                seen.add(key)
                pending.extend(children_of(here))
        return False

    def holds_all(self, node: SourceNode) -> bool:
        """Whether everything in a value is known to be marked, without looking at it."""
        marks = self._marks(node.positions)
        return marks.is_one_range(node) and marks.all_in(node)

    def _marks(self, positions: PositionMap) -> _Marks:
        known = self._documents.get(id(positions))
        if known is None:
            count = positions.record_count or 1  # an empty document has none
            kept = self._kept.setdefault(id(positions.lines), bytearray(count))
            known = self._documents[id(positions)] = _Marks(positions, kept, _not_in_order(positions, count))
        return known


class _Marks(NamedTuple):
    """The marks of one document."""

    positions: PositionMap
    """Kept here, since the document is known by their identity."""
    kept: bytearray
    """One for each record that is marked."""
    not_in_order: bytearray
    """One for each record whose value does not follow from its records in order."""

    def is_one_range(self, node: SourceNode) -> bool:
        """Whether everything in a value is in the records that follow its own."""
        start, end = _range(node)
        return type(node) is SourceNode and node.value is node.full and self.not_in_order.find(1, start, end) < 0

    def mark(self, node: SourceNode) -> None:
        start, end = _range(node)
        self.kept[start:end] = b"\1" * (end - start)

    def any_in(self, node: SourceNode) -> bool:
        return self.kept.find(1, *_range(node)) >= 0

    def all_in(self, node: SourceNode) -> bool:
        return self.kept.find(0, *_range(node)) < 0


def children_of(node: SourceNode) -> Iterator[Node]:
    """The members of a mapping, or the items of a list."""
    value = node.value
    keys: Iterable[object] = value if isinstance(value, dict) else range(len(value)) if _is_list(value) else ()
    return map(node.child, keys)


def _is_leaf(node: SourceNode) -> bool:
    return not (node.value and (isinstance(node.value, dict) or _is_list(node.value)))


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _range(node: SourceNode) -> tuple[int, int]:
    """The records of a value, as a range."""
    positions = node.positions
    start = positions.resolve(node.index)
    return start, start + positions.sizes.get(start, 1)


def _not_in_order(positions: PositionMap, count: int) -> bytearray:
    found = bytearray(count)
    for record in (*positions.aliases, *positions.members):
        found[record] = 1
    return found
