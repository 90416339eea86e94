"""Layer chains: outputs that are layers merged one after the other, for the value alone.

The nodes of a fleet mostly have all layers but the last one in common. Where a dialect merges whole documents by one
policy and does nothing else, it says so with a `LayerChain`, and the value of such a node follows from the value of the
layers that it shares with others, and its own. That is found in a trie of layers, by their identity: neither are the
shared layers read again, nor is a plan made. The plan is compiled and folded when somebody asks where a value comes
from (see `deferred_work`).

Whatever is not as plain as that is folded: a layer that is rejected or has something to note, a merge with a conflict
or a remark, a run that exceeds its budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.budget import NODES, READ, SIZE, Budget, BudgetExceeded
from lamina.engine.delta import value_of
from lamina.engine.fold import count_copied
from lamina.engine.merge_context import MergeContext
from lamina.engine.result_spec import DEFAULT, ResultSpec
from lamina.errors import LaminaError
from lamina.paths import MISSING
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.engine.chain_cache import ChainCache
    from lamina.engine.policy import Policy
    from lamina.sources.document import Document
    from lamina.sources.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LayerChain:
    """How a dialect makes its only output of inputs that are all layers, in their order, and of nothing else.

    It gives the value that the dialect's plan gives, without a note. For the same options it is the same object.
    """

    policy: Policy
    """Merges each layer, as a whole, into those before it."""
    read: Callable[[Source], Document | None]
    """The document of a layer, cached in the session. None if the dialect does more with this one than merge it, or
    would note something. It depends on the layer alone."""
    start: Any = MISSING
    """What the first layer is merged into; if not given, the first layer is the start."""
    result: ResultSpec = DEFAULT
    """The form of the result, which is one value with keys of no special type."""


class LayerState:
    """A state of the trie: the value after some layers, and the states that follow, by the id of the next layer.

    `source` keeps that layer alive, so that its id stays valid. `read` is how many nodes all of the layers have.
    """

    __slots__ = ("_same", "mark", "next", "read", "source", "value")

    def __init__(self, value: Any, read: int, mark: int, source: Source | None) -> None:
        self.value = value
        self.read = read
        self.mark = mark
        """Which layers these are: mostly another number for others. Decides what is worth caching."""
        self.source = source
        self.next: dict[int, LayerState] = {}
        self._same: dict[Source, LayerState] = {}
        """The same by content: a layer that was not used for a while may have been read again."""

    def keep(self, state: LayerState) -> None:
        """Cache the state that follows."""
        if state.source is not None:
            self.next[id(state.source)] = state
            self._same[state.source] = state

    def with_same(self, layer: Any) -> LayerState | None:
        """The state that follows for a layer that is another object with the same name and content."""
        found = self._same.pop(layer, None) if type(layer) is Source else None
        if found is not None:
            self.next.pop(id(found.source), None)
            found.source = layer
            self.keep(found)
        return found

    def clear(self) -> None:
        """Drop all states that follow."""
        self.next.clear()
        self._same.clear()


class ChainRoot:
    """The trie of one chain; documents are read within the limits of the session."""

    __slots__ = ("_size", "chain", "first", "limits")

    def __init__(self, chain: LayerChain, limits: Limits | None) -> None:
        self.chain = chain
        self.limits = limits
        self._size = SIZE if limits is None else limits.run_size
        self.first = LayerState(chain.start, 0, id(chain), None)

    def value_of(self, layers: tuple[Any, ...], cache: ChainCache) -> Any:
        """The value of some layers; MISSING if it has to be folded."""
        state, known = self.first, 0
        for layer in layers:
            following = state.next.get(id(layer))
            if following is None:
                following = state.with_same(layer) if state.next else None
                if following is None:
                    break
            state = following
            known += 1
        # What was read before counts as if it were read now.
        size = self._size - state.read * READ
        if size < 0 or not layers:
            return MISSING
        value = state.value
        if known < len(layers):
            try:
                value = self._merged(state, layers[known:], Budget(NODES, size), cache)
            except (BudgetExceeded, LaminaError):
                return MISSING
        if value is not MISSING:
            cache.hits += known
        return value

    def _merged(self, state: LayerState, layers: tuple[Any, ...], budget: Budget, cache: ChainCache) -> Any:
        """The value of a state with further layers merged into it; those that were seen before are cached."""
        chain = self.chain
        cached: LayerState | None = state
        value, mark, read = state.value, state.mark, state.read
        for layer in layers:
            document = chain.read(layer) if type(layer) is Source else None
            if document is None:
                return MISSING
            nodes = document.node_count
            budget.spend(0, nodes * READ)
            value = document.value if value is MISSING else _merge(value, document.value, chain.policy, budget)
            if value is MISSING:
                return MISSING
            mark = hash((mark, layer.name))
            read += nodes
            seen = cache.was_seen(mark)
            if seen and cached is not None:
                following = LayerState(value, read, mark, layer)
                cache.keep_layers(cached, following)
                cached = following
            else:
                cached = None
        return value


def _merge(old: Any, new: Any, policy: Policy, budget: Budget) -> Any:
    """Two values merged; MISSING if there is something to report, or nothing is left."""
    run = MergeContext(budget)
    delta = policy.combine(old, new, None, run)
    count_copied(delta, run)
    return MISSING if run.conflicts or run.remarks else value_of(delta, old, new)


MAX_ROOTS: Final = 64
"""How many chains, and how many options, are remembered."""


class ChainRoots:
    """The tries of the chains in use, by the options that give them."""

    def __init__(self) -> None:
        self._roots: dict[tuple[int, int], ChainRoot] = {}
        self._of_options: dict[int, tuple[Any, ChainRoot | None]] = {}

    def find(
        self, options: Any, chain_of: Callable[[Any], LayerChain | None], limits: Limits | None
    ) -> ChainRoot | None:
        """The trie for the chain that options give, with the limits of a session; None if they do not give one."""
        known = self._of_options.get(id(options))
        if known is not None:
            root = known[1]
            if root is None or root.limits is limits:
                return root
        elif len(self._of_options) >= MAX_ROOTS:
            self._of_options.clear()
        chain = chain_of(options)
        root = None if chain is None else self._root(chain, limits)
        self._of_options[id(options)] = (options, root)
        return root

    def _root(self, chain: LayerChain, limits: Limits | None) -> ChainRoot:
        root = self._roots.get((id(chain), id(limits)))
        if root is None:
            if len(self._roots) >= MAX_ROOTS:
                self._roots.clear()
                self._of_options.clear()
            root = self._roots[id(chain), id(limits)] = ChainRoot(chain, limits)
        return root

    def clear(self) -> None:
        """Drop all values."""
        for root in tuple(self._roots.values()):
            root.first.clear()
