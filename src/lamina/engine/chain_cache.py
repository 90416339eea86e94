"""The chain cache: the values of layers that several nodes of a fleet begin with, merged once.

Only layers that were seen before are cached, so that those of a single node never fill the cache; when it is full, it
is emptied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.engine.layer_chain import ChainRoots

if TYPE_CHECKING:
    from lamina.engine.layer_chain import LayerState

MAX_STATES: Final = 2048
"""How many states are cached."""
MAX_PREFIXES: Final = 1 << 14
"""How many chains of layers that were seen once are remembered."""


class ChainCache:
    """The states of layer chains that were merged before."""

    def __init__(self, max_states: int = MAX_STATES) -> None:
        self._seen: set[int] = set()
        self._room = self._limit = max_states
        self.chains = ChainRoots()
        """The values of outputs that are layers merged one after the other."""
        self.hits = 0
        """How many layers were answered from the cache."""

    def was_seen(self, prefix: int) -> bool:
        """Whether these layers were seen before; they count as seen from now on."""
        if prefix in self._seen:
            return True
        if len(self._seen) >= MAX_PREFIXES:
            self._seen.clear()
        self._seen.add(prefix)
        return False

    def keep_layers(self, last: LayerState, state: LayerState) -> None:
        """Cache the state that follows another; empties the cache first if it is full."""
        if self._room == 0:
            self.chains.clear()
            self._room = self._limit
        self._room -= 1
        last.keep(state)
