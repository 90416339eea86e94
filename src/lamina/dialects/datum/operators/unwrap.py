"""Lists as PowerShell returns them: flattened, selected by their items, and unwrapped to a single item.

unpacked   both sides' lists are flattened one level (a list inside a list gives its items) before another operator
           combines them; a null item is rejected
by items   lists of mappings and other lists have an operator each; two lists of different sorts have a third
unwrapped  the old value stays, but a list of one item becomes that item and an empty list becomes null
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lamina.engine.delta import NEW, OLD, Compose, Computed, Delta, ListDelta, Ref, SideName, Slice, value_of
from lamina.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Operator, Policy, Trail
    from lamina.paths import Path

    Compared: TypeAlias = Callable[[Any], Any]


class Closed(list[Any]):
    """A list that is not flattened again."""


def holds_mappings(items: list[Any]) -> bool:
    """Whether all items of a list are mappings, and there is one at least; null counts as one among others."""
    if not items or (len(items) == 1 and items[0] is None):
        return False
    return all(item is None or isinstance(item, dict) for item in items)


class UnwrapList:
    """Keep the old value; a list of one item becomes the item, an empty list becomes null."""

    name = "keep, unwrapped"

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return unwrapped(old, OLD)


UNWRAP_LIST: Final = UnwrapList()


def unwrapped(old: Any, unchanged: Delta) -> Delta:
    """An unwrapped list: its only item, or null if empty; `unchanged` is the delta of the value as it is."""
    if not isinstance(old, list):
        return unchanged
    if not old:
        return Computed(None, "an empty list as null", "old")
    if len(old) == 1:
        return Ref(old[0], "old", (0,))
    return ListDelta(list(old), (Slice("old", 0, len(old)),)) if isinstance(old, Closed) else unchanged


class UnwrapResult:
    """Another operator whose resulting list is unwrapped."""

    __slots__ = ("compared", "name", "then")

    def __init__(self, then: Operator) -> None:
        self.name = then.name
        self.then = then
        self.compared: Compared | None = getattr(then, "compared", None)

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        delta = self.then.apply(old, new, policy, trail, run)
        value = value_of(delta, old, new)
        if not isinstance(value, list) or len(value) > 1:
            return delta
        if isinstance(delta, ListDelta) and value:
            item, position = delta.at(0)
            return Ref(value[0], item.side, (position,)) if isinstance(item, Slice) else item
        return Computed(None, "an empty list as null", "old")


class ByItems:
    """Select the operator by the items of two lists.

    With `lenient` an empty list can be merged with any other.
    """

    __slots__ = ("_lenient", "_mappings", "_mixed", "_others", "name")

    def __init__(self, mappings: Operator, others: Operator, mixed: Operator, *, lenient: bool = False) -> None:
        self.name = "by the items of the lists"
        self._mappings = mappings
        self._others = others
        self._mixed = mixed
        self._lenient = lenient

    def compared(self, item: Any) -> Any:
        """What of an item decides: its type, and what the operator for it compares."""
        if isinstance(item, Unknown):
            return item
        compared = getattr(self._mappings if isinstance(item, dict) else self._others, "compared", None)
        return None if compared is None else compared(item)

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        before, after = holds_mappings(old), holds_mappings(new)
        if self._lenient and not (old and new):
            before = after = before or after
        operator = self._mixed if before != after else self._mappings if before else self._others
        return operator.apply(old, new, policy, trail, run)


class Unpacked:
    """Combine after flattening the lists of both sides one level; a null item is rejected."""

    __slots__ = ("_fault", "compared", "name", "then")

    def __init__(self, then: Operator, fault: str) -> None:
        self.name = then.name
        self.then = then
        self.compared: Compared | None = getattr(then, "compared", None)
        self._fault = fault

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        for side in (old, new):
            if isinstance(side, list) and not isinstance(side, Closed) and None in side:
                run.reject(self._fault, old, new, trail)
                return OLD
        before, after = flattened(old, "old", OLD), flattened(new, "new", NEW)
        if before is OLD and after is NEW:
            return self.then.apply(old, new, policy, trail, run)
        old_value, new_value = value_of(before, old, new), value_of(after, old, new)
        delta = self.then.apply(old_value, new_value, policy, trail, run)
        return Compose(value_of(delta, old_value, new_value), before, after, delta)


def flattened(value: Any, side: SideName, unchanged: Delta) -> Delta:
    """A list with nested lists flattened; `unchanged` if there is none."""
    if not isinstance(value, list) or isinstance(value, Closed) or not any(isinstance(item, list) for item in value):
        return unchanged
    items: list[Any] = []
    paths: list[Path] = []
    for position, item in enumerate(value):
        if isinstance(item, list):
            items.extend(item)
            paths.extend((position, inner) for inner in range(len(item)))
        else:
            items.append(item)
            paths.append((position,))
    return Computed(items, "unwrapped", side, tuple(paths))
