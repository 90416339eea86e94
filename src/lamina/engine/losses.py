"""Losses: what a merge took away from inside a value, or kept from getting in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.engine.delta import Compose, ListDelta, MapDelta, Removed
from lamina.engine.node import MergedNode, Node
from lamina.engine.provenance import first_origin, layer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.origins import Origin


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Loss:
    """An item or member that is not in the result: where it stood, what became of it, and what removed it."""

    verdict: str
    value: Any
    key: Any
    """Its key, or its position in the list it stood in."""
    origin: Origin | None = None
    layer: str | None = None
    by: Origin | None = None
    """Where the marker or the equal item stands that removed it."""


def losses_of(node: MergedNode, tell: Callable[[Node], Any]) -> Iterator[Loss]:
    """What a merged node lost; `tell` says what of a node's value is told."""
    piece = node.piece
    while isinstance(piece, Compose):
        inner = node.opened(piece)
        if not isinstance(inner, MergedNode):
            return
        node, piece = inner, inner.piece
    if isinstance(piece, ListDelta):
        yield from _items(node, piece, tell)
    elif isinstance(piece, MapDelta):
        yield from _members(node, piece, tell)


def _items(node: MergedNode, piece: ListDelta, tell: Callable[[Node], Any]) -> Iterator[Loss]:
    for lost in piece.lost:
        item = _side(node, lost.side).child(lost.position)
        by = _side(node, lost.by[0]).child(lost.by[1]) if lost.by else None
        yield _loss(lost.verdict, lost.position, item, tell(item), by)


def _members(node: MergedNode, piece: MapDelta, tell: Callable[[Node], Any]) -> Iterator[Loss]:
    for key, entry in piece.entries.items():
        if isinstance(entry, Removed) and entry.striker is not None:
            by = _side(node, entry.striker[0]).at(entry.striker[1])
            item = node.new.child(key)
            yield _loss(entry.verdict, key, item, tell(item), by)


def _loss(verdict: str, key: Any, lost: Node, value: Any, by: Node | None) -> Loss:
    return Loss(
        verdict=verdict,
        value=value,
        key=key,
        origin=first_origin(lost),
        layer=layer_of(lost),
        by=first_origin(by) if by else None,
    )


def _side(node: MergedNode, side: str) -> Node:
    return node.old if side == "old" else node.new
