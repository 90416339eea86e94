"""Nodes: values that know where they came from.

A node is a plain value, its path, and its provenance:

- `SourceNode`: the value is in a source; the position map knows where.
- `LiteralNode`: the program created the value (the empty mapping a fold starts with), or there is none.
- `ComputedNode`: the value was computed from other nodes, or assembled from them.
- `Place`: the value is at a path of an output after some of its steps; see `log`.
- `MergeChange` and `PartOfChange`: a step decided about the value; see `change`.

Children are created on demand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from lamina.paths import MISSING, Path, child, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from lamina.engine.secret_keys import Secrecy, SecretKeys
    from lamina.origins import Origin, PositionMap


class Node:
    """A value and its path; subclasses know where it came from."""

    __slots__ = ("path", "value")

    def __init__(self, value: Any, path: Path) -> None:
        self.value = value
        self.path = path

    def child(self, key: Any) -> Node:
        """The node of a member or item; its value is MISSING if there is none."""
        return LiteralNode(MISSING, (*self.path, key))

    def at(self, path: Path) -> Node:
        """The node at the end of a path."""
        node: Node = self
        for key in path:
            node = node.child(key)
        return node

    def resolved(self) -> Node:
        """The node that tells where the value comes from: for a place of an output the last change there."""
        return self

    def origin(self) -> Origin | None:
        """Where this value was written, if it is in a source."""
        return None


class LiteralNode(Node):
    """A value the program created, or MISSING."""

    __slots__ = ()

    def child(self, key: Any) -> Node:
        return LiteralNode(child(self.value, key), (*self.path, key))


NOTHING_YET: Final = LiteralNode(MISSING, ())
"""An output before its first step."""


class SourceNode(Node):
    """A value in a source; `layer` is the user's name for that source or part of it."""

    __slots__ = ("_index", "full", "layer", "positions", "secret", "secret_keys")

    def __init__(
        self,
        value: Any,
        path: Path,
        positions: PositionMap,
        index: int | SourceNode,
        layer: str,
        *,
        secret: Secrecy | bool = False,
        secret_keys: SecretKeys | None = None,
    ) -> None:
        """For `index`, a part can be given a node that it is in: its record is then looked up when asked for."""
        self.value = value  # not by a call of the base class: many nodes are made here
        self.path = path
        self.positions = positions
        self._index = index
        self.layer = layer
        self.secret = secret
        """Whether the whole value is hidden wherever values are explained."""
        self.secret_keys = secret_keys
        """The members that are secret, if not the whole value."""
        self.full = value
        """The value that `positions` describes: this value, or the mapping that keys were removed from."""

    @property
    def index(self) -> int:
        """The index of its record in the positions."""
        # Not by `__getattr__`: a class that has one is slower at each attribute.
        holder = self._index
        if not isinstance(holder, SourceNode):
            return holder
        index, value = holder.index, holder.full
        for key in self.path[len(holder.path) :]:
            if isinstance(value, dict):
                index = self.positions.member(index, value, key)[1]
            else:
                index = self.positions.item(index, key)
            value = child(value, key)
        self._index = index
        return index

    def without(self, keys: Collection[Any]) -> SourceNode:
        """This mapping without some keys."""
        if not keys:
            return self
        trimmed = {key: value for key, value in self.value.items() if key not in keys}
        node = SourceNode(
            trimmed, self.path, self.positions, self.index, self.layer, secret=self.secret, secret_keys=self.secret_keys
        )
        node.full = self.full
        return node

    def child(self, key: Any) -> Node:
        whole = self.value
        value = whole.get(key, MISSING) if type(whole) is dict else child(whole, key)
        path = (*self.path, key)
        if value is MISSING:
            return LiteralNode(MISSING, path)
        if self.secret_keys is None:
            return SourceNode(value, path, self.positions, self, self.layer, secret=self.secret)
        from lamina.engine.secret_keys import inside

        secret, keys = inside(self.secret_keys, key)
        return SourceNode(value, path, self.positions, self, self.layer, secret=secret, secret_keys=keys)

    def at(self, path: Path) -> Node:
        if type(self) is not SourceNode or self.secret_keys is not None or not path:
            return super().at(path)
        value, whole = walk(self.value, path), (*self.path, *path)
        if value is MISSING:
            return LiteralNode(MISSING, whole)
        return SourceNode(value, whole, self.positions, self, self.layer, secret=self.secret)

    @property
    def tag(self) -> str | None:
        """The tag of the value, or of what it is in, if it is one of those that only mark values."""
        return self.positions.tag(self.index) if self.positions.tags else None

    @property
    def holds_secret(self) -> bool:
        """Whether the value, or anything in it, is secret."""
        return bool(self.secret or self.secret_keys)

    def origin(self) -> Origin:
        return self.positions.origin(self.index)

    def records_of(self, key: Any) -> tuple[int, int]:
        """The indexes of a key and of its value in the position map."""
        return self.positions.member(self.index, self.full, key)

    def key_origin(self, key: Any) -> Origin | None:
        """Where the key itself was written."""
        if isinstance(self.full, dict) and key in self.full:
            return self.positions.origin(self.positions.member(self.index, self.full, key)[0])
        return None


class ComputedNode(Node):
    """A value computed from others; every part of it comes from all of them.

    A list or mapping that was only assembled from other nodes has them as its `parts`: they are its children, and each
    keeps its own provenance.
    """

    __slots__ = ("_bases", "how", "parts")

    def __init__(self, value: Any, path: Path, bases: tuple[Node, ...], how: str) -> None:
        super().__init__(value, path)
        self._bases: tuple[Node, ...] | None = bases
        self.how = how
        self.parts: Mapping[Any, Node] | None = None

    @classmethod
    def of_parts(cls, value: Any, path: Path, parts: Mapping[Any, Node]) -> ComputedNode:
        """A list or mapping assembled from other nodes, by position or key."""
        node = cls(value, path, (), "assembled")
        node.parts = parts
        node._bases = None
        return node

    @property
    def bases(self) -> tuple[Node, ...]:
        """What it was computed from."""
        if self._bases is None:
            self._bases = () if self.parts is None else tuple(self.parts.values())
        return self._bases

    def child(self, key: Any) -> Node:
        path = (*self.path, key)
        if self.parts is not None:
            return self.parts.get(key) or LiteralNode(MISSING, path)
        value = child(self.value, key)
        return LiteralNode(MISSING, path) if value is MISSING else ComputedNode(value, path, self.bases, self.how)


class PartsOnDemand(Mapping[Any, Node]):
    """Parts of which the values are known, and whose nodes are made when somebody asks.

    `may_be_secret` are the keys of those in which anything may be hidden.
    """

    __slots__ = ("_keys", "_made", "_make", "may_be_secret")

    def __init__(self, keys: Collection[Any], make: Callable[[Any], Node], may_be_secret: Collection[Any]) -> None:
        self._keys = keys
        self._make = make
        self._made: dict[Any, Node] = {}
        self.may_be_secret = may_be_secret

    def __getitem__(self, key: Any) -> Node:
        if key not in self._made:
            if key not in self._keys:
                raise KeyError(key)
            self._made[key] = self._make(key)
        return self._made[key]

    @property
    def made(self) -> int:
        """How many of the nodes were made."""
        return len(self._made)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
