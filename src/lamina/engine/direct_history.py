"""The history of a path, read from the deltas of the whole output.

A history is that of a node, and `history_of` is its definition. Most values are set by some layers and replaced or
ignored by others, all of them mappings that were merged key by key. Then every event is an entry in the delta of a
layer, and no nodes are made for the parts on the way to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.engine.delta import NEW, OLD, MapDelta
from lamina.engine.history import Event, History, directive_by
from lamina.engine.node import LiteralNode, MergedNode, SourceNode
from lamina.engine.plan import Merge
from lamina.engine.step_context import StepRef
from lamina.paths import MISSING, Path, walk

if TYPE_CHECKING:
    from lamina.engine.delta import Delta
    from lamina.engine.node import Node
    from lamina.engine.policy import Policy
    from lamina.origins import Origin


def direct_history(root: Node, path: Path) -> History | None:
    """The history at a path of an output; None where it has to be read from nodes."""
    found: list[tuple[MergedNode, Policy | None, bool]] = []
    node = root
    while type(node) is MergedNode:
        entry, policy = _entry(node, path)
        if entry is NEW or entry is OLD:
            found.append((node, policy, entry is OLD))
        elif entry is not None:
            return None
        node = node.old
    if type(node) is not LiteralNode or walk(node.value, path) is not MISSING:
        return None
    return _history(root, path, found)


def _entry(node: MergedNode, path: Path) -> tuple[Delta | None, Policy | None]:
    """What a merge did at a path, and by which policy; no delta if it did nothing there.

    It is the new side, too, if the value was set with what holds it, and there was nothing of that before; any other
    delta that is not one of the two sides means that there is more to it.
    """
    delta, policy = node.delta, node.policy
    for depth, key in enumerate(path):
        if type(delta) is not MapDelta or delta.outer:
            if delta is not NEW or walk(node.old.value, path[:depth]) is not MISSING:
                return _MORE, policy
            return (None if walk(node.new.value, path) is MISSING else NEW), policy
        entry = delta.entries.get(key)
        if entry is None:
            return None, policy
        if delta.under:
            policy = delta.under.get(key) or policy
        delta = entry
    return delta, policy


_MORE: Final = MapDelta({}, {})


def _history(root: Node, path: Path, found: list[tuple[MergedNode, Policy | None, bool]]) -> History | None:
    """The history that consists of these merges, the last one first; None if it takes nodes after all."""
    events: list[Event] = []
    written: Origin | None = None
    value: Any = MISSING
    for node, policy, is_ignored in reversed(found):
        event = _event(node, path, policy, value, is_ignored=is_ignored)
        if event is None:
            return None
        if not is_ignored:
            value, written = event.value, event.origin
        events.append(event)
    if written is None or value is not walk(root.value, path):
        return None
    return History(path=path, value=value, origins=(written,), events=tuple(events))


def _event(node: MergedNode, path: Path, policy: Policy | None, before: Any, *, is_ignored: bool) -> Event | None:
    """The event of a layer that set the value at a path, or was ignored there; None if it needs a node."""
    new, cause = node.new, node.cause
    if type(new) is not SourceNode or type(cause) is not StepRef or (is_ignored and before is MISSING):
        return None
    positions, step = new.positions, cause.step
    index = positions.in_mappings(new.index, new.full, path)
    if index is None:
        return None
    value, take = walk(new.value, path), getattr(step, "take", None)
    # Not by keywords, which takes four times as long.
    event = Event.__new__(Event)
    event.verdict = "ignored" if is_ignored else step.verb or ("set" if before is MISSING else "replaced")
    event.value = value
    event.result = before if is_ignored else value
    event.path = path
    event.origin = positions.origin(index)
    event.layer = new.layer
    is_plain = type(step) is Merge and policy is step.policy and not step.directives
    event.directive = step.directive if is_plain else directive_by(policy, path, cause)
    event.output = cause.output
    event.step = cause.number
    event.rank = None if take is None else take.rank
    event.displaced = MISSING if is_ignored else before
    event.by = None
    event.lost = event.reads = event.inside = ()
    return event
