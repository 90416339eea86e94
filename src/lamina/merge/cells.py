"""Cells: merging in place, where one container stands in several places at once.

Some programs merge by changing what is there: they extend the list they find and set members of the mapping they find.
A container that is held in two places (an alias in the source) then changes in both. Values here never change; so what
such a program does to one container is done here, at the same moment, to every place that holds the same object. The
identity of the plain value tells which places those are, and is kept: what was shared before is shared afterwards.

A put in place is laid in turn: member by member, in the order of the new value, each change upon the one before,
since two members of one layer may both reach the same container. Every change is a state of its own and says, at every
place it shows, where its new value was written; so the history of each place tells the whole truth.

grow   the items of the new list are added to the old list itself, wherever that list stands
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.merge.choice import When
from lamina.merge.mapping import Union
from lamina.merge.nodes import Merged
from lamina.merge.pieces import NEW, OLD, Edit, Inner, Joint, Picks, Piece, Span, value_of
from lamina.merge.sequence import Join
from lamina.merge.whole import Descend, Switch
from lamina.paths import MISSING, Path, child, walk

if TYPE_CHECKING:
    from lamina.merge.nodes import Cause, Node
    from lamina.merge.policy import Operator, Policy, Trail
    from lamina.merge.run import Run

_VISIT = 8
"""What looking at one container for shared places costs of the budget."""


class Grow(Join):
    """Add the items of the new list to the old list itself; elsewhere than in a put in place it is a plain join."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("old")
        self.name = "grow"


def shares(value: Any) -> bool:
    """Whether any list or mapping stands in two places of a value."""
    return bool(_shared(value))


def _shared(value: Any) -> set[int]:
    """The identities of the containers that are held more than once, directly."""
    seen: set[int] = set()
    twice: set[int] = set()
    todo = [value] if isinstance(value, (dict, list)) else []
    while todo:
        holder = todo.pop()
        for inner in holder.values() if isinstance(holder, dict) else holder:
            if isinstance(inner, (dict, list)):
                if id(inner) in seen:
                    twice.add(id(inner))
                else:
                    seen.add(id(inner))
                    todo.append(inner)
    return twice


def put_in_place(state: Node, new: Node, path: Path, policy: Policy, run: Run, cause: Cause) -> Node:
    """The state with a new value laid in place on what stands at a path."""
    work = _PutInPlace(state, new, run, cause)
    work.put(path, policy)
    return work.state


class _PutInPlace:
    """One put in place under way: the state so far, and which of its containers are shared."""

    def __init__(self, state: Node, new: Node, run: Run, cause: Cause) -> None:
        self.state = state
        self._new = new
        self._run = run
        self._cause = cause
        self._shared = _shared(state.value)
        # Identity is only known while the object lives.
        self._alive: list[Any] = [state.value]

    def put(self, path: Path, policy: Policy) -> None:
        """Lay the whole new value on what stands at the path."""
        trail: Trail = None
        for step in path:
            trail = (trail, step, step)
        old = walk(self.state.value, path)
        self._lay(path, (), policy.table.pick(old, self._new.value), policy, trail)

    def _lay(self, path: Path, new_path: Path, operator: Operator, policy: Policy, trail: Trail) -> None:
        old, new = walk(self.state.value, path), walk(self._new.value, new_path)
        operator = _settled(operator, old, new, policy)
        if not isinstance(operator, Union) or not isinstance(old, dict):
            self._change(path, new_path, operator, operator.apply(old, new, policy, trail, self._run))
            return
        for key in new:
            before = child(walk(self.state.value, path), key)
            chosen = operator.clash.pick(before, new[key])
            self._lay((*path, key), (*new_path, key), chosen, policy.enter(key), (trail, key, key))

    def _change(self, path: Path, new_path: Path, operator: Operator, delta: Piece) -> None:
        """Do one change, at every place that shows it."""
        old, new = walk(self.state.value, path), walk(self._new.value, new_path)
        value = value_of(delta, old, new)
        if not path:
            self.state = Merged(value, (), self.state, self._new, delta, self._cause)
            return
        if isinstance(operator, Grow) and isinstance(old, list) and delta is not OLD:
            target: Any = old
            changed: tuple[Any, Piece] = value, delta
        else:
            target = walk(self.state.value, path[:-1])
            changed = _with_member(target, path[-1], old, value, delta)
        if delta is OLD or not self._touches_shared(path):
            root, piece = _along(self.state.value, path, changed, target)
        else:
            root, piece = self._everywhere(target, changed)
        if isinstance(piece, Edit):
            outer = {key: _seen_from(entry, new, new_path) for key, entry in piece.entries.items()}
            piece = Edit(root, outer)
        self.state = Merged(root, (), self.state, self._new, piece, self._cause)

    def _touches_shared(self, path: Path) -> bool:
        value = self.state.value
        for step in path:
            value = child(value, step)
            if id(value) in self._shared:
                return True
        return False

    def _everywhere(self, target: Any, changed: tuple[Any, Piece]) -> tuple[Any, Piece]:
        """The state with one container changed wherever it stands; what was shared stays shared."""
        known: dict[int, tuple[Any, Piece]] = {id(target): changed}
        self._alive.extend((target, changed[0]))
        result = self._rebuilt(self.state.value, known)
        for identity, (value, _) in known.items():
            if identity in self._shared:
                self._shared.add(id(value))
                self._alive.append(value)
        return result

    def _rebuilt(self, value: Any, known: dict[int, tuple[Any, Piece]]) -> tuple[Any, Piece]:
        found = known.get(id(value))
        if found is not None:
            return found
        self._run.spend(_VISIT)
        places = value.items() if isinstance(value, dict) else enumerate(value)
        inner = {step: self._rebuilt(held, known) for step, held in places if isinstance(held, (dict, list)) and held}
        changed = {step: pair for step, pair in inner.items() if pair[1] is not OLD}
        result = _holding(value, changed) if changed else (value, OLD)
        known[id(value)] = result
        return result


def _settled(operator: Operator, old: Any, new: Any, policy: Policy) -> Operator:
    """The operator that will act in the end."""
    while True:
        if isinstance(operator, Descend):
            operator = policy.table.pick(old, new)
        elif isinstance(operator, (When, Switch)):
            operator = operator.choose(old, new)
        else:
            return operator


def _with_member(holder: Any, key: Any, old: Any, value: Any, delta: Piece) -> tuple[Any, Piece]:
    """A mapping with one member changed; the piece's new side is the new value of the member."""
    grown = holder
    if value is not old:
        grown = {} if holder is MISSING else dict(holder)
        grown[key] = value
    return grown, Edit(grown, {key: Joint(value, Inner(old, "old", (key,)), NEW, delta)})


def _along(root: Any, path: Path, changed: tuple[Any, Piece], target: Any) -> tuple[Any, Piece]:
    """The state with one container changed at one path only."""
    holders = [root]
    for step in path:
        if holders[-1] is target:
            break
        holders.append(child(holders[-1], step))
    result = changed
    for depth in range(len(holders) - 2, -1, -1):
        result = _holding(holders[depth], {path[depth]: result})
    return result


def _holding(holder: Any, changed: dict[Any, tuple[Any, Piece]]) -> tuple[Any, Piece]:
    """A container with some of what it holds changed; all pieces have the same new side."""
    joints: dict[Any, Piece] = {
        step: Joint(value, Inner(child(holder, step), "old", (step,)), NEW, piece)
        for step, (value, piece) in changed.items()
    }
    same = all(value is child(holder, step) for step, (value, _) in changed.items())
    if not isinstance(holder, list):
        own = {} if holder is MISSING else holder
        grown = holder if same else {**own, **{step: value for step, (value, _) in changed.items()}}
        return grown, Edit(grown, joints)
    items = holder if same else [changed[at][0] if at in changed else item for at, item in enumerate(holder)]
    picks: list[Span | Piece] = []
    start = 0
    for at in sorted(changed):
        picks.extend((Span("old", start, at), joints[at]))
        start = at + 1
    picks.append(Span("old", start, len(holder)))
    return items, Picks(items, tuple(picks))


def _seen_from(entry: Piece, new: Any, new_path: Path) -> Piece:
    """A piece whose new side is the changed member's, as seen from where the new side is the whole layer."""
    if isinstance(entry, Joint) and entry.new is NEW:
        return Joint(entry.value, entry.old, Inner(new, "new", new_path), entry.delta)
    return entry
