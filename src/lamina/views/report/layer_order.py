"""Ordering: the layers of an output in one sequence, made from the orders in which they set single values."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    When = tuple[int, int]


def in_one_line(sequences: Iterable[Sequence[int]], first: Mapping[int, When]) -> list[int]:
    """All layers, each after those whose values it came after; otherwise in the order in which they first set a value.

    Where sequences contradict each other, the earlier sequence holds.
    """
    before: dict[int, set[int]] = {layer: set() for layer in first}
    first_layers: set[int] = set()
    """Layers that come before another; only one of them can contradict what is known."""
    for sequence in sequences:
        for one, other in pairwise(sequence):
            if (
                one not in before[other]
                and (other not in first_layers or not _is_before(other, one, before))
                and one != other
            ):
                before[other].add(one)
                first_layers.add(one)
    return _in_order(before, first)


def _in_order(before: Mapping[int, set[int]], first: Mapping[int, When]) -> list[int]:
    """The layers after all that come before them; of those that may come next, the first to set a value."""
    after: dict[int, list[int]] = {layer: [] for layer in first}
    open_layers = {layer: len(earlier) for layer, earlier in before.items()}
    for layer, earlier in before.items():
        for one in earlier:
            after[one].append(layer)
    ready = [(first[layer], layer) for layer, count in open_layers.items() if not count]
    heapify(ready)
    ordered: list[int] = []
    while ready:
        layer = heappop(ready)[1]
        ordered.append(layer)
        for other in after[layer]:
            open_layers[other] -= 1
            if not open_layers[other]:
                heappush(ready, (first[other], other))
    return ordered


def _is_before(start: int, end: int, before: Mapping[int, set[int]]) -> bool:
    """Whether one layer is known to be before another, or is that one."""
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
