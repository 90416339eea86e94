"""Weight: how large and how deep a value is when written out, where parts of it may stand in many places."""

from __future__ import annotations

from typing import Any, Final, NamedTuple


class Weight(NamedTuple):
    """The nodes of a value, and the containers inside one another."""

    nodes: int
    depth: int


_SCALAR: Final = Weight(1, 0)


class Weights:
    """The weights of values; a container met again is not gone through anew."""

    __slots__ = ("_kept", "_known")

    def __init__(self) -> None:
        self._known: dict[int, Weight] = {}
        self._kept: list[Any] = []
        """Containers are known by their identity, so they must not go away."""

    def of(self, value: Any) -> Weight:
        """The weight of a value, as if nothing in it were shared."""
        if not isinstance(value, (dict, list)):
            return _SCALAR
        known = self._known
        pending: list[Any] = [value]
        while pending:
            here = pending[-1]
            if id(here) in known:
                pending.pop()
                continue
            inside = [item for item in (here.values() if isinstance(here, dict) else here) if _is_container(item)]
            missing = [item for item in inside if id(item) not in known]
            if missing:
                pending.extend(missing)
                continue
            self._kept.append(here)
            nodes = 1 + len(here) - len(inside) + sum(known[id(item)].nodes for item in inside)
            known[id(here)] = Weight(nodes, 1 + max((known[id(item)].depth for item in inside), default=0))
            pending.pop()
        return known[id(value)]


def _is_container(value: Any) -> bool:
    return isinstance(value, (dict, list))
