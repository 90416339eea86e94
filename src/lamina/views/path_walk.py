"""Lookup of many paths below one node."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lamina.engine.node import Node
    from lamina.paths import Path


class PathWalk:
    """Looks up many paths below one node; the common prefix of two consecutive paths is looked up once."""

    __slots__ = ("_nodes", "_path")

    def __init__(self, root: Node) -> None:
        self._nodes = [root]
        self._path: Path = ()

    def to(self, path: Path) -> Node:
        """The node at a path from the root."""
        common = 0
        for previous, other in zip(self._path, path, strict=False):
            if previous != other or type(previous) is not type(other):
                break
            common += 1
        del self._nodes[common + 1 :]
        for step in path[common:]:
            self._nodes.append(self._nodes[-1].child(step))
        self._path = path
        return self._nodes[-1]
