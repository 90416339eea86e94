"""The prefix cache: steps that several outputs begin with are applied once.

The result of a step depends only on the state before it, the value it takes, and how it combines the two. So the cache
is a trie: the state after the first k steps of an output is found by the identities of these steps. Two steps are the
same if they are one object, or agree in everything: the same node or the same position of the same document, the same
policy, path, flags and directive. Whatever is not known to be the same is folded.

Only prefixes that were seen before are cached, so that steps of a single output never fill the cache; when it is full,
it is emptied. Nodes are immutable and are shared, with their histories. A node names the output it was created for;
an output with another name gets copies with its own name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lamina.engine.layer_chain import ChainRoots
from lamina.engine.merged_node import MergedNode
from lamina.engine.node import NOTHING_YET, LiteralNode, Node, SourceNode
from lamina.engine.plan import From, Merge, OutputRef, Start, StateRef
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from lamina.engine.layer_chain import LayerState
    from lamina.engine.merged_node import MergeCause
    from lamina.engine.plan import AnyStep, Output, Results
    from lamina.errors import Note
    from lamina.paths import Path

Key: TypeAlias = "tuple[Hashable, ...]"
MarkOf: TypeAlias = "Callable[[str, int, AnyStep], MergeCause]"

MAX_STATES: Final = 2048
"""How many states are cached."""
MAX_PREFIXES: Final = 1 << 14
"""How many prefixes that were seen once are remembered."""


@dataclass(slots=True, eq=False)
class CachedState:
    """A state of the trie: the node after a step, the notes of the step, and the states that follow.

    The next state is found by the key of its step, and by the id of the step where that is enough. `references` keeps
    the step and the node it took from alive, so that the ids in the keys stay valid.
    """

    output: str
    prefix: int
    node: Node
    before: Node
    notes: tuple[Note, ...] = ()
    references: tuple[AnyStep, Node | None] | None = None
    next: dict[Key | int, CachedState] = field(default_factory=dict)

    def marked(self, before: Node, cause: Callable[[], MergeCause]) -> Node:
        """The node of this state for another output."""
        if self.node is self.before or not isinstance(self.node, MergedNode):
            return before if self.node is self.before else self.node
        return self.node.marked(before if self.node.old is self.before else self.node.old, cause())


class PrefixCache:
    """A cache of the states after prefixes of steps that were folded before."""

    def __init__(self, max_states: int = MAX_STATES) -> None:
        self.root = CachedState("", 0, NOTHING_YET, NOTHING_YET)
        self._seen: set[int] = set()
        self._room = self._limit = max_states
        self.chains = ChainRoots()
        """The values of outputs that are layers merged one after the other."""
        self.hits = 0
        """How many steps were answered from the cache."""

    def walk(self, output: Output, results: Results, mark: MarkOf) -> PrefixWalk:
        """Follow the steps of an output as far as they are cached."""
        walk = PrefixWalk(self, output, results, mark)
        self.hits += len(walk.states) - 1
        return walk

    def was_seen(self, prefix: int) -> bool:
        """Whether a prefix was seen before; it counts as seen from now on."""
        if prefix in self._seen:
            return True
        if len(self._seen) >= MAX_PREFIXES:
            self._seen.clear()
        self._seen.add(prefix)
        return False

    def keep(self, last: CachedState, key: Key, state: CachedState) -> None:
        """Cache the state that follows another; empties the cache first if it is full."""
        self._take_room()
        last.next[key] = state
        if state.references is not None and state.references[1] is None:
            last.next[id(state.references[0])] = state

    def keep_layers(self, last: LayerState, state: LayerState) -> None:
        """Cache the state of a layer chain that follows another, likewise."""
        self._take_room()
        last.keep(state)

    def _take_room(self) -> None:
        if self._room == 0:
            self.root.next.clear()
            self.chains.clear()
            self._room = self._limit
        self._room -= 1


class PrefixWalk:
    """The walk of one output through the trie: its cached states, and then the states that are folded."""

    __slots__ = ("_cache", "_last", "_output", "_prefix", "_results", "notes", "states")

    def __init__(self, prefix_cache: PrefixCache, output: Output, results: Results, mark: MarkOf) -> None:
        self._cache, self._output, self._results = prefix_cache, output, results
        self._last: CachedState | None
        last, name, own = prefix_cache.root, output.name, True
        states = self.states = [last.node]
        """The state before the first step, and then the cached states, one per step."""
        notes: list[Note] = []
        self.notes = notes
        for step in output.steps:
            following = last.next
            if not following:
                break
            state = following.get(id(step))
            if state is None:
                key = key_of(step, results)
                state = None if key is None else following.get(key)
                if state is None:
                    break
            own = own and state.output == name
            states.append(state.node if own else self._marked(state, step, mark))
            if state.notes:
                notes += state.notes
            last = state
        self._last, self._prefix = last, last.prefix

    def _marked(self, state: CachedState, step: AnyStep, mark: MarkOf) -> Node:
        """The node of a cached state for this output, which has another name."""
        return state.marked(self.states[-1], lambda: mark(self._output.name, len(self.states) - 1, step))

    def add(self, step: AnyStep, node: Node, before: Node, notes: Sequence[Note]) -> None:
        """Add the result of a step that was folded; it is cached if the prefix up to here was seen before."""
        if self._prefix == _UNKNOWN:
            return
        self._prefix = hash((self._prefix, _fingerprint(step)))
        if not self._cache.was_seen(self._prefix) or self._last is None:
            self._last = None
            return
        key = key_of(step, self._results)
        if key is None or not (node is before or type(node) in (MergedNode, LiteralNode)):
            self._prefix = _UNKNOWN
            return
        state = CachedState(
            self._output.name, self._prefix, node, before, tuple(notes), (step, _base(step, self._results))
        )
        self._cache.keep(self._last, key, state)
        self._last = state


_UNKNOWN: Final = -1
"""The prefix of an output with a step that cannot be compared with others; no hash is -1."""


def _base(step: AnyStep, results: Results) -> Node | None:
    """The result of the other output that a step takes from, if it does."""
    take: From | None = getattr(step, "take", None)
    return results[take.source.name].lazy if take is not None and isinstance(take.source, OutputRef) else None


def _fingerprint(step: AnyStep) -> Hashable:
    """A cheap fingerprint: equal for equal steps and mostly different otherwise; decides what is worth caching."""
    take: From | None = getattr(step, "take", None)
    if take is None:
        return type(step).__name__
    source = take.source
    return take.layer, id(source.positions if type(source) is SourceNode else None), step.subject


_STEP_FIELDS: Final = attrgetter(
    *(
        "directive.text",
        "directive.origin",
        "on_fault",
        "subject",
        "verb",
        "dry",
        "forwards",
        "take.layer",
        "take.casts",
        "take.rank",
    )
)


def key_of(step: AnyStep, results: Results) -> Key | None:
    """The key under which equal steps are found; None if a step cannot be compared.

    The key contains the ids of objects that the step refers to.
    """
    kind: type = type(step)
    if (kind is not Merge and kind is not Start) or type(step.take) is not From:  # type: ignore[attr-defined]
        return None
    take: From = step.take  # type: ignore[attr-defined]
    source = _source_key(take, results)
    if source is None:
        return None
    common = (kind.__name__, *source, id(step.faults) if step.faults else 0, *_STEP_FIELDS(step), _path_key(take.path))
    if not isinstance(step, Merge):
        return common
    return (*common, id(step.policy), _path_key(step.path), step.create, id(step.directives) if step.directives else 0)


def _source_key(take: From, results: Results) -> Key | None:
    """Identifies what is taken: a source node by its position, an empty literal by its type."""
    node = take.source
    if isinstance(node, OutputRef):
        found = results.get(node.name)
        return None if found is None or found.failed else ("output", id(found.lazy))
    if isinstance(node, StateRef):
        # The state must be the same object that the output continues from; a copy for another output is not.
        return None
    if type(node) is SourceNode:
        secrets = repr(node.secret_keys) if node.secret_keys else ""
        return (id(node.positions), node.index, node.layer, node.secret, secrets, _path_key(node.path), *node.extent)
    if type(node) is LiteralNode and not node.path and (node.value is MISSING or node.value in (None, {}, [])):
        return ("empty", type(node.value).__name__)
    return ("node", id(node))


def _path_key(path: Path) -> Any:
    """A path as a key that distinguishes 1, true and 1.0, and keys with their own equality."""
    return (repr(path), *map(type, path)) if path else ()
