"""Knock-out markers: the prefix before a key, an item or a tuple value.

keys     The prefix is literal. Without a configured one, `--` still keeps keys from being taken.
tuples   The prefix is literal and is searched in the values of the tuple keys, whose names are case-insensitive here.
         An item is removed if all marked values equal its own, by PowerShell's equality with the marker on the left.
items    The program treats the prefix as a pattern and tries it on the string form of every item; the manual describes
         a literal prefix, which that compatibility mode uses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lamina.dialects.datum import powershell_regex
from lamina.dialects.datum.equality import ScalarEquality, text_form, truth
from lamina.paths import MISSING
from lamina.sources.caseless_keys import CaselessKey, caseless, folded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.origins import Origin

_EQUAL = ScalarEquality()
_EXACTLY = ScalarEquality(exact=True)


class KeyMarkers:
    """Markers among the keys of a table."""

    def __init__(self, prefix: str) -> None:
        self._prefix = folded(prefix)
        self._cased = prefix.lower() != prefix.upper()
        self.mark = None if self._cased else self._prefix

    def target(self, item: Any) -> Any:
        bare = item.bare if isinstance(item, CaselessKey) else folded(str(item))
        return caseless(bare[len(self._prefix) :]) if bare.startswith(self._prefix) else MISSING

    def absent(self, items: Iterable[Any]) -> bool:
        try:
            text = "\n".join(items)
        except TypeError:
            return False
        return self._prefix not in (folded(text) if self._cased else text)

    def hits(self, target: Any, item: Any) -> bool:
        return bool(target == item)


class TupleMarkers:
    """Markers among the items of a list of tables."""

    mark: str | None = None

    def __init__(self, prefix: str, names: tuple[str, ...]) -> None:
        self._prefix = folded(prefix)
        self._names = frozenset(caseless(name) for name in names)

    def target(self, item: Any) -> Any:
        if not isinstance(item, dict):
            return MISSING
        marked = {key: self._stripped(value) for key, value in item.items() if key in self._names}
        found = {key: value for key, value in marked.items() if value is not MISSING}
        return found or MISSING

    def absent(self, items: Iterable[Any]) -> bool:
        return False

    def _stripped(self, value: Any) -> Any:
        if isinstance(value, list):
            if not truth([item for item in value if self._marks(item)]):
                return MISSING
            return [text_form(item)[len(self._prefix) :] if self._marks(item) else text_form(item) for item in value]
        return text_form(value)[len(self._prefix) :] if self._marks(value) else MISSING

    def _marks(self, value: Any) -> bool:
        return folded(text_form(value)).startswith(self._prefix)

    def hits(self, target: Any, item: Any) -> bool:
        return all(_equals(wanted, item.get(key)) for key, wanted in target.items())


def _equals(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, list):
        return truth([item for item in wanted if _EQUAL.same(item, value)])
    return _EQUAL.same(wanted, value)


class ItemMarkers:
    """Markers among the items of a plain list, by a pattern.

    `by_item` selects the left side of the equality: the item, case-sensitive, or the marker, case-insensitive.
    """

    mark: str | None = None

    def __init__(self, prefix: str, origin: Origin | None, *, literal: bool, by_item: bool) -> None:
        self._pattern = "^" + (re.escape(prefix) if literal else prefix)
        self._origin = origin
        self._by_item = by_item

    def target(self, item: Any) -> Any:
        text = text_form(item)
        if not powershell_regex.search(self._pattern, text, self._origin):
            return MISSING
        return powershell_regex.without(self._pattern, text, self._origin)

    def absent(self, items: Iterable[Any]) -> bool:
        return False

    def hits(self, target: Any, item: Any) -> bool:
        if self._by_item:
            return not isinstance(item, (dict, list)) and _EXACTLY.same(item, target)
        return _EQUAL.same(target, item)
