"""Spreading: a value put at every path a selector selects, in an output in which no container has two locations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand.container_writes import Write, laid
from lamina.dialects.deckhand.jsonpath.growth import Growth, Stunted, grow
from lamina.dialects.deckhand.jsonpath.selector import Found, Unreachable
from lamina.dialects.deckhand.placement import Misplaced, New, PlacedChange, TooDeep, make, written
from lamina.engine.delta import NEW, Compose, Computed, Delta, Ref, value_of
from lamina.engine.merge_context import Conflict
from lamina.engine.node import MergedNode, Node
from lamina.engine.tree_edit import rebuilt
from lamina.paths import MISSING, Path, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.deckhand.jsonpath.selector import WriteTarget
    from lamina.dialects.deckhand.steps import Spread
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import MergeCause

_MADE = "created for the path"


def spread(step: Spread, old: Node, new: New, mark: MergeCause, room: int, run: MergeContext) -> Node:
    """The output of a Spread; what is written is at most `room` containers deep."""
    if step.select.whole and step.each is None:
        return _spread_whole(step, old, new, mark, room, run)
    spreading = _SpreadPlan(step, old, new, mark, run)
    try:
        spreading.work_out()
    except Unreachable as gap:
        clash = Conflict("no-such-place", gap.value, new.value, step.path + gap.path, (), gap.reason)
        raise Misplaced([clash], spreading.left()) from None
    if run.conflicts:
        raise Misplaced(run.conflicts, spreading.left())
    if any(len(write.path) > room for write in spreading.change.writes):
        raise TooDeep
    return make(spreading.change, old, mark)


def _spread_whole(step: Spread, old: Node, new: New, mark: MergeCause, room: int, run: MergeContext) -> Node:
    """The same where all that is below the path is selected, as nearly every document does: there is one write."""
    path = step.path
    before = walk(old.value, path)
    delta = step.policy.combine(before, new.value, _trail(path), run)
    if run.conflicts:
        raise Misplaced(run.conflicts, None)
    if len(path) > room:
        raise TooDeep
    value = value_of(delta, before, new.value)
    if len(path) != 1:
        return written(old, new.node, [Write(path, NEW, delta, value)], [], mark)
    piece = rebuilt(old.value, {path[0]: Compose(value, Ref(before, "old", path), NEW, delta)})
    return MergedNode(piece.value, (), old, new.node, piece, mark)


def _trail(path: Path) -> Any:
    trail: Any = None
    for key in path:
        trail = (trail, key, key)
    return trail


class _SpreadPlan:
    """One Spread being worked out."""

    def __init__(self, step: Spread, old: Node, new: New, mark: MergeCause, run: MergeContext) -> None:
        self.step = step
        self.old = old
        self.base = step.path
        self.below = walk(old.value, step.path)
        self.new = new
        self.mark = mark
        self.run = run
        self.change = PlacedChange(new.node)

    def work_out(self) -> None:
        found, grown = self.reach()
        first = found[0]
        if self.step.each is not None and isinstance(first.value, (dict, list)):
            self.combine_each(first)
        else:
            self.combine(first, grown)
        self.resolve()

    def reach(self) -> tuple[list[Found], Any]:
        """What is selected, once it is there, and the value it is in."""
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
            raise Unreachable((), below, f"has no {select.text}, and that path cannot be created")
        return found, grown

    def note_growth(self, growth: Growth | None) -> None:
        if growth is not None:
            self.change.growth = growth._replace(path=self.base + growth.path)

    def trail(self, path: Path) -> Any:
        return _trail(self.base + path)

    def delta(self, path: Path, before: Any) -> Delta:
        return self.step.policy.combine(before, self.new.value, self.trail(path), self.run)

    def combine_each(self, first: Found) -> None:
        assert self.step.each is not None
        if self.step.each.reject_empty and first.value == []:
            self.run.reject("nothing-left", first.value, self.new.value, self.trail(first.path))
        for inner in self.step.each.texts(first.value):
            path = first.path + inner
            before = walk(self.below, path)
            delta = self.delta(path, before)
            self.change.writes.append(Write(self.base + path, NEW, delta, value_of(delta, before, self.new.value)))

    def combine(self, first: Found, grown: Any) -> None:
        before = first.value if grown is self.below else MISSING
        delta = self.delta(first.path, before)
        if self.run.conflicts:
            return
        value = value_of(delta, before, self.new.value)
        targets, gap = reachable(self.step.select.targets(grown, value))
        if targets == [(first.path, None)]:
            self.change.writes.append(Write(self.base + first.path, NEW, delta, value))
        else:
            self.write_all(targets, first.path, delta, value)
        if gap is not None:
            raise gap

    def write_all(self, targets: list[WriteTarget], first: Path, delta: Delta, value: Any) -> None:
        """One outcome at several places, or a list's items one by one."""
        if delta is not NEW:
            base = self.old.at(self.base + first)
            self.change.new = MergedNode(value, base.path, base, self.new.node, delta, self.mark)
        for target in targets:
            at = self.base + target.path
            if target.item is not None:
                item = value[target.item]
                self.change.writes.append(Write(at, Ref(item, "new", (target.item,)), NEW, item))
            else:
                self.change.writes.append(Write(at, NEW, NEW, value))

    def resolve(self) -> None:
        """Put what was made beside all that is written, and what leads into something written, where it belongs."""
        if self.change.growth is not None:
            made = self.made(self.change.growth)
            if not any(overlap(write.path, innermost(made)) for write in self.change.writes):
                self.change.writes.insert(0, made)
        self.change.writes = _resolved(self.change.writes)

    def made(self, growth: Growth) -> Write:
        """What was made on the way, as a write; for a step that does not write it anyway."""
        return made_by(growth, len(walk(self.old.value, growth.path)) if growth.items else 0)

    def left(self) -> Node | None:
        """What a failing step leaves behind: all it wrote, but for what it wrote into the outermost container.

        Of that a copy is changed, which takes its place only in the end.
        """
        outermost = len(self.base)
        growth = self.change.growth
        if growth is not None and len(growth.path) - (not growth.items) <= outermost:
            return None
        self.resolve()
        writes = [write for write in self.change.writes if len(write.path) - 1 > outermost]
        if growth is not None and not writes:
            writes = [self.made(growth)]
        return make(PlacedChange(self.change.new, writes, growth), self.old, self.mark) if writes else None


def reachable(targets: Iterator[WriteTarget]) -> tuple[list[WriteTarget], Unreachable | None]:
    """The targets up to the first that cannot be written, and why not."""
    found: list[WriteTarget] = []
    try:
        for target in targets:
            found.append(target)  # noqa: PERF402 - what was found before a gap must be kept
    except Unreachable as gap:
        return found, gap
    return found, None


def _resolved(writes: list[Write]) -> list[Write]:
    """Writes of which none leads into what an earlier one has written: it is part of that one then."""
    resolved: dict[Path, Write] = {}
    for write in writes:
        outer = next((write.path[:end] for end in range(len(write.path)) if write.path[:end] in resolved), None)
        if outer is None:
            resolved.pop(write.path, None)
            resolved[write.path] = write
        else:
            resolved[outer] = _widened(resolved[outer], write)
    return list(resolved.values())


def _widened(outer: Write, write: Write) -> Write:
    inner = write._replace(path=write.path[len(outer.path) :])
    piece = laid(outer.value, [inner], outer.value)
    value = value_of(piece, outer.value, MISSING)
    return Write(outer.path, Compose(value, outer.side, NEW, piece), NEW, value)


def made_by(growth: Growth, had: int) -> Write:
    """What a growth has made, as a write; a list that grew `had` so many items."""
    if growth.items:
        path, value = (*growth.path, had + len(growth.items) - 1), growth.items[-1]
        return Write(path, Computed(value, _MADE, "new"), NEW, value)
    return Write(growth.path, Computed(growth.value, _MADE, "new"), NEW, growth.value)


def innermost(made: Write) -> Path:
    """The last place that was made on the way."""
    path, value = made.path, made.value
    while value:
        key = next(reversed(value)) if isinstance(value, dict) else len(value) - 1
        path, value = (*path, key), value[key]
    return path


def overlap(one: Path, other: Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
