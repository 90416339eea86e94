"""Growing: creating the places that a selector names and a value does not have.

What is created follows from the parts of a selector's text, split at dots: `name` makes an empty mapping under that
name, `name[2]` makes a list there and fills it with empty mappings up to that position. Quotes around a name that does
not exist are removed. Nothing else is supported, so that a part with two positions makes only the first of them.

Once something is made, all further parts are made inside it; a value therefore grows in one place only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.dialects.deckhand.jsonpath.selector import Unreachable

if TYPE_CHECKING:
    from lamina.paths import Path

FARTHEST = 100_000
"""How many items a list may be filled up with."""

_LISTED = re.compile(r".*\[\d+\].*")


class Growth(NamedTuple):
    """What was made: at `path` this value, or with `items` these at the end of the list that is there."""

    path: Path
    value: Any = None
    items: tuple[Any, ...] = ()

    def applied(self, value: Any) -> Any:
        """The value once it has grown."""
        return _set(value, self.path, self)


class Stunted(Unreachable):
    """A value that could not be extended completely; what was added before stays."""

    def __init__(self, cause: Unreachable, growth: Growth | None) -> None:
        super().__init__(cause.path, cause.value, cause.reason)
        self.growth = growth


def grow(value: Any, pieces: tuple[str, ...]) -> Growth | None:
    """What must be made for the pieces to be there; None when nothing is missing."""
    growing = _Growing(value)
    try:
        for piece in pieces:
            growing.follow(piece)
    except Unreachable as cause:
        raise Stunted(cause, growing.growth) from None
    return growing.growth


class _Growing:
    """One walk along the pieces; what is made is changed in place, what was there is not."""

    def __init__(self, value: Any) -> None:
        self.path: Path = ()
        self.here = value
        self.growth: Growth | None = None

    def follow(self, piece: str) -> None:
        if _LISTED.match(piece) is None:
            self._into_member(piece)
            return
        name, _, rest = piece.partition("[")
        position = rest.partition("[")[0][:-1]
        if position.strip().isdecimal():
            self._into_item(name, int(position))
        else:
            self._reject_unless(isinstance(self.here, dict), "cannot have keys")
            self.here = self.here.get(piece)
            self.path = (*self.path, piece)

    def _into_member(self, name: str) -> None:
        here = self.here
        self._reject_unless(isinstance(here, dict), "cannot have keys")
        if name not in here:
            name = name.strip("'").strip('"')
            if name not in here:
                self._make(name, {})
                return
        self.here = here[name]
        self.path = (*self.path, name)

    def _into_item(self, name: str, position: int) -> None:
        self._reject_unless(isinstance(self.here, dict), "cannot have keys")
        if name not in self.here:
            self._make(name, [])
        else:
            self.here = self.here[name]
            self.path = (*self.path, name)
        self._reject_unless(isinstance(self.here, list), "cannot be indexed")
        missing = position + 1 - len(self.here)
        self._reject_unless(missing <= FARTHEST, f"would have to be padded up to index {position}")
        if missing > 0:
            self._fill([{} for _ in range(missing)])
        self.here = self.here[position]
        self.path = (*self.path, position)

    def _make(self, name: str, made: Any) -> None:
        self.path = (*self.path, name)
        if self.growth is None:
            self.growth = Growth(self.path, made)
        else:
            self.here[name] = made
        self.here = made

    def _fill(self, items: list[Any]) -> None:
        if self.growth is None:
            self.growth = Growth(self.path, items=tuple(items))
            self.here = [*self.here, *items]
        else:
            self.here.extend(items)

    def _reject_unless(self, fits: bool, reason: str) -> None:
        if not fits:
            raise Unreachable(self.path, self.here, reason)


def _set(value: Any, path: Path, growth: Growth) -> Any:
    if not path:
        return [*value, *growth.items] if growth.items else growth.value
    copy = list(value) if isinstance(value, list) else dict(value)
    step = path[0]
    copy[step] = _set(copy[step] if len(path) > 1 or growth.items else None, path[1:], growth)
    return copy
