"""Creation of the locations that a selector names and a value does not have.

What is created follows from the parts of a selector's text, split at dots: `name` makes an empty mapping under that
name, `name[2]` makes a list there and fills it with empty mappings up to that position. Quotes around a name that does
not exist are removed. Nothing else is supported, so that a part with two positions makes only the first of them.

Once something is created, all further parts are created inside it; so a value grows at one location only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.dialects.deckhand.jsonpath.selector import Unreachable

if TYPE_CHECKING:
    from lamina.plugin import Path

MAX_ITEMS = 100_000
"""How many items may be added to a list as padding."""

_LISTED = re.compile(r".*\[\d+\].*")


class Creation(NamedTuple):
    """What was created: a value at `path`, or `items` at the end of the list there."""

    path: Path
    value: Any = None
    items: tuple[Any, ...] = ()

    def applied(self, value: Any) -> Any:
        """The value after the creation."""
        return _set(value, self.path, self)


class PartlyCreated(Unreachable):
    """A value that could not be extended completely; what was added before stays."""

    def __init__(self, cause: Unreachable, creation: Creation | None) -> None:
        super().__init__(cause.path, cause.value, cause.reason)
        self.creation = creation


def grow(value: Any, pieces: tuple[str, ...]) -> Creation | None:
    """What must be created for the parts to exist; None if nothing is missing."""
    creation = _PathCreation(value)
    try:
        for part in pieces:
            creation.follow(part)
    except Unreachable as cause:
        raise PartlyCreated(cause, creation.creation) from None
    return creation.creation


class _PathCreation:
    """One walk along the parts; created containers are changed in place, existing ones are not."""

    def __init__(self, value: Any) -> None:
        self.path: Path = ()
        self.current = value
        self.creation: Creation | None = None

    def follow(self, part: str) -> None:
        if _LISTED.match(part) is None:
            self._into_member(part)
            return
        name, _, rest = part.partition("[")
        position = rest.partition("[")[0][:-1]
        if position.strip().isdecimal():
            self._into_item(name, int(position))
        else:
            self._reject_unless(isinstance(self.current, dict), "cannot have keys")
            self.current = self.current.get(part)
            self.path = (*self.path, part)

    def _into_member(self, name: str) -> None:
        current = self.current
        self._reject_unless(isinstance(current, dict), "cannot have keys")
        if name not in current:
            name = name.strip("'").strip('"')
            if name not in current:
                self._make(name, {})
                return
        self.current = current[name]
        self.path = (*self.path, name)

    def _into_item(self, name: str, position: int) -> None:
        self._reject_unless(isinstance(self.current, dict), "cannot have keys")
        if name not in self.current:
            self._make(name, [])
        else:
            self.current = self.current[name]
            self.path = (*self.path, name)
        self._reject_unless(isinstance(self.current, list), "cannot be indexed")
        missing = position + 1 - len(self.current)
        self._reject_unless(missing <= MAX_ITEMS, f"would have to be padded up to index {position}")
        if missing > 0:
            self._fill([{} for _ in range(missing)])
        self.current = self.current[position]
        self.path = (*self.path, position)

    def _make(self, name: str, value: Any) -> None:
        self.path = (*self.path, name)
        if self.creation is None:
            self.creation = Creation(self.path, value)
        else:
            self.current[name] = value
        self.current = value

    def _fill(self, items: list[Any]) -> None:
        if self.creation is None:
            self.creation = Creation(self.path, items=tuple(items))
            self.current = [*self.current, *items]
        else:
            self.current.extend(items)

    def _reject_unless(self, fits: bool, reason: str) -> None:
        if not fits:
            raise Unreachable(self.path, self.current, reason)


def _set(value: Any, path: Path, creation: Creation) -> Any:
    if not path:
        return [*value, *creation.items] if creation.items else creation.value
    copy = list(value) if isinstance(value, list) else dict(value)
    step = path[0]
    copy[step] = _set(copy[step] if len(path) > 1 or creation.items else None, path[1:], creation)
    return copy
