"""Lookup paths: how PowerShell accesses members of a value.

A name is looked up in a table ignoring case. For a list the member of every item is collected: items without it are
omitted, lists are joined, a single result is unwrapped, and none is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.node import ComputedNode, Node
from lamina.paths import MISSING
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.paths import Path, Step


def with_backslashes(path: Path) -> Path:
    """A path of a result with backslashes read as the ends of steps, as in a lookup path."""
    if not any(isinstance(step, str) and "\\" in step for step in path):
        return path
    out: list[Step] = []
    for step in path:
        out += [each for each in step.split("\\") if each] if isinstance(step, str) else [step]
    return tuple(out)


def member_at(node: Node, names: Iterable[str]) -> Node | None:
    """The node at the end of a path of names; None if there is nothing, or null on the way."""
    found: Node | None = node
    for name in names:
        if found is None or found.value is None:
            return None
        found = member(found, name)
    return found


def member(node: Node, name: str) -> Node | None:
    """The member of that name, collected from the items of a list."""
    if isinstance(node.value, dict):
        inside = node.child(caseless(name))
        return None if inside.value is MISSING else inside
    if isinstance(node.value, list):
        return collected(list(_collected(node, name)), node)
    return None


def _collected(node: Node, name: str) -> Iterator[Node]:
    for position in range(len(node.value)):
        inside = member(node.child(position), name)
        if inside is None:
            continue
        if isinstance(inside.value, list):
            yield from (inside.child(each) for each in range(len(inside.value)))
        else:
            yield inside


def collected(found: list[Node], base: Node) -> Node | None:
    """Several results as PowerShell returns them: none, the only one, or a list."""
    if len(found) < 2:
        return found[0] if found else None
    value: list[Any] = [node.value for node in found]
    return ComputedNode.of_parts(value, base.path, dict(enumerate(found)))
