"""Batches: nodes in the order of what they share, cut where they part, as large as a worker's turn should be.

Nodes are sorted within windows, so that no more than one window of them is held at a time. A batch grows to the size
the pace asks for and then ends where the prefix changes, so that workers keep warm what they have folded and written.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.protocol.extensions import FleetNode

WINDOW = 2_000
"""How many nodes are held at a time: about 2 KB each, so that memory does not grow with the fleet."""
SMALLEST = 50
LARGEST = 2_000
_SECONDS_PER_BATCH = 0.4
"""How many seconds a batch should take."""


class Pace:
    """How many nodes a batch should hold, by how long those before took."""

    def __init__(self, smallest: int = SMALLEST, largest: int = LARGEST) -> None:
        self._smallest = smallest
        self._largest = largest
        self._each = _SECONDS_PER_BATCH / smallest

    @property
    def size(self) -> int:
        return max(self._smallest, min(self._largest, int(_SECONDS_PER_BATCH / self._each)))

    def record(self, count: int, seconds: float) -> None:
        """Take account of a batch that is done; a single slow one does not change much."""
        if count:
            self._each = 0.5 * self._each + 0.5 * max(seconds / count, 1e-6)


def batches(nodes: Iterable[FleetNode], pace: Pace, window: int = WINDOW) -> Iterator[list[FleetNode]]:
    """The nodes in batches."""
    nodes = iter(nodes)
    while part := list(islice(nodes, window)):
        part.sort(key=lambda node: (node.prefix, node.name))
        start = 0
        while start < len(part):
            end = _batch_end(part, start, pace.size)
            yield part[start:end]
            start = end
        part.clear()  # or the next window would be read while this one is still held


def _batch_end(nodes: list[FleetNode], start: int, size: int) -> int:
    """Where a batch ends: at the last change of prefix before the size is reached, or the next one soon after."""
    end = start + size
    if end >= len(nodes):
        return len(nodes)
    for at in range(end, max(start + size // 2, start + 1), -1):
        if nodes[at].prefix != nodes[at - 1].prefix:
            return at
    for at in range(end + 1, min(end + size // 2, len(nodes))):
        if nodes[at].prefix != nodes[at - 1].prefix:
            return at
    return end
