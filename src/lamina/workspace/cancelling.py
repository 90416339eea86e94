"""Cancelling: who asks may lose interest before the answer is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    IsCancelled: TypeAlias = Callable[[], bool]
    """Whether nobody waits for an answer any more; asked between two targets."""


class Cancelled(Exception):
    """Nobody waits for the answer any more."""


def never() -> bool:
    """For who always wants the answer."""
    return False


def check_cancelled(cancelled: IsCancelled) -> None:
    """Stop if nobody waits any more."""
    if cancelled():
        raise Cancelled
