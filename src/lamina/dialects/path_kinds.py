"""The types of values that a set of files has at each path, for rules that depend on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from lamina.engine.provenance import first_origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.node import Node
    from lamina.origins import Origin
    from lamina.paths import Path

Kind = Literal["mapping", "list", "records", "other", "null"]


def kind_of(value: Any) -> Kind:
    """The kind of a value; a non-empty list of mappings is `records`."""
    if isinstance(value, dict):
        return "mapping"
    if isinstance(value, list):
        return "records" if value and all(isinstance(item, dict) for item in value) else "list"
    return "null" if value is None else "other"


@dataclass(slots=True, eq=False)
class PathKinds:
    """One path: the values there in each file, and the paths below. Items of a list have the path of the list."""

    path: Path = ()
    nodes: list[Node] = field(default_factory=list)
    members: dict[Any, PathKinds] = field(default_factory=dict)

    def add(self, node: Node) -> None:
        """Add the value of a file at this path."""
        self.nodes.append(node)
        self._add_members(node)

    def _add_members(self, node: Node) -> None:
        if isinstance(node.value, dict):
            for key in node.value:
                self.members.setdefault(key, PathKinds((*self.path, key))).add(node.child(key))
        elif isinstance(node.value, list):
            for position in range(len(node.value)):
                self._add_members(node.child(position))

    @property
    def kinds(self) -> set[Kind]:
        return {kind_of(node.value) for node in self.nodes}

    @property
    def items(self) -> Iterator[Any]:
        """The items of all lists that are here."""
        return (item for node in self.nodes if isinstance(node.value, list) for item in node.value)

    @property
    def origin(self) -> Origin | None:
        """Where the first of them was written."""
        return next((at for node in self.nodes if (at := first_origin(node)) is not None), None)
