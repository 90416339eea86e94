"""Nodes: values that remember where they came from.

A node is a plain value, its path, and a memory:

- `SourceNode`: it stands in a source; the tape knows the place.
- `LiteralNode`: the program made it (the empty mapping a fold begins with), or there is nothing here.
- `ComputedNode`: it was computed from other nodes without saying which part came from where.
- `MergedNode`: two nodes were combined, and a piece says how.
- `Gathered`: a list or mapping put together from other nodes, each of which keeps its own memory.
- `InheritedNode`: it won, lost or went together with what it is a part of.

Children are made when asked for. Asking a merged node for a child follows the piece into the two sides; the child of
`a` and `b` merged is again two children merged. A child that is no longer there has a node too, since a key may be
deleted and set again and its history must not be lost: its value is MISSING.

Where a whole list takes the place of another, its items cannot be matched with the old ones by position. What happened
to an item then happened to the list; such a child is `InheritedNode` by the merged node of the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from lamina.engine.delta import (
    NEW,
    OLD,
    Compose,
    Delta,
    Held,
    Inner,
    ListDelta,
    Made,
    MapDelta,
    Outer,
    Removed,
    Slice,
    TextDelta,
    View,
    Whole,
    value_of,
)
from lamina.engine.secret_keys import Secrecy, inside
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from lamina.engine.policy import Policy
    from lamina.engine.secret_keys import SecretKeys
    from lamina.origins import Origin, PositionMap


class MergeCause(Protocol):
    """The step that made a merged node, as far as nodes care: what to call a value it sets, if not `set`."""

    @property
    def verb(self) -> str | None: ...


class Node:
    """A value and its path; subclasses remember where it came from."""

    __slots__ = ("path", "value")

    def __init__(self, value: Any, path: Path) -> None:
        self.value = value
        self.path = path

    def child(self, key: Any) -> Node:
        """The node at one step further, whether or not there is anything."""
        return LiteralNode(MISSING, (*self.path, key))

    def at(self, path: Path) -> Node:
        """The node at the end of a path."""
        node: Node = self
        for key in path:
            node = node.child(key)
        return node

    def origin(self) -> Origin | None:
        """Where this very value was written, if it stands in a source."""
        return None


class LiteralNode(Node):
    """A value the program made, or nothing at all."""

    __slots__ = ()

    def child(self, key: Any) -> Node:
        return LiteralNode(child(self.value, key), (*self.path, key))


class SourceNode(Node):
    """A value that stands in a source; `layer` is what the user calls that source or part of it."""

    __slots__ = ("_full", "index", "layer", "secret", "secret_keys", "tape")

    def __init__(
        self,
        value: Any,
        path: Path,
        tape: PositionMap,
        index: int,
        layer: str,
        *,
        secret: Secrecy | bool = False,
        secret_keys: SecretKeys | None = None,
    ) -> None:
        super().__init__(value, path)
        self.tape = tape
        self.index = index
        self.layer = layer
        self.secret = secret
        """Whether the whole of it is not to be shown to those who only ask where values come from."""
        self.secret_keys = secret_keys
        """What of it is secret, if not the whole."""
        self._full = value
        """What the tape tells of; more than the value where keys were taken out."""

    def without(self, keys: Collection[Any]) -> SourceNode:
        """This mapping with some keys taken out."""
        if not keys:
            return self
        trimmed = {key: value for key, value in self.value.items() if key not in keys}
        node = SourceNode(
            trimmed, self.path, self.tape, self.index, self.layer, secret=self.secret, secret_keys=self.secret_keys
        )
        node._full = self._full
        return node

    @property
    def extent(self) -> tuple[Any, ...]:
        """What of the tape's value this node holds: the identity of the whole, and the keys where some are left out."""
        whole = self._full
        return (id(whole),) if self.value is whole else (id(whole), *self.value)

    def child(self, key: Any) -> Node:
        value = child(self.value, key)
        path = (*self.path, key)
        if value is MISSING:
            return LiteralNode(MISSING, path)
        if isinstance(self.value, dict):
            index = self.tape.member(self.index, self._full, key)[1]
        else:
            index = self.tape.item(self.index, key)
        if self.secret_keys is None:
            return SourceNode(value, path, self.tape, index, self.layer, secret=self.secret)
        secret, keys = inside(self.secret_keys, key)
        return SourceNode(value, path, self.tape, index, self.layer, secret=secret, secret_keys=keys)

    @property
    def holds_secret(self) -> bool:
        """Whether it, or anything in it, is secret."""
        return bool(self.secret or self.secret_keys)

    def origin(self) -> Origin:
        return self.tape.origin(self.index)

    def key_origin(self, key: Any) -> Origin | None:
        """Where the key itself was written."""
        if isinstance(self._full, dict) and key in self._full:
            return self.tape.origin(self.tape.member(self.index, self._full, key)[0])
        return None


class ComputedNode(Node):
    """A value computed from others; every part of it comes from all of them."""

    __slots__ = ("bases", "how")

    def __init__(self, value: Any, path: Path, bases: tuple[Node, ...], how: str) -> None:
        super().__init__(value, path)
        self.bases = bases
        self.how = how

    def child(self, key: Any) -> Node:
        value = child(self.value, key)
        path = (*self.path, key)
        return LiteralNode(MISSING, path) if value is MISSING else ComputedNode(value, path, self.bases, self.how)


class Gathered(Node):
    """A list or mapping put together from other nodes."""

    __slots__ = ("parts",)

    def __init__(self, value: Any, path: Path, parts: Mapping[Any, Node]) -> None:
        super().__init__(value, path)
        self.parts = parts

    def child(self, key: Any) -> Node:
        return self.parts.get(key) or LiteralNode(MISSING, (*self.path, key))


class Later:
    """A node to be looked up only when somebody asks for it: so that asking for a child costs no more than one step
    back, however many steps made the value.

    With a `side`, the path starts at that side of the base, which is itself looked up only then: values may be taken
    from one output after another, as many as there are.
    """

    __slots__ = ("base", "path", "side")

    def __init__(self, base: Node, path: Path, side: str | None = None) -> None:
        self.base = base
        self.path = path
        self.side = side

    def resolved(self) -> Node:
        base = self.base
        if self.side is not None:
            assert isinstance(base, MergedNode)
            base = base.old if self.side == "old" else base.new
        return base.at(self.path)


class MergedNode(Node):
    """Two nodes combined; the piece says which part of the value comes from which of them.

    `policy` is what settled it, where known; `striker` is the marker that removed it.
    """

    __slots__ = ("_new", "_old", "cause", "piece", "policy", "striker", "verdict")

    def __init__(
        self,
        value: Any,
        path: Path,
        old: Node | Later,
        new: Node | Later,
        piece: Delta,
        cause: MergeCause,
        verdict: str | None = None,
        policy: Policy | None = None,
        striker: Node | None = None,
    ) -> None:
        super().__init__(value, path)
        self._old = old
        self._new = new
        self.policy = policy
        self.striker = striker
        self.piece = piece
        self.cause = cause
        self.verdict = verdict

    @property
    def old(self) -> Node:
        if type(self._old) is Later:
            self._old = self._old.resolved()
        return self._old  # type: ignore[return-value]  # it was looked up above

    @property
    def new(self) -> Node:
        if type(self._new) is Later:
            self._new = self._new.resolved()
        return self._new  # type: ignore[return-value]  # likewise

    def marked(self, old: Node, cause: MergeCause) -> MergedNode:
        """The same merge onto an equal old node, made by another step."""
        return MergedNode(
            self.value, self.path, old, self.new, self.piece, cause, self.verdict, self.policy, self.striker
        )

    def moved(self, path: Path) -> MergedNode:
        """The same merge, told as one at another path."""
        return MergedNode(
            self.value,
            path,
            self._old,
            self._new,
            self.piece,
            self.cause,
            self.verdict,
            self.policy,
            self.striker,
        )

    def child(self, key: Any) -> Node:
        node: Node = self
        wholes: list[MergedNode] = []
        while type(node) is MergedNode:
            if type(node.piece) is MapDelta and key not in node.piece.entries:
                node = node.old
            elif type(node.piece) is Whole:
                # One may have taken the other whole a thousand times over: that is a loop, not a recursion.
                wholes.append(node)
                node = node.old if node.piece is OLD else node.new
            else:
                break
        found = node._child(key) if isinstance(node, MergedNode) else node.child(key)
        for whole in reversed(wholes):
            found = whole._child_of_whole(key, found)
        return found

    def _child(self, key: Any) -> Node:
        piece = self.piece
        if type(piece) is MapDelta:
            return self._child_of_edit(key, piece)
        if type(piece) is ListDelta:
            return self._child_of_picks(key, piece)
        if type(piece) is Removed:
            return self._child_of_gone(key)
        if type(piece) is TextDelta:
            return self._nothing(key)
        inside = self.opened(piece).child(key)
        if type(piece) is Inner and piece.side == "old" and inside.value is not MISSING:
            # It was a part of the old value and has moved up with what it is in.
            return InheritedNode((*self.path, key), self, inside, inside)
        return inside

    def opened(self, piece: Delta) -> Node:
        """The node of a piece that points into the sides."""
        return self._open(piece, self.path, self.old)

    def _child_of_whole(self, key: Any, inside: Node) -> Node:
        """The child of the side that was taken whole, with what the other side has there."""
        piece = self.piece
        winner, other = (self.old, self.new) if piece is OLD else (self.new, self.old)
        path = (*self.path, key)
        if type(other) is LiteralNode and other.value is MISSING:
            if piece is OLD or inside.value is MISSING:
                return inside
            return self._pair(LiteralNode(MISSING, path), inside, path, NEW)
        if not _matched_by_key(winner.value, other.value):
            return InheritedNode(path, self, inside, inside if piece is OLD else self.old)
        beside = other.child(key)
        if inside.value is MISSING and beside.value is MISSING:
            return beside if type(inside) is LiteralNode else inside
        if piece is OLD:
            return inside if beside.value is MISSING else self._pair(inside, beside, path, OLD)
        if inside.value is MISSING:
            return InheritedNode(path, self, inside, beside)
        return self._pair(beside, inside, path, NEW)

    def _pair(self, old: Node, new: Node, path: Path, piece: Delta, policy: Policy | None = None) -> Node:
        striker = self._striker(piece) if type(piece) is Removed else None
        value = value_of(piece, old.value, new.value)
        return MergedNode(value, path, old, new, piece, self.cause, None, policy or self.policy, striker)

    def _striker(self, piece: Removed) -> Node | None:
        if piece.striker is None:
            return None
        side, path = piece.striker
        return (self.old if side == "old" else self.new).at(path)

    def _child_of_edit(self, key: Any, piece: MapDelta) -> Node:
        entry = piece.entries[key]
        path = (*self.path, key)
        if isinstance(entry, Outer):
            inside = entry.piece
            return self._open(inside, path, self.old if isinstance(inside, (Compose, Held)) else self.old.child(key))
        value = value_of(entry, child(self.old.value, key), child(self.new.value, key))
        policy = piece.under.get(key) if piece.under else None
        striker = self._striker(entry) if type(entry) is Removed else None
        old, new = Later(self.old, (key,)), Later(self.new, (key,))
        return MergedNode(value, path, old, new, entry, self.cause, None, policy or self.policy, striker)

    def _child_of_picks(self, key: Any, piece: ListDelta) -> Node:
        path = (*self.path, key)
        if type(key) is not int or not 0 <= key < len(self.value):
            return self._nothing(key)
        item, position = piece.at(key)
        if type(item) is Slice:
            if item.side == "old":
                return self.old.child(position)
            new = self.new.child(position)
            return MergedNode(
                new.value, path, LiteralNode(MISSING, path), new, NEW, self.cause, "appended", self.policy
            )
        if item is OLD or item is NEW or isinstance(item, (Made, MapDelta, ListDelta, TextDelta, Removed)):
            return self._pair(self.old, self.new, path, item)
        return self._open(item, path, LiteralNode(MISSING, path))  # type: ignore[arg-type]  # likewise

    def _nothing(self, key: Any) -> Node:
        """There is nothing at the key; what stood there earlier, before the old side came, may still have a story."""
        before = self.old.child(key)
        return before if before.value is MISSING else LiteralNode(MISSING, (*self.path, key))

    def _child_of_gone(self, key: Any) -> Node:
        before = self.old.child(key)
        if before.value is MISSING:
            return before
        path = (*self.path, key)
        return InheritedNode(path, self, LiteralNode(MISSING, path), before)

    def _open(self, piece: Delta, path: Path, before: Node) -> Node:
        """The node of a piece that points into the sides; `before` is what stood at the path."""
        if isinstance(piece, Compose):
            old, new = self._later(piece.old, path), self._later(piece.new, path)
            return MergedNode(piece.value, path, old, new, piece.delta, self.cause, None, self.policy)
        if isinstance(piece, Made):
            return ComputedNode(piece.value, path, (self.old, self.new), piece.how)
        if isinstance(piece, Held):
            return piece.node.moved(path)
        if isinstance(piece, (Inner, View)) and piece.side == "new":
            return self._pair(before, self._side(piece), path, NEW)
        return self._side(piece)

    def _later(self, piece: Delta, path: Path) -> Node | Later:
        """The node a piece stands for, looked up when asked for where that takes a walk."""
        if type(piece) is Inner:
            return Later(self, piece.path, piece.side)
        if piece is OLD or piece is NEW:
            given = self._old if piece is OLD else self._new
            return Later(self, (), "old" if piece is OLD else "new") if type(given) is Later else given
        return self._side(piece, path)

    def _side(self, piece: Delta, path: Path | None = None) -> Node:
        """The node a piece stands for, on the side it belongs to; one that is itself merged stands at the path."""
        if piece is OLD:
            return self.old
        if piece is NEW:
            return self.new
        if isinstance(piece, Inner):
            return (self.old if piece.side == "old" else self.new).at(piece.path)
        if isinstance(piece, View):
            base = self.old if piece.side == "old" else self.new
            if piece.paths is not None:
                parts = {position: base.at(path) for position, path in enumerate(piece.paths)}
                return Gathered(piece.value, base.path, parts)
            return ComputedNode(piece.value, base.path, (base,), piece.how)
        return self._open(piece, self.path if path is None else path, self.old)


class InheritedNode(Node):
    """A part of something that was settled as a whole.

    `content` holds the value; `before` tells what stood here earlier; `container` is the merged node that settled it.
    """

    __slots__ = ("before", "container", "content")

    def __init__(self, path: Path, container: MergedNode, content: Node, before: Node) -> None:
        super().__init__(content.value, path)
        self.container = container
        self.content = content
        self.before = before

    def child(self, key: Any) -> Node:
        content = self.content.child(key)
        if self.before is self.content:
            before = content
        elif self.before is self.container.old:
            before = self.before
        else:
            before = self.before.child(key)
        if content.value is MISSING and before.value is MISSING:
            return before if type(content) is LiteralNode else content
        return InheritedNode((*self.path, key), self.container, content, before)


def _matched_by_key(winner: Any, other: Any) -> bool:
    """Whether the children of the two can be told to be rivals: by key they can, by position they cannot."""
    return isinstance(winner, dict) and (isinstance(other, dict) or other is MISSING)
