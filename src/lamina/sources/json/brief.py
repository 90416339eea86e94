"""A value in brief: on one line, as JSON, cut where it is long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.escapes import one_line
from lamina.errors import LaminaError
from lamina.paths import MISSING
from lamina.values import Tagged, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WIDTH = 60


def in_brief(value: Any, limit: int = _WIDTH) -> str:
    """A value on one line, cut where it is long."""
    from lamina.sources.json.writer import dump

    if value is MISSING:
        return "nothing"
    if isinstance(value, (Tagged, Unknown)):
        text = one_line(str(value))
        return text if len(text) <= limit else text[: limit - 1] + "…"
    if type(value) is str and value.isprintable() and '"' not in value and "\\" not in value and len(value) < limit - 1:
        return f'"{value}"'
    value = _start_of(value, [limit + 1])
    try:
        text = dump(value, indent=None).rstrip("\n")
    except LaminaError:  # infinities and similar, which JSON cannot represent but people can read
        text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _start_of(value: Any, free: list[int]) -> Any:
    """As much of a value as fits into so many characters: each key and item takes at least one."""
    free[0] -= 1
    if isinstance(value, dict):
        return {key: _start_of(inner, free) for key, inner in _while_there_is(free, value.items())}
    if isinstance(value, (list, tuple)):
        return [_start_of(item, free) for item in _while_there_is(free, value)]
    if not isinstance(value, str):
        return value
    start = value[: max(free[0], 0) + 2]
    free[0] -= len(start)
    return start


def _while_there_is(free: list[int], items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        if free[0] < 0:
            return
        yield item
