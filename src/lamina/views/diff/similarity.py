"""Similarity: whether one item of a list may be an edited version of another."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamina.views.diff.value_ids import Numbering

MIN_SIMILARITY = 0.5
_LONG = 2_000
"""How much of a string is compared."""


def similarity_of(before: Any, after: Any, numbering: Numbering) -> float:
    """How much two items have in common, from 0 to 1; half of it makes them one item edited."""
    if isinstance(before, dict) and isinstance(after, dict):
        return _of_mappings(before, after, numbering)
    if isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        return _of_lists(before, after, numbering)
    if isinstance(before, str) and isinstance(after, str):
        return _of_strings(before[:_LONG], after[:_LONG])
    return 0.0


def _of_mappings(before: dict[Any, Any], after: dict[Any, Any], numbering: Numbering) -> float:
    fields = len(before.keys() | after.keys())
    equal = sum(1 for key in before.keys() & after.keys() if numbering.same(before[key], after[key]))
    # The smaller half will do; so a mapping of one field is an item edited when that field was.
    return (equal + fields % 2) / (fields + fields % 2) if fields else 1.0


def _of_lists(before: Any, after: Any, numbering: Numbering) -> float:
    equal = Counter(map(numbering.of, before)) & Counter(map(numbering.of, after))
    return equal.total() / max(len(before), len(after), 1)


def _of_strings(before: str, after: str) -> float:
    start = common_start(before, after)
    end = common_start(before[start:][::-1], after[start:][::-1])
    return (start + end) / max(len(before), len(after), 1)


def common_start(before: str, after: str) -> int:
    """How many characters two texts have in common at their start."""
    least, most = 0, min(len(before), len(after))
    while least < most:
        middle = (least + most + 1) // 2
        if before[least:middle] == after[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def cost_of(item: Any) -> int:
    """The cost of comparing an item with another, in steps."""
    return 10 + (len(item) if isinstance(item, (dict, list, tuple)) else 0)
