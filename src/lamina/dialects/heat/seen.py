"""Written values seen in another form, without losing their places.

- `Patched`: a mapping of which some members are seen as something else.
- `Respelled`: a value whose keys are spelt as texts, all the way down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.node import LiteralNode, Node, SourceNode
from lamina.paths import MISSING, child

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Patched(SourceNode):
    """A written mapping with other nodes in the place of some of its members."""

    __slots__ = ("_members", "_source")

    def __init__(self, source: SourceNode, members: Mapping[Any, Node]) -> None:
        value = {**source.value, **{key: node.value for key, node in members.items()}}
        super().__init__(value, source.path, source.tape, source.index, source.layer)
        self._source = source
        self._members = members

    def child(self, key: Any) -> Node:
        return self._members.get(key) or self._source.child(key)


class Respelled(SourceNode):
    """A written value whose keys went through `spell`; of two keys spelt alike the last one counts."""

    __slots__ = ("_source", "_spell")

    def __init__(self, source: SourceNode, value: Any, spell: Callable[[Any], str]) -> None:
        super().__init__(value, source.path, source.tape, source.index, source.layer)
        self._source = source
        self._spell = spell

    def child(self, key: Any) -> Node:
        value = child(self.value, key)
        if value is MISSING:
            return LiteralNode(MISSING, (*self.path, key))
        own = self._source.child(self._own(key))
        # A member made of something without places of its own (a set as a list) stands where the whole stands.
        base = own if isinstance(own, SourceNode) else self._source
        node = Respelled(base, value, self._spell)
        node.path = (*self.path, key)
        return node

    def _own(self, key: Any) -> Any:
        source = self._source.value
        if not isinstance(source, dict):
            return key
        return next((own for own in reversed(source) if self._spell(own) == key), key)
