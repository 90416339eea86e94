"""History: what every layer had to say at a path, in order, and what became of it.

The nodes hold it all; this module only walks back through the pairs. Both walks are loops, so that a history as long
as the plan costs no stack.

Events and histories are never changed once they are made; they are not frozen dataclasses because making a frozen one
takes four times as long.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina.engine.delta import NEW, OLD, Computed, ListDelta, Ref, Removed, Slice, TextDelta
from lamina.engine.losses import Loss, losses_of
from lamina.engine.node import ComputedNode, DeferredNode, InheritedNode, LiteralNode, MergedNode, Node, SourceNode
from lamina.engine.plan import Directive
from lamina.engine.provenance import FirstWriting, first_origin, origins_of
from lamina.engine.step_context import StepRef
from lamina.paths import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.origins import Origin


@dataclass(slots=True, kw_only=True, eq=False)
class Event:
    """What one layer sets at the path, where it is written, and what happened to it.

    `value` is what the layer had (MISSING for a removal); `result` is what stood at `path` afterwards. `path` is the
    place in the output as it was after that step: positions in lists may shift later.
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
    """The place of the layer in the order of precedence, where the plan states one."""
    displaced: Any = MISSING
    by: Origin | None = None
    """Where the marker that removed the value is."""
    lost: tuple[Loss, ...] = ()
    """What this step took away from inside the value, or kept from getting in."""
    reads: tuple[Origin, ...] = ()
    """What else a computed value was made from."""
    inside: Path = ()
    """The path from `path` to the value described, if it was merged together with its container."""


@dataclass(slots=True, kw_only=True, eq=False)
class History:
    """The story of one value."""

    path: Path
    value: Any
    origins: tuple[Origin, ...]
    events: tuple[Event, ...]

    def converted(self, convert: Callable[[Any], Any]) -> History:
        """The same story with every value in it converted."""
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


def _plainly(node: Node) -> Any:
    return node.value


def history_of(node: Node, tell: Callable[[Node], Any] = _plainly) -> History:
    """The history of a node; `tell` returns what may be shown of a node's value, for every node in its history."""
    steps, writings = _plain_steps(node) or _steps(node), FirstWriting()
    events = tuple([_event(each, tell, writings) for each in steps])
    return History(path=node.path, value=tell(node), origins=_origins(node, events), events=events)


def _origins(node: Node, events: tuple[Event, ...]) -> tuple[Origin, ...]:
    """Where a value was written; one that the last event brought as it is written was found with that."""
    written = node.new if type(node) is MergedNode and node.delta is NEW else node
    known = events[-1].origin if type(written) is SourceNode and events else None
    return tuple(origins_of(node)) if known is None else (known,)


def events_of(node: Node, tell: Callable[[Node], Any] = _plainly) -> Iterator[Event]:
    """Every event at a node, the earliest first."""
    writings = FirstWriting()
    return (_event(each, tell, writings) for each in _plain_steps(node) or _steps(node))


def _plain_steps(node: Node) -> list[Node] | None:
    """The nodes that have an event, where all layers brought a value as it is written, as most do; else None."""
    found: list[Node] = []
    while type(node) is MergedNode:
        if type(node.new) not in _WITHOUT_PAST:
            return None
        found.append(node)
        node = node.old
    if type(node) not in _WITHOUT_PAST:
        return None
    if type(node) is SourceNode:
        found.append(node)
    found.reverse()
    return found


_WITHOUT_PAST = frozenset((SourceNode, LiteralNode))


def _steps(node: Node) -> Iterator[Node]:
    """The nodes that have an event, the earliest first."""
    done: set[int] = set()
    keep: list[Node] = []
    stack: list[tuple[Node, bool]] = [(node, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
            continue
        if id(node) in done:
            continue
        done.add(id(node))
        keep.append(node)
        if isinstance(node, (MergedNode, SourceNode, InheritedNode)) and not _is_handed_on(node):
            stack.append((node, True))
        stack.extend((before, False) for before in reversed(_past(node)))


def _is_handed_on(node: Node) -> bool:
    """Whether a value was only copied from another output, which has its history."""
    if not isinstance(node, MergedNode) or node.delta is not NEW or node.old.value is not MISSING:
        return False
    return isinstance(node.cause, StepRef) and node.cause.step.hands_on and bool(_with_a_past(node.new))


def _past(node: Node) -> list[Node]:
    """The nodes whose events come before a node's own."""
    if isinstance(node, MergedNode):
        return [node.old, *_with_a_past(node.new)]
    if isinstance(node, ComputedNode):
        return list(node.bases) if node.parts is None else []
    if isinstance(node, InheritedNode):
        return [node.before]
    return [node.resolved()] if isinstance(node, DeferredNode) else []


def _with_a_past(node: Node) -> list[Node]:
    """The new side of a merge, as far as it has events of its own: for what is in a source the merge has the event."""
    if isinstance(node, ComputedNode):
        return [past for base in node.bases for past in _with_a_past(base)] if node.parts is None else []
    if isinstance(node, DeferredNode):
        return _with_a_past(node.resolved())
    return [] if isinstance(node, (SourceNode, LiteralNode)) else [node]


def _event(node: Node, tell: Callable[[Node], Any], writings: FirstWriting) -> Event:
    if type(node) is not MergedNode and isinstance(node, SourceNode):
        told = tell(node)
        return Event(verdict="set", value=told, result=told, path=node.path, origin=node.origin(), layer=node.layer)
    inside: Path = ()
    if isinstance(node, InheritedNode):
        inside = node.path[len(node.container.path) :]
        node = node.container
    assert isinstance(node, MergedNode)
    old, new, delta = node.old, node.new, node.delta
    whole = delta is NEW or delta is OLD
    mark = node.cause if isinstance(node.cause, StepRef) else None
    speaker = new if whole else _speaker(node)
    spoke = speaker if type(speaker) is SourceNode else writings.of(speaker)
    return Event(
        verdict=_verdict(node, old),
        value=tell(new),
        result=tell(node),
        path=node.path,
        origin=spoke.origin() if spoke is not None else None,
        layer=spoke.layer if spoke is not None else None,
        directive=directive_of(node, mark) if mark is not None else None,
        output=mark.output if mark is not None else None,
        step=mark.number if mark is not None else None,
        rank=_rank(mark) if mark is not None else None,
        displaced=tell(old) if delta is not OLD else MISSING,
        by=first_origin(node.marker) if node.marker is not None else None,
        lost=() if whole else tuple(losses_of(node, tell)),
        reads=() if type(new) is SourceNode else _reads(new),
        inside=inside,
    )


def _rank(cause: StepRef) -> int | None:
    """The precedence of the layer that a step takes."""
    take = getattr(cause.step, "take", None)
    return take.rank if take is not None else None


def _reads(node: Node) -> tuple[Origin, ...]:
    """Where the values were written that a computed one was made from, besides the first."""
    if not isinstance(node, ComputedNode) or node.parts is not None or len(node.bases) < 2:
        return ()
    return tuple(dict.fromkeys(origin for base in node.bases[1:] for origin in origins_of(base)))


def directive_of(node: MergedNode, mark: StepRef) -> Directive:
    """What in the input decided a node: the entry of the policy in force at its path, else what caused the step."""
    policy = node.policy
    if policy is None or policy is getattr(mark.step, "policy", None) or not policy.label:
        return mark.directive_at(node.path)
    return Directive(policy.label, policy.origin)


def _speaker(node: MergedNode) -> Node:
    """The node whose origin shows who set it: the new value, or the marker that removed the old one."""
    if isinstance(node.delta, Removed) and node.new.value is MISSING and node.delta.by == "old":
        return node.old
    return node.new


def _verdict(node: MergedNode, old: Node) -> str:
    """What happened to the value of the layer that the step brings, not to the one that was there before."""
    delta = node.delta
    if delta is OLD:
        return "ignored"
    if type(delta) is Removed:
        return delta.verdict
    verdict = node.verdict or node.cause.verb
    if verdict:
        return verdict
    if old.value is MISSING:
        return "set"
    if delta is NEW:
        return "replaced"
    if isinstance(delta, (Ref, Computed)) and delta.side == "old":
        return "ignored"
    if isinstance(delta, TextDelta):
        return "appended"
    if isinstance(delta, ListDelta) and all(isinstance(item, Slice) for item in delta.items):
        return "appended"
    return "merged"
