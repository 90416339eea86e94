"""Ordering: the layers of an output in one line, made from the orders in which they spoke at single places."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    When = tuple[int, int]


def in_one_line(sequences: Iterable[Sequence[int]], first: Mapping[int, When]) -> list[int]:
    """All layers, each behind those it spoke after; where that leaves it open, the first to speak first.

    Where sequences contradict one another, the earlier sequence holds.
    """
    before: dict[int, set[int]] = {layer: set() for layer in first}
    for sequence in sequences:
        for one, other in pairwise(sequence):
            if not _leads(other, one, before):
                before[other].add(one)
    placed: dict[int, None] = {}
    while len(placed) < len(first):
        ready = (layer for layer in first if layer not in placed and before[layer] <= placed.keys())
        placed[min(ready, key=lambda layer: (first[layer], layer))] = None
    return list(placed)


def _leads(start: int, end: int, before: Mapping[int, set[int]]) -> bool:
    """Whether one layer is known to stand before another, or is that one."""
    seen: set[int] = set()
    stack = [end]
    while stack:
        layer = stack.pop()
        if layer == start:
            return True
        if layer not in seen:
            seen.add(layer)
            stack += before[layer]
    return False
