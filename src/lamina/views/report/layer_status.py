"""Layer status: the outcome for each layer that sets something at a key, in one word.

- set: its value is in the result, and no other was displaced by it.
- wins: its value is in the result instead of an earlier layer's.
- loses: it set a value, and another layer's is in the result.
- redundant: it set what was there already.
- removes: it removed the key.

A layer that adds to a value (appends to a list, joins a string) does not displace those before it. A layer that repeats
what is there changes nothing: the first one to set it is still the one that sets it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeVar

from lamina.paths import MISSING, walk
from lamina.values import same

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable

    from lamina.engine.history import Event

Layer = TypeVar("Layer", bound="Hashable")


class LayerStatus(IntEnum):
    """The status of a layer at a key; the page uses these numbers."""

    SET = 0
    WINS = 1
    LOSES = 2
    REDUNDANT = 3
    REMOVES = 4


class LayerStatuses:
    """Finds the status of layers, and remembers which collections were found to be equal."""

    def __init__(self) -> None:
        self._same: dict[tuple[int, int], bool] = {}
        self._alive: list[Any] = []

    def of(self, events: Iterable[tuple[Layer, Event]], holds: Collection[Layer] = ()) -> dict[Layer, LayerStatus]:
        """The status of each layer, from the events at a key, the earliest first.

        The value comes from the layers in `holds`, so none of them loses, even if the whole was forwarded by one.
        """
        found: dict[Layer, LayerStatus] = {}
        current: list[Layer] = []
        for layer, event in events:
            value, result, displaced = _effect(event)
            if result is MISSING:
                _mark_replaced(current, found)
                found[layer] = LayerStatus.REMOVES
            elif displaced is MISSING and current:
                found.setdefault(layer, LayerStatus.REDUNDANT if self._equal(result, value) else LayerStatus.LOSES)
            elif current and self._equal(result, displaced):
                found.setdefault(layer, LayerStatus.REDUNDANT)
            else:
                keeps_value = bool(current) and self._equal(result, value)
                if keeps_value:
                    _mark_replaced(current, found)
                found[layer] = LayerStatus.WINS if keeps_value else LayerStatus.SET
                current.append(layer)
        return found | {layer: LayerStatus.SET for layer in holds if found.get(layer) is LayerStatus.LOSES}

    def _equal(self, one: Any, other: Any) -> bool:
        if not isinstance(one, (dict, list)):
            return same(one, other)
        pair = (id(one), id(other))
        if pair not in self._same:
            self._same[pair] = same(one, other)
            self._alive.append((one, other))  # identity is unique only while they live
        return self._same[pair]


def _effect(event: Event) -> tuple[Any, Any, Any]:
    """What a layer set at the key, what was there afterwards and what before.

    An event may be about something that holds the key. Then keys lead to it; positions do not, since items move.
    """
    values = event.value, event.result, event.displaced
    if not event.inside or any(type(step) is int for step in event.inside):
        return values
    value, result, displaced = (walk(each, event.inside) for each in values)
    return value, result, displaced


def _mark_replaced(current: list[Layer], found: dict[Layer, LayerStatus]) -> None:
    for layer in current:
        found[layer] = LayerStatus.LOSES
    current.clear()
