"""Source values in another form, with their positions.

- `Patched`: a mapping with some members replaced.
- `ConvertedSource`: a value that was written in another notation, such as JSON, and read again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.secret_keys import inside
from lamina.paths import child
from lamina.plugin import MISSING, LiteralNode, Node, SourceNode

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from lamina.origins import Origin


def in_order(members: Collection[Any]) -> list[Any]:
    """The members of a set as a list that is the same in every process."""
    return sorted(members, key=repr)


class Patched(SourceNode):
    """A written mapping with other nodes in the place of some of its members."""

    __slots__ = ("_members", "_source")

    def __init__(self, source: SourceNode, members: Mapping[Any, Node]) -> None:
        value = {**source.value, **{key: node.value for key, node in members.items()}}
        super().__init__(
            value,
            source.path,
            source.positions,
            source.index,
            source.layer,
            secret=source.secret,
            secret_keys=source.secret_keys,
        )
        self._source = source
        self._members = members

    def child(self, key: Any) -> Node:
        return self._members.get(key) or self._source.child(key)


class ConvertedSource(SourceNode):
    """A written value that went through another notation: its keys through `spell_key`, and whatever else came of it.

    The last of two keys spelled the same is used. What came through unchanged is the written value itself.
    """

    __slots__ = ("_own", "_source", "_spell_key")

    def __init__(self, source: SourceNode, value: Any, spell_key: Callable[[Any], str]) -> None:
        super().__init__(value, source.path, source.positions, source.index, source.layer, secret=source.secret)
        self._source = source
        self._spell_key = spell_key
        self._own: dict[Any, Any] | None = None

    def child(self, key: Any) -> Node:
        value, path = child(self.value, key), (*self.path, key)
        if value is MISSING:
            return LiteralNode(MISSING, path)
        base = self._written(key)
        secret, keys = (self.secret, None) if self.secret_keys is None else inside(self.secret_keys, key)
        if base.value is value:
            return SourceNode(value, path, base.positions, base.index, base.layer, secret=secret, secret_keys=keys)
        node = ConvertedSource(base, value, self._spell_key)
        node.path, node.secret, node.secret_keys = path, secret, keys
        return node

    def key_origin(self, key: Any) -> Origin | None:
        source = self._source.value
        return self._source.key_origin(self._original_keys().get(key, key)) if isinstance(source, dict) else None

    def _written(self, key: Any) -> SourceNode:
        """The written value a member was made of; where it has no place of its own, what holds it."""
        source = self._source
        if isinstance(source.value, set):
            item = in_order(source.value)[key]
            record = source.positions.member(source.index, source.value, item)[0]
            return SourceNode(item, (), source.positions, record, source.layer, secret=source.secret)
        own = source.child(self._original_keys().get(key, key))
        return own if isinstance(own, SourceNode) else source

    def _original_keys(self) -> dict[Any, Any]:
        """The own key of each spelling."""
        if self._own is None:
            source = self._source.value
            self._own = {self._spell_key(own): own for own in source} if isinstance(source, dict) else {}
        return self._own
