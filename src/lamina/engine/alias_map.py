"""The alias map: which containers hold a container, and under which keys.

Some programs change containers in place; a container with two holders (an alias in the source, a shallow copy) then
changes in both. Nodes and their values never change here, so a dialect that reproduces such a program looks up in
this map everywhere a container appears.

Containers are distinguished by identity and get a number, which stays the same when a container is replaced by its
changed copy: its holders still hold it. All containers that were added are kept alive, so that the id of a deleted one
is never reused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator


class AliasMap:
    """The holders of every container inside some values; `visit` is called for each container that is added."""

    __slots__ = ("_alive", "_holders", "_numbers", "_values", "_visit")

    def __init__(self, visit: Callable[[], None] | None = None) -> None:
        self._numbers: dict[int, int] = {}
        self._values: list[Any] = []
        self._holders: list[dict[tuple[int, Any], None]] = []
        """For each number the holders and keys, in the order they were added."""
        self._alive: list[Any] = []
        self._visit = visit

    def add(self, container: Any) -> int:
        """The number of a container; it is added, with all containers in it, if it is not known yet."""
        known = self._numbers.get(id(container))
        if known is not None:
            return known
        first = self._add_container(container)
        pending = [first]
        while pending:
            holder = pending.pop()
            value = self._values[holder]
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                if type(inner) is str or not isinstance(inner, (dict, list)):
                    continue
                number = self._numbers.get(id(inner))
                if number is None:
                    number = self._add_container(inner)
                    pending.append(number)
                self._holders[number][holder, key] = None
        return first

    def _add_container(self, container: Any) -> int:
        if self._visit is not None:
            self._visit()
        number = len(self._values)
        self._values.append(container)
        self._holders.append({})
        self._register(number, container)
        return number

    def _register(self, number: int, container: Any) -> None:
        self._numbers[id(container)] = number
        self._alive.append(container)

    def number(self, container: Any) -> int:
        """The number of a container that was added."""
        return self._numbers[id(container)]

    def value(self, number: int) -> Any:
        """The current container with a number."""
        return self._values[number]

    def replace(self, number: int, value: Any) -> None:
        """Replace a container by another; the caller updates the holders of what it contains."""
        self._values[number] = value
        self._register(number, value)

    def holders(self, number: int) -> Collection[tuple[int, Any]]:
        """The numbers of the containers that hold this one, each with the key."""
        return self._holders[number]

    def holders_of(self, container: Any) -> list[tuple[Any, Any]]:
        """The containers that hold this one, each with the key; none for one that was not added."""
        number = self._numbers.get(id(container))
        return [] if number is None else [(self._values[holder], key) for holder, key in self._holders[number]]

    def hold(self, value: Any, holder: int, key: Any) -> None:
        """Record that a container holds a value; containers are added."""
        if is_container(value):
            self._holders[self.add(value)][holder, key] = None

    def release(self, value: Any, holder: int, key: Any) -> None:
        """Record that a container no longer holds a value."""
        if is_container(value):
            del self._holders[self.number(value)][holder, key]

    def ancestors(self, number: int) -> Iterator[int]:
        """A container and all containers it is in, at any depth, each once."""
        pending, seen = [number], {number}
        while pending:
            here = pending.pop()
            yield here
            unseen = [holder for holder, _ in self._holders[here] if holder not in seen]
            seen.update(unseen)
            pending.extend(dict.fromkeys(unseen))

    def is_shared(self, number: int) -> bool:
        """Whether a container, or one that it is in, has more than one holder."""
        while holders := self._holders[number]:
            if len(holders) > 1:
                return True
            number = next(iter(holders))[0]
        return False


def is_container(value: Any) -> bool:
    """Whether a value is a mapping or a list."""
    return isinstance(value, (dict, list))


def children(value: Any) -> Iterator[tuple[Any, Any]]:
    """The members or items of a value; a scalar has none."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def has_aliases(value: Any) -> bool:
    """Whether any container appears at two paths of a value."""
    seen: set[int] = set()
    pending = [value]
    while pending:
        here = pending.pop()
        for inner in here.values() if isinstance(here, dict) else here if isinstance(here, list) else ():
            if isinstance(inner, (dict, list)):
                if id(inner) in seen:
                    return True
                seen.add(id(inner))
                pending.append(inner)
    return False
