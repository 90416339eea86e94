"""Writes: several places of one value changed at once, as one piece.

Everything beside the written places stays the old side's. Where a write leads through what is not there yet, mappings
and lists are made as they are in the grown value; what fills a list up to a position comes with the write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lamina.engine.delta import NEW, Compose, Delta, value_of
from lamina.engine.tree_edit import at, rebuilt
from lamina.paths import MISSING, Path, child

if TYPE_CHECKING:
    from collections.abc import Iterable


class Write(NamedTuple):
    """One place, what of the new side is put there, how it combines with what is there, and what that gives.

    The value MISSING removes the place.
    """

    path: Path
    side: Delta
    delta: Delta
    value: Any


Branch: TypeAlias = "dict[Any, Branch | Write]"


def laid(old: Any, writes: Iterable[Write], grown: Any) -> Delta:
    """The piece for a value with all the writes; of two at one place the last counts."""
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
    return _branch(old, root, grown)


def _branch(old: Any, branch: Branch, grown: Any) -> Delta:
    joints = {step: _joint(old, step, under, child(grown, step)) for step, under in branch.items()}
    return rebuilt(old, joints, len(grown) if isinstance(grown, (list, tuple)) else None)


def _joint(old: Any, step: Any, under: Branch | Write, grown: Any) -> Compose:
    if isinstance(under, Write):
        return at(old, step, under.side, under.delta, under.value)
    before = child(old, step)
    inner = _branch(before, under, grown)
    return at(old, step, NEW, inner, value_of(inner, before, MISSING))
