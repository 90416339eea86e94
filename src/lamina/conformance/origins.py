"""Where a golden case says that values were written, and where the result says so.

`expect.origins` maps the JSON Pointer of a leaf to `file:line:column`, `file:line` or `file`: as much as the real
program knows. Keys that are no strings stand there as Python writes them. `expect.origins_untagged` is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.provenance import origins_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.engine.node import Node
    from lamina.origins import Origin
    from lamina.protocol.rendered import Rendered

ORIGINS = ("origins", "origins_untagged")


def compare_origins(expect: Mapping[str, Any], rendered: Rendered) -> Iterator[str]:
    """The leaves whose place is another one than the case says."""
    for name in ORIGINS:
        for pointer, place in expect.get(name, {}).items():
            node = _leaf(rendered.node_at(()), pointer)
            found = [] if node is None else origins_of(node)
            if not any(_is_at(origin, place) for origin in found):
                listed = ", ".join(map(str, found)) or "nowhere"
                yield f"{pointer}: expected to be written at {place}, got {listed}"


def _leaf(node: Node, pointer: str) -> Node | None:
    """The node at a pointer; None if there is none."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        value = node.value
        if isinstance(value, dict):
            keys = [key for key in value if str(key) == name]
        else:
            keys = [int(name)] if isinstance(value, list) and name.isdecimal() and int(name) < len(value) else []
        if not keys:
            return None
        node = node.child(keys[-1])  # 1 and "1" have one pointer, which a case has for the last of them
    return node


def _is_at(origin: Origin, place: str) -> bool:
    known = (f"{origin.source}:{origin.line}:{origin.column}", f"{origin.source}:{origin.line}", origin.source)
    return place in known
