"""Pieces: what an operator says about its result.

Every operator answers with a piece, and the piece says which side each part of the result comes from. The plain value
and the history are both read off the same piece, so that they can never disagree.

- `OLD`, `NEW`: the whole of that side.
- `Inner`: something inside a side (the only item of a list, say).
- `View`: a side seen as something else (comma text as a list).
- `MapDelta`: a mapping; the old one with these entries changed. A key without an entry is the old side's. An entry
  speaks of what the two sides hold at its key, unless it is `Outer`: then it speaks of the two mappings themselves.
- `ListDelta`: a list put together from spans of either side, and from single pieces that speak of the two lists.
- `TextDelta`: a text put together from pieces.
- `Compose`: two pieces merged with one another; the inner piece speaks of them as its sides.
- `Removed`: nothing is left here, and what removed it.
- `Made`: computed from both sides by something that does not tell how.
- `Held`: a node with a past of its own, which neither side holds.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from lamina.paths import MISSING, Path, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.engine.node import MergedNode
    from lamina.engine.policy import Policy

SideName = Literal["old", "new"]


class Whole:
    """The whole of one side."""

    __slots__ = ("side",)

    def __init__(self, side: SideName) -> None:
        self.side = side

    def __repr__(self) -> str:
        return self.side.upper()


OLD: Final = Whole("old")
NEW: Final = Whole("new")


class Inner:
    """What a side holds at a path."""

    __slots__ = ("path", "side", "value")

    def __init__(self, value: Any, side: SideName, path: Path) -> None:
        self.value = value
        self.side = side
        self.path = path


class View:
    """A side seen as another value: text as a list, say. Its parts have no places but the whole's.

    A list put together from parts of the side tells their `paths`, one an item; then its items are those parts.
    """

    __slots__ = ("how", "paths", "side", "value")

    def __init__(self, value: Any, side: SideName, how: str, paths: tuple[Path, ...] | None = None) -> None:
        self.value = value
        self.side = side
        self.how = how
        self.paths = paths


class Removed:
    """Nothing is left here. `by` is the path, in the side it stands in, of what removed it.

    As an entry of an Edit, `striker` is the side and the path in it, seen from the mapping, of a marker beside it.
    """

    __slots__ = ("by", "side", "striker", "verdict")
    value: Final = MISSING

    def __init__(
        self,
        verdict: str = "deleted",
        side: SideName = "new",
        by: Path | None = None,
        striker: tuple[SideName, Path] | None = None,
    ) -> None:
        self.verdict = verdict
        self.side = side
        self.by = by
        self.striker = striker


class MapDelta:
    """The old mapping with some entries changed; `under` tells the policies of those that have one of their own."""

    __slots__ = ("entries", "under", "value")

    def __init__(self, value: Any, entries: dict[Any, Delta], under: Mapping[Any, Policy] | None = None) -> None:
        self.value = value
        self.entries = entries
        self.under = under


class Outer:
    """An entry of an Edit whose piece speaks of the two mappings, not of what they hold at the key."""

    __slots__ = ("piece",)

    def __init__(self, piece: Delta) -> None:
        self.piece = piece

    @property
    def value(self) -> Any:
        return self.piece.value  # type: ignore[union-attr]  # nothing is Outer that is a whole side


class Slice:
    """Items `start` to `stop` of one side, as they are."""

    __slots__ = ("side", "start", "stop")

    def __init__(self, side: SideName, start: int, stop: int) -> None:
        self.side = side
        self.start = start
        self.stop = stop


class Lost:
    """An item that is not in the result, and what removed it (`by`: a side and a position), where known."""

    __slots__ = ("by", "position", "side", "verdict")

    def __init__(self, side: SideName, position: int, verdict: str, by: tuple[SideName, int] | None = None) -> None:
        self.side = side
        self.position = position
        self.verdict = verdict
        self.by = by


class ListDelta:
    """A list made of spans and single pieces, in order; the pieces speak of the two lists as their sides."""

    __slots__ = ("_starts", "items", "lost", "value")

    def __init__(self, value: Any, items: tuple[Slice | Delta, ...], lost: tuple[Lost, ...] = ()) -> None:
        self.value = value
        self.items = items
        self.lost = lost
        self._starts: list[int] | None = None

    def at(self, position: int) -> tuple[Slice | Delta, int]:
        """What the item at a position was picked by, and for a span, its position in that side."""
        if self._starts is None:
            lengths = (item.stop - item.start if type(item) is Slice else 1 for item in self.items)
            self._starts = list(accumulate(lengths, initial=0))
        if not 0 <= position < self._starts[-1]:
            raise IndexError(position)
        at = bisect_right(self._starts, position) - 1
        item = self.items[at]
        return item, item.start + position - self._starts[at] if type(item) is Slice else 0


class TextDelta:
    """A text made of pieces (of which a literal one belongs to no side), in order."""

    __slots__ = ("parts", "value")

    def __init__(self, value: str, parts: tuple[Delta | str, ...]) -> None:
        self.value = value
        self.parts = parts


class Compose:
    """Two pieces merged with one another."""

    __slots__ = ("delta", "new", "old", "value")

    def __init__(self, value: Any, old: Delta, new: Delta, delta: Delta) -> None:
        self.value = value
        self.old = old
        self.new = new
        self.delta = delta


class Made:
    """A value computed from both sides by something that does not tell how."""

    __slots__ = ("how", "value")

    def __init__(self, value: Any, how: str) -> None:
        self.value = value
        self.how = how


class Held:
    """A node that is neither side's: what several changes in a row made of a place, say."""

    __slots__ = ("node",)

    def __init__(self, node: MergedNode) -> None:
        self.node = node

    @property
    def value(self) -> Any:
        return self.node.value


Delta: TypeAlias = Whole | Inner | View | Removed | MapDelta | Outer | ListDelta | TextDelta | Compose | Made | Held


def value_of(piece: Delta, old: Any, new: Any) -> Any:
    """The plain value of a piece whose sides are `old` and `new`."""
    if piece is OLD:
        return old
    if piece is NEW:
        return new
    return piece.value  # type: ignore[union-attr]  # the two Wholes are OLD and NEW


def inner(side: SideName, value: Any, path: Path) -> Inner:
    """The piece at a path inside a side whose value is given."""
    return Inner(walk(value, path), side, path)
