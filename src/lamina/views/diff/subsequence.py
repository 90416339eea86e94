"""Subsequences: what two lists of numbers have in common, in order.

The longest common subsequence is found exactly where that is affordable: at once where no number occurs twice, and by
Myers' algorithm (time in proportion to the length times the number of differences) where one does, as long as the
allowance lasts. Beyond it the first occurrence is matched with the first, the second with the second, and so on, and
of these matches the longest run in order is kept: linear but for a logarithm, never wrong, perhaps not the longest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.views.diff.budget import Allowance

Pairs = list[tuple[int, int]]
"""Positions on the left and on the right that belong together, both rising."""


def common(left: Sequence[int], right: Sequence[int], allowance: Allowance) -> Pairs:
    """The positions of a longest common subsequence, or of a long one where the longest is out of reach."""
    start, end = _equal_ends(left, right)
    inner_left, inner_right = left[start : len(left) - end], right[start : len(right) - end]
    if len(set(inner_left)) == len(inner_left) and len(set(inner_right)) == len(inner_right):
        inner = _by_occurrence(inner_left, inner_right)
    else:
        found = _myers(inner_left, inner_right, allowance)
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


def _by_occurrence(left: Sequence[int], right: Sequence[int]) -> Pairs:
    places: dict[int, list[int]] = defaultdict(list)
    for at in range(len(right) - 1, -1, -1):
        places[right[at]].append(at)
    matches = [(at, places[number].pop()) for at, number in enumerate(left) if places.get(number)]
    return longest_rising(matches)


def longest_rising(pairs: Pairs) -> Pairs:
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


def _myers(left: Sequence[int], right: Sequence[int], allowance: Allowance) -> Pairs | None:
    """The furthest reach on each diagonal for one more difference at a time; none when the allowance is spent."""
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for differences in range(len(left) + len(right) + 1):
        if not allowance.spend(differences + 1):
            return None
        trace.append(reach)
        reach = _one_more(left, right, reach, differences, allowance)
        if reach.get(len(left) - len(right), -1) >= len(left):
            return _walk_back(trace, len(left), len(right))
    return None


def _one_more(
    left: Sequence[int], right: Sequence[int], reach: dict[int, int], differences: int, allowance: Allowance
) -> dict[int, int]:
    grown: dict[int, int] = {}
    slid = 0
    for diagonal in range(-differences, differences + 1, 2):
        x = _step(reach, diagonal, differences)
        y = x - diagonal
        start = x
        while x < len(left) and y < len(right) and left[x] == right[y]:
            x += 1
            y += 1
        slid += x - start
        grown[diagonal] = x
    allowance.spend(slid)
    return grown


def _step(reach: dict[int, int], diagonal: int, differences: int) -> int:
    """Where the diagonal is entered."""
    return reach[diagonal + 1] if _inserts(reach, diagonal, differences) else reach[diagonal - 1] + 1


def _inserts(reach: dict[int, int], diagonal: int, differences: int) -> bool:
    """Whether the diagonal is entered by an insertion; else it is by a deletion."""
    return diagonal == -differences or (diagonal != differences and reach[diagonal - 1] < reach[diagonal + 1])


def _walk_back(trace: list[dict[int, int]], x: int, y: int) -> Pairs:
    pairs: Pairs = []
    for differences in range(len(trace) - 1, -1, -1):
        diagonal = x - y
        entry = _step(trace[differences], diagonal, differences)
        while x > entry:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = (x, y - 1) if _inserts(trace[differences], diagonal, differences) else (x - 1, y)
    return pairs[::-1]
