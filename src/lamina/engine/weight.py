"""Weight: how large and how deep a value is when written out, where shared parts are written every time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.budget import text_size

if TYPE_CHECKING:
    from collections.abc import Mapping


class Weight(NamedTuple):
    """The number of nodes of a value, its depth, and the bytes of its strings and keys."""

    nodes: int
    depth: int
    size: int


class Weights:
    """The weights of values; each container is visited once."""

    __slots__ = ("_alive", "_known")

    def __init__(self) -> None:
        self._known: dict[int, Weight] = {}
        self._alive: list[Any] = []
        """Containers are cached by id, so they must stay alive."""

    def of(self, value: Any) -> Weight:
        """The weight of a value, as if nothing in it were shared."""
        if not isinstance(value, _CONTAINERS):
            return Weight(1, 0, _length(value))
        known = self._known
        pending: list[Any] = [value]
        while pending:
            here = pending[-1]
            if id(here) not in known:
                weight = _sum(here, known, pending)
                if weight is None:
                    continue
                self._alive.append(here)
                known[id(here)] = weight
            pending.pop()
        return known[id(value)]


_CONTAINERS: Final = (dict, list, tuple)


def _sum(here: Any, known: Mapping[int, Weight], pending: list[Any]) -> Weight | None:
    """The weight of a container; None if some containers in it have to be weighed before, which are then pending."""
    nodes, depth, size, unknown = 1 + len(here), 0, 0, len(pending)
    for item in here.values() if isinstance(here, dict) else here:
        kind = type(item)
        if kind is str and item.isascii():  # nearly all are, and a call for each takes longer than the sum
            size += len(item)
        elif kind is int or kind is bool or item is None:
            continue
        elif isinstance(item, _CONTAINERS):
            weight = known.get(id(item))
            if weight is None:
                pending.append(item)
                continue
            inside, levels, length = weight
            nodes += inside - 1
            size += length
            depth = max(depth, levels)
        else:
            size += _length(item)
    if len(pending) > unknown:
        return None
    if isinstance(here, dict):
        for key in here:
            size += len(key) if isinstance(key, str) and key.isascii() else _length(key)
    return Weight(nodes, 1 + depth, size)


def _length(value: Any) -> int:
    return text_size(value) if isinstance(value, (str, bytes)) else 0
