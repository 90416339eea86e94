"""Spreading: working out what a value changes when it is put at every place a selector names.

Nothing is touched here: the outcome is a `PlacedChange`, which is then made (see `placing`), or a reason why it cannot
be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand.container_writes import Write, laid
from lamina.dialects.deckhand.jsonpath.growth import Growth, Stunted, grow
from lamina.dialects.deckhand.jsonpath.selector import Found, HoldsItself, Unreachable
from lamina.dialects.deckhand.placement import JoinedContainer, Misplaced, New, PlacedChange
from lamina.engine.alias_map import Endless, OutputPath, Sharing
from lamina.engine.delta import NEW, Compose, Delta, Inner, MapDelta, View, value_of
from lamina.engine.merge_context import Conflict
from lamina.engine.node import Later, MergedNode, Node
from lamina.paths import MISSING, Path, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.deckhand.jsonpath.selector import Target
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import MergeCause
    from lamina.engine.plan import Spread

_MADE = "made on the way"


def spread(
    step: Spread, old: Node, new: New, mark: MergeCause, output: str, sharing: Sharing, run: MergeContext
) -> PlacedChange:
    """What a Spread changes in its output."""
    spreading = _Spreading(step, old, new, mark, OutputPath(output, step.path), sharing, run)
    try:
        spreading.work_out()
    except Unreachable as gap:
        clash = Conflict("no-such-place", gap.value, new.value, step.path + gap.path, (), gap.reason)
        left = spreading.left()
        lasting = left is not None or spreading.leaks()
        raise Misplaced([clash], left, final=isinstance(gap, HoldsItself) and lasting) from None
    except Endless:
        clash = Conflict("endless", MISSING, new.value, step.path, (), "")
        raise Misplaced([clash], final=True) from None
    if run.clashes:
        raise Misplaced(run.clashes, spreading.left())
    return spreading.change


class _Spreading:
    """One Spread being worked out."""

    def __init__(
        self, step: Spread, old: Node, new: New, mark: MergeCause, base: OutputPath, sharing: Sharing, run: MergeContext
    ) -> None:
        self.step = step
        self.old = old
        self.below = walk(old.value, step.path)
        self.new = new
        self.mark = mark
        self.base = base
        self.sharing = sharing
        self.run = run
        self.change = PlacedChange(new.node)

    def work_out(self) -> None:
        found, grown = self.reach()
        first = found[0]
        if self.step.each is not None and isinstance(first.value, (dict, list)):
            self.combine_each(first)
        else:
            self.combine(first, grown)
        self.settle()
        self.check_joins()

    def reach(self) -> tuple[list[Found], Any]:
        """What is selected, once it is there, and the value it stands in."""
        select, below = self.step.select, self.below
        found = select.find(below)
        if found:
            return found, below
        if not self.step.create:
            raise Unreachable((), below, f"has no {select.text}")
        try:
            growth = grow(below, select.pieces)
        except Stunted as stunted:
            self.note_growth(stunted.growth)
            raise
        self.note_growth(growth)
        grown = growth.applied(below) if growth else below
        found = select.find(grown)
        if not found:
            raise Unreachable((), below, f"has no {select.text}, and it cannot be made")
        return found, grown

    def note_growth(self, growth: Growth | None) -> None:
        if growth is not None:
            self.change.growth = growth._replace(path=self.base.path + growth.path)

    def trail(self, path: Path) -> Any:
        trail: Any = None
        for key in self.base.path + path:
            trail = (trail, key, key)
        return trail

    def delta(self, path: Path, before: Any) -> Delta:
        return self.step.policy.combine(before, self.new.value, self.trail(path), self.run)

    def combine_each(self, first: Found) -> None:
        assert self.step.each is not None
        if self.step.each.refuse_empty and first.value == []:
            self.run.refuse("nothing-left", first.value, self.new.value, self.trail(first.path))
        for inner in self.step.each.texts(first.value):
            path = first.path + inner
            before = walk(self.below, path)
            delta = self.delta(path, before)
            self.change.writes.append(Write(self.base.path + path, NEW, delta, value_of(delta, before, self.new.value)))

    def combine(self, first: Found, grown: Any) -> None:
        before = first.value if grown is self.below else MISSING
        delta = self.delta(first.path, before)
        if self.run.clashes:
            return
        value = value_of(delta, before, self.new.value)
        if isinstance(delta, MapDelta):
            # Merging has changed the container before it is looked where to put the outcome.
            grown = Growth(first.path, value).applied(grown)
        targets, gap = _reachable(self.step.select.targets(grown, value))
        if isinstance(delta, MapDelta) and all(target.path != first.path for target in targets):
            # Merging changes the container itself, also where the outcome is then put nowhere or somewhere else.
            self.change.writes.extend(_entries(delta, self.base.path + first.path, self.new.value, ()))
        if targets == [(first.path, None)]:
            self.write_one(first.path, delta, value)
        else:
            self.write_all(targets, first.path, delta, value)
        if gap is not None:
            raise gap

    def write_one(self, path: Path, delta: Delta, value: Any) -> None:
        at = self.base.below(path)
        if isinstance(delta, MapDelta) and self.sharing.knows(at.output):
            # The container is changed in place, member by member, wherever else it stands; then a copy is put here.
            self.change.writes.extend(_entries(delta, at.path, self.new.value, ()))
            self.change.copied = at.path
        else:
            self.change.writes.append(Write(at.path, NEW, delta, value))
        if delta is NEW or isinstance(delta, MapDelta):
            self.change.joins.extend(self.new.joins(at, value, self.sharing))

    def write_all(self, targets: list[Target], first: Path, delta: Delta, value: Any) -> None:
        """One outcome at several places: the very same container at all of them, or a list's items one by one."""
        if delta is not NEW:
            base = self.old.at(self.base.path + first)
            self.change.new = MergedNode(value, base.path, base, self.new.node, delta, self.mark)
            self.new = New(Later(self.change.new, ()), value)
        places: list[OutputPath] = []
        for target in targets:
            at = self.base.below(target.path)
            if target.item is not None:
                self.deal(at, target.item, value)
            else:
                self.change.writes.append(Write(at.path, NEW, NEW, value))
                if not places:
                    self.change.joins.extend(self.new.joins(at, value, self.sharing))
                elif isinstance(value, (dict, list)):
                    self.change.joins.append(JoinedContainer(at, places[0], at))
            places.append(at)

    def deal(self, at: OutputPath, number: int, value: list[Any]) -> None:
        item = value[number]
        self.change.writes.append(Write(at.path, Inner(item, "new", (number,)), NEW, item))
        source = self.new.source(number)
        if self.new.shared and source is not None and isinstance(item, (dict, list)):
            self.change.joins.append(JoinedContainer(at, source, at))

    def settle(self) -> None:
        """Put what was made beside all that is written, and what leads into something written, where it belongs."""
        for made in self.made():
            if not any(_overlap(write.path, _innermost(made)) for write in self.change.writes):
                self.change.writes.insert(0, made)
        self.change.writes = _settled(self.change.writes)

    def made(self) -> Iterator[Write]:
        """What was made on the way, as writes; for a step that does not write it anyway."""
        growth = self.change.growth
        if growth is not None and growth.items:
            length = len(walk(self.old.value, growth.path)) + len(growth.items)
            path, value = (*growth.path, length - 1), growth.items[-1]
            yield Write(path, View(value, "new", _MADE), NEW, value)
        elif growth is not None:
            yield Write(growth.path, View(growth.value, "new", _MADE), NEW, growth.value)

    def check_joins(self) -> None:
        for join in self.change.joins:
            if join.source.output != self.base.output and not self.sharing.fits(join.source, join.written):
                raise Endless

    def leaks(self) -> bool:
        """Whether what is written into the new value is written into its source, too."""
        return self.new.shared and any(self.new.joins(self.base, self.new.value, self.sharing))

    def left(self) -> PlacedChange | None:
        """What a failing step leaves behind: all it wrote, but for what it wrote into the outermost container.

        Of that a copy is changed, which takes its place only in the end.
        """
        outermost = len(self.base.path)
        growth = self.change.growth
        if growth is not None and len(growth.path) - (not growth.items) <= outermost:
            return None
        self.settle()
        writes = [write for write in self.change.writes if len(write.path) - 1 > outermost] or list(self.made())
        written = {write.path for write in writes}
        joins = [join for join in self.change.joins if join.written.path in written]
        return PlacedChange(self.change.new, writes, growth, joins) if writes else None


def _reachable(targets: Iterator[Target]) -> tuple[list[Target], Unreachable | None]:
    """The targets up to the first that cannot be written, and why not."""
    found: list[Target] = []
    try:
        for target in targets:
            found.append(target)  # noqa: PERF402 - what was found before a gap must be kept
    except Unreachable as gap:
        return found, gap
    return found, None


def _settled(writes: list[Write]) -> list[Write]:
    """Writes of which none leads into what an earlier one has written: it is part of that one then."""
    settled: dict[Path, Write] = {}
    for write in writes:
        outer = next((write.path[:end] for end in range(len(write.path)) if write.path[:end] in settled), None)
        if outer is None:
            settled.pop(write.path, None)
            settled[write.path] = write
        else:
            settled[outer] = _widened(settled[outer], write)
    return list(settled.values())


def _widened(outer: Write, write: Write) -> Write:
    inner = write._replace(path=write.path[len(outer.path) :])
    piece = laid(outer.value, [inner], outer.value)
    value = value_of(piece, outer.value, MISSING)
    return Write(outer.path, Compose(value, outer.side, NEW, piece), NEW, value)


def _innermost(made: Write) -> Path:
    """The last place that was made on the way."""
    path, value = made.path, made.value
    while value:
        key = next(reversed(value)) if isinstance(value, dict) else len(value) - 1
        path, value = (*path, key), value[key]
    return path


def _overlap(one: Path, other: Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _entries(delta: MapDelta, path: Path, new: Any, inner: Path) -> Iterator[Write]:
    """The changes of a mapping as writes of its members, those of merged mappings inside it too."""
    for key, entry in delta.entries.items():
        here = (*inner, key)
        if isinstance(entry, MapDelta):
            yield from _entries(entry, (*path, key), new, here)
        else:
            taken = walk(new, here)
            yield Write((*path, key), Inner(taken, "new", here), entry, value_of(entry, MISSING, taken))
