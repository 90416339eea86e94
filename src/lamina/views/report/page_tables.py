"""Tables: everything that occurs many times on a page, held once and named by its number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lamina._support.escapes import visible
from lamina.budget import text_size

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lamina.budget import Budget
    from lamina.origins import Origin

Entry = TypeVar("Entry", bound="Hashable")

NONE = -1
"""The number for a missing entry."""


class Numbered(Generic[Entry]):
    """Entries in the order they were first met."""

    def __init__(self) -> None:
        self._numbers: dict[Entry, int] = {}

    def __call__(self, entry: Entry) -> int:
        """The number of an entry."""
        return self._numbers.setdefault(entry, len(self._numbers))

    def entries(self) -> list[Entry]:
        """All entries, by number."""
        return list(self._numbers)


class PageTexts(Numbered[str]):
    """Texts as the page may show them; line breaks stay, since a value is shown line by line."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self._budget = budget
        self._given: dict[str, int] = {}
        """The numbers of texts as they were given."""

    def __call__(self, entry: str) -> int:
        number = self._given.get(entry)
        if number is None:
            self._budget.spend(size=text_size(entry))
            number = self._given[entry] = super().__call__(visible(entry, keep="\n\t"))
        return number


class PageTables:
    """The tables of one page."""

    def __init__(self, budget: Budget) -> None:
        self.texts = PageTexts(budget)
        self.layers: Numbered[tuple[int, int]] = Numbered()
        """What the user calls a layer, and the source it is in."""
        self.places: Numbered[tuple[int, int, int, int]] = Numbered()
        """Source, line, column, part."""
        self.rules: Numbered[tuple[int, int, int]] = Numbered()
        """The verdict on a value, and the directive that decided it, with its origin."""
        self.events: Numbered[tuple[Any, ...]] = Numbered()

    def sources(self) -> list[str]:
        """The names of all sources, as they are shown."""
        texts = self.texts.entries()
        return [texts[number] for number in dict.fromkeys(place[0] for place in self.places.entries())]

    def text(self, text: str | None) -> int:
        return NONE if text is None else self.texts(text)

    def place(self, origin: Origin | None) -> int:
        if origin is None:
            return NONE
        return self.places((self.texts(origin.source), origin.line, origin.column, self.text(origin.part)))

    def layer(self, name: str | None, origin: Origin | None) -> int:
        """The layer of that name in that source; NONE for what the program made."""
        if name is None and origin is None:
            return NONE
        return self.layers((self.text(name), self.text(origin.source if origin else None)))
