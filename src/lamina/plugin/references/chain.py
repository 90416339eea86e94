"""What is being resolved, each thing for the one before it: nothing may need itself, and chains have an end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Name = TypeVar("Name")


class Chain(Generic[Name]):
    """Names that wait for one another.

    `cycle` makes the error for a name that needs itself, from the names around; `too_long` that for more than `most`
    names, from the last one.
    """

    __slots__ = ("_cycle", "_most", "_too_long", "names")

    def __init__(
        self, most: int, cycle: Callable[[Sequence[Name]], Exception], too_long: Callable[[Name], Exception]
    ) -> None:
        self._most = most
        self._cycle = cycle
        self._too_long = too_long
        self.names: list[Name] = []

    def under(self, name: Name) -> Chain[Name]:
        """Work on a name in a `with` block; it may not be asked for meanwhile."""
        if name in self.names:
            raise self._cycle([*self.names[self.names.index(name) :], name])
        if len(self.names) >= self._most:
            raise self._too_long(name)
        self.names.append(name)
        return self

    def __enter__(self) -> None:
        return

    def __exit__(self, *error: object) -> None:
        self.names.pop()
