"""Deltas: the results of operators.

Every operator returns a delta, which has the value and says which side each part of it comes from. The plain value
and the history are both read from the same delta, so they can never disagree.

- `Ref`: a side, or its value at a path. `OLD` and `NEW` are the two sides.
- `Computed`: a value computed from one side (a string split into a list) or from both (two strings joined).
- `MapDelta`: a mapping; the old one with these entries changed. A key without an entry is the old side's.
- `ListDelta`: a list assembled from slices of both sides and from single deltas of the two lists.
- `Compose`: two deltas merged with each other; they are the sides of the inner delta.
- `Removed`: there is no value here; says what removed it.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from lamina.paths import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.engine.node import Node
    from lamina.engine.policy import Policy

SideName = Literal["old", "new"]


class Ref:
    """The value of a side at a path. A whole side is `OLD` or `NEW`, which do not know their value: see `value_of`."""

    __slots__ = ("path", "side", "value")

    def __init__(self, value: Any, side: SideName, path: Path) -> None:
        self.value = value
        self.side = side
        self.path = path

    def __repr__(self) -> str:
        return f"Ref({self.side}, {self.path})"


OLD: Final = Ref(MISSING, "old", ())
NEW: Final = Ref(MISSING, "new", ())

JOINED: Final = "joined text"


class Computed:
    """A value computed from a side, or from both if `side` is None; its parts have the same origins as the whole.

    A list assembled from parts of a side has their `paths`, one per item; its items then are those parts. For `how`,
    `JOINED` is a string in which the other side still is, or has taken the place of a part.
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
    """There is no value here.

    `by` is the side whose value at this path removed it. `marker` is the side and the path, relative to the mapping or
    list, of something else that removed it: a knockout marker, an equal item. For a removed list item, `item` is its
    side and position.
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
    """The old mapping with some entries changed; `under` has the policies of the members that have their own.

    The sides of an entry are the values of the two sides at its key; with `outer` they are the two sides themselves
    (except for `Removed`).
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
        """What happened to each key that the new side, or the merge, changed."""
        self.under = under
        self.outer = outer


class Slice:
    """Items `start` to `stop` of one side, unchanged: a part of a `ListDelta`."""

    __slots__ = ("side", "start", "stop")

    def __init__(self, side: SideName, start: int, stop: int) -> None:
        self.side = side
        self.start = start
        self.stop = stop


class ListDelta:
    """A list made of slices and single deltas, in order; the sides of the deltas are the two lists."""

    __slots__ = ("_starts", "items", "lost", "value")

    def __init__(self, value: Any, items: tuple[Slice | Delta, ...], lost: tuple[Removed, ...] = ()) -> None:
        self.value = value
        self.items = items
        self.lost = lost
        self._starts: list[int] | None = None

    @classmethod
    def joined(cls, value: list[Any], first: SideName, cut: int) -> ListDelta:
        """Both lists whole, one after the other: `first` is the side that comes first, with `cut` items."""
        second: SideName = "new" if first == "old" else "old"
        return cls(value, (Slice(first, 0, cut), Slice(second, 0, len(value) - cut)))

    def at(self, position: int) -> tuple[Slice | Delta, int]:
        """The slice or delta that the item at a position comes from, and its position in the side of a slice."""
        if self._starts is None:
            lengths = (item.stop - item.start if type(item) is Slice else 1 for item in self.items)
            self._starts = list(accumulate(lengths, initial=0))
        if not 0 <= position < self._starts[-1]:
            raise IndexError(position)
        at = bisect_right(self._starts, position) - 1
        item = self.items[at]
        return item, item.start + position - self._starts[at] if type(item) is Slice else 0


class Compose:
    """Two deltas merged with each other; either may be a node from outside both sides, with its own history."""

    __slots__ = ("delta", "new", "old", "value")

    def __init__(self, value: Any, old: Delta | Node, new: Delta | Node, delta: Delta) -> None:
        self.value = value
        self.old = old
        self.new = new
        self.delta = delta

    def is_in_place(self, key: Any) -> bool:
        """Whether its old side is the old member of a key: what is there was changed where it is."""
        old = self.old
        return isinstance(old, Ref) and old.side == "old" and old.path == (key,)


Delta: TypeAlias = Ref | Computed | Removed | MapDelta | ListDelta | Compose


def value_of(delta: Delta, old: Any, new: Any) -> Any:
    """The plain value of a delta whose sides are `old` and `new`."""
    if delta is OLD:
        return old
    if delta is NEW:
        return new
    return delta.value
