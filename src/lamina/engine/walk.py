"""A walk through a value: every part of it once, with the changes that decided about it.

The parts come in the order of the value, each collection before what is in it. Members that some layer set and that
were removed are among them: they follow the others, with the value MISSING.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.engine.change import Change, PartOfChange
from lamina.engine.history import deciding_nodes, event_of
from lamina.engine.provenance import FirstSourceNode
from lamina.paths import MISSING
from lamina.paths import walk as value_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lamina.engine.history import Event
    from lamina.engine.node import Node
    from lamina.paths import Path


class Visited(NamedTuple):
    """A part of a value: its path from where the walk began, and what decided about it, the earliest first."""

    path: Path
    node: Node
    deciding: list[Node]
    members: list[Any]
    """The keys or positions of what is in it, those of removed members included."""

    @property
    def removed(self) -> bool:
        return self.node.value is MISSING

    def events(self) -> Iterator[Event]:
        """Its events, the earliest first."""
        first_source = FirstSourceNode()
        return (event_of(each, _plain_value, first_source) for each in self.deciding)


def walk(root: Node, in_order: Callable[[Iterable[Any]], list[Any]] | None = None) -> Iterator[Visited]:
    """Every part of a value; `in_order` may put the members of a mapping into another order."""
    pending: list[tuple[Path, Node, list[Node]]] = [((), root, list(deciding_nodes(root)))]
    while pending:
        path, node, deciding = pending.pop()
        value = node.value
        inner: list[tuple[Path, Node, list[Node]]] = []
        if isinstance(value, dict):
            for key in [*value, *_former_keys(value, deciding)]:
                member = node.child(key)
                decided = list(deciding_nodes(member))
                if key in value or decided:
                    inner.append(((*path, key), member, decided))
            if in_order is not None:
                by_key = {each[0][-1]: each for each in inner}
                inner = [by_key[key] for key in in_order(by_key)]
        elif isinstance(value, (list, tuple)):
            for position in range(len(value)):
                item = node.child(position)
                inner.append(((*path, position), item, list(deciding_nodes(item))))
        yield Visited(path, node, deciding, [each[0][-1] for each in inner])
        pending.extend(reversed(inner))


def _former_keys(value: dict[Any, Any], deciding: list[Node]) -> dict[Any, None]:
    """The keys that some layer set in a mapping that no longer has them."""
    return dict.fromkeys(
        key
        for node in deciding
        for former in _mappings(node)
        if not former.keys() <= value.keys()
        for key in former
        if key not in value
    )


def _mappings(node: Node) -> Iterator[dict[Any, Any]]:
    """The mappings at this path that an event is about: what its layer has, and what was there.

    An event may be about something that holds this path. Then keys lead to it; positions do not, since items move.
    """
    inside: Path = ()
    if isinstance(node, PartOfChange):
        inside = node.path[len(node.container.path) :]
        if any(type(step) is int for step in inside):
            return iter(())
        node = node.container
    values = (node.new.value, node.old.value) if isinstance(node, Change) else (node.value,)
    found = (value_at(value, inside) for value in values)
    return (each for each in found if isinstance(each, dict))


def _plain_value(node: Node) -> Any:
    return node.value
