"""Writes: several locations of one value changed at once, as one delta.

Everything else stays the old side's. Where a write leads through missing containers, mappings and lists are created as
in the `created` value; the padding of a list comes with the write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lamina.engine.delta import NEW, Compose, Delta, value_of
from lamina.engine.tree_edit import at, rebuilt
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from collections.abc import Iterable


class Write(NamedTuple):
    """One location, the part of the new side that is put there, how it is combined, and the resulting value.

    The value MISSING removes the location.
    """

    path: Path
    side: Delta
    delta: Delta
    value: Any


Branch: TypeAlias = "dict[Any, Branch | Write]"


def with_writes(old: Any, writes: Iterable[Write], created: Any) -> Delta:
    """The delta for a value with all the writes; of two at one location the last one wins."""
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
    return _branch(old, root, created)


def _branch(old: Any, branch: Branch, created: Any) -> Delta:
    parts = {step: _part(old, step, under, child(created, step)) for step, under in branch.items()}
    return rebuilt(old, parts, len(created) if isinstance(created, (list, tuple)) else None)


def _part(old: Any, step: Any, under: Branch | Write, created: Any) -> Compose:
    if isinstance(under, Write):
        return at(old, step, under.side, under.delta, under.value)
    before = child(old, step)
    inner = _branch(before, under, created)
    return at(old, step, NEW, inner, value_of(inner, before, MISSING))
