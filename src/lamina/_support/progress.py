"""Iteration with progress that a caller can observe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Item = TypeVar("Item")


class Counting(Protocol):
    """Yields the items one by one, and may report how many it has yielded."""

    def __call__(self, items: Sequence[Item], /) -> Iterable[Item]: ...


def unwatched(items: Sequence[Item], /) -> Iterable[Item]:
    """The items, without progress."""
    return items
