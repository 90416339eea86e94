"""Alignment of lists: which item of one list corresponds to which item of the other.

Items are matched by their key field where they have one, else as a longest common subsequence; never by position, so
that one inserted item is one change. Matched items that changed their order have moved: as few as possible. Of what is
left between two matched neighbours, similar items are one item edited; if there is no key field to tell
otherwise, what took the place of an item is that item changed.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina.views.diff.item_keys import key_field
from lamina.views.diff.match_items import Pairing
from lamina.views.diff.subsequence import common, longest_increasing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.budget import Budget
    from lamina.views.diff.subsequence import Pairs
    from lamina.views.diff.value_ids import Numbering


@dataclass(slots=True, eq=False)
class Alignment:
    """Two lists side by side: positions that belong together, and those without a partner."""

    kept: Pairs
    """Matched items in an order that is the same on both sides; they may differ inside."""
    moved: Pairs = field(default_factory=list)
    replaced: Pairs = field(default_factory=list)
    """Items that took the place of others; in order with those kept."""
    removed: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)
    key: Any = None
    """The key field the items were matched by, if they were."""


def align(before: Sequence[Any], after: Sequence[Any], numbering: Numbering, budget: Budget) -> Alignment:
    """Align two lists."""
    key = key_field(before, after)
    if key is None:
        kept, moved = _by_order(before, after, numbering, budget)
    else:
        kept, moved = _by_key(before, after, key)
    alignment = Alignment(kept, moved, key=key)
    _set_unpaired(alignment, len(before), len(after))
    pairing = Pairing(before, after, numbering, budget, keyed=key is not None)
    for removed, added in _gaps(alignment):
        for pair, is_similar in pairing.of(removed, added):
            (alignment.kept if is_similar else alignment.replaced).append(pair)
    alignment.kept.sort()
    _set_unpaired(alignment, len(before), len(after))
    return alignment


def match(before: Sequence[Any], after: Sequence[Any]) -> Alignment:
    """Align two lists of names; equal names belong together."""
    if before == after and len(set(before)) == len(before):  # as nearly always
        return Alignment([(at, at) for at in range(len(before))])
    kept, moved = _by_names(before, after)
    alignment = Alignment(kept, moved)
    _set_unpaired(alignment, len(before), len(after))
    return alignment


def _by_key(before: Sequence[Any], after: Sequence[Any], key: Any) -> tuple[Pairs, Pairs]:
    return _by_names([_name(item[key]) for item in before], [_name(item[key]) for item in after])


def _name(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _by_names(before: Sequence[Any], after: Sequence[Any]) -> tuple[Pairs, Pairs]:
    positions = {name: at for at, name in enumerate(after)}
    pairs = [(at, positions[name]) for at, name in enumerate(before) if name in positions]
    kept = longest_increasing(pairs)
    return kept, sorted(set(pairs).difference(kept))


def _by_order(before: Sequence[Any], after: Sequence[Any], numbering: Numbering, budget: Budget) -> tuple[Pairs, Pairs]:
    left, right = [numbering.of(item) for item in before], [numbering.of(item) for item in after]
    kept = common(left, right, budget)
    alignment = Alignment(kept)
    _set_unpaired(alignment, len(left), len(right))
    positions: dict[int, list[int]] = {}
    for at in reversed(alignment.added):
        positions.setdefault(right[at], []).append(at)
    return kept, [(at, positions[left[at]].pop()) for at in alignment.removed if positions.get(left[at])]


def _set_unpaired(alignment: Alignment, before: int, after: int) -> None:
    """Whatever has no partner was removed, or added."""
    pairs = [*alignment.kept, *alignment.moved, *alignment.replaced]
    left, right = {one for one, _ in pairs}, {other for _, other in pairs}
    alignment.removed = [at for at in range(before) if at not in left]
    alignment.added = [at for at in range(after) if at not in right]


def _gaps(alignment: Alignment) -> list[tuple[list[int], list[int]]]:
    """What was removed and what was added between the same two neighbours."""
    lefts, rights = [one for one, _ in alignment.kept], [other for _, other in alignment.kept]
    gaps: dict[int, tuple[list[int], list[int]]] = {}
    for at in alignment.removed:
        gaps.setdefault(bisect_left(lefts, at), ([], []))[0].append(at)
    for at in alignment.added:
        gaps.setdefault(bisect_left(rights, at), ([], []))[1].append(at)
    return [(removed, added) for removed, added in gaps.values() if removed and added]
