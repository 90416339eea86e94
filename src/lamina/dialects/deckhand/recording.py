"""Recording: what a step wrote into the image, as changes of the outputs that show it.

Every assignment is recorded at all locations where it is visible, in the output of the step and in others: another
output then changes by a step that is not its own, and its history shows that. Assignments to unrelated paths are one
change; one to a path at, above or below an earlier one is a later change. Where a write leads through missing
containers, mappings and lists are created as the step created them; the padding of a list comes with the write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lamina.engine.change import MergeChange
from lamina.engine.delta import Computed, value_of
from lamina.engine.tree_edit import at, rebuilt
from lamina.paths import child
from lamina.plugin import MISSING, Path, walk
from lamina.plugin.operators import NEW, Compose, Delta, Ref, Removed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.dialects.deckhand.jsonpath.creation import Creation
    from lamina.dialects.deckhand.mutation import Assignment, MutationContext
    from lamina.engine.shared_containers import Location
    from lamina.engine.step_context import StepRef
    from lamina.plugin import Node

_MADE = "created for the path"


class Write(NamedTuple):
    """One location, the part of the new side that is put there, how it is combined, and the resulting value.

    The value MISSING removes the location.
    """

    path: Path
    side: Delta
    delta: Delta
    value: Any


Branch: TypeAlias = "dict[Any, Branch | Write]"


def removal(path: Path) -> Write:
    """A write that removes a path."""
    return Write(path, NEW, Removed(by=None), MISSING)


def with_writes(old: Any, new: Any, writes: Iterable[Write], created: Any) -> Delta:
    """The delta for a value with all the writes from a new value; of two at one location the last one wins."""
    root: Branch = {}
    for write in writes:
        if not write.path:
            return write.delta
        branch = root
        for step in write.path[:-1]:
            inner = branch.setdefault(step, {})
            if isinstance(inner, Write):
                inner = branch[step] = {}
            branch = inner
        branch[write.path[-1]] = write
    return _branch(old, new, root, created)


def _branch(old: Any, new: Any, branch: Branch, created: Any) -> Delta:
    parts = {step: _part(old, new, step, under, child(created, step)) for step, under in branch.items()}
    return rebuilt(old, parts, len(created) if isinstance(created, (list, tuple)) else None)


def _part(old: Any, new: Any, step: Any, under: Branch | Write, created: Any) -> Compose:
    if isinstance(under, Write):
        return at(old, step, under.side, under.delta, under.value)
    before = child(old, step)
    side: Delta = NEW
    if source := _mapping_taken(under):
        new, under = walk(new, source), _inside(under, len(source))
        side = Ref(new, "new", source)
    inner = _branch(before, new, under, created)
    return at(old, step, side, inner, value_of(inner, before, MISSING))


def _mapping_taken(branch: Branch) -> Path | None:
    """The path of the mapping in the new value whose members were written member by member; None if there is none."""
    found: set[Path] = set()
    for key, under in branch.items():
        if isinstance(under, Write):
            source = under.side.path if isinstance(under.side, Ref) and under.side.side == "new" else None
        else:
            source = _mapping_taken(under)
        if not source or source[-1] != key:
            return None
        found.add(source[:-1])
    return found.pop() if len(found) == 1 else None


def _inside(branch: Branch, depth: int) -> Branch:
    """The same writes with what they take as paths in a mapping that is so deep in the new value."""
    return {
        key: under._replace(side=Ref(under.side.value, "new", under.side.path[depth:]))
        if isinstance(under, Write) and isinstance(under.side, Ref)
        else under
        if isinstance(under, Write)
        else _inside(under, depth)
        for key, under in branch.items()
    }


def written(old: Node, new: Node, writes: list[Write], creations: list[Creation], mark: StepRef) -> Node:
    """A node with writes applied, and before them what had to be created for them."""
    created = old.value
    for creation in creations:
        created = creation.applied(created)
    delta = with_writes(old.value, new.value, writes, created)
    return MergeChange(value_of(delta, old.value, MISSING), (), old, new, delta, mark)


def write_of_creation(creation: Creation, old_length: int) -> Write:
    """What was created, as a write; a list that was extended had `old_length` items."""
    if creation.items:
        path, value = (*creation.path, old_length + len(creation.items) - 1), creation.items[-1]
        return Write(path, Computed(value, _MADE, "new"), NEW, value)
    return Write(creation.path, Computed(creation.value, _MADE, "new"), NEW, creation.value)


def innermost(created_write: Write) -> Path:
    """The last location that was created."""
    path, value = created_write.path, created_write.value
    while value:
        key = next(reversed(value)) if isinstance(value, dict) else len(value) - 1
        path, value = (*path, key), value[key]
    return path


def overlap(one: Path, other: Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


class _Batch:
    """Writes to unrelated paths of one output."""

    def __init__(self, node: Node, mark: StepRef) -> None:
        self.node = node
        self.mark = mark
        self.new: Node = node
        self.writes: list[Write] = []
        self.creations: list[Creation] = []
        self._written: set[Path] = set()
        self._ancestors: set[Path] = set()

    def add(self, write: Write, new: Node) -> None:
        if new is not self.new or self._overlaps(write.path):
            self.flush()
        self.new = new
        self.writes.append(write)
        self._written.add(write.path)
        self._ancestors.update(write.path[:end] for end in range(len(write.path)))

    def _overlaps(self, path: Path) -> bool:
        return path in self._ancestors or any(path[:end] in self._written for end in range(len(path) + 1))

    def flush(self) -> None:
        """Turn the writes into a state; created containers without writes are a state before that."""
        created_writes = [
            write_of_creation(one, len(walk(self.node.value, one.path)) if one.items else 0) for one in self.creations
        ]
        if not all(any(overlap(write.path, innermost(one)) for write in self.writes) for one in created_writes):
            self.node = written(self.node, self.new, created_writes, self.creations, self.mark)
            self.creations = []
        if self.writes:
            self.node = written(self.node, self.new, self.writes, self.creations, self.mark)
        self.writes, self.creations = [], []
        self._written.clear()
        self._ancestors.clear()


class Recording:
    """The states of all outputs that a step changes."""

    def __init__(self, mutation_context: MutationContext, new: Node) -> None:
        self.mutation_context = mutation_context
        self.new = new
        self.batches: dict[str, _Batch] = {}

    def batch(self, output: str) -> _Batch:
        known = self.batches.get(output)
        if known is None:
            node = (
                self.mutation_context.old
                if output == self.mutation_context.output
                else self.mutation_context.others[output].node
            )
            known = self.batches[output] = _Batch(node, self.mutation_context.mark)
        return known

    def add(self, one: Assignment, changed: Node | None) -> None:
        """Record an assignment at all its locations."""
        new: Node = one.new or self.new
        write = one.write
        if one.outcome and write is not None and changed is not None:
            new, write = changed, write._replace(value=changed.value)
        for location in one.locations:
            if one.creation is not None:
                self.grow(location, one)
            elif write is not None:
                self.write(location.output, write._replace(path=(*location.path, one.values[0][0])), new)

    def grow(self, location: Location, one: Assignment) -> None:
        assert one.creation is not None
        path = location.path if one.creation.items else (*location.path, one.values[0][0])
        batch = self.batch(location.output)
        batch.new = self.new
        batch.creations.append(one.creation._replace(path=path))

    def write(self, output: str, write: Write, new: Node) -> None:
        self.batch(output).add(write, new)

    def state(self, output: str) -> Node:
        """An output with all that was recorded up to now."""
        batch = self.batch(output)
        batch.flush()
        return batch.node

    def end(self) -> Node:
        """The output of the step; the others are changed."""
        for output, batch in self.batches.items():
            batch.flush()
            if output != self.mutation_context.output:
                others = self.mutation_context.others
                others[output] = others[output].with_node(batch.node)
        known = self.batches.get(self.mutation_context.output)
        return known.node if known is not None else self.mutation_context.old
