"""Sources: named bytes, and the way from a place in them to a place a person can open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lamina.origins import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence


class Within(Protocol):
    """Where the lines of a piece are in the source around it; all counts from zero."""

    def place(self, line: int, column: int) -> tuple[int, int]: ...


@dataclass(frozen=True, slots=True)
class Shift:
    """A piece whose lines follow each other in the outer source, all shifted by the same amount."""

    line: int = 0
    column: int = 0

    def place(self, line: int, column: int) -> tuple[int, int]:
        return self.line + line, self.column + column


@dataclass(frozen=True, slots=True)
class Starts:
    """A piece of which each line starts at a place of its own; past the last, lines follow on below it."""

    starts: Sequence[tuple[int, int]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Starts) and self.starts == other.starts

    def __hash__(self) -> int:
        return hash(len(self.starts))

    def place(self, line: int, column: int) -> tuple[int, int]:
        if not self.starts:
            return line, column
        last = len(self.starts) - 1
        at, margin = self.starts[min(line, last)]
        return at + max(0, line - last), margin + column


@dataclass(frozen=True, slots=True)
class FixedLocation:
    """A piece whose lines do not exist in the outer source (base64, gzip): every place is the place of the piece.

    The line inside the piece is shown with the name of the part.
    """

    line: int = 0
    column: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FixedLocation) and (self.line, self.column) == (other.line, other.column)

    def __hash__(self) -> int:
        return hash((self.line, self.column))

    def place(self, line: int, column: int) -> tuple[int, int]:  # noqa: ARG002 - the point of it
        return self.line, self.column


@dataclass(slots=True, eq=False)  # one for each file: a frozen one takes three times as long to make
class Source:
    """One input: its name as the user gave it and its bytes; perhaps a piece of an outer source. It never changes."""

    name: str
    data: bytes
    outer: Source | None = None
    part: str | None = None
    within: Within = Shift()

    def __eq__(self, other: object) -> bool:
        """Sources are distinguished by what they hold, so that what was read once is known again."""
        if self is other:
            return True
        if not isinstance(other, Source) or self.name != other.name or self.part != other.part:
            return False
        same_place = self.within is other.within or self.within == other.within
        return same_place and self.data == other.data and self.outer == other.outer

    def __hash__(self) -> int:
        return hash(self.name) ^ hash(self.data)

    @classmethod
    def of_text(cls, name: str, text: str) -> Source:
        """A source made of text; what UTF-8 cannot hold is left for the reader to reject."""
        return cls(name, text.encode("utf-8", "surrogatepass"))

    def piece(self, part: str | None, data: bytes, within: Within) -> Source:
        """A source inside this one, whose places are places of the outermost file."""
        return Source(self.name, data, self, part, within)

    def locate(self, line: int, column: int) -> Origin:
        """The place, in the outermost file, of a line and column of this source counted from zero."""
        if self.outer is None:
            return Origin(self.name, line + 1, column + 1, self.part)
        origin = self.outer.locate(*self.within.place(line, column))
        own = f"{self.part}:{line + 1}" if self.part and isinstance(self.within, FixedLocation) else self.part
        names = [name for name in (origin.part, own) if name]
        return origin._replace(part="/".join(names) or None)
