"""A walk through a value: every part of it once, with the changes that decided about it.

The parts come in the order of the value, each collection before what is in it. Members that some layer set and that
were removed are among them: they follow the others, with the value MISSING.

The changes of a member follow from those of its container: a change that merged two mappings has an entry for each key
that it touched. So the walk carries them along, as a chain, and looks at each entry once. Where a member cannot be
followed in that way (items of lists that were merged, what moved, what was computed), its own history is asked. So it
is where a value came through many outputs, one after the other: the chains in a chain are followed by recursion.

Most of a value was set by one source as a whole and never touched again. What is inside such a run happened to all of
it, so a walk may leave it out: `run_source` is where it is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.engine.change import MergeChange, PartOfChange
from lamina.engine.delta import NEW, OLD, Compose, MapDelta
from lamina.engine.history import (
    History,
    deciding_nodes,
    event_of,
    is_copy,
    nodes_with_history,
    plain_value,
)
from lamina.engine.node import LiteralNode, Node, SourceNode
from lamina.engine.plan import Step
from lamina.engine.provenance import FirstSourceNode, identity, source_nodes_behind, source_nodes_of
from lamina.paths import MISSING, Path
from lamina.paths import walk as value_at

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from lamina.engine.delta import Delta
    from lamina.engine.history import Event
    from lamina.origins import Origin

    _Link: TypeAlias = "tuple[MergeChange, _ChangeChain | None]"


_DEEPEST = 8
"""How many chains may be in one another."""
_MANY = 4
"""From how many links on it is worth knowing which of them touched a key."""


class Visited:
    """A part of a value; MISSING for a removed member."""

    __slots__ = ("chain", "deciding", "opens", "path", "run_source", "value")

    def __init__(self, path: Path, chain: _ChangeChain, value: Any) -> None:
        self.path = path
        """Its path from where the walk began."""
        self.chain = chain
        self.value = value
        self.deciding = chain.deciding()
        """The nodes that have an event, the earliest first."""
        self.run_source = chain.run_source()
        """Where its value is written, if that is one place and all that happened happened to the whole of it."""
        self.opens = False
        """Whether something is inside, removed members included."""

    @property
    def is_leaf(self) -> bool:
        """Whether it has a value that holds nothing further."""
        value = self.value
        return value is not MISSING and not (value and isinstance(value, (dict, list, tuple)))

    def events(self, shown_value: Callable[[Node], Any] = plain_value) -> Iterator[Event]:
        """Its events, the earliest first; `shown_value` returns what may be shown of the value of any node."""
        first_source = FirstSourceNode()
        return (event_of(each, shown_value, first_source) for each in self.deciding)

    def history(self, shown_value: Callable[[Node], Any] = plain_value) -> History:
        """Its history."""
        value = shown_value(self.chain.top)
        return History(
            path=self.path, value=value, origins=tuple(self.origins()), events=tuple(self.events(shown_value))
        )

    def origins(self) -> list[Origin]:
        """Every origin that its value comes from, in the order of the value."""
        return list(dict.fromkeys(written.origin() for written in self.sources()))

    def sources(self) -> Iterator[SourceNode]:
        """What its value comes from."""
        return source_nodes_of(self.chain.taken())

    def sources_behind(self) -> Iterator[SourceNode]:
        """All that it came from, whether its value was used or replaced."""
        return self.chain.sources_behind()


class _ChangeChain:
    """What happened to a path: the changes there, and what was there before them."""

    __slots__ = ("_past", "_touching", "base", "depth", "links")

    def __init__(self, links: list[_Link], base: Node, depth: int) -> None:
        self.links = links
        """The last change first; each with what happened to its new side before, if that has a past of its own."""
        self.base = base
        """What was there before; in the deepest chain, which has no links, all that happened."""
        self.depth = depth
        """How many chains this one is in."""
        self._past: list[Node] | None = None
        """What it is for those that it is in, once that was asked."""
        self._touching: dict[Any, list[_Link]] | None = None
        """The links that touched each key, if they are many and all touched single keys."""

    def deciding(self, *, also_inside: bool = True) -> list[Node]:
        """The nodes that have an event, the earliest first.

        Without `also_inside`, only the change itself of one that took its new side to a place inside.
        """
        base = self.base
        if type(base) is LiteralNode:
            found: list[Node] = []
        else:
            found = [base] if type(base) is SourceNode else [*deciding_nodes(base)]
        for change, past in reversed(self.links):
            before = [] if past is None or (_went_inside(change) and not also_inside) else past.past()
            found += before
            if not before or not is_copy(change):
                found.append(change)
        return found if len(found) < 2 else _each_once(found)

    def past(self) -> list[Node]:
        """The same for the new side of a change, whose bases in sources are part of the change."""
        if self._past is None:
            if self.links:
                self._past = self.deciding()
            else:
                self._past = [each for node in nodes_with_history(self.base) for each in deciding_nodes(node)]
        return self._past

    def with_past(self) -> _ChangeChain | None:
        """The same for the new side of a change; None where it is in a source, or was made by the program."""
        # A dialect may have source nodes of its own kind, in which other values stand that have a past.
        return None if not self.links and type(self.base) in (SourceNode, LiteralNode) else self

    @property
    def top(self) -> Node:
        """The last change, or where the value came from."""
        return self.links[0][0] if self.links else self.base

    def run_source(self) -> SourceNode | None:
        """The one source node that the value comes from, if every change took all of it to where nothing was."""
        if not self.links:
            base = self.base
            return base if type(base) is SourceNode and base.secret_keys is None else None
        if len(self.links) > 1 or type(self.base) is not LiteralNode or self.base.value is not MISSING:
            return None
        change, past = self.links[0]
        if change.delta is not NEW or type(change.cause.step).directive_at is not Step.directive_at:
            return None
        if past is not None:
            return past.run_source()
        new = change.new.resolved()
        return new if type(new) is SourceNode and new.secret_keys is None else None

    def sources_behind(self) -> Iterator[SourceNode]:
        """Every source node in it, whether its value was used or replaced."""
        yield from _sources_behind(self.base)
        for change, past in self.links:
            yield from past.sources_behind() if past else _sources_behind(change.new)

    def taken(self) -> Node:
        """The node that the value comes from as it is."""
        for change, past in self.links:
            if change.delta is NEW:
                return change.new.resolved() if past is None else past.taken()
            if change.delta is not OLD:
                return change
        return self.base

    def child(self, key: Any) -> _ChangeChain:
        """What happened to a member or item."""
        links: list[_Link] = []
        for change, past in self._links_touching(key):
            delta = change.delta
            if type(delta) is MapDelta and key not in delta.entries:
                continue
            part = change.child(key)
            if change.key is not None and isinstance(part, (MergeChange, PartOfChange)) and part.key is None:
                log, number, path = change.key
                part.key = (log, number, (*path, key))
            # A change by another cause tells what was there, where neither side has the key.
            own = part if type(part) is MergeChange and part.cause is change.cause else None
            if own is not None and _is_matched(delta, own):
                inner = past and past.child(key)
            elif own is not None and _is_of_part(delta, key):
                inner = past
            else:
                rest = _chain_of(part, self.depth)
                return _ChangeChain(links + rest.links, rest.base, self.depth)
            # So that nobody has to look for it again; the change was made here, and nobody else has it.
            own.new = inner.top if inner else own.new.resolved()
            links.append((own, inner and inner.with_past()))
        rest = _chain_of(self.base.child(key), self.depth)
        return _ChangeChain(links + rest.links, rest.base, self.depth)

    def _links_touching(self, key: Any) -> list[_Link]:
        """The links that may have touched a member, the last one first."""
        if len(self.links) < _MANY:
            return self.links
        if self._touching is None:
            self._touching = _by_key(self.links)
        return self._touching.get(key, []) if self._touching else self.links


def _by_key(links: list[_Link]) -> dict[Any, list[_Link]]:
    """The links that touched each key; nothing if one of them decided about all keys at once."""
    found: dict[Any, list[_Link]] = {}
    for link in links:
        delta = link[0].delta
        if type(delta) is not MapDelta:
            return {}
        for key in delta.entries:
            found.setdefault(key, []).append(link)
    return found


def _sources_behind(node: Node) -> Iterable[SourceNode]:
    if type(node) is LiteralNode:
        return ()
    return (node,) if type(node) is SourceNode else source_nodes_behind(node)


def _each_once(nodes: list[Node]) -> list[Node]:
    found: dict[Hashable, Node] = {}
    for node in nodes:
        found.setdefault(identity(node), node)
    return [*found.values()]


def _is_matched(delta: Delta, part: MergeChange) -> bool:
    """Whether the sides of the change of a member are the members of the sides."""
    if type(delta) is MapDelta:
        return not delta.outer
    return (delta is NEW or delta is OLD) and type(part.old) is not LiteralNode


def _is_of_part(delta: Delta, key: Any) -> bool:
    """Whether a change took its whole new side into a part of what was there, which is where it was."""
    entry = delta.entries[key] if type(delta) is MapDelta and delta.outer else None
    return type(entry) is Compose and entry.new is NEW and entry.is_in_place(key)


def _chain_of(node: Node, depth: int) -> _ChangeChain:
    links: list[_Link] = []
    node = node.resolved()
    while type(node) is MergeChange and depth < _DEEPEST:
        links.append((node, _chain_of(node.new, depth + 1).with_past()))
        node = node.old.resolved()
    return _ChangeChain(links, node, depth)


def walk(
    root: Node, in_order: Callable[[Iterable[Any]], list[Any]] | None = None, *, into_runs: bool = True
) -> Iterator[Visited]:
    """Every part of a value; `in_order` may put the members of a mapping into another order.

    Without `into_runs`, what is inside a run is left out.
    """
    pending = [Visited((), _chain_of(root, 0), root.value)]
    while pending:
        visited = pending.pop()
        if not into_runs and visited.run_source is not None:
            value = visited.value
            visited.opens = bool(value) and isinstance(value, (dict, list, tuple))
            yield visited
            continue
        inner = [*_inside(visited)]
        if in_order is not None and isinstance(visited.value, dict):
            by_key = {each.path[-1]: each for each in inner}
            inner = [by_key[key] for key in in_order(by_key)]
        visited.opens = bool(inner)
        yield visited
        pending.extend(reversed(inner))


def _inside(visited: Visited) -> Iterator[Visited]:
    """What is in a collection, the removed members included."""
    value, path, chain = visited.value, visited.path, visited.chain
    if isinstance(value, dict):
        for key, member in value.items():
            yield Visited((*path, key), chain.child(key), member)
        for key in _former_keys(value, chain.deciding(also_inside=False)):
            former = Visited((*path, key), chain.child(key), MISSING)
            if former.deciding:
                yield former
    elif isinstance(value, (list, tuple)):
        for position, item in enumerate(value):
            yield Visited((*path, position), chain.child(position), item)


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
    found = (value_at(value, inside) for value in _sides(node))
    return (each for each in found if isinstance(each, dict))


def _sides(node: Node) -> tuple[Any, ...]:
    """The values that compete for the path of a node."""
    if not isinstance(node, MergeChange):
        return (node.value,)
    return (node.old.value,) if _went_inside(node) else (node.new.value, node.old.value)


def _went_inside(change: MergeChange) -> bool:
    """Whether a change took its new side to a place inside of what it changed."""
    return type(change.delta) is MapDelta and change.delta.outer
