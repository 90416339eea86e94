"""Subsequences: what two lists of numbers have in common, in order.

The longest common subsequence is found exactly where that is affordable: directly where no number occurs twice, and
with rapidfuzz where one does, as long as the lists are not too long and the budget lasts. Beyond that the first
occurrence is matched with the first, the second with the second, and so on, and of these matches the longest run in
order is used: linear but for a logarithm, never wrong, perhaps not the longest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.budget import Budget

_MOST_CELLS = 1 << 29
"""Lengths of two lists, multiplied: rapidfuzz takes one bit of memory for each cell, here 64 MiB."""
_CELLS_A_STEP = 1024
"""Cells that rapidfuzz does in about the time of one step of the budget."""

Pairs = list[tuple[int, int]]
"""Positions on the left and on the right that belong together, both rising."""


def common(left: Sequence[int], right: Sequence[int], budget: Budget) -> Pairs:
    """The positions of a longest common subsequence, or of a long one where the longest is out of reach."""
    start, end = _equal_ends(left, right)
    inner_left, inner_right = left[start : len(left) - end], right[start : len(right) - end]
    numbers, others = set(inner_left), set(inner_right)
    if numbers.isdisjoint(others):
        inner = []  # most edits: nothing is searched for, and no library loaded
    elif len(numbers) == len(inner_left) and len(others) == len(inner_right):
        inner = _by_occurrence(inner_left, inner_right)
    else:
        found = _longest(inner_left, inner_right, budget)
        inner = _by_occurrence(inner_left, inner_right) if found is None else found
    head = [(at, at) for at in range(start)]
    tail = [(len(left) - at, len(right) - at) for at in range(end, 0, -1)]
    return [*head, *((start + one, start + other) for one, other in inner), *tail]


def _equal_ends(left: Sequence[int], right: Sequence[int]) -> tuple[int, int]:
    """How many items are equal at the start, and how many of the rest at the end."""
    most = min(len(left), len(right))
    start = 0
    while start < most and left[start] == right[start]:
        start += 1
    end = 0
    while end < most - start and left[-1 - end] == right[-1 - end]:
        end += 1
    return start, end


def _longest(left: Sequence[int], right: Sequence[int], budget: Budget) -> Pairs | None:
    """A longest common subsequence; None if that takes too much memory, or more than is left of the budget."""
    cells = len(left) * len(right)
    if cells > _MOST_CELLS or not budget.afford(len(left) + len(right) + cells // _CELLS_A_STEP):
        return None
    from rapidfuzz.distance import LCSseq

    blocks = LCSseq.opcodes(left, right).as_matching_blocks()
    return [(block.a + at, block.b + at) for block in blocks for at in range(block.size)]


def _by_occurrence(left: Sequence[int], right: Sequence[int]) -> Pairs:
    positions: dict[int, list[int]] = defaultdict(list)
    for at in range(len(right) - 1, -1, -1):
        positions[right[at]].append(at)
    matches = [(at, positions[number].pop()) for at, number in enumerate(left) if positions.get(number)]
    return longest_increasing(matches)


def longest_increasing(pairs: Pairs) -> Pairs:
    """The longest run of pairs whose right positions rise, too; the left ones do already."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, right) in enumerate(pairs):
        at = bisect_left(ends, right)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1] = [right]
        last[at : at + 1] = [number]
    run: Pairs = []
    number = last[-1] if last else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]
