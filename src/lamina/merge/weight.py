"""Weight: how large a value is when written out, where parts of it may stand in many places."""

from __future__ import annotations

from typing import Any


class Weights:
    """The number of nodes in values; a container met again is not counted anew."""

    __slots__ = ("_kept", "_known")

    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self._kept: list[Any] = []
        """Containers are known by their identity, so they must not go away."""

    def of(self, value: Any) -> int:
        """The nodes of a value, as if nothing in it were shared."""
        if not isinstance(value, (dict, list)):
            return 1
        pending: list[Any] = [value]
        while pending:
            here = pending[-1]
            if id(here) in self._known:
                pending.pop()
                continue
            inside = here.values() if isinstance(here, dict) else here
            missing = [item for item in inside if isinstance(item, (dict, list)) and id(item) not in self._known]
            if missing:
                pending.extend(missing)
                continue
            self._kept.append(here)
            self._known[id(here)] = 1 + sum(self._known.get(id(item), 1) for item in inside)
            pending.pop()
        return self._known[id(value)]
