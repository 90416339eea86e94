"""Selectors: paths that select any number of locations in a value.

A selector is a run of steps, and a step leads from a value to any number of values inside it:

names    the members of those names; `*` among them: all members. What is not a mapping has none.
at       the item at a position, counted from the end when negative. Of a string: the character. A mapping holds nothing
         at a position unless it has that very number as a key, and it breaks the selection if it is larger than the
         position; so do numbers and truth values other than zero and false. Nothing and null hold nothing.
span     the items from, to, by a stride. What is not a list is taken as a list of itself.
top      the outermost value again. Where a span took the outermost value as a list of itself, that list is outermost
         for all that was reached through it.
anywhere what a run of steps leads to from a value and from everything inside it, the outer first.

Selecting gives the values in order. Writing selects by all steps but the last, and then asks each value reached to take
the new one at the last step, which is not quite the same as selecting: a span writes position 0 of a mapping as a
number key, and `top` writes nothing unless it is the only step. "Anywhere" asks a value and everything inside it, as it
then is, to be written by the inner steps, each as if it were the outermost. What is handed to positions is a list's
items one by one, where the new value is a list. What is written into a value that is no longer in its place, or into
the list a span made, is lost.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lamina.plugin import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.paths import Path


class Unreachable(Exception):
    """A step cannot be taken in the value that was reached."""

    def __init__(self, path: Path, value: Any, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.value = value
        self.reason = reason


MAX_ITEMS = 1_000_000
"""How many values are visited for one selection: a selector that leads back to the top might never end."""


class SelectsItself(Unreachable):
    """The new value would be written into itself, without end."""


@dataclass(frozen=True, slots=True)
class NamedMembers:
    """Members by name."""

    names: tuple[str, ...]

    @property
    def all(self) -> bool:
        return "*" in self.names


@dataclass(frozen=True, slots=True)
class At:
    """Items by position."""

    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Items from, to, by a stride."""

    start: int | None = None
    stop: int | None = None
    stride: int | None = None

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop, self.stride)


@dataclass(frozen=True, slots=True)
class Top:
    """The outermost value."""


Single: TypeAlias = NamedMembers | At | Range | Top


@dataclass(frozen=True, slots=True)
class Descendants:
    """What steps select from a value and from everything inside it."""

    steps: tuple[Single, ...]


Step: TypeAlias = Single | Descendants


class Found(NamedTuple):
    """A selected value and its location; the location of a character is that of its string.

    `top` is the outermost value it was reached from, unless it is that itself. A `wrapped` value is a list made of the
    value there.
    """

    path: Path
    value: Any
    top: Found | None = None
    wrapped: bool = False

    def outermost(self) -> Found:
        return self.top or self

    def inner(self, key: Any) -> Found:
        """A member or item of it."""
        return Found(self.path if self.wrapped else (*self.path, key), self.value[key], self.outermost())


class WriteTarget(NamedTuple):
    """A location to be written, and which item of the new list is written there; None for the new value itself."""

    path: Path
    item: int | None


@dataclass(frozen=True, slots=True)
class Selector:
    """A sequence of steps. `pieces` name what is created if nothing is selected."""

    text: str
    steps: tuple[Step, ...]
    pieces: tuple[str, ...] = ()
    members: Path | None = field(init=False)
    """The member names, if the selector consists only of those: the common case, with a fast path."""
    keys: Path | None = field(init=False)
    """The names and positions, if the selector consists only of those, each of them one."""
    creates_keys: bool = field(init=False)
    """Whether mappings and lists with these keys are what is created for the selector."""
    whole: bool = field(init=False)
    """Whether this selects the value itself and nothing else."""
    single: bool = field(init=False)
    """Whether this can select one place at most, whatever the value."""

    def __post_init__(self) -> None:
        # Selectors are kept in the session, and each of these is asked for by every step that has one.
        object.__setattr__(self, "keys", _plain_keys(self.steps))
        object.__setattr__(self, "members", _plain_members(self.steps))
        object.__setattr__(self, "creates_keys", self.keys is not None and _names_keys(self.pieces, self.keys))
        object.__setattr__(self, "whole", len(self.steps) == 1 and isinstance(self.steps[0], Top))
        object.__setattr__(self, "single", self.keys is not None or _is_single(self.steps))

    @property
    def ends_at_position(self) -> bool:
        """Whether this selects items of something that the steps before the last select."""
        last = self.steps[-1]
        if isinstance(last, Descendants):
            return len(last.steps) > 1 and isinstance(last.steps[-1], At)
        return isinstance(last, At)

    def find(self, value: Any) -> list[Found]:
        """All that is selected, in order."""
        if self.members is not None:
            return _walk(value, self.members)
        return _PathSelection().follow(Found((), value), self.steps)

    def targets(self, value: Any, new: Any, *, may_change: bool = False) -> Iterator[WriteTarget]:
        """The locations that are written when `new` is put where this selects, in order.

        With `may_change` the containers of both values may be changed; one at two locations then changes at both.
        """
        if self.whole:
            yield WriteTarget((), None)
            return
        if self.members and _walk(value, self.members):
            yield WriteTarget(self.members, None)
            return
        *before, last = self.steps
        found = _PathSelection().follow(Found((), value), before)
        if not isinstance(last, Descendants) and len(found) == 1 and not may_change:
            yield from _Writing(None, new).into(found[0]._replace(value=copy(found[0].value)), last)
            return
        # Earlier writes may change what later ones reach, so they are done on a copy.
        whole = value if may_change else _copied(value)
        writing = _Writing(whole, new, may_change=may_change)
        for one in writing.search.follow(Found((), whole), before):
            yield from writing.descendants(one, last) if isinstance(last, Descendants) else writing.into(one, last)


_CREATED = re.compile(r"([A-Za-z_@][\w@-]*)(?:\[([0-9]{1,6})\])?", re.ASCII)


def _names_keys(pieces: tuple[str, ...], keys: Path) -> bool:
    """Whether pieces are just these names and positions."""
    if pieces == keys:
        return True
    named: list[Any] = []
    for piece in pieces:
        match = _CREATED.fullmatch(piece)
        if match is None:
            return False
        named.append(match[1])
        if match[2] is not None:
            named.append(int(match[2]))
    return tuple(named) == keys


def _plain_members(steps: tuple[Step, ...]) -> Path | None:
    path: list[str] = []
    for step in steps:
        if isinstance(step, NamedMembers) and len(step.names) == 1 and not step.all:
            path.append(step.names[0])
        elif not (isinstance(step, Top) and not path):
            return None
    return tuple(path)


def _plain_keys(steps: tuple[Step, ...]) -> Path | None:
    path: list[Any] = []
    for step in steps[1:] if steps and isinstance(steps[0], Top) else steps:
        if isinstance(step, NamedMembers) and len(step.names) == 1 and not step.all:
            path.append(step.names[0])
        elif isinstance(step, At) and len(step.positions) == 1 and step.positions[0] >= 0:
            path.append(step.positions[0])
        else:
            return None  # also the top again, which writes nothing
    return tuple(path)


def _is_single(steps: tuple[Step, ...]) -> bool:
    return all(
        (isinstance(step, NamedMembers) and len(step.names) == 1 and not step.all)
        or (isinstance(step, At) and len(step.positions) == 1)
        for step in (steps[1:] if steps and isinstance(steps[0], Top) else steps)
    )


def _walk(value: Any, path: Path) -> list[Found]:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return []
        value = value[name]
    return [Found(path, value)]


class _PathSelection:
    """One selection, with a limit."""

    def __init__(self) -> None:
        self.left = MAX_ITEMS

    def follow(self, outer: Found, steps: Sequence[Step]) -> list[Found]:
        """All that the steps lead to from a value."""
        found = [outer]
        for step in steps:
            found = [inner for inside in found for inner in self.counted(self.step(inside, step))]
        return found

    def step(self, outer: Found, step: Step) -> Iterator[Found]:
        if isinstance(step, NamedMembers):
            if isinstance(outer.value, dict):
                for name in outer.value if step.all else step.names:
                    if name in outer.value:
                        yield outer.inner(name)
        elif isinstance(step, At):
            for position in step.positions:
                yield from _item(outer, position)
        elif isinstance(step, Range):
            yield from _items(outer, step)
        elif isinstance(step, Descendants):
            for inside in self.counted(_all_inside(outer)):
                yield from self.follow(inside, step.steps)
        else:
            yield outer.outermost()

    def counted(self, found: Iterable[Found]) -> Iterator[Found]:
        for one in found:
            self.left -= 1
            if self.left < 0:
                raise Unreachable(
                    one.path, one.value, f"is found only after {MAX_ITEMS:,} other values, which is Lamina's limit"
                )
            yield one


def _item(outer: Found, position: int) -> Iterator[Found]:
    path, value = outer.path, outer.value
    if not value:
        return
    if not isinstance(value, (list, tuple, str, dict)):
        raise Unreachable(path, value, "cannot be indexed")
    if len(value) <= position:
        return
    if isinstance(value, dict):
        if position not in value:
            raise Unreachable(path, value, "cannot be indexed by number")
        yield outer.inner(position)
    elif position < -len(value):
        raise Unreachable(path, value, f"has no index {position}")
    elif isinstance(value, str):
        yield Found(path, value[position], outer.outermost())
    else:
        yield outer.inner(position % len(value))


def _items(outer: Found, step: Range) -> Iterator[Found]:
    positions = _positions(outer, step)
    if isinstance(outer.value, (list, tuple)):
        for position in positions:
            yield outer.inner(position)
    elif positions:
        yield Found(outer.path, outer.value, outer.top or Found(outer.path, [outer.value], wrapped=True))


def _positions(outer: Found, step: Range) -> range:
    """The positions a span has in a value; what is not a list has one."""
    value = outer.value
    if value is None:
        return range(0)
    if not isinstance(value, (list, tuple, dict, int, float, str)):
        raise Unreachable(outer.path, value, "cannot be indexed")
    if step.stride == 0:
        raise Unreachable(outer.path, value, "cannot be sliced with a step of 0")
    return range(len(value) if isinstance(value, (list, tuple)) else 1)[step.slice]


def _all_inside(outer: Found) -> Iterator[Found]:
    """A value and everything inside it, parents first; the children of a value are read after it was yielded."""
    pending = [outer]
    while pending:
        inside = pending.pop()
        yield inside
        if isinstance(inside.value, dict):
            pending.extend(reversed([inside.inner(key) for key in inside.value]))
        elif isinstance(inside.value, list):
            pending.extend(inside.inner(position) for position in reversed(range(len(inside.value))))


class _Writing:
    """A write of one value at several locations, in containers that may be changed; `whole` contains them."""

    def __init__(self, whole: Any, new: Any, *, may_change: bool = False) -> None:
        self.whole = whole
        self.new = new
        self.may_change = may_change
        self.search = _PathSelection()
        self.assigned_items = 0
        self.own: set[int] = set()
        """The containers of the new value, if something could be written into it."""

    def descendants(self, outer: Found, last: Descendants) -> Iterator[WriteTarget]:
        """The places steps write in a value and in everything inside it, once what was written before is there."""
        self.own = {id(one.value) for one in _all_inside(Found((), self.new)) if isinstance(one.value, (dict, list))}
        *before, inner = last.steps
        for inside in self.search.counted(_all_inside(outer)):
            if isinstance(inside.value, (dict, list)):
                for container in self.search.follow(Found(inside.path, inside.value, wrapped=inside.wrapped), before):
                    yield from self.into(container, inner)

    def into(self, container: Found, last: Step) -> Iterator[WriteTarget]:
        """The places a step writes in a container."""
        if isinstance(last, NamedMembers):
            for name in _names_to_write(container, last):
                yield from self.put(container, name, None)
        elif isinstance(last, At):
            yield from self.at(container, last.positions)
        elif isinstance(last, Range):
            yield from self.at(container, _positions(container, last))

    def at(self, container: Found, positions: Iterable[int]) -> Iterator[WriteTarget]:
        path, value = container.path, container.value
        for position in positions:
            if not isinstance(value, (list, tuple, dict, str)):
                raise Unreachable(path, value, "cannot be indexed")
            if len(value) <= position:
                continue
            if isinstance(value, str) or (not isinstance(value, dict) and position < -len(value)):
                raise Unreachable(path, value, f"has no index {position} that can be set")
            key = position if isinstance(value, dict) else position % len(value)
            yield from self.put(container, key, self.next_item(path))

    def next_item(self, path: Path) -> int | None:
        if not isinstance(self.new, list):
            return None
        if self.assigned_items == len(self.new):
            raise Unreachable(path, self.new, "has too few items")
        self.assigned_items += 1
        return self.assigned_items - 1

    def put(self, container: Found, key: Any, item: int | None) -> Iterator[WriteTarget]:
        path, value = container.path, container.value
        if item is None and id(value) in self.own:
            raise SelectsItself(path, self.new, "would contain itself")
        if not container.wrapped and (self.whole is None or walk(self.whole, path) is value):
            yield WriteTarget((*path, key), item)
        if item is None:
            value[key] = self.new
        else:
            value[key] = self.new[item] if self.may_change else _copied(self.new[item])


def _names_to_write(container: Found, step: NamedMembers) -> list[Any]:
    path, value = container.path, container.value
    if isinstance(value, dict):
        return list(value) if step.all else [name for name in step.names if name in value]
    # Lists and texts are only skipped if they do not contain the name.
    if value is None or isinstance(value, bool) or step.all:
        return []
    if not isinstance(value, (list, tuple, str)) or any(name in value for name in step.names):
        raise Unreachable(path, value, "cannot have keys")
    return []


def _copied(value: Any) -> Any:
    """A value whose containers may be changed; what they hold in the end is the same."""
    if not isinstance(value, (dict, list)):
        return value
    whole = copy(value)
    for found in _all_inside(Found((), whole)):
        inside = found.value
        if isinstance(inside, (dict, list)):
            for key in inside if isinstance(inside, dict) else range(len(inside)):
                inside[key] = copy(inside[key]) if isinstance(inside[key], (dict, list)) else inside[key]
    return whole
