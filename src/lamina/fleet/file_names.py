"""File names for nodes: safe on every file system, and different for different nodes.

ASCII letters, digits, `.`, `_` and `-` stay as they are; everything else is written as percent signs with the
hexadecimal codes of its UTF-8 bytes; so is a leading dot. A name too long for a file is cut and ends in a digest of
the whole.
"""

from __future__ import annotations

from array import array
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import quote

from lamina.errors import Diagnostic, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.protocol.extensions import FleetNode

_LONGEST = 200
_NAME = "give every node a name; it becomes the name of its file"


def file_stem(name: str) -> str:
    """The file name of a node, without the ending."""
    stem = quote(name.encode("utf-8", "surrogatepass"), safe="").replace("~", "%7E")
    if stem.startswith("."):
        stem = "%2E" + stem[1:]
    if len(stem) > _LONGEST:
        stem = f"{stem[: _LONGEST - 17]}-{sha256(stem.encode()).hexdigest()[:16]}"
    return stem


def count_nodes(nodes: Callable[[], Iterable[FleetNode]]) -> int:
    """How many nodes there are; two that would share a file are rejected, as are nodes without a name.

    Of each name only its hash is held; names whose hashes are alike are compared when the nodes are traversed again.
    """
    hashes = array("q")
    for node in nodes():
        if not node.name:
            raise InputError(
                Diagnostic(code="unnamed-node", message="a node of the fleet has an empty name", hint=_NAME)
            )
        hashes.append(hash(_file(node)))
    repeated_hashes = {one for one, other in pairwise(sorted(hashes)) if one == other}
    if repeated_hashes:
        _reject_duplicates(node for node in nodes() if hash(_file(node)) in repeated_hashes)
    return len(hashes)


def _file(node: FleetNode) -> str:
    # Two names that differ in case only are one file on many file systems.
    return file_stem(node.name).casefold()


def _reject_duplicates(nodes: Iterable[FleetNode]) -> None:
    files: dict[str, str] = {}
    for node in nodes:
        file = _file(node)
        if file in files:
            raise InputError(_repeated_name(files[file], node.name))
        files[file] = node.name


def _repeated_name(first: str, again: str) -> Diagnostic:
    problem = "is in the fleet twice" if first == again else f"and {again!r} would be written to the same file"
    return Diagnostic(
        code="duplicate-node",
        message=f"the node {first!r} {problem}",
        hint="give every node a name of its own; names that differ only in case are the same file on some systems",
        subject=again,
    )
