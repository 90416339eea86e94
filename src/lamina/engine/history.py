"""History: what every layer sets at a path, in order, and the outcome of each.

It is all in the logs of the outputs; this module walks back through their changes. The walks are loops, so a long
history needs no deep stack.

Events and histories are never changed after they are created; they are not frozen dataclasses because creating a
frozen one takes four times as long.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina.engine.change import MergeChange, PartOfChange
from lamina.engine.delta import JOINED, NEW, OLD, Computed, ListDelta, Ref, Removed, Slice
from lamina.engine.losses import Loss, losses_of
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.engine.plan import Directive
from lamina.engine.provenance import FirstSourceNode, VisitedNodes, first_origin, origins_of
from lamina.paths import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.engine.plan import AnyStep
    from lamina.engine.policy import Policy
    from lamina.engine.step_context import StepRef
    from lamina.origins import Origin


@dataclass(slots=True, kw_only=True, eq=False)
class Event:
    """What one layer sets at the path, where it is written, and the outcome.

    `value` is the layer's value (MISSING for a removal); `result` is the value at `path` afterwards. `path` is the path
    in the output after that step: positions in lists may shift later.
    """

    verdict: str
    value: Any
    result: Any
    path: Path
    origin: Origin | None = None
    layer: str | None = None
    directive: Directive | None = None
    output: str | None = None
    step: int | None = None
    rank: int | None = None
    """The rank of the layer in the order of precedence, where the plan has one."""
    displaced: Any = MISSING
    by: Origin | None = None
    """Where the marker that removed the value is."""
    lost: tuple[Loss, ...] = ()
    """The parts of the old or the new value that this step dropped."""
    reads: tuple[Origin, ...] = ()
    """The other origins that a computed value was made from."""
    inside: Path = ()
    """The path from `path` to the value described, if it was merged together with its container."""


@dataclass(slots=True, kw_only=True, eq=False)
class History:
    """All that happened to one value; `path` is where it is now, which may differ from those of earlier events."""

    path: Path
    value: Any
    origins: tuple[Origin, ...]
    events: tuple[Event, ...]
    output: str | None = None
    """The output that the path is in, where a result has several."""

    def values(self) -> Iterator[Any]:
        """Every value in it."""
        yield self.value
        for event in self.events:
            yield from (event.value, event.result, event.displaced)
            yield from (loss.value for loss in event.lost)

    def converted(self, convert: Callable[[Any], Any]) -> History:
        """The same history with every value in it converted."""
        events = tuple(
            replace(
                event,
                value=convert(event.value),
                result=convert(event.result),
                displaced=convert(event.displaced),
                lost=tuple(replace(loss, value=convert(loss.value)) for loss in event.lost),
            )
            for event in self.events
        )
        return replace(self, value=convert(self.value), events=events)


def plain_value(node: Node) -> Any:
    """The value of a node as it is."""
    return node.value


def history_of(node: Node, shown_value: Callable[[Node], Any] = plain_value) -> History:
    """The history of a node; `shown_value` returns what may be shown of the value of any node in it."""
    first_source = FirstSourceNode()
    events = tuple([event_of(each, shown_value, first_source) for each in deciding_nodes(node)])
    return History(path=node.path, value=shown_value(node), origins=tuple(origins_of(node)), events=events)


def events_of(node: Node, shown_value: Callable[[Node], Any] = plain_value) -> Iterator[Event]:
    """Every event of a node, the earliest first."""
    first_source = FirstSourceNode()
    return (event_of(each, shown_value, first_source) for each in deciding_nodes(node))


def events_where(node: Node, accepts: Callable[[Path, Any], bool]) -> Iterator[Event]:
    """The events of a node whose path and value are accepted; the others are not made, which takes much longer."""
    first_source = FirstSourceNode()
    for each in deciding_nodes(node):
        if accepts(*_decided(each)):
            yield event_of(each, plain_value, first_source)


def _decided(node: Node) -> tuple[Path, Any]:
    """The path and the value of the event that a node has."""
    deciding = node.container if isinstance(node, PartOfChange) else node
    return deciding.path, deciding.new.value if isinstance(deciding, MergeChange) else deciding.value


def deciding_nodes(node: Node) -> Iterator[Node]:
    """The nodes that have an event, the earliest first."""
    visited = VisitedNodes()
    stack: list[tuple[Node, bool]] = [(node, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
            continue
        here = visited.arrive(node)
        if here is None:
            continue
        if isinstance(here, (MergeChange, SourceNode, PartOfChange)) and not _is_forwarded(here):
            stack.append((here, True))
        stack.extend((before, False) for before in reversed(_earlier_nodes(here)))


def _is_forwarded(node: Node) -> bool:
    """Whether a value was only copied from another output, which has the history."""
    return isinstance(node, MergeChange) and is_copy(node) and bool(nodes_with_history(node.new))


def is_copy(change: MergeChange) -> bool:
    """Whether a step only copied a value to where nothing was."""
    if change.delta is not NEW or change.old.value is not MISSING:
        return False
    return change.cause.step.forwards


def _earlier_nodes(node: Node) -> list[Node]:
    """The nodes whose events come before a node's own."""
    if isinstance(node, MergeChange):
        return [node.old, *nodes_with_history(node.new)]
    if isinstance(node, ComputedNode):
        return list(node.bases) if node.parts is None else []
    if isinstance(node, PartOfChange):
        return [node.before]
    return []


def nodes_with_history(node: Node) -> list[Node]:
    """The new side of a merge, as far as it has its own events: for a value in a source, the merge is the event."""
    node = node.resolved()
    if isinstance(node, ComputedNode):
        return [past for base in node.bases for past in nodes_with_history(base)] if node.parts is None else []
    return [] if isinstance(node, (SourceNode, LiteralNode)) else [node]


def event_of(node: Node, shown_value: Callable[[Node], Any], first_source: FirstSourceNode) -> Event:
    """The event that a node has; see `deciding_nodes`."""
    if isinstance(node, SourceNode):
        value = shown_value(node)
        return Event(verdict="set", value=value, result=value, path=node.path, origin=node.origin(), layer=node.layer)
    inside: Path = ()
    if isinstance(node, PartOfChange):
        inside = node.path[len(node.container.path) :]
        node = node.container
    assert isinstance(node, MergeChange)
    old, new, delta = node.old, node.new, node.delta
    whole = delta is NEW or delta is OLD
    cause = node.cause
    source = _source(node, first_source)
    return Event(
        verdict=verdict_of(node),
        value=shown_value(new),
        result=shown_value(node),
        path=node.path,
        origin=source.origin() if source is not None else None,
        layer=source.layer if source is not None else None,
        directive=directive_by(node.policy, node.path, cause),
        output=cause.output,
        step=cause.number,
        rank=rank_of(cause.step),
        displaced=shown_value(old) if delta is not OLD else MISSING,
        by=first_origin(node.marker) if node.marker is not None else None,
        lost=() if whole else tuple(losses_of(node, shown_value)),
        reads=() if type(new) is SourceNode else _reads(new.resolved()),
        inside=inside,
    )


def _source(node: MergeChange, first_source: FirstSourceNode) -> SourceNode | None:
    """Where the value of an event is written, as far as it is."""
    setting = node.new if node.delta is NEW or node.delta is OLD else _setting_node(node)
    return setting if type(setting) is SourceNode else first_source.of(setting)


def rank_of(step: AnyStep) -> int | None:
    """The rank of the layer that a step takes."""
    take = getattr(step, "take", None)
    return take.rank if take is not None else None


def _reads(node: Node) -> tuple[Origin, ...]:
    """The origins of the values that a computed one was made from, except the first."""
    if not isinstance(node, ComputedNode) or node.parts is not None or len(node.bases) < 2:
        return ()
    return tuple(dict.fromkeys(origin for base in node.bases[1:] for origin in origins_of(base)))


def directive_of(node: MergeChange, step_ref: StepRef) -> Directive:
    """The directive behind a change."""
    return directive_by(node.policy, node.path, step_ref)


def directive_by(policy: Policy | None, path: Path, step_ref: StepRef) -> Directive:
    """The directive that decided at a path: that of the policy in force there, else that of the step."""
    if policy is None or policy is getattr(step_ref.step, "policy", None) or not policy.label:
        return step_ref.step.directive_at(path)
    return Directive(policy.label, policy.origin)


def _setting_node(node: MergeChange) -> Node:
    """The node whose origin is that of the event: the new value, or the old one if it removed itself."""
    if isinstance(node.delta, Removed) and node.new.value is MISSING and node.delta.by == "old":
        return node.old
    return node.new


def verdict_of(node: MergeChange) -> str:
    """The outcome for the value that the step brings, not for the one that was there before."""
    delta = node.delta
    if delta is OLD:
        return "ignored"
    if type(delta) is Removed:
        return delta.verdict
    verdict = node.verdict or node.cause.verb
    if verdict:
        return verdict
    if node.old.value is MISSING:
        return "set"
    if delta is NEW:
        return "replaced"
    if isinstance(delta, Computed) and delta.how == JOINED:
        return "appended"
    if isinstance(delta, (Ref, Computed)) and delta.side == "old":
        return "ignored"
    if isinstance(delta, ListDelta) and all(isinstance(item, Slice) for item in delta.items):
        return "appended"
    return "merged"
