"""Layered values: many layers merged one after the other, for the value alone.

A fold of many layers makes as many states, each with a copy of every mapping that changed. Until somebody asks where a
value comes from nobody needs these states, and what was made for the value so far can be changed instead of copied.
Whatever is not as plain as that (see `operators.value_merge`) has to be folded.

What counts against the budget is what counts in a fold, or more: whoever asks later must get the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.budget import ENTRY, Budget, BudgetExceeded
from lamina.engine.merge_context import MergeContext
from lamina.engine.node import Node
from lamina.engine.operators.value_merge import merge_member
from lamina.engine.plan import From, Merge, Start
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.engine.plan import AnyStep
    from lamina.engine.policy import Policy

FEW: Final = 8
"""So many steps are folded at once: that takes hardly longer, and the history is there."""


class LayeredValue:
    """A value that layers are merged into, one after the other."""

    __slots__ = ("_budget", "_copied", "_held", "_made", "_run")

    def __init__(self, value: Any) -> None:
        self._held = {None: value}
        self._made: dict[int, Any] = {}
        """The containers that were made for the value, by id: these may be changed, all others belong to a layer."""
        self._budget = Budget()
        self._copied = 0
        """How many more keys a fold would copy, for members that are merged."""
        self._run = MergeContext(self._budget)

    @property
    def value(self) -> Any:
        return self._held[None]

    def merge(self, new: Any, policy: Policy) -> bool:
        """Merge a layer; False if that has to be done in a fold, and then the value is useless."""
        return self._merge(self._held, None, new, policy)

    def merge_member(self, key: Any, new: Any, policy: Policy) -> bool:
        """Merge a layer into a member of the value, which is a mapping; the rest as for `merge`."""
        value = self.value
        if id(value) not in self._made:
            value = self._held[None] = dict(value)
            self._made[id(value)] = value
        merged = self._merge(value, key, new, policy)
        self._copied += len(value)
        return merged

    def _merge(self, holder: dict[Any, Any], key: Any, new: Any, policy: Policy) -> bool:
        try:
            merged: bool = merge_member(holder, key, new, policy, self._made, self._run)
        except BudgetExceeded:
            return False
        return merged

    def spend_from(self, budget: Budget) -> bool:
        """Use of a budget what a fold would use of it; False if there is not enough left, or never would be."""
        whole = Budget()
        nodes = whole.nodes - self._budget.nodes + self._copied
        size = whole.size - self._budget.size + self._copied * ENTRY
        if not (whole.allows(nodes, size) and budget.allows(nodes, size)):
            return False
        budget.spend(nodes, size)
        return True


class MergedValue:
    """A value that is known before the steps of its output are folded."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def plain(self) -> Any:
        return MISSING


def merged_layers(steps: Sequence[AnyStep], budget: Budget) -> MergedValue | None:
    """The value of an output that starts with a value and merges many layers into it; None where it must be folded."""
    if len(steps) <= FEW or not _takes_a_node(steps[0], Start) or not all(map(_merges_a_layer, steps[1:])):
        return None
    merged = LayeredValue(steps[0].take.source.value)  # type: ignore[attr-defined]  # it has that, as checked above
    for step in steps[1:]:
        if not merged.merge(step.take.source.value, step.policy):  # type: ignore[attr-defined]  # likewise
            return None
    return MergedValue(merged.value) if merged.spend_from(budget) else None


def _merges_a_layer(step: AnyStep) -> bool:
    """Whether a step merges a whole value into the whole output, and no more."""
    return _takes_a_node(step, Merge) and not step.path and not step.dry and not step.cleans  # type: ignore[attr-defined]  # all of a Merge


def _takes_a_node(step: AnyStep, kind: type[Start | Merge]) -> bool:
    """Whether a step is of a type and takes a node as it is, which is neither looked up nor converted."""
    if type(step) is not kind:
        return False
    take: From = step.take
    return type(take) is From and isinstance(take.source, Node) and not take.path and not take.casts
