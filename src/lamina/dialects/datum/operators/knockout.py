"""Knockout markers: items and keys that remove others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable

COMPARISON: Final = 20
"""The cost of comparing two items, in items built."""


class Knockout(Protocol):
    """Recognises markers and what they knock out."""

    mark: str | None
    """A string that every marker contains, if there is one."""

    def target(self, item: Any) -> Any:
        """What an item knocks out; MISSING when it is not a marker."""
        ...

    def absent(self, items: Iterable[Any]) -> bool:
        """Fast path: whether no item can be a marker."""
        ...

    def hits(self, target: Any, item: Any) -> bool:
        """Whether a target matches an item."""
        ...


def targets_of(knockout: Knockout | None, items: list[Any]) -> list[tuple[int, Any]]:
    """The markers among items: their positions, and what they knock out."""
    if knockout is None or knockout.absent(items):
        return []
    found = ((position, knockout.target(item)) for position, item in enumerate(items))
    return [(position, target) for position, target in found if target is not MISSING]


def marker_of(knockout: Knockout | None, targets: list[tuple[int, Any]], item: Any) -> int | None:
    """The position of the first marker that knocks out an item."""
    if knockout is None:
        return None
    return next((position for position, target in targets if knockout.hits(target, item)), None)
