"""What is made once, when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def once(cache: dict[Any, Any], key: Any, make: Callable[[], Any]) -> Any:
    """What is kept under a key, made when it is first asked for."""
    if key not in cache:
        cache[key] = make()
    return cache[key]
