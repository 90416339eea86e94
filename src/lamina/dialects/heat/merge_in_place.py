"""Merging in place, if one container has several holders.

Some programs merge in place: they extend the existing list and set members of the existing mapping. A container with
two holders (an alias in the source) then changes in both. Values never change here; so a change of one container is
made at every path of the same object. The identity of the plain value says which paths those are; it is preserved,
so that what was shared before is shared afterwards.

A value is merged member by member, in its order, each change on top of the one before, since two members of one layer
may change the same container. Every change is a separate state and has, at every path where it is visible, the origin
of the new value; so the history of each path is complete.

A change that is visible at several paths gets the remark `shared`.

grow   the items of the new list are added to the old list itself, wherever that list is used
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.heat.conditional_operator import When
from lamina.engine.alias_map import AliasMap
from lamina.engine.change import MergeChange
from lamina.engine.delta import value_of
from lamina.engine.operators.whole import Descend, Switch
from lamina.engine.tree_edit import at, rebuilt
from lamina.paths import child
from lamina.plugin import Path, Union, walk
from lamina.plugin.operators import NEW, OLD, Compose, Delta, JoinLists, MapDelta, Ref

if TYPE_CHECKING:
    from lamina.engine.step_context import StepRef
    from lamina.plugin import Node, Policy
    from lamina.plugin.operators import MergeContext, Operator, Trail

_VISIT = 8
"""What looking at one container for shared places costs of the budget."""


class Grow(JoinLists):
    """Add the items of the new list to the old list itself; outside of a merge in place it is a plain join."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("old")
        self.name = "grow"


class _AliasedContainers(AliasMap):
    """The containers of a state, each of which may have several holders."""

    __slots__ = ("_run", "root")

    def __init__(self, root: Any, run: MergeContext) -> None:
        super().__init__(lambda: run.spend(_VISIT))
        self._run = run
        self.root = self.add(root)

    def move(self, holder: int, step: Any, before: Any, after: Any) -> None:
        """Record that a holder has another value than before."""
        self.release(before, holder, step)
        self.hold(after, holder, step)

    def change(self, target: int, changed: tuple[Any, Delta]) -> tuple[Any, Delta]:
        """The root with one container changed, at every place that leads to it; what was shared stays shared."""
        changed_members: dict[int, dict[Any, int]] = {}
        for number in self.ancestors(target):
            for holder, step in self.holders(number):
                changed_members.setdefault(holder, {})[step] = number
        known = {target: changed}
        result = self._rebuilt(self.root, changed_members, known)
        for number, (value, _) in known.items():
            self.replace(number, value)
        return result

    def _rebuilt(
        self, number: int, changed_members: dict[int, dict[Any, int]], known: dict[int, tuple[Any, Delta]]
    ) -> tuple[Any, Delta]:
        found = known.get(number)
        if found is None:
            inner = {
                step: self._rebuilt(inner_number, changed_members, known)
                for step, inner_number in changed_members[number].items()
            }
            self._run.spend(len(self.value(number)))
            found = known[number] = _holding(self.value(number), inner)
        return found


def merge_at_path(state: Node, new: Node, path: Path, policy: Policy, run: MergeContext, cause: StepRef) -> Node:
    """The state with a new value merged in place into what is at a path."""
    work = _InPlaceMerge(state, new, run, cause)
    work.put(path, policy)
    return work.state


class _InPlaceMerge:
    """One merge in place: the state so far, and its containers."""

    def __init__(self, state: Node, new: Node, run: MergeContext, cause: StepRef) -> None:
        self.state = state
        self._new = new
        self._run = run
        self._cause = cause
        self._containers = _AliasedContainers(state.value, run)

    def put(self, path: Path, policy: Policy) -> None:
        """Lay the whole new value on what is at the path."""
        trail: Trail = None
        for step in path:
            trail = (trail, step, step)
        old = walk(self.state.value, path)
        self._merge_value(path, (), policy.table.pick(old, self._new.value), policy, trail)

    def _merge_value(self, path: Path, new_path: Path, operator: Operator, policy: Policy, trail: Trail) -> None:
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
            chosen = operator.cases.pick(before, new[key])
            self._merge_value((*path, key), (*new_path, key), chosen, policy.enter(key), (trail, key, key))

    def _keep(self, path: Path, new_path: Path, delta: Delta) -> None:
        """Record that a value stays, or merge the root itself."""
        value = value_of(delta, walk(self.state.value, path), walk(self._new.value, new_path))
        self._step(_at_path(self.state.value, path, (value, delta)), new_path)

    def _change(self, path: Path, new_path: Path, extends_list: bool, delta: Delta) -> bool:
        """Do one change at every place that shows it; returns whether there are several."""
        old, new = walk(self.state.value, path), walk(self._new.value, new_path)
        value = value_of(delta, old, new)
        if extends_list and isinstance(old, list):
            target = self._containers.number(old)
            changed: tuple[Any, Delta] = value, delta
        else:
            holder = walk(self.state.value, path[:-1])
            target = self._containers.number(holder)
            changed = _holding(holder, {path[-1]: (value, delta)})
            self._containers.move(target, path[-1], old, value)
        shared = self._containers.is_shared(target)
        self._step(self._containers.change(target, changed), new_path)
        return shared

    def _step(self, changed: tuple[Any, Delta], new_path: Path) -> None:
        value, delta_here = changed
        if isinstance(delta_here, MapDelta) and new_path:
            new = walk(self._new.value, new_path)
            entries = {key: _seen_from(entry, new, new_path) for key, entry in delta_here.entries.items()}
            delta_here = MapDelta(value, entries, outer=True)
        self.state = MergeChange(value, (), self.state, self._new, delta_here, self._cause)


def _resolved(operator: Operator, old: Any, new: Any, policy: Policy) -> Operator:
    """The operator that will act in the end."""
    while True:
        if isinstance(operator, Descend):
            operator = policy.table.pick(old, new)
        elif isinstance(operator, (When, Switch)):
            operator = operator.choose(old, new)
        else:
            return operator


def _at_path(root: Any, path: Path, changed: tuple[Any, Delta]) -> tuple[Any, Delta]:
    """The root with what is at one path changed."""
    holders = [walk(root, path[:depth]) for depth in range(len(path))]
    for holder, step in zip(reversed(holders), reversed(path), strict=True):
        changed = _holding(holder, {step: changed})
    return changed


def _holding(holder: Any, changed: dict[Any, tuple[Any, Delta]]) -> tuple[Any, Delta]:
    """A container with some of what it holds changed; all deltas have the same new side."""
    parts = {step: at(holder, step, NEW, delta, value) for step, (value, delta) in changed.items()}
    delta = rebuilt(holder, parts)
    return delta.value, delta


def _seen_from(entry: Delta, new: Any, new_path: Path) -> Delta:
    """A piece whose new side is the changed member's, as seen from where the new side is the whole layer."""
    assert isinstance(entry, Compose)
    return Compose(entry.value, entry.old, Ref(new, "new", new_path), entry.delta)
