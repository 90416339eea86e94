"""A value that is being patched: containers are copied once, however many operations change them.

A container is opened (copied) when something in it changes for the first time. From then on it is changed in place and
keeps, next to its new value, a slot for each changed member or item. A container with several holders is opened in all
of them, so that a change is visible in each. When the current value is needed (a copy, a test, the end) the open
containers are finished: each becomes one delta, from which value and history are read. A finished container that is
changed again is copied first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.budget import ENTRY, ITEM
from lamina.dialects.cloudinit.deep_copy import deep_copied
from lamina.engine.alias_map import AliasMap, has_aliases
from lamina.engine.change import MergeChange
from lamina.engine.delta import NEW, Delta, ListDelta, MapDelta, Removed, Slice
from lamina.engine.node import ComputedNode, LiteralNode
from lamina.engine.weight import Weights
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import Node
    from lamina.engine.step_context import StepRef

_MOVES = 64
"""How many items of a list can be shifted at the cost of one value."""


_COPIED = 2000
"""What copying a value counts, in bytes: ten times the memory of one, so that patches cannot fill it by doubling."""


class _PatchSlot:
    """A changed member or item of an open container: its new node, and in a list, its original position."""

    __slots__ = ("before", "content", "moved", "position")

    def __init__(
        self, before: Node, content: MergeChange | OpenContainer, position: int | None, *, moved: bool = False
    ) -> None:
        self.before = before
        self.content = content
        self.position = position
        self.moved = moved
        """Whether the container came here from elsewhere, as a whole."""


class _Resolved:
    """The current value of an open container as a delta; `same` if nothing in it has changed after all."""

    __slots__ = ("delta", "new", "same", "value")

    def __init__(self, value: Any, delta: Delta, new: Node, *, same: bool) -> None:
        self.value = value
        self.delta = delta
        self.new = new
        self.same = same


class OpenContainer:
    """An open container; `items` has the positions of unchanged items, and slots for the others."""

    __slots__ = ("base", "holders", "items", "new_nodes", "removed", "resolved", "slots", "value")

    def __init__(self, value: Any, base: Node) -> None:
        self.value: Any = dict(value) if isinstance(value, dict) else list(value)
        self.base = base
        self.slots: dict[Any, _PatchSlot] = {}
        self.items: list[int | _PatchSlot] = [] if isinstance(value, dict) else list(range(len(value)))
        self.removed: list[int] = []
        self.new_nodes: list[Node] = []
        self.holders: list[OpenContainer] = []
        self.resolved: _Resolved | None = None

    def slot(self, step: Any) -> _PatchSlot | None:
        if isinstance(self.value, dict):
            return self.slots.get(step)
        item = self.items[step]
        return item if isinstance(item, _PatchSlot) else None

    def before(self, step: Any) -> Node:
        """The original value of a member or item that is not changed yet."""
        item = step if isinstance(self.value, dict) else self.items[step]
        return self.base.child(item)

    def put(self, step: Any, slot: _PatchSlot, value: Any) -> None:
        """Set a key or an existing item."""
        self.value[step] = value
        if isinstance(self.value, dict):
            self.slots[step] = slot
        else:
            self.items[step] = slot


class Brought(NamedTuple):
    """What an operation puts somewhere: a node, and its value, which a copy has for itself. `moved` is a container that
    may have other holders, which it stays shared with."""

    node: Node
    value: Any
    moved: OpenContainer | None = None


class PatchTree:
    """The value of a node while operations change it; `cause` is the step they belong to."""

    def __init__(self, node: Node, cause: StepRef, run: MergeContext) -> None:
        self._cause = cause
        self._run = run
        self._weights = Weights()
        self._begin(node)

    def _begin(self, node: Node) -> None:
        """Begin with a node that nothing has changed yet."""
        self._node = node
        self._root: _PatchSlot | None = None
        self._aliases: AliasMap | None = AliasMap() if has_aliases(node.value) else None
        """The alias map, if a container has several holders; None otherwise."""
        self._opened: dict[int, OpenContainer] = {}
        self._alive: list[Any] = []
        """Keeps objects alive that are looked up by id."""
        if self._aliases is not None:
            self._aliases.add(node.value)

    def content(self, path: Path) -> OpenContainer | Any:
        """The open container or the unchanged value at a path."""
        container: Any = self._node.value if self._root is None else _content(self._root)
        for step in path:
            container = inside(container, step)
        return container

    def value(self, path: Path) -> Any:
        """The current value at a path."""
        container = self.content(path)
        return self._resolve(container).value if isinstance(container, OpenContainer) else container

    def result(self) -> Node:
        """The node after all changes."""
        return self._node if self._root is None else self._final(self._root, ())

    def replace_root(self, new: Brought) -> None:
        """Replace the whole value."""
        self._begin(MergeChange(new.value, (), self.result(), new.node, NEW, self._cause))

    def set(self, parent: Path, step: Any, new: Brought) -> None:
        """Set a key or an existing item."""
        holder = self._container(parent)
        before, position = self._before(holder, step, (*parent, step))
        holder.put(step, self._slot(before, new, (*parent, step), position, holder), new.value)
        holder.new_nodes.append(new.node)

    def insert(self, parent: Path, position: int, new: Brought) -> None:
        """Insert a value before an item of a list, or after the last."""
        holder = self._container(parent)
        self._run.spend((len(holder.items) - position) // _MOVES)
        path = (*parent, position)
        holder.items.insert(position, self._slot(LiteralNode(MISSING, path), new, path, None, holder))
        holder.value.insert(position, new.value)
        holder.new_nodes.append(new.node)

    def _slot(
        self,
        before: Node,
        new: Brought,
        path: Path,
        position: int | None,
        holder: OpenContainer,
    ) -> _PatchSlot:
        """The slot for a new value; a container that was moved stays shared with its other holders."""
        if new.moved is not None:
            new.moved.holders.append(holder)
            return _PatchSlot(before, new.moved, position, moved=True)
        return _PatchSlot(before, MergeChange(new.value, path, before, new.node, NEW, self._cause), position)

    def remove(self, parent: Path, step: Any, by: Node) -> None:
        """Remove a key or an item."""
        holder = self._container(parent)
        nothing = ComputedNode(MISSING, (), (by,), "removed")
        if isinstance(holder.value, dict):
            path = (*parent, step)
            before, _ = self._before(holder, step, path)
            removed = MergeChange(MISSING, path, before, nothing, Removed(), self._cause)
            holder.put(step, _PatchSlot(before, removed, None), MISSING)
            del holder.value[step]
        else:
            self._run.spend((len(holder.items) - step) // _MOVES)
            del holder.value[step]
            item = holder.items.pop(step)
            position = item.position if isinstance(item, _PatchSlot) else item
            if position is not None:
                holder.removed.append(position)
        holder.new_nodes.append(nothing)

    def taken(self, path: Path) -> Node:
        """The current node at a path."""
        if not path:
            return self.result()
        container = self.content(path[:-1])
        if not isinstance(container, OpenContainer):
            base = self._node if self._root is None else self._final(self._root, ())
            return base.at(path)
        slot = container.slot(path[-1])
        return container.before(path[-1]) if slot is None else self._final(slot, path)

    def moving(self, path: Path) -> OpenContainer | None:
        """The container at a path that is about to be moved, if it may have several holders."""
        if self._aliases is None or not path or not isinstance(self.value(path), (dict, list)):
            return None
        return self._open_at(self._container(path[:-1]), path[-1])

    def holds(self, moving: OpenContainer, path: Path) -> bool:
        """Whether the container at a path is the one that is moved, or inside it."""
        wanted = self._container(path)
        pending, seen = [moving], {id(moving)}
        while pending:
            container = pending.pop()
            if container is wanted:
                return True
            self._run.spend(len(container.slots) + len(container.items))
            for slot in (*container.slots.values(), *container.items):
                if (
                    isinstance(slot, _PatchSlot)
                    and isinstance(slot.content, OpenContainer)
                    and id(slot.content) not in seen
                ):
                    seen.add(id(slot.content))
                    pending.append(slot.content)
        return False

    def copied(self, path: Path) -> Brought:
        """A copy of the node at a path, whose containers are its own: no later change of the original shows in it."""
        node = self.taken(path)
        # What is copied takes memory at once, much more than it takes written out: so much less of it is allowed.
        nodes = self._weights.of(node.value).nodes
        self._run.build(nodes, nodes * _COPIED)
        value = deep_copied(node.value)
        if self._aliases is not None and isinstance(value, (dict, list)):
            self._aliases.add(value)
        return Brought(node, value)

    def weigh(self, value: Any, depth: int) -> int:
        """Count what a value would add to the result; returns the depth it would reach."""
        weight = self._weights.of(value)
        self._run.build(weight.nodes, weight.size)
        return depth + weight.depth

    def _before(self, holder: OpenContainer, step: Any, path: Path) -> tuple[Node, int | None]:
        """The node at a step that is about to change, and its original position."""
        slot = holder.slot(step)
        if slot is not None:
            return self._final(slot, path), slot.position
        if isinstance(holder.value, dict):
            return holder.before(step), None
        position = holder.items[step]
        return holder.before(step), position if isinstance(position, int) else None

    def _container(self, path: Path) -> OpenContainer:
        """The container at a path, opened for changes."""
        if self._root is None:
            self._root = _PatchSlot(self._node, self._open(self._node.value, self._node), None)
        container = self._root.content
        assert isinstance(container, OpenContainer)
        for step in path:
            container = self._open_at(container, step)
        self._reopen(container)
        return container

    def _open_at(self, holder: OpenContainer, step: Any) -> OpenContainer:
        slot = holder.slot(step)
        if slot is not None and isinstance(slot.content, OpenContainer):
            return slot.content
        self._reopen(holder)
        if slot is None:
            value, before, position = holder.value[step], holder.before(step), None
            if not isinstance(holder.value, dict):
                position = holder.items[step]
        else:
            assert isinstance(slot.content, MergeChange)
            value, before, position = slot.content.value, slot.content, slot.position
        opened = self._open(value, before)
        # Opening may have changed this slot: a container with several holders is opened in all of them.
        current = holder.slot(step)
        if current is None or current.content is not opened:
            holder.put(step, _PatchSlot(before, opened, position if isinstance(position, int) else None), opened.value)
            opened.holders.append(holder)
        return opened

    def _open(self, value: Any, base: Node) -> OpenContainer:
        """Open a container in all its holders."""
        known = self._opened.get(id(value))
        if known is not None:
            return known
        self._run.build(len(value), len(value) * (ENTRY if isinstance(value, dict) else 2 * ITEM))
        opened = OpenContainer(value, base)
        if self._aliases is None:
            return opened
        self._opened[id(value)] = opened
        self._alive.append(value)
        for holding, step in self._aliases.holders_of(value):
            self._open_slot(holding, step, value, opened)
        return opened

    def _open_slot(self, holding: Any, step: Any, value: Any, opened: OpenContainer) -> None:
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
        self._reopen(holder)
        slot = _PatchSlot(holder.before(position), opened, step if isinstance(holder.value, list) else None)
        holder.put(position, slot, opened.value)
        opened.holders.append(holder)

    def _base(self, value: Any) -> Node:
        """The original node of a container that is not open."""
        path: list[Any] = []
        while id(value) not in self._opened and (holders := self._holders(value)):
            value, step = holders[0]
            path.append(step)
        known = self._opened.get(id(value))
        return (self._node if known is None else known.base).at(tuple(reversed(path)))

    def _reopen(self, opened: OpenContainer) -> None:
        """Make a finished container and its holders changeable again, as copies."""
        pending = [opened]
        while pending:
            container = pending.pop()
            if container.resolved is None:
                continue
            self._run.build(len(container.value), len(container.value) * ENTRY)
            container.resolved = None
            container.value = container.value.copy()
            pending.extend(container.holders)

    def _resolve(self, opened: OpenContainer) -> _Resolved:
        if opened.resolved is None:
            new_nodes = list(opened.new_nodes)
            pieces = self._members if isinstance(opened.value, dict) else self._list
            delta, same = pieces(opened, new_nodes)
            opened.resolved = _Resolved(opened.value, delta, _combined(new_nodes), same=same)
        return opened.resolved

    def _members(self, opened: OpenContainer, new_nodes: list[Node]) -> tuple[Delta, bool]:
        entries: dict[Any, Delta] = {}
        for key, slot in opened.slots.items():
            if self._resolved_slot(opened, key, slot, new_nodes):
                entries[key] = self._final(slot, (*opened.base.path, key)).as_delta()
        return MapDelta(opened.value, entries, outer=True), not entries

    def _list(self, opened: OpenContainer, new_nodes: list[Node]) -> tuple[Delta, bool]:
        picks: list[Slice | Delta] = []
        for at, item in enumerate(opened.items):
            if isinstance(item, _PatchSlot) and self._resolved_slot(opened, at, item, new_nodes):
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

    def _resolved_slot(self, opened: OpenContainer, step: Any, slot: _PatchSlot, new_nodes: list[Node]) -> bool:
        """Finish the container at a path, if there is one; returns whether anything at the path has changed."""
        if isinstance(slot.content, MergeChange):
            return True
        resolved = self._resolve(slot.content)
        opened.value[step] = resolved.value
        if resolved.same and not slot.moved:
            return False
        if not resolved.same:
            new_nodes.append(resolved.new)
        return True

    def _final(self, slot: _PatchSlot, path: Path) -> MergeChange:
        """The node of a changed slot."""
        content = slot.content
        if isinstance(content, MergeChange):
            return content
        resolved = self._resolve(content)
        if not slot.moved:
            return MergeChange(resolved.value, path, slot.before, resolved.new, resolved.delta, self._cause)
        inner = content.base
        if not resolved.same:
            inner = MergeChange(resolved.value, inner.path, inner, resolved.new, resolved.delta, self._cause)
        return MergeChange(resolved.value, path, slot.before, inner, NEW, self._cause)

    def _holders(self, value: Any) -> list[tuple[Any, Any]]:
        return [] if self._aliases is None else self._aliases.holders_of(value)


def inside(holder: OpenContainer | Any, step: Any) -> OpenContainer | Any:
    """What is at a step further in, where there is something."""
    if not isinstance(holder, OpenContainer):
        return child(holder, step)
    slot = holder.slot(step)
    return holder.value[step] if slot is None else _content(slot)


def _content(slot: _PatchSlot) -> OpenContainer | Any:
    return slot.content if isinstance(slot.content, OpenContainer) else slot.content.value


def _combined(new_nodes: list[Node]) -> Node:
    """What several operations brought, as one node."""
    nodes = list({id(node): node for node in new_nodes}.values())
    if len(nodes) == 1:
        return nodes[0]
    values = [node for node in nodes if node.value is not MISSING]
    if values:
        return ComputedNode.of_parts([node.value for node in values], (), dict(enumerate(values)))
    return ComputedNode(MISSING, (), tuple(nodes), "removed")
