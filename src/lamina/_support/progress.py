"""Counting: iterating over things one by one while a caller may watch the progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Item = TypeVar("Item")


class Counting(Protocol):
    """Yields the items one by one, and may report how many there were."""

    def __call__(self, items: Sequence[Item], /) -> Iterable[Item]: ...


def unwatched(items: Sequence[Item], /) -> Iterable[Item]:
    """The items, without progress."""
    return items
