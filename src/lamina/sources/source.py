"""Sources: named bytes, and the mapping from positions in them to positions in the file a user can open."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lamina.origins import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.origins import PositionMap


_FLAGS = ("O_RDONLY", "O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC")
_NO_LINK = sum(getattr(os, flag) for flag in _FLAGS) if all(hasattr(os, flag) for flag in _FLAGS) else None
"""How a file is opened that must not be a link and must not be waited for, where the system can do that."""


class Within(Protocol):
    """Maps positions of an inner source to positions of the source around it; all counted from zero."""

    def outer_position(self, line: int, column: int) -> tuple[int, int]: ...


@dataclass(frozen=True, slots=True)
class Shift:
    """An inner source whose lines are consecutive in the outer source, all shifted by the same amount."""

    line: int = 0
    column: int = 0

    def outer_position(self, line: int, column: int) -> tuple[int, int]:
        return self.line + line, self.column + column


@dataclass(frozen=True, slots=True)
class Starts:
    """An inner source with a given start for each line; lines after the last one are consecutive."""

    starts: Sequence[tuple[int, int]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Starts) and self.starts == other.starts

    def __hash__(self) -> int:
        return hash(len(self.starts))

    def outer_position(self, line: int, column: int) -> tuple[int, int]:
        if not self.starts:
            return line, column
        last = len(self.starts) - 1
        at, indent = self.starts[min(line, last)]
        return at + max(0, line - last), indent + column


@dataclass(frozen=True, slots=True)
class FixedLocation:
    """An inner source whose lines do not exist in the outer one (base64, gzip): all positions map to its start.

    The line inside the inner source is shown with the name of the part.
    """

    line: int = 0
    column: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FixedLocation) and (self.line, self.column) == (other.line, other.column)

    def __hash__(self) -> int:
        return hash((self.line, self.column))

    def outer_position(self, line: int, column: int) -> tuple[int, int]:  # noqa: ARG002 - the point of it
        return self.line, self.column


_AS_IT_IS = Shift()


@dataclass(slots=True, eq=False)  # one for each file: a frozen one takes three times as long to make
class Source:
    """One input: its name as the user gave it and its bytes; it may be part of an outer source. It never changes."""

    name: str
    data: bytes
    outer: Source | None = None
    part: str | None = None
    within: Within = _AS_IT_IS

    def key_for(self, how: str) -> tuple[str, str, bytes] | tuple[str, Source]:
        """The key of what is read from it in some way: of a file, its name and content, which have hashes of their own.

        It is a file if it is no part of anything, so that these say all about it.
        """
        if self.outer is None and self.part is None and self.within is _AS_IT_IS:
            return how, self.name, self.data
        return how, self

    def __eq__(self, other: object) -> bool:
        """Sources are compared by content, so that what was read once is found in the cache."""
        if self is other:
            return True
        if not isinstance(other, Source) or self.name != other.name or self.part != other.part:
            return False
        same_location = self.within is other.within or self.within == other.within
        return same_location and self.data == other.data and self.outer == other.outer

    def __hash__(self) -> int:
        return hash(self.name) ^ hash(self.data)

    @property
    def outermost(self) -> Source:
        """The file that it is in, or itself."""
        source = self
        while source.outer is not None:
            source = source.outer
        return source

    @classmethod
    def behind(cls, positions: PositionMap) -> Source | None:
        """The source that the positions of a document are in, unless something else locates them."""
        source = getattr(positions.locate, "__self__", None)
        return source if isinstance(source, cls) else None

    @classmethod
    def of_text(cls, name: str, text: str) -> Source:
        """A source with text as its content; the reader rejects what UTF-8 cannot encode."""
        return cls(name, text.encode("utf-8", "surrogatepass"))

    def inner_source(self, part: str | None, data: bytes, within: Within) -> Source:
        """A source inside this one, whose origins are in the outermost file."""
        return Source(self.name, data, self, part, within)

    def locate(self, line: int, column: int) -> Origin:
        """The origin, in the outermost file, of a line and column of this source counted from zero."""
        if self.outer is None:
            # Not by a call of the class, which takes twice as long.
            return tuple.__new__(Origin, (self.name, line + 1, column + 1, self.part))
        origin = self.outer.locate(*self.within.outer_position(line, column))
        own = f"{self.part}:{line + 1}" if self.part and isinstance(self.within, FixedLocation) else self.part
        names = [name for name in (origin.part, own) if name]
        return origin._replace(part="/".join(names) or None)


def whole_file(path: str, most: int) -> bytes | None:
    """What is in a regular file of known size, which is not a link; None for anything else, or beyond `most` bytes."""
    if _NO_LINK is None:
        return None
    try:
        opened = os.open(path, _NO_LINK)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode) or not 0 < status.st_size <= most:
            return None
        data = os.read(opened, status.st_size + 1)
        return data if len(data) == status.st_size else None
    except OSError:
        return None
    finally:
        os.close(opened)
