"""The operator that puts values where others were, by key and position, so that each part keeps its own history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.engine.delta import NEW, Compose, ListDelta, MapDelta, Ref, Slice
from lamina.engine.policy import Cases, Policy

if TYPE_CHECKING:
    from lamina.engine.delta import Delta
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Trail


class Changes(dict[Any, Any]):
    """The parts of a mapping, or by position of a list, that change."""


class _FillIn:
    """Puts resolved values where their strings were: the new side holds only what changes, by key or position."""

    name = "fill in"

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        if not isinstance(new, Changes):
            return NEW
        run.build(len(old), len(old) * 8)
        inside = {key: self.apply(old[key], each, policy, (trail, key, key), run) for key, each in new.items()}
        values = {key: new[key] if delta is NEW else delta.value for key, delta in inside.items()}
        if isinstance(old, dict):
            return MapDelta({**old, **values}, inside)
        items: list[Slice | Delta] = []
        done = 0
        for position, delta in inside.items():
            items.append(Slice("old", done, position))
            before, after = Ref(old[position], "old", (position,)), Ref(new[position], "new", (position,))
            items.append(Compose(values[position], before, after, delta))
            done = position + 1
        items.append(Slice("old", done, len(old)))
        value = [values.get(position, item) for position, item in enumerate(old)]
        return ListDelta(value, tuple(item for item in items if not _is_empty(item)))


def _is_empty(item: Slice | Delta) -> bool:
    return isinstance(item, Slice) and item.start == item.stop


FILLED_IN: Final = Policy(Cases.everywhere(_FillIn()), "references")
