"""Striking: items and keys that say another one is not wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable

COMPARISON: Final = 20
"""What comparing two items costs, in items built."""


class Strike(Protocol):
    """How an item says that it strikes others."""

    mark: str | None
    """A text that every marker holds, exactly so, if there is one."""

    def target(self, item: Any) -> Any:
        """What an item strikes; MISSING when it is no marker."""
        ...

    def absent(self, items: Iterable[Any]) -> bool:
        """Whether it is plain at a glance that no item is a marker."""
        ...

    def hits(self, target: Any, item: Any) -> bool:
        """Whether an item is one of those meant."""
        ...


def targets_of(strike: Strike | None, items: list[Any]) -> list[tuple[int, Any]]:
    """The markers among items: their positions, and what they strike."""
    if strike is None or strike.absent(items):
        return []
    found = ((position, strike.target(item)) for position, item in enumerate(items))
    return [(position, target) for position, target in found if target is not MISSING]


def striker_of(strike: Strike | None, targets: list[tuple[int, Any]], item: Any) -> int | None:
    """The position of the first marker that strikes an item."""
    if strike is None:
        return None
    return next((position for position, target in targets if strike.hits(target, item)), None)
