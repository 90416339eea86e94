"""Pairing: which removed items correspond to which added items.

Similar items are paired first, as many and as similar as possible without crossing. Without a key field the rest is
paired in order as well: an item changed as a whole. Gaps that are too large to be searched are paired in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.views.diff.similarity import MIN_SIMILARITY, cost_of, similarity_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.budget import Budget
    from lamina.views.diff.value_ids import Numbering

LARGE = 2_500
"""Pairs of items beyond which a gap is not searched."""
_MIN_SCORE = 2.0
_ANY = 1.0

Paired = tuple[tuple[int, int], bool]
"""A pair of positions, and whether the two items are alike."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The lists whose items are paired."""

    before: Sequence[Any]
    after: Sequence[Any]
    numbering: Numbering
    budget: Budget
    keyed: bool
    """Whether the items have names, so that those which are not alike are different things."""

    def of(self, removed: list[int], added: list[int]) -> Iterator[Paired]:
        """The pairs among the removed and the added items of one gap."""
        if len(removed) * len(added) > LARGE or not self.budget.afford(self._cost(removed, added)):
            pairs = list(zip(removed, added, strict=False))
        else:
            pairs = self._best(removed, added)
        for one, other in pairs:
            is_similar = self._score(one, other) >= _MIN_SCORE
            if is_similar or not self.keyed:
                yield (one, other), is_similar

    def _cost(self, removed: list[int], added: list[int]) -> int:
        old_items, new_items = (self.before[one] for one in removed), (self.after[other] for other in added)
        return len(added) * sum(map(cost_of, old_items)) + len(removed) * sum(map(cost_of, new_items))

    def _score(self, one: int, other: int) -> float:
        common = similarity_of(self.before[one], self.after[other], self.numbering)
        if common >= MIN_SIMILARITY:
            return _MIN_SCORE + common
        return 0.0 if self.keyed else _ANY

    def _best(self, removed: list[int], added: list[int]) -> list[tuple[int, int]]:
        """The pairs in order with the highest total score."""
        scores = [[self._score(one, other) for other in added] for one in removed]
        best = [[0.0] * (len(added) + 1) for _ in range(len(removed) + 1)]
        for i in range(len(removed) - 1, -1, -1):
            for j in range(len(added) - 1, -1, -1):
                best[i][j] = max(scores[i][j] + best[i + 1][j + 1], best[i + 1][j], best[i][j + 1])
        pairs = []
        i = j = 0
        while i < len(removed) and j < len(added):
            if best[i][j] == scores[i][j] + best[i + 1][j + 1]:
                pairs.append((removed[i], added[j]))
                i, j = i + 1, j + 1
            elif best[i][j] == best[i + 1][j]:
                i += 1
            else:
                j += 1
        return pairs
