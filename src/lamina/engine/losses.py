"""Losses: the members and items that a merge dropped from either side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.engine.change import MergeChange
from lamina.engine.delta import Compose, ListDelta, MapDelta, Removed
from lamina.engine.provenance import first_origin, layer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.engine.node import Node
    from lamina.origins import Origin


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Loss:
    """An item or member that is not in the result: its key, the verdict, and what removed it."""

    verdict: str
    value: Any
    key: Any
    """Its key in the mapping, or its position in the list."""
    origin: Origin | None = None
    layer: str | None = None
    by: Origin | None = None
    """The origin of the marker or the equal item that removed it."""


def losses_of(node: MergeChange, shown_value: Callable[[Node], Any]) -> Iterator[Loss]:
    """What a change dropped; `shown_value` returns what may be shown of a node's value."""
    delta = node.delta
    while isinstance(delta, Compose):
        inner = node.node_of(delta)
        if not isinstance(inner, MergeChange):
            return
        node, delta = inner, inner.delta
    if isinstance(delta, ListDelta):
        yield from _items(node, delta, shown_value)
    elif isinstance(delta, MapDelta):
        yield from _members(node, delta, shown_value)


def _items(node: MergeChange, delta: ListDelta, shown_value: Callable[[Node], Any]) -> Iterator[Loss]:
    for lost in delta.lost:
        assert lost.item is not None
        side, position = lost.item
        item = node.side(side).child(position)
        by = node.side(lost.marker[0]).at(lost.marker[1]) if lost.marker else None
        yield _loss(lost.verdict, position, item, shown_value(item), by)


def _members(node: MergeChange, delta: MapDelta, shown_value: Callable[[Node], Any]) -> Iterator[Loss]:
    if Removed not in map(type, delta.entries.values()):
        return  # as nearly always
    for key, entry in delta.entries.items():
        if isinstance(entry, Removed) and entry.marker is not None:
            by = node.side(entry.marker[0]).at(entry.marker[1])
            item = node.new.child(key)
            yield _loss(entry.verdict, key, item, shown_value(item), by)


def _loss(verdict: str, key: Any, lost: Node, value: Any, by: Node | None) -> Loss:
    return Loss(
        verdict=verdict,
        value=value,
        key=key,
        origin=first_origin(lost),
        layer=layer_of(lost),
        by=first_origin(by) if by else None,
    )
