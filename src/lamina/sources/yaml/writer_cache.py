"""The caches of the YAML writer: the text of collections by identity, and the last mapping written under each key.

Objects that are cached by id are kept alive, so that the id is not reused. Both caches are bounded.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

MOST_CHARACTERS = 1 << 23
"""How many characters of collections are cached, in each of two generations."""
_EACH = 250
"""The approximate cost of a cached text besides its characters."""
_MAX_SEEN = 1 << 10
"""How many values that were seen once are remembered, in each of two generations."""
_LAST = 1 << 10
"""For how many keys the last mapping is cached."""


class CollectionTexts:
    """The texts of collections that were seen twice at an indent; the least recently used are dropped first.

    A collection has two texts at an indent: that after a key (`after_key`), and that of a list item, which starts on
    the line of the dash.
    """

    def __init__(self) -> None:
        self.recent: defaultdict[int, dict[int, str]] = defaultdict(dict)
        self.earlier: dict[int, dict[int, str]] = {}
        self._alive: list[Any] = []
        self._alive_earlier: list[Any] = []
        self._free = MOST_CHARACTERS
        self._seen: dict[tuple[int, int], Any] = {}
        self._seen_earlier: dict[tuple[int, int], Any] = {}

    def find(self, indent: int, value: Any, *, after_key: bool) -> str | None:
        """The cached text of a collection at an indent, if any."""
        mark = id(value) if after_key else ~id(value)
        text = self.recent[indent].get(mark)
        if text is None and indent in self.earlier:
            text = self.earlier[indent].get(mark)
            if text is not None:
                self.keep(indent, value, text, after_key=after_key)
        return text

    def was_seen(self, indent: int, value: Any) -> bool:
        """Whether a value was seen at an indent before; it counts as seen from now on."""
        key = (indent, id(value))
        if key in self._seen or key in self._seen_earlier:
            return True
        if len(self._seen) >= _MAX_SEEN:
            self._seen_earlier, self._seen = self._seen, {}
        self._seen[key] = value
        return False

    def keep(self, indent: int, value: Any, text: str, *, after_key: bool) -> None:
        """Cache the text of a collection; the least recently used are dropped."""
        self._free -= len(text) + _EACH
        if self._free < 0:
            self.earlier, self._alive_earlier = self.recent, self._alive
            self.recent, self._alive = defaultdict(dict), []
            self._free = MOST_CHARACTERS
        self.recent[indent][id(value) if after_key else ~id(value)] = text
        self._alive.append(value)


class WrittenMapping:
    """A mapping as it was written: its keys and values, how each line starts, and the lines in order.

    Lines start with the key if it is simple, otherwise with an empty string.
    """

    __slots__ = ("children", "heads", "lines", "names", "places")

    def __init__(self, names: list[Any], places: list[int], heads: list[str]) -> None:
        self.names = names
        self.places = places
        self.heads = heads
        self.children: list[Any] = [_NO_KEY] * len(names)
        self.lines = [""] * len(names)

    @property
    def comparable(self) -> bool:
        """Whether mappings with equal keys are written with the same keys; false if 1 may equal true."""
        return all(type(name) is str for name in self.names)


_NO_KEY = object()


class LastLines:
    """The last mapping written at an indent and under a key, or a similar one."""

    def __init__(self) -> None:
        self.at: defaultdict[int, dict[Any, WrittenMapping]] = defaultdict(dict)
        self._free = _LAST

    def put(self, indent: int, under: Any, lines: WrittenMapping) -> None:
        if self._free == 0:
            self.at.clear()
            self._free = _LAST
        self._free -= 1
        self.at[indent][under] = lines
