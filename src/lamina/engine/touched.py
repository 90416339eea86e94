"""Which changes of a log touched a path: most touch few, and a history asks for many paths."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from lamina.engine.delta import Compose, MapDelta, Ref

if TYPE_CHECKING:
    from lamina.engine.delta import Delta
    from lamina.paths import Path


class Touched:
    """The changes that touched a path or anything below it, by their numbers.

    What they touched inside is looked up when it is first asked for.
    """

    __slots__ = ("_members", "_new", "_numbers", "_whole")

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._new: list[tuple[int, Delta]] = []
        """Those of which it is not known yet what they touched inside, with their deltas."""
        self._whole: list[int] = []
        """The changes that decided about everything inside at once."""
        self._members: dict[Any, Touched] = {}

    @property
    def count(self) -> int:
        """How many changes there are."""
        return len(self._numbers)

    def add(self, number: int, delta: Delta) -> None:
        """Add a change, whose number is greater than all so far."""
        self._numbers.append(number)
        self._new.append((number, delta))

    def last(self, number: int, path: Path) -> int:
        """The last one, up to a number, of the changes that did something at a path; 0 if there is none."""
        here, found = self, 0
        for key in path:
            here._look_inside()
            found = max(found, _last(here._whole, number))
            inside = here._members.get(key)
            if inside is None:
                return found
            here = inside
        return max(found, _last(here._numbers, number))

    def _look_inside(self) -> None:
        """Sort the changes that are new by what they touched."""
        for number, delta in self._new:
            if type(delta) is not MapDelta:
                self._whole.append(number)
                continue
            for key, entry in delta.entries.items():
                inside = self._members.get(key)
                if inside is None:
                    inside = self._members[key] = Touched()
                inside.add(number, inner_delta(key, entry) if delta.outer else entry)
        self._new.clear()


def inner_delta(key: Any, entry: Delta) -> Delta:
    """The delta inside a change of a part that was where it is."""
    if not isinstance(entry, Compose) or not isinstance(entry.old, Ref):
        return entry
    return entry.delta if entry.old.side == "old" and entry.old.path == (key,) else entry


def _last(numbers: list[int], number: int) -> int:
    at = bisect_right(numbers, number)
    return numbers[at - 1] if at else 0
