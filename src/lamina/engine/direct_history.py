"""The history of a path, read from the deltas of the whole output.

A history is that of a node, and `history_of` is its definition. Most values are set by some layers and replaced or
ignored by others, all of them mappings that were merged key by key. Then every event is an entry in the delta of a
layer, and no nodes are made for the parts on the way to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from lamina._support.native import compiled
from lamina.engine.delta import NEW, OLD, MapDelta
from lamina.engine.history import Event, History, directive_by, rank_of
from lamina.engine.merged_node import MergedNode
from lamina.engine.node import LiteralNode, SourceNode
from lamina.engine.plan import From, Merge
from lamina.engine.policy import PathPolicy
from lamina.engine.step_context import StepRef
from lamina.origins import PositionMap
from lamina.paths import MISSING, Path, walk

if TYPE_CHECKING:
    from lamina.engine.delta import Delta
    from lamina.engine.node import Node
    from lamina.engine.policy import Policy
    from lamina.origins import Origin


def direct_history(root: Node, path: Path) -> History | None:
    """The history at a path of an output; None where it has to be read from nodes."""
    if type(root) is not MergedNode:
        return None
    first, merges = root.merges()
    if type(first) is not LiteralNode or walk(first.value, path) is not MISSING:
        return None
    events: list[Event] = []
    origin: Origin | None = None
    value: Any = MISSING
    for node in merges:
        if isinstance(node.policy, PathPolicy):
            return None  # a member may be merged by a rule of its own
        event = event_at(node, path, value)
        if event is None:
            continue
        if event is False:
            return None
        if event.displaced is value:  # else it was ignored
            value, origin = event.value, event.origin
        events.append(event)
    if origin is None or value is not walk(root.value, path):
        return None
    return History(path=path, value=value, origins=(origin,), events=tuple(events))


def event_at_py(node: MergedNode, path: Path, before: Any) -> Event | Literal[False] | None:
    """The event of a merge at a path that had this value before; None if it did nothing there.

    False if it takes nodes to know.
    """
    delta: Delta | None = node.delta
    policy, depth = node.policy, 0
    if type(delta) is MapDelta:
        delta, policy, depth = delta.inside(path, policy)
    if delta is not None and depth < len(path):
        delta = _set_with_container(node, path, depth) if delta is NEW else _MORE
    return None if delta is None else _event(node, path, policy, before, delta)


def _set_with_container(node: MergedNode, path: Path, depth: int) -> Delta | None:
    """What a merge did at a path whose first steps lead to what it set as a whole; none if that has no such value.

    It is the new side if there was nothing of the container before; if there was, it takes nodes.
    """
    if walk(node.old.value, path[:depth]) is not MISSING:
        return _MORE
    return None if walk(node.new.value, path) is MISSING else NEW


_MORE: Final = MapDelta({}, {})
"""Any delta that is not one of the two sides."""


def _event(node: MergedNode, path: Path, policy: Policy | None, before: Any, delta: Delta) -> Event | Literal[False]:
    """The event of a layer that set the value at a path, or was ignored there; False if it needs a node."""
    new, cause = node.new, node.cause
    is_ignored = delta is OLD and before is not MISSING
    if (delta is not NEW and not is_ignored) or type(new) is not SourceNode or type(cause) is not StepRef:
        return False
    found = new.positions.written_at(new.index, new.full, path)
    if found is None:
        return False
    value, origin = found
    if new.full is not new.value:
        value = walk(new.value, path)
    step = cause.step
    # Not by keywords, which takes four times as long.
    event = Event.__new__(Event)
    event.value = value
    event.path = path
    event.origin = origin
    event.layer = new.layer
    if type(step) is Merge:
        is_plain = policy is step.policy and not step.directives
        event.directive = step.directive if is_plain else directive_by(policy, path, cause)
        event.rank = step.take.rank
    else:
        event.directive = directive_by(policy, path, cause)
        event.rank = rank_of(step)
    event.output = cause.output
    event.step = cause.number
    if is_ignored:
        event.verdict, event.result, event.displaced = "ignored", before, MISSING
    else:
        event.verdict = step.verb or ("set" if before is MISSING else "replaced")
        event.result, event.displaced = value, before
    event.by = None
    event.lost = event.reads = event.inside = ()
    return event


EXTENSION = compiled("lamina.engine._direct_event")
"""The C extension, where it is built."""
if EXTENSION is not None:
    EXTENSION.configure(
        *(MergedNode, MapDelta, SourceNode, PositionMap, StepRef, Merge, From, Event),
        *(OLD, NEW, MISSING, event_at_py),
    )
event_at = event_at_py if EXTENSION is None else EXTENSION.event_at
