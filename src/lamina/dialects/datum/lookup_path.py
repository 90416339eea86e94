"""Members: how PowerShell walks from a value to what is inside it.

A name is looked up in a table without case. Through a list the member of every item is collected: items without it are
left out, lists found are joined, a single find comes bare, and none is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.node import ComputedNode, Node
from lamina.paths import MISSING
from lamina.sources.powershell.case_insensitive import caseless

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def member_at(node: Node, names: Iterable[str]) -> Node | None:
    """The node at the end of a path of names; None where there is nothing, or null on the way."""
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
        return gathered(list(_collected(node, name)), node)
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


def gathered(found: list[Node], base: Node) -> Node | None:
    """What PowerShell makes of several finds: nothing, the only one, or a list of them."""
    if len(found) < 2:
        return found[0] if found else None
    value: list[Any] = [node.value for node in found]
    return ComputedNode.of_parts(value, base.path, dict(enumerate(found)))
