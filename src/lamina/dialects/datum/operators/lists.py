"""Joining lists, without duplicates and knocked-out items.

selective join   the items of both lists, one side's before the other's. With an equality, an item that equals one
                 already there is dropped. With a knockout, the markers of the old list remove the items they name:
                 those of the new list, or of both. The markers themselves stay, so that they also knock out what
                 comes later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.equality_index import EqualityIndex
from lamina.dialects.datum.operators.knockout import COMPARISON, marker_of, targets_of
from lamina.dialects.datum.operators.unwrap import Closed
from lamina.engine.delta import Delta, ListDelta, Removed, SideName, Slice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lamina.dialects.datum.equality_index import Equality
    from lamina.dialects.datum.operators.knockout import Knockout
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Policy, Trail


class SelectiveJoin:
    """Join both lists, without duplicates and without knocked-out items."""

    __slots__ = ("_affected", "_closes", "_first", "_knockout", "_unique", "compared", "name")

    def __init__(
        self,
        first: SideName = "old",
        *,
        unique: Equality | None = None,
        knockout: Knockout | None = None,
        affected: tuple[SideName, ...] = ("new",),
        closes: bool = False,
    ) -> None:
        """`affected` says whose items markers knock out; with `closes` a result from one side only is a closed list."""
        self.name = f"join({first} first{', unique' if unique else ''}{', knockout' if knockout else ''})"
        self._first = first
        self._unique = unique
        self._knockout = knockout
        self._affected = affected
        self._closes = closes
        self.compared: Callable[[Any], Any] | None = (lambda item: item) if unique or knockout else None

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        targets = targets_of(self._knockout, old)
        run.spend((len(old) + len(new)) * (1 + COMPARISON * len(targets)))
        if not targets and self._unique is None and not self._closes:
            return self._joined(old, new)
        seen: EqualityIndex[tuple[SideName, int]] | None = EqualityIndex(self._unique) if self._unique else None
        value: list[Any] = Closed() if self._closes and trail is None else []
        positions: list[tuple[SideName, int]] = []
        lost: list[Removed] = []
        for side, position, item in self._items(old, new):
            by = marker_of(self._knockout, targets, item) if side in self._affected else None
            if by is not None:
                lost.append(Removed("knocked out", marker=("old", (by,)), item=(side, position)))
                continue
            same = next(seen.find(item), None) if seen else None
            if same is not None:
                lost.append(Removed("ignored", marker=(same[0], (same[1],)), item=(side, position)))
                continue
            if seen:
                seen.add(item, (side, position))
            value.append(item)
            positions.append((side, position))
        return ListDelta(value, tuple(spans(positions)), tuple(lost))

    def _joined(self, old: list[Any], new: list[Any]) -> Delta:
        sides: tuple[tuple[SideName, list[Any]], ...] = (("old", old), ("new", new))
        (side, first), (_, second) = ordered = sides if self._first == "old" else sides[::-1]
        if first and second:
            return ListDelta.joined([*first, *second], side, len(first))
        return ListDelta([*first, *second], tuple([Slice(side, 0, len(items)) for side, items in ordered if items]))

    def _items(self, old: list[Any], new: list[Any]) -> Iterator[tuple[SideName, int, Any]]:
        sides: list[tuple[SideName, list[Any]]] = [("old", old), ("new", new)]
        for side, items in sides if self._first == "old" else reversed(sides):
            for position, item in enumerate(items):
                yield side, position, item


def spans(positions: Iterable[tuple[SideName, int]]) -> Iterator[Slice]:
    """Runs of positions next to each other, as spans."""
    span: Slice | None = None
    for side, position in positions:
        if span is not None and span.side == side and span.stop == position:
            span.stop += 1
            continue
        if span is not None:
            yield span
        span = Slice(side, position, position + 1)
    if span is not None:
        yield span
