"""Deltas: what an operator says about its result.

Every operator answers with a delta, and the delta says which side each part of the result comes from. The plain value
and the history are both read off the same delta, so that they can never disagree.

- `Ref`: a side, or what it holds at a path. `OLD` and `NEW` are the whole sides.
- `Computed`: a value computed from one side (a string split into a list) or from both.
- `MapDelta`: a mapping; the old one with these entries changed. A key without an entry is the old side's.
- `ListDelta`: a list put together from slices of either side, and from single deltas about the two lists.
- `TextDelta`: a string put together from deltas.
- `Compose`: two deltas merged with each other; they are the sides of the inner delta.
- `Removed`: nothing is left here, and what removed it.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from lamina.paths import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.engine.node import Later, Node
    from lamina.engine.policy import Policy

SideName = Literal["old", "new"]


class Ref:
    """What a side holds at a path. The whole of a side is `OLD` or `NEW`, which know no value: see `value_of`."""

    __slots__ = ("path", "side", "value")

    def __init__(self, value: Any, side: SideName, path: Path) -> None:
        self.value = value
        self.side = side
        self.path = path

    def __repr__(self) -> str:
        return f"Ref({self.side}, {self.path})"


OLD: Final = Ref(MISSING, "old", ())
NEW: Final = Ref(MISSING, "new", ())


class Computed:
    """A value computed from a side, or from both if `side` is None; its parts have no origins but the whole's.

    A list put together from parts of a side has their `paths`, one for each item; then its items are those parts.
    """

    __slots__ = ("how", "paths", "side", "value")

    def __init__(
        self, value: Any, how: str, side: SideName | None = None, paths: tuple[Path, ...] | None = None
    ) -> None:
        self.value = value
        self.how = how
        self.side = side
        self.paths = paths


class Removed:
    """Nothing is left here.

    `by` is the side whose own value, at this place, says so. `marker` is a side and a path in it, seen from the mapping
    or list, of something else that removed it: a knockout marker, an equal item. `item`, among the items a list lost,
    is the side and the position that the item was at.
    """

    __slots__ = ("by", "item", "marker", "verdict")
    value: Final = MISSING

    def __init__(
        self,
        verdict: str = "removed",
        by: SideName | None = "new",
        marker: tuple[SideName, Path] | None = None,
        item: tuple[SideName, int] | None = None,
    ) -> None:
        self.verdict = verdict
        self.by = by
        self.marker = marker
        self.item = item


class MapDelta:
    """The old mapping with some entries changed; `under` has the policies of those that have one of their own.

    An entry is about what the two sides hold at its key; with `outer` it is about the two sides themselves, whatever
    they are, unless it is `Removed`.
    """

    __slots__ = ("entries", "outer", "under", "value")

    def __init__(
        self,
        value: Any,
        entries: dict[Any, Delta],
        under: Mapping[Any, Policy] | None = None,
        *,
        outer: bool = False,
    ) -> None:
        self.value = value
        self.entries = entries
        self.under = under
        self.outer = outer


class Slice:
    """Items `start` to `stop` of one side, as they are: a part of a `ListDelta`."""

    __slots__ = ("side", "start", "stop")

    def __init__(self, side: SideName, start: int, stop: int) -> None:
        self.side = side
        self.start = start
        self.stop = stop


class ListDelta:
    """A list made of slices and single deltas, in order; the sides of the deltas are the two lists."""

    __slots__ = ("_cut", "_first", "_starts", "items", "lost", "value")

    items: tuple[Slice | Delta, ...]
    _first: SideName
    _cut: int

    def __init__(self, value: Any, items: tuple[Slice | Delta, ...], lost: tuple[Removed, ...] = ()) -> None:
        self.value = value
        self.items = items
        self.lost = lost
        self._starts: list[int] | None = None

    @classmethod
    def joined(cls, value: list[Any], first: SideName, cut: int) -> ListDelta:
        """Both lists whole, one after the other: `first` is the side that comes first, with `cut` items."""
        made = cls.__new__(cls)
        made.value = value
        made.lost = ()
        made._starts = None
        made._first = first
        made._cut = cut
        return made

    def __getattr__(self, name: str) -> Any:
        """Called for a slot that is not filled yet: the items of two lists that were joined."""
        if name != "items":
            raise AttributeError(name)
        second: SideName = "new" if self._first == "old" else "old"
        self.items = (Slice(self._first, 0, self._cut), Slice(second, 0, len(self.value) - self._cut))
        return self.items

    def at(self, position: int) -> tuple[Slice | Delta, int]:
        """What the item at a position was picked by, and for a slice, its position in that side."""
        if self._starts is None:
            lengths = (item.stop - item.start if type(item) is Slice else 1 for item in self.items)
            self._starts = list(accumulate(lengths, initial=0))
        if not 0 <= position < self._starts[-1]:
            raise IndexError(position)
        at = bisect_right(self._starts, position) - 1
        item = self.items[at]
        return item, item.start + position - self._starts[at] if type(item) is Slice else 0


class TextDelta:
    """A string made of deltas (a literal one belongs to no side), in order."""

    __slots__ = ("parts", "value")

    def __init__(self, value: str, parts: tuple[Delta | str, ...]) -> None:
        self.value = value
        self.parts = parts


class Compose:
    """Two deltas merged with one another; either may be a node that neither side holds, with a past of its own."""

    __slots__ = ("delta", "new", "old", "value")

    def __init__(self, value: Any, old: Delta | Node | Later, new: Delta | Node | Later, delta: Delta) -> None:
        self.value = value
        self.old = old
        self.new = new
        self.delta = delta


Delta: TypeAlias = Ref | Computed | Removed | MapDelta | ListDelta | TextDelta | Compose


def value_of(delta: Delta, old: Any, new: Any) -> Any:
    """The plain value of a delta whose sides are `old` and `new`."""
    if delta is OLD:
        return old
    if delta is NEW:
        return new
    return delta.value
