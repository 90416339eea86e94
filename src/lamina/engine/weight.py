"""Weight: how large and how deep a value is when written out, where shared parts are written every time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.budget import text_size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


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
            if id(here) in known:
                pending.pop()
                continue
            children = here.values() if isinstance(here, dict) else here
            inside = [item for item in children if isinstance(item, _CONTAINERS)]
            missing = [item for item in inside if id(item) not in known]
            if missing:
                pending.extend(missing)
                continue
            self._alive.append(here)
            known[id(here)] = _sum(here, children, [known[id(item)] for item in inside])
            pending.pop()
        return known[id(value)]


_CONTAINERS: Final = (dict, list, tuple)


def _sum(here: Any, children: Collection[Any], inside: list[Weight]) -> Weight:
    """The weight of a container, given those of the containers in it."""
    nodes, depth, size = 1 + len(here) - len(inside), 0, _lengths(children)
    if isinstance(here, dict):
        size += _lengths(here)
    for weight in inside:
        nodes += weight.nodes
        size += weight.size
        depth = max(depth, weight.depth)
    return Weight(nodes, 1 + depth, size)


def _lengths(values: Iterable[Any]) -> int:
    size = 0
    for value in values:
        if type(value) is str and value.isascii():  # nearly all are, and a call for each takes longer than the sum
            size += len(value)
        else:
            size += _length(value)
    return size


def _length(value: Any) -> int:
    return text_size(value) if isinstance(value, (str, bytes)) else 0
