"""Documents with keys that compare without case.

Of two keys of one mapping that differ only in case the last one is used, at the position of the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.origins import PositionMap
from lamina.sources.caseless_keys import caseless
from lamina.sources.document import Document

if TYPE_CHECKING:
    from lamina.sources.caseless_keys import CaselessKey


def without_case(document: Document) -> Document:
    """The document with such keys; the positions are those of the original."""
    positions = PositionMap(document.positions.locate)
    positions.lines, positions.columns = document.positions.lines, document.positions.columns
    positions.sizes, positions.aliases = document.positions.sizes, document.positions.aliases
    for index, members in document.positions.members.items():
        positions.members[index] = {caseless(key): records for key, records in members.items()}
    traversal = _Traversal(document.positions, positions)
    value = traversal.value(document.value)
    if traversal.has_repeated_keys:
        traversal.fix_members(document.value, 0, set())
    return Document(value, positions, document.notes)


def without_case_value(value: Any) -> Any:
    """A plain value with such keys."""
    if isinstance(value, dict):
        return {caseless(str(key)): without_case_value(item) for key, item in value.items()}
    return [without_case_value(item) for item in value] if isinstance(value, list) else value


class _Traversal:
    """One traversal of a document; the target of an alias is visited once."""

    def __init__(self, before: PositionMap, after: PositionMap) -> None:
        self.has_repeated_keys = False
        self._before = before
        self._after = after
        self._known: dict[int, Any] = {}

    def value(self, value: Any) -> Any:
        if not isinstance(value, (dict, list)):
            return value
        if id(value) not in self._known:
            made: Any = self._mapping(value) if isinstance(value, dict) else [self.value(item) for item in value]
            self._known[id(value)] = made
        return self._known[id(value)]

    def _mapping(self, value: dict[str, Any]) -> dict[CaselessKey, Any]:
        made = {caseless(key): self.value(item) for key, item in value.items()}
        if len(made) == len(value):
            return made
        self.has_repeated_keys = True
        first_spelling: dict[CaselessKey, CaselessKey] = {}
        for key in value:
            first_spelling[caseless(key)] = caseless(key)
        return {first_spelling[key]: item for key, item in made.items()}

    def fix_members(self, value: Any, index: int, seen: set[int]) -> None:
        """Correct the positions of the members of mappings that lost a key."""
        index = self._before.resolve(index)
        if not isinstance(value, (dict, list)) or index in seen:
            return
        seen.add(index)
        if isinstance(value, list):
            for position, item in enumerate(value):
                self.fix_members(item, self._before.item(index, position), seen)
            return
        pairs = self._before.pairs(index, value)
        if len({caseless(key) for key in value}) != len(value):
            self._after.members[index] = {caseless(key): records for key, records in pairs.items()}
        for key, item in value.items():
            self.fix_members(item, pairs[key][1], seen)
