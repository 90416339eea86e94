"""Cells: merging in place, where one container is in several places at once.

Some programs merge by changing what is there: they extend the list they find and set members of the mapping they find.
A container that is held in two places (an alias in the source) then changes in both. Values here never change; so what
such a program does to one container is done here, at the same moment, to every place that holds the same object. The
identity of the plain value says which places those are, and is kept: what was shared before is shared afterwards.

A put in place is laid in turn: member by member, in the order of the new value, each change upon the one before,
since two members of one layer may both reach the same container. Every change is a state of its own and says, at every
place it shows, where its new value was written; so the history of each place tells the whole truth.

A change that shows in several places is worth a remark, `shared`.

grow   the items of the new list are added to the old list itself, wherever that list stands
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.heat.choice import When
from lamina.engine.delta import NEW, OLD, Compose, Delta, Inner, ListDelta, MapDelta, Outer, Slice, value_of
from lamina.engine.node import MergedNode
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.sequence import JoinLists
from lamina.engine.operators.whole import Descend, Switch
from lamina.paths import MISSING, Path, child, walk

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import MergeCause, Node
    from lamina.engine.policy import Operator, Policy, Trail

_VISIT = 8
"""What looking at one container for shared places costs of the budget."""


class Grow(JoinLists):
    """Add the items of the new list to the old list itself; elsewhere than in a put in place it is a plain join."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("old")
        self.name = "grow"


def shares(value: Any) -> bool:
    """Whether any list or mapping is in two places of a value."""
    seen: set[int] = set()
    todo = [value] if isinstance(value, (dict, list)) else []
    while todo:
        for inner in _containers(todo.pop()).values():
            if id(inner) in seen:
                return True
            seen.add(id(inner))
            todo.append(inner)
    return False


def _containers(holder: Any) -> dict[Any, Any]:
    """The lists and mappings a container holds, by key or position."""
    places = holder.items() if isinstance(holder, dict) else enumerate(holder)
    return {step: inner for step, inner in places if isinstance(inner, (dict, list))}


class _Cells:
    """The containers of a state, each a cell: its present value, and the places where other cells hold it."""

    def __init__(self, root: Any, run: MergeContext) -> None:
        self._run = run
        self._cells: dict[int, int] = {}
        self._values: list[Any] = []
        self._places: list[set[tuple[int, Any]]] = []
        self.root = self.add(root)

    def add(self, value: Any) -> int:
        """The cell of a container, made with those of all it holds if there is none yet."""
        known = self._cells.get(id(value))
        if known is not None:
            return known
        first = self._new(value)
        todo = [first]
        while todo:
            holder = todo.pop()
            for step, inner in _containers(self._values[holder]).items():
                cell = self._cells.get(id(inner))
                if cell is None:
                    cell = self._new(inner)
                    todo.append(cell)
                self._places[cell].add((holder, step))
        return first

    def _new(self, value: Any) -> int:
        self._run.spend(_VISIT)
        cell = self._cells[id(value)] = len(self._values)
        self._values.append(value)
        self._places.append(set())
        return cell

    def of(self, value: Any) -> int:
        """The cell that holds this very container at present."""
        return self._cells[id(value)]

    def move(self, holder: int, step: Any, before: Any, after: Any) -> None:
        """Take note that a place holds another value than before."""
        if isinstance(before, (dict, list)):
            self._places[self.of(before)].discard((holder, step))
        if isinstance(after, (dict, list)):
            self._places[self.add(after)].add((holder, step))

    def change(self, target: int, changed: tuple[Any, Delta]) -> tuple[Any, Delta]:
        """The root with one cell changed, at every place that leads to it; what was shared stays shared."""
        below: dict[int, dict[Any, int]] = {}
        todo, seen = [target], {target}
        while todo:
            cell = todo.pop()
            for holder, step in self._places[cell]:
                below.setdefault(holder, {})[step] = cell
                if holder not in seen:
                    seen.add(holder)
                    todo.append(holder)
        known = {target: changed}
        result = self._rebuilt(self.root, below, known)
        for cell, (value, _) in known.items():
            self._values[cell] = value
            self._cells[id(value)] = cell
        return result

    def is_shared(self, target: int) -> bool:
        """Whether more than one way leads from the root to a cell."""
        while target != self.root:
            if len(self._places[target]) > 1:
                return True
            target = next(iter(self._places[target]))[0]
        return False

    def _rebuilt(
        self, cell: int, below: dict[int, dict[Any, int]], known: dict[int, tuple[Any, Delta]]
    ) -> tuple[Any, Delta]:
        found = known.get(cell)
        if found is None:
            inner = {step: self._rebuilt(held, below, known) for step, held in below[cell].items()}
            self._run.spend(len(self._values[cell]))
            found = known[cell] = _holding(self._values[cell], inner)
        return found


def put_in_place(state: Node, new: Node, path: Path, policy: Policy, run: MergeContext, cause: MergeCause) -> Node:
    """The state with a new value laid in place on what is at a path."""
    work = _PutInPlace(state, new, run, cause)
    work.put(path, policy)
    return work.state


class _PutInPlace:
    """One put in place under way: the state so far, and its cells."""

    def __init__(self, state: Node, new: Node, run: MergeContext, cause: MergeCause) -> None:
        self.state = state
        self._new = new
        self._run = run
        self._cause = cause
        self._cells = _Cells(state.value, run)
        # A container is known by its identity only while it lives, and a new one must not be taken for a dead one.
        self._alive: list[Node] = []

    def put(self, path: Path, policy: Policy) -> None:
        """Lay the whole new value on what is at the path."""
        trail: Trail = None
        for step in path:
            trail = (trail, step, step)
        old = walk(self.state.value, path)
        self._lay(path, (), policy.table.pick(old, self._new.value), policy, trail)

    def _lay(self, path: Path, new_path: Path, operator: Operator, policy: Policy, trail: Trail) -> None:
        old, new = walk(self.state.value, path), walk(self._new.value, new_path)
        operator = _resolved(operator, old, new, policy)
        if not isinstance(operator, Union) or not isinstance(old, dict):
            delta = operator.apply(old, new, policy, trail, self._run)
            if delta is OLD or not path:
                self._keep(path, new_path, delta)
            elif self._change(path, new_path, isinstance(operator, Grow), delta):
                self._run.remark("shared", old, new, trail)
            return
        for key in new:
            before = child(walk(self.state.value, path), key)
            chosen = operator.clash.pick(before, new[key])
            self._lay((*path, key), (*new_path, key), chosen, policy.enter(key), (trail, key, key))

    def _keep(self, path: Path, new_path: Path, delta: Delta) -> None:
        """Say that a value stays, or settle the root itself."""
        value = value_of(delta, walk(self.state.value, path), walk(self._new.value, new_path))
        self._step(_along(self.state.value, path, (value, delta)), new_path)

    def _change(self, path: Path, new_path: Path, grows: bool, delta: Delta) -> bool:
        """Do one change at every place that shows it; returns whether there are several."""
        old, new = walk(self.state.value, path), walk(self._new.value, new_path)
        value = value_of(delta, old, new)
        if grows and isinstance(old, list):
            target = self._cells.of(old)
            changed: tuple[Any, Delta] = value, delta
        else:
            holder = walk(self.state.value, path[:-1])
            target = self._cells.of(holder)
            changed = _holding(holder, {path[-1]: (value, delta)})
            self._cells.move(target, path[-1], old, value)
        shared = self._cells.is_shared(target)
        self._step(self._cells.change(target, changed), new_path)
        return shared

    def _step(self, changed: tuple[Any, Delta], new_path: Path) -> None:
        value, piece = changed
        if isinstance(piece, MapDelta) and new_path:
            new = walk(self._new.value, new_path)
            entries = {key: _seen_from(entry, new, new_path) for key, entry in piece.entries.items()}
            piece = MapDelta(value, entries)
        self._alive.append(self.state)
        self.state = MergedNode(value, (), self.state, self._new, piece, self._cause)


def _resolved(operator: Operator, old: Any, new: Any, policy: Policy) -> Operator:
    """The operator that will act in the end."""
    while True:
        if isinstance(operator, Descend):
            operator = policy.table.pick(old, new)
        elif isinstance(operator, (When, Switch)):
            operator = operator.choose(old, new)
        else:
            return operator


def _along(root: Any, path: Path, changed: tuple[Any, Delta]) -> tuple[Any, Delta]:
    """The root with what is at one path changed."""
    holders = [walk(root, path[:depth]) for depth in range(len(path))]
    for holder, step in zip(reversed(holders), reversed(path), strict=True):
        changed = _holding(holder, {step: changed})
    return changed


def _holding(holder: Any, changed: dict[Any, tuple[Any, Delta]]) -> tuple[Any, Delta]:
    """A container with some of what it holds changed; all pieces have the same new side."""
    joints: dict[Any, Delta] = {
        step: Compose(value, Inner(child(holder, step), "old", (step,)), NEW, piece)
        for step, (value, piece) in changed.items()
    }
    same = all(value is child(holder, step) for step, (value, _) in changed.items())
    if not isinstance(holder, list):
        own = {} if holder is MISSING else holder
        grown = holder if same else {**own, **{step: value for step, (value, _) in changed.items()}}
        return grown, MapDelta(grown, {step: Outer(joint) for step, joint in joints.items()})
    items = holder if same else [changed[at][0] if at in changed else item for at, item in enumerate(holder)]
    picks: list[Slice | Delta] = []
    start = 0
    for at in sorted(changed):
        picks.extend((Slice("old", start, at), joints[at]))
        start = at + 1
    picks.append(Slice("old", start, len(holder)))
    return items, ListDelta(items, tuple(picks))


def _seen_from(entry: Delta, new: Any, new_path: Path) -> Delta:
    """A piece whose new side is the changed member's, as seen from where the new side is the whole layer."""
    assert isinstance(entry, Outer) and isinstance(entry.piece, Compose)
    joint = entry.piece
    return Outer(Compose(joint.value, joint.old, Inner(new, "new", new_path), joint.delta))
