"""Pairing: which of the items that went are which of the items that came in their place.

Alike items are paired first, as many and as alike as can be without crossing. Where no key field says otherwise the
rest is paired in order, too: an item changed as a whole. Gaps too large to be searched are paired in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.views.diff.similarity import ENOUGH, effort, likeness

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.views.diff.budget import SearchBudget
    from lamina.views.diff.value_ids import Numbering

LARGE = 2_500
"""Pairs of items beyond which a gap is not searched."""
_ALIKE = 2.0
_ANY = 1.0

Paired = tuple[tuple[int, int], bool]
"""A pair of positions, and whether the two items are alike."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The lists whose items are paired."""

    before: Sequence[Any]
    after: Sequence[Any]
    numbering: Numbering
    budget: SearchBudget
    keyed: bool
    """Whether the items have names, so that those which are not alike are different things."""

    def of(self, removed: list[int], added: list[int]) -> Iterator[Paired]:
        """The pairs among what was removed and what was added in one place."""
        if len(removed) * len(added) > LARGE or not self.budget.spend(self._effort(removed, added)):
            pairs = list(zip(removed, added, strict=False))
        else:
            pairs = self._best(removed, added)
        for one, other in pairs:
            alike = self._worth(one, other) >= _ALIKE
            if alike or not self.keyed:
                yield (one, other), alike

    def _effort(self, removed: list[int], added: list[int]) -> int:
        olds, news = (self.before[one] for one in removed), (self.after[other] for other in added)
        return len(added) * sum(map(effort, olds)) + len(removed) * sum(map(effort, news))

    def _worth(self, one: int, other: int) -> float:
        common = likeness(self.before[one], self.after[other], self.numbering)
        if common >= ENOUGH:
            return _ALIKE + common
        return 0.0 if self.keyed else _ANY

    def _best(self, removed: list[int], added: list[int]) -> list[tuple[int, int]]:
        """The pairs in order that are worth most together."""
        worth = [[self._worth(one, other) for other in added] for one in removed]
        best = [[0.0] * (len(added) + 1) for _ in range(len(removed) + 1)]
        for i in range(len(removed) - 1, -1, -1):
            for j in range(len(added) - 1, -1, -1):
                best[i][j] = max(worth[i][j] + best[i + 1][j + 1], best[i + 1][j], best[i][j + 1])
        pairs = []
        i = j = 0
        while i < len(removed) and j < len(added):
            if best[i][j] == worth[i][j] + best[i + 1][j + 1]:
                pairs.append((removed[i], added[j]))
                i, j = i + 1, j + 1
            elif best[i][j] == best[i + 1][j]:
                i += 1
            else:
                j += 1
        return pairs
