"""Selectors: a way to name places in a value of which nothing is known yet.

A selector is a run of steps, and a step leads from a value to any number of values inside it:

names    the members of those names; `*` among them: all members. What is no mapping has none.
at       the item at a position, counted from the end when negative. Of a text: the letter. A mapping holds nothing at
         a position unless it has that very number as a key, and it breaks the selection if it is larger than the
         position; so do numbers and truth values other than zero and false. Nothing and null hold nothing.
span     the items from, to, by a stride. What is no list is taken as a list of itself.
top      the outermost value again.

Runs may be joined by "anywhere below": the next run is then tried on every value inside what was selected so far.

Selecting gives the values in order. Writing asks each last container to take a value at the last step, which is not
quite the same: a span writes position 0 of a mapping as a number key, and `top` after other steps writes nothing. What
is handed to positions is a list's items one by one, where the value is a list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lamina.records import field, ordered_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.paths import Path


class Unreachable(Exception):
    """A step cannot be taken in the value that was reached."""

    def __init__(self, path: Path, value: Any, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.value = value
        self.reason = reason


class HoldsItself(Unreachable):
    """What is written would have to be written into itself, without end."""


@ordered_record(eq=True)
class Names:
    """Members by name."""

    names: tuple[str, ...]

    @property
    def all(self) -> bool:
        return "*" in self.names


@ordered_record(eq=True)
class At:
    """Items by position."""

    positions: tuple[int, ...]


@ordered_record(eq=True)
class Range:
    """Items from, to, by a stride."""

    start: int | None = None
    stop: int | None = None
    stride: int | None = None

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop, self.stride)


@ordered_record(eq=True)
class Top:
    """The outermost value."""


Step: TypeAlias = Names | At | Range | Top
Run: TypeAlias = tuple[Step, ...]


class Found(NamedTuple):
    """A selected value and the place it stands in; a letter stands in its text."""

    path: Path
    value: Any


class Target(NamedTuple):
    """A place to be written; `dealt` tells that of a list each such place takes the next item."""

    path: Path
    dealt: bool


@ordered_record(eq=True)
class Selector:
    """Runs of steps, joined by "anywhere below". `pieces` spell what is made where nothing is selected."""

    text: str
    runs: tuple[Run, ...]
    pieces: tuple[str, ...] = ()
    members: Path | None = field(init=False)
    """The member names, where the selector is nothing but those: the common case, walked without ado."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", _plain_members(self.runs))

    @property
    def whole(self) -> bool:
        """Whether this selects the value itself and nothing else."""
        return self.runs == ((Top(),),)

    @property
    def ends_at_position(self) -> bool:
        return isinstance(self.runs[-1][-1], At)

    def find(self, value: Any) -> list[Found]:
        """All that is selected, in order."""
        if self.members is not None:
            return _walk(value, self.members)
        top = Found((), value)
        found = _follow([top], self.runs[0], top)
        for run in self.runs[1:]:
            found = [inner for outer in found for inner in _anywhere(outer, run, top)]
        return found

    def targets(self, value: Any, new: Any) -> Iterator[Target]:
        """The places that are written when `new` is put where this selects, in order."""
        top = Found((), value)
        if self.whole:
            yield Target((), False)
        elif len(self.runs) == 1:
            yield from _targets_of_run(top, self.runs[0], top)
        else:
            found = _follow([top], self.runs[0], top)
            for run in self.runs[1:-1]:
                found = [inner for outer in found for inner in _anywhere(outer, run, top)]
            *before, last = self.runs[-1]
            if before and all(isinstance(step, (At, Range)) for step in self.runs[-1]):
                # Of brackets right behind the dots only the first is looked for anywhere; the others go on from there.
                found = [inner for outer in found for inner in _anywhere(outer, tuple(before), top)]
                yield from _targets_in(found, last)
                return
            for outer in found:
                yield from _targets_anywhere(outer, self.runs[-1], new)


def _plain_members(runs: tuple[Run, ...]) -> Path | None:
    if len(runs) > 1:
        return None
    path: list[str] = []
    for step in runs[0]:
        if isinstance(step, Names) and len(step.names) == 1 and not step.all:
            path.append(step.names[0])
        elif not (isinstance(step, Top) and not path):
            return None
    return tuple(path)


def _walk(value: Any, path: Path) -> list[Found]:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return []
        value = value[name]
    return [Found(path, value)]


def _follow(found: list[Found], run: Run, top: Found) -> list[Found]:
    for step in run:
        if isinstance(step, Top):
            found = [top for _ in found]
        else:
            found = [inner for outer in found for inner in _step(outer, step)]
    return found


def _step(outer: Found, step: Names | At | Range) -> Iterator[Found]:
    if isinstance(step, Names):
        if isinstance(outer.value, dict):
            for name in outer.value if step.all else step.names:
                if name in outer.value:
                    yield Found((*outer.path, name), outer.value[name])
    elif isinstance(step, At):
        for position in step.positions:
            yield from _item(outer, position)
    else:
        yield from _items(outer, step)


def _item(outer: Found, position: int) -> Iterator[Found]:
    path, value = outer
    if not value:
        return
    if not isinstance(value, (list, tuple, str, dict)):
        raise Unreachable(path, value, "has no positions")
    if len(value) <= position:
        return
    if isinstance(value, dict):
        if position not in value:
            raise Unreachable(path, value, "is a mapping, which has no positions")
        yield Found((*path, position), value[position])
    elif position < -len(value):
        raise Unreachable(path, value, f"has no position {position}")
    elif isinstance(value, str):
        yield Found(path, value[position])
    else:
        yield Found((*path, position % len(value)), value[position])


def _items(outer: Found, step: Range) -> Iterator[Found]:
    path, value = outer
    if value is None:
        return
    if isinstance(value, (list, tuple)):
        for position in _positions(len(value), step, path, value):
            yield Found((*path, position), value[position])
    elif isinstance(value, (dict, int, float, str)):
        for _ in _positions(1, step, path, value):
            yield outer
    else:
        raise Unreachable(path, value, "has no positions")


def _positions(length: int, step: Range, path: Path, value: Any) -> range:
    if step.stride == 0:
        raise Unreachable(path, value, "cannot be gone through by a stride of 0")
    return range(length)[step.slice]


def _anywhere(outer: Found, run: Run, top: Found) -> Iterator[Found]:
    """What a run selects in a value and in everything inside it, the outer first."""
    pending = [outer]
    while pending:
        here = pending.pop()
        yield from _follow([here], run, top)
        pending.extend(reversed(list(_inside(here))))


def _inside(outer: Found) -> Iterator[Found]:
    path, value = outer
    if isinstance(value, dict):
        for key, inner in value.items():
            yield Found((*path, key), inner)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield Found((*path, position), inner)


def _targets_of_run(outer: Found, run: Run, top: Found) -> Iterator[Target]:
    *before, last = run
    for container in _follow([outer], tuple(before), top):
        yield from _targets(container, last)


def _targets_in(containers: Iterable[Found], last: Step) -> Iterator[Target]:
    """The places a step writes in containers found before; those inside what was written are no longer there."""
    written: set[Path] = set()
    for container in containers:
        targets = list(_targets(container, last))
        if any(container.path[:end] in written for end in range(len(container.path) + 1)):
            continue
        written.update(target.path for target in targets)
        yield from targets


def _targets(container: Found, last: Step) -> Iterator[Target]:
    if isinstance(last, Names):
        for name in _names_to_write(container, last):
            yield Target((*container.path, name), False)
    elif isinstance(last, At):
        yield from _positions_to_write(container, last.positions)
    elif isinstance(last, Range) and container.value is not None:
        is_list = isinstance(container.value, (list, tuple))
        length = len(container.value) if is_list else 1
        for position in _positions(length, last, *container):
            yield from _position_to_write(container, position)


def _names_to_write(container: Found, step: Names) -> Iterator[Any]:
    path, value = container
    if isinstance(value, dict):
        yield from list(value) if step.all else [name for name in step.names if name in value]
        return
    if value is None or isinstance(value, bool) or step.all:
        return
    # Lists and texts are only passed over if they do not contain the name.
    if not isinstance(value, (list, tuple, str)) or any(name in value for name in step.names):
        raise Unreachable(path, value, "is no mapping, so no member can be written in it")


def _positions_to_write(container: Found, positions: tuple[int, ...]) -> Iterator[Target]:
    for position in positions:
        written = list(_position_to_write(container, position))
        yield from written
        if written and isinstance(container.value, dict):
            # A number key that was not there makes the mapping larger, and the next position may fit.
            container = Found(container.path, {**container.value, position: None})


def _position_to_write(container: Found, position: int) -> Iterator[Target]:
    path, value = container
    if not isinstance(value, (list, tuple, dict, str)):
        raise Unreachable(path, value, "has no positions")
    if len(value) <= position:
        return
    if isinstance(value, dict):
        yield Target((*path, position), True)
    elif isinstance(value, str) or position < -len(value):
        raise Unreachable(path, value, f"has no position {position} that could be written")
    else:
        yield Target((*path, position % len(value)), True)


def _targets_anywhere(outer: Found, run: Run, new: Any) -> Iterator[Target]:
    """The places a run writes in a value and in everything inside it, once what was written before stands there."""
    pending = [outer]
    written: set[Path] = set()
    while pending:
        here = pending.pop()
        if not isinstance(here.value, (dict, list)):
            continue
        if here.path in written:
            if next(_targets_anywhere(Found((), new), run, None), None):
                raise HoldsItself(here.path, new, "would have to hold itself")
            continue
        for target in _targets_of_run(here, run, here):
            written.add(target.path)
            yield target
        pending.extend(reversed([Found(path, new if path in written else value) for path, value in _inside(here)]))
