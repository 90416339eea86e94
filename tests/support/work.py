"""How much work an action is, counted in function calls: the same on every machine, whatever else it does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def calls_of(action: Callable[[], object]) -> int:
    """The number of functions that an action calls, those written in C included."""
    count = 0

    def on_event(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count
