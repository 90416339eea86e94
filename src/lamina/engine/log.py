"""Logs: what the steps of an output did, one change after the other.

A log starts with a node, mostly nothing, and has a change for each merge. A `Place` is a path of the output after so
many of them: a node whose value is known, and whose past is looked up when somebody asks. `resolved` goes back to the
last change that did something there, across outputs, or to what a source or a program put there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.change import MergeChange, PartOfChange
from lamina.engine.delta import Compose, Delta, MapDelta
from lamina.engine.node import LiteralNode, Node
from lamina.paths import Path, child, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.origins import Origin


class Log:
    """The changes of one output, in order; `path` is where its value is in another one, as histories show it."""

    __slots__ = ("_start", "changes", "path", "value")

    def __init__(self, start: Node | Callable[[], Node], value: Any, path: Path = ()) -> None:
        """What the output starts with, or what gives it when somebody asks, and its value."""
        self._start = start
        self.value = value
        """The value after all changes."""
        self.changes: list[MergeChange] = []
        self.path = path

    @property
    def start(self) -> Node:
        """What the output was before the first change."""
        start = self._start
        if not isinstance(start, Node):
            start = self._start = start()
        return start

    @property
    def end(self) -> Place:
        """The output after all changes."""
        return Place(self, len(self.changes), (), self.value)

    def append(self, change: MergeChange) -> None:
        """Add a change of the whole output; what it changed is the output after all others."""
        change.old = self.end
        self.changes.append(change)
        self.value = change.value

    def move(self, path: Path) -> None:
        """Move the whole log to a path of another output; nobody may have seen its places yet."""
        self.path = path
        start = self._start
        self._start = moved(start, path) if isinstance(start, Node) else lambda: moved(start(), path)
        changes, self.changes = self.changes, []
        if changes:
            self.value = self.start.value
        for change in changes:
            change.path = path
            self.append(change)

    def back(self, number: int, path: Path) -> Node:
        """What is at a path after so many changes: the last change that did something there, or where it came from."""
        while number:
            node = self._change(number, path)
            if node is None:
                number -= 1
                continue
            if type(node) is not Place or node.log is not self:
                if isinstance(node, (MergeChange, PartOfChange)) and node.key is None:
                    node.key = (id(self), number, path)
                return node
            number, path = node.number, node.inner
        return self.start.at(path)

    def _change(self, number: int, path: Path) -> Node | None:
        """What a change did at a path; None if nothing.

        The deltas of mappings are followed to the end first: most changes did nothing there.
        """
        change = self.changes[number - 1]
        delta, policy, depth = change.delta, change.policy, 0
        for key in path:
            if type(delta) is not MapDelta or delta.outer:
                break
            entry = delta.entries.get(key)
            if entry is None:
                return None
            if delta.under:
                policy = delta.under.get(key) or policy
            delta = entry
            depth += 1
        if depth < len(path) and not _touches(delta, path[depth:]):
            return None
        if policy is not None and policy.members is not None:
            return change.at(path)  # a member may have a policy of its own
        return change.part(path[:depth], delta, policy).at(path[depth:]) if depth else change.at(path)


def _touches(delta: Delta, path: Path) -> bool:
    """Whether a delta may have done something at a path."""
    for key in path:
        if type(delta) is not MapDelta:
            return True
        entry = delta.entries.get(key)
        if entry is None:
            return False
        if delta.outer:
            if type(entry) is not Compose or not entry.is_in_place(key):
                return True
            entry = entry.delta
        delta = entry
    return True


class Place(Node):
    """A path of an output after some changes."""

    __slots__ = ("inner", "log", "number")

    def __init__(self, log: Log, number: int, inner: Path, value: Any) -> None:
        self.log = log
        self.number = number
        self.inner = inner
        """The path in the output of the log."""
        self.path = (*log.path, *inner) if log.path else inner
        self.value = value

    @property
    def key(self) -> tuple[int, int, Path]:
        """What identifies it while its log exists."""
        return (id(self.log), self.number, self.inner)

    def child(self, key: Any) -> Place:
        return Place(self.log, self.number, (*self.inner, key), child(self.value, key))

    def at(self, path: Path) -> Place:
        return Place(self.log, self.number, (*self.inner, *path), walk(self.value, path)) if path else self

    def resolved(self) -> Node:
        node: Node = self
        while type(node) is Place:
            node = node.log.back(node.number, node.inner)
        return node

    def origin(self) -> Origin | None:
        return self.resolved().origin()


def moved(node: Node, path: Path) -> Node:
    """The result of a fold at a path of another output; nobody may have seen its places yet."""
    if type(node) is not Place:
        return LiteralNode(node.value, path)
    node.log.move(path)
    return node.log.end


def changes_of(node: Node) -> Iterator[MergeChange]:
    """The changes that made an output what it is, the last one first, over all logs that one began with another."""
    while type(node) is Place and not node.inner:
        yield from reversed(node.log.changes[: node.number])
        node = node.log.start
