"""A value that is being patched: containers are copied once, however many operations change them.

A container is opened when something in it changes for the first time. From then on it is changed in place and keeps,
beside its new value, what became of each place in it. A container that is in several places is opened in all of
them, so that a change shows in each. Once somebody needs the value as it is now (a copy, a test, the end) the open
containers are finished: each becomes one delta, from which value and history are read. A finished container that is
changed again is copied first.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from lamina.budget import ENTRY, ITEM
from lamina.engine.alias_map import AliasMap, has_aliases
from lamina.engine.delta import NEW, Delta, ListDelta, MapDelta, Removed, Slice
from lamina.engine.node import ComputedNode, LazyLookup, LiteralNode, MergedNode
from lamina.engine.weight import Weights
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import MergeCause, Node

_MOVES = 64
"""How many items of a list are moved along at the cost of one value."""


class _PatchSlot:
    """A place in an open container: what became of it, and in a list, the position it had before."""

    __slots__ = ("before", "content", "moved", "position")

    def __init__(
        self, before: Node | LazyLookup, content: MergedNode | Open, position: int | None, *, moved: bool = False
    ) -> None:
        self.before = before
        self.content = content
        self.position = position
        self.moved = moved
        """Whether the container came here from elsewhere, as a whole."""


class _Resolved:
    """What an open container gives as it is now; `same` where nothing in it has changed after all."""

    __slots__ = ("delta", "new", "same", "value")

    def __init__(self, value: Any, delta: Delta, new: Node, *, same: bool) -> None:
        self.value = value
        self.delta = delta
        self.new = new
        self.same = same


class Open:
    """A container under change; `items` are the positions that are still what they were, and slots for the others."""

    __slots__ = ("base", "brought", "holders", "items", "removed", "settled", "slots", "value")

    def __init__(self, value: Any, base: Node) -> None:
        self.value: Any = dict(value) if isinstance(value, dict) else list(value)
        self.base = base
        self.slots: dict[Any, _PatchSlot] = {}
        self.items: list[int | _PatchSlot] = [] if isinstance(value, dict) else list(range(len(value)))
        self.removed: list[int] = []
        self.brought: list[Node] = []
        self.holders: list[Open] = []
        self.settled: _Resolved | None = None

    def slot(self, step: Any) -> _PatchSlot | None:
        if isinstance(self.value, dict):
            return self.slots.get(step)
        item = self.items[step]
        return item if isinstance(item, _PatchSlot) else None

    def before(self, step: Any) -> LazyLookup:
        """What was at a place that is not changed yet."""
        item = step if isinstance(self.value, dict) else self.items[step]
        return LazyLookup(self.base, (item,))

    def put(self, step: Any, slot: _PatchSlot, value: Any) -> None:
        """Change a place that is there, or a key."""
        self.value[step] = value
        if isinstance(self.value, dict):
            self.slots[step] = slot
        else:
            self.items[step] = slot


class PatchTree:
    """The value of a node while operations change it; `cause` is the step they belong to."""

    def __init__(self, node: Node, cause: MergeCause, run: MergeContext) -> None:
        self._cause = cause
        self._run = run
        self._weights = Weights()
        self._begin(node)

    def _begin(self, node: Node) -> None:
        """Begin with a node that nothing has changed yet."""
        self._node = node
        self._root: _PatchSlot | None = None
        self._aliases: AliasMap | None = AliasMap() if has_aliases(node.value) else None
        """Which containers hold which, if one is held in several places; not needed otherwise."""
        self._opened: dict[int, Open] = {}
        self._alive: list[Any] = []
        """What is known by its identity must not go away."""
        if self._aliases is not None:
            self._aliases.add(node.value)

    def content(self, path: Path) -> Open | Any:
        """What is at a path: an open container, or a value nothing inside of which has changed."""
        here: Any = self._node.value if self._root is None else _held(self._root)
        for step in path:
            here = inside(here, step)
        return here

    def value(self, path: Path) -> Any:
        """The value at a path, as it is now."""
        here = self.content(path)
        return self._resolve(here).value if isinstance(here, Open) else here

    def result(self) -> Node:
        """The node after all changes."""
        return self._node if self._root is None else self._final(self._root, ())

    def whole(self, new: Node) -> None:
        """Put something in the place of everything."""
        self._begin(MergedNode(new.value, (), self.result(), new, NEW, self._cause))

    def set(self, parent: Path, step: Any, new: Node, moved: Open | None = None) -> None:
        """Put a value at a key, or at a position that is there."""
        holder = self._container(parent)
        before, position = self._before(holder, step, (*parent, step))
        holder.put(step, self._slot(before, new, (*parent, step), position, holder, moved), new.value)
        holder.brought.append(new)

    def insert(self, parent: Path, position: int, new: Node, moved: Open | None = None) -> None:
        """Put a value before an item of a list, or behind the last."""
        holder = self._container(parent)
        self._run.spend((len(holder.items) - position) // _MOVES)
        path = (*parent, position)
        holder.items.insert(position, self._slot(LiteralNode(MISSING, path), new, path, None, holder, moved))
        holder.value.insert(position, new.value)
        holder.brought.append(new)

    def _slot(
        self, before: Node | LazyLookup, new: Node, path: Path, position: int | None, holder: Open, moved: Open | None
    ) -> _PatchSlot:
        """The slot for a new value; a container that moved stays the one that is in other places, too."""
        if moved is not None:
            moved.holders.append(holder)
            return _PatchSlot(before, moved, position, moved=True)
        return _PatchSlot(before, MergedNode(new.value, path, before, new, NEW, self._cause), position)

    def remove(self, parent: Path, step: Any, by: Node) -> None:
        """Take out what is there."""
        holder = self._container(parent)
        nothing = ComputedNode(MISSING, (), (by,), "removed")
        if isinstance(holder.value, dict):
            path = (*parent, step)
            before, _ = self._before(holder, step, path)
            removed = MergedNode(MISSING, path, before, nothing, Removed(), self._cause)
            holder.put(step, _PatchSlot(before, removed, None), MISSING)
            del holder.value[step]
        else:
            self._run.spend((len(holder.items) - step) // _MOVES)
            del holder.value[step]
            item = holder.items.pop(step)
            position = item.position if isinstance(item, _PatchSlot) else item
            if position is not None:
                holder.removed.append(position)
        holder.brought.append(nothing)

    def taken(self, path: Path) -> Node:
        """The node at a path, as it is now."""
        if not path:
            return self.result()
        here = self.content(path[:-1])
        if not isinstance(here, Open):
            base = self._node if self._root is None else self._final(self._root, ())
            return base.at(path)
        slot = here.slot(path[-1])
        return here.before(path[-1]).resolved() if slot is None else self._final(slot, path)

    def moving(self, path: Path) -> Open | None:
        """The container at a path, where it may be in several places and is about to move."""
        if self._aliases is None or not path or not isinstance(self.value(path), (dict, list)):
            return None
        return self._open_at(self._container(path[:-1]), path[-1])

    def holds(self, moving: Open, path: Path) -> bool:
        """Whether the container at a path is the one that is moving, or inside it."""
        wanted = self._container(path)
        pending, met = [moving], {id(moving)}
        while pending:
            here = pending.pop()
            if here is wanted:
                return True
            self._run.spend(len(here.slots) + len(here.items))
            for slot in (*here.slots.values(), *here.items):
                if isinstance(slot, _PatchSlot) and isinstance(slot.content, Open) and id(slot.content) not in met:
                    met.add(id(slot.content))
                    pending.append(slot.content)
        return False

    def copied(self, path: Path) -> Node:
        """The node at a path, with a value of its own."""
        node = self.taken(path)
        if self._aliases is None or not isinstance(node.value, (dict, list)):
            return node
        value = deepcopy(node.value)
        self._aliases.add(value)
        return MergedNode(value, node.path, LiteralNode(MISSING, ()), node, NEW, self._cause)

    def weigh(self, node: Node, depth: int) -> int:
        """Count what a node would add to the result if it were put in; returns how deep that would reach."""
        weight = self._weights.of(node.value)
        self._run.build(weight.nodes, weight.size)
        return depth + weight.depth

    def _before(self, holder: Open, step: Any, path: Path) -> tuple[Node | LazyLookup, int | None]:
        """What is at a place that is about to change, and the position it had at first."""
        slot = holder.slot(step)
        if slot is not None:
            return self._final(slot, path), slot.position
        if isinstance(holder.value, dict):
            return holder.before(step), None
        position = holder.items[step]
        return holder.before(step), position if isinstance(position, int) else None

    def _container(self, path: Path) -> Open:
        """The container at a path, open and free to be changed."""
        if self._root is None:
            self._root = _PatchSlot(self._node, self._open(self._node.value, self._node), None)
        here = self._root.content
        assert isinstance(here, Open)
        for step in path:
            here = self._open_at(here, step)
        self._thaw(here)
        return here

    def _open_at(self, holder: Open, step: Any) -> Open:
        slot = holder.slot(step)
        if slot is not None and isinstance(slot.content, Open):
            return slot.content
        self._thaw(holder)
        if slot is None:
            value, before, position = holder.value[step], holder.before(step).resolved(), None
            if not isinstance(holder.value, dict):
                position = holder.items[step]
        else:
            assert isinstance(slot.content, MergedNode)
            value, before, position = slot.content.value, slot.content, slot.position
        opened = self._open(value, before)
        # Opening may have changed this very place: a container that is in several is opened in all of them.
        now = holder.slot(step)
        if now is None or now.content is not opened:
            holder.put(step, _PatchSlot(before, opened, position if isinstance(position, int) else None), opened.value)
            opened.holders.append(holder)
        return opened

    def _open(self, value: Any, base: Node) -> Open:
        """A container opened in all the places it is in."""
        known = self._opened.get(id(value))
        if known is not None:
            return known
        self._run.build(len(value), len(value) * (ENTRY if isinstance(value, dict) else 2 * ITEM))
        opened = Open(value, base)
        if self._aliases is None:
            return opened
        self._opened[id(value)] = opened
        self._alive.append(value)
        for holding, step in self._aliases.holders_of(value):
            self._open_place(holding, step, value, opened)
        return opened

    def _open_place(self, holding: Any, step: Any, value: Any, opened: Open) -> None:
        holder = self._opened.get(id(holding))
        if holder is None:
            if holding is not self._node.value and not self._holders(holding):
                return
            holder = self._open(holding, self._base(holding))
        self._run.spend(1)
        position = step
        if isinstance(holder.value, list):
            if step not in holder.items:
                return
            position = holder.items.index(step)
        elif step in holder.slots or holder.value.get(step) is not value:
            return
        self._thaw(holder)
        slot = _PatchSlot(holder.before(position).resolved(), opened, step if isinstance(holder.value, list) else None)
        holder.put(position, slot, opened.value)
        opened.holders.append(holder)

    def _base(self, value: Any) -> Node:
        """The node of a container that is not open, as it was at first."""
        path: list[Any] = []
        while id(value) not in self._opened and (holders := self._holders(value)):
            value, step = holders[0]
            path.append(step)
        known = self._opened.get(id(value))
        return (self._node if known is None else known.base).at(tuple(reversed(path)))

    def _thaw(self, opened: Open) -> None:
        """Make a container changeable, and all that hold it: what is finished keeps its content."""
        pending = [opened]
        while pending:
            here = pending.pop()
            if here.settled is None:
                continue
            self._run.build(len(here.value), len(here.value) * ENTRY)
            here.settled = None
            here.value = here.value.copy()
            pending.extend(here.holders)

    def _resolve(self, opened: Open) -> _Resolved:
        if opened.settled is None:
            brought = list(opened.brought)
            pieces = self._members if isinstance(opened.value, dict) else self._list
            delta, same = pieces(opened, brought)
            opened.settled = _Resolved(opened.value, delta, _together(brought), same=same)
        return opened.settled

    def _members(self, opened: Open, brought: list[Node]) -> tuple[Delta, bool]:
        entries: dict[Any, Delta] = {}
        for key, slot in opened.slots.items():
            if self._resolved_slot(opened, key, slot, brought):
                entries[key] = self._final(slot, (*opened.base.path, key)).as_delta()
        return MapDelta(opened.value, entries, outer=True), not entries

    def _list(self, opened: Open, brought: list[Node]) -> tuple[Delta, bool]:
        picks: list[Slice | Delta] = []
        for at, item in enumerate(opened.items):
            if isinstance(item, _PatchSlot) and self._resolved_slot(opened, at, item, brought):
                picks.append(self._final(item, (*opened.base.path, at)).as_delta())
                continue
            position = item.position if isinstance(item, _PatchSlot) else item
            assert position is not None, "only what was there before can be the same"
            last = picks[-1] if picks else None
            if isinstance(last, Slice) and last.stop == position:
                last.stop += 1
            else:
                picks.append(Slice("old", position, position + 1))
        lost = tuple(Removed(item=("old", at)) for at in opened.removed)
        same = not lost and all(isinstance(pick, Slice) for pick in picks)
        return ListDelta(opened.value, tuple(picks), lost), same

    def _resolved_slot(self, opened: Open, step: Any, slot: _PatchSlot, brought: list[Node]) -> bool:
        """Finish the container at a path, if there is one; returns whether anything at the path has changed."""
        if isinstance(slot.content, MergedNode):
            return True
        settled = self._resolve(slot.content)
        opened.value[step] = settled.value
        if settled.same and not slot.moved:
            return False
        if not settled.same:
            brought.append(settled.new)
        return True

    def _final(self, slot: _PatchSlot, path: Path) -> MergedNode:
        """The node of a changed place."""
        content = slot.content
        if isinstance(content, MergedNode):
            return content
        settled = self._resolve(content)
        if not slot.moved:
            return MergedNode(settled.value, path, slot.before, settled.new, settled.delta, self._cause)
        inner = content.base
        if not settled.same:
            inner = MergedNode(settled.value, inner.path, inner, settled.new, settled.delta, self._cause)
        return MergedNode(settled.value, path, slot.before, inner, NEW, self._cause)

    def _holders(self, value: Any) -> list[tuple[Any, Any]]:
        return [] if self._aliases is None else self._aliases.holders_of(value)


def inside(holder: Open | Any, step: Any) -> Open | Any:
    """What is at a step further in, where there is something."""
    if not isinstance(holder, Open):
        return child(holder, step)
    slot = holder.slot(step)
    return holder.value[step] if slot is None else _held(slot)


def _held(slot: _PatchSlot) -> Open | Any:
    return slot.content if isinstance(slot.content, Open) else slot.content.value


def _together(brought: list[Node]) -> Node:
    """What several operations brought, as one node."""
    nodes = list({id(node): node for node in brought}.values())
    if len(nodes) == 1:
        return nodes[0]
    values = [node for node in nodes if node.value is not MISSING]
    if values:
        return ComputedNode.of_parts([node.value for node in values], (), dict(enumerate(values)))
    return ComputedNode(MISSING, (), tuple(nodes), "removed")
