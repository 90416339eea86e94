"""What a writer of YAML remembers: the texts of collections by identity, and the mapping written last in each place.

Whatever is known by its identity is held, so that nothing else gets that identity. All of it is bounded.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

_MOST_CHARACTERS = 1 << 22
"""How much text of collections is remembered, in each of two generations."""
_EACH = 250
"""What a remembered text costs besides its characters, about."""
_MET = 1 << 10
"""How many values are known to have been met once, in each of two generations."""
_LAST = 1 << 10
"""For how many places the mapping written last is known."""


class Texts:
    """The texts of collections that were met twice at an indent; those used last are kept longest.

    `after_key` says which of the two texts a collection has at an indent is meant: that after its key, or that of an
    item, which begins on the line of its dash.
    """

    def __init__(self) -> None:
        self.recent: defaultdict[int, dict[int, str]] = defaultdict(dict)
        self.earlier: dict[int, dict[int, str]] = {}
        self._held: list[Any] = []
        self._held_earlier: list[Any] = []
        self._room = _MOST_CHARACTERS
        self._met: dict[tuple[int, int], Any] = {}
        self._met_earlier: dict[tuple[int, int], Any] = {}

    def find(self, indent: int, value: Any, *, after_key: bool) -> str | None:
        """The text of a collection at an indent, if it is known."""
        mark = id(value) if after_key else ~id(value)
        text = self.recent[indent].get(mark)
        if text is None and indent in self.earlier:
            text = self.earlier[indent].get(mark)
            if text is not None:
                self.keep(indent, value, text, after_key=after_key)
        return text

    def met(self, indent: int, value: Any) -> bool:
        """Whether a value was met at an indent before; it is now."""
        place = (indent, id(value))
        if place in self._met or place in self._met_earlier:
            return True
        if len(self._met) >= _MET:
            self._met_earlier, self._met = self._met, {}
        self._met[place] = value
        return False

    def keep(self, indent: int, value: Any, text: str, *, after_key: bool) -> None:
        """Keep the text of a collection; those not used for long make room."""
        self._room -= len(text) + _EACH
        if self._room < 0:
            self.earlier, self._held_earlier = self.recent, self._held
            self.recent, self._held = defaultdict(dict), []
            self._room = _MOST_CHARACTERS
        self.recent[indent][id(value) if after_key else ~id(value)] = text
        self._held.append(value)


class WrittenMapping:
    """A mapping as it was written: its keys and values, how each line begins, and the lines in the order of the text.

    Lines begin with the key where that is simple, and with nothing where it is not.
    """

    __slots__ = ("children", "heads", "lines", "names", "places")

    def __init__(self, names: list[Any], places: list[int], heads: list[str]) -> None:
        self.names = names
        self.places = places
        self.heads = heads
        self.children: list[Any] = [_NOTHING] * len(names)
        self.lines = [""] * len(names)

    @property
    def comparable(self) -> bool:
        """Whether mappings with equal keys are written with the same keys: not so where 1 may equal true."""
        return all(type(name) is str for name in self.names)


_NOTHING = object()


class LastLines:
    """The mapping written last at an indent and under a key, or one much like it."""

    def __init__(self) -> None:
        self.at: defaultdict[int, dict[Any, WrittenMapping]] = defaultdict(dict)
        self._room = _LAST

    def put(self, indent: int, under: Any, lines: WrittenMapping) -> None:
        if self._room == 0:
            self.at.clear()
            self._room = _LAST
        self._room -= 1
        self.at[indent][under] = lines
