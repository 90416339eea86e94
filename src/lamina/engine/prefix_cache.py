"""The prefix cache: outputs that begin with the same steps are folded once up to where they part.

A step's result follows from the state before it, what it takes, and how it combines the two. So the cache is a trie:
the state after the first k steps of an output is found by the identities of these steps. Steps are the same when they
are one object, or agree in everything: the same node or the same position of the same document, the same policy, path
and flags, the same directive and words. Whatever is not known to be the same is folded.

Only prefixes that were met before are kept, so that what is a node's own never fills the cache, and when it is full it
starts empty. The nodes are immutable and are shared, histories included. They are marked with the output they were made
for; an output of another name gets the same nodes under marks of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lamina.engine.node import LiteralNode, MergedNode, Node, SourceNode
from lamina.engine.plan import From, Merge, OutputRef, Start, StateRef
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from lamina.engine.node import MergeCause
    from lamina.engine.plan import AnyStep, Output, Results
    from lamina.errors import Note
    from lamina.paths import Path

Key: TypeAlias = "tuple[Hashable, ...]"
MarkOf: TypeAlias = "Callable[[str, int, AnyStep], MergeCause]"

KEPT: Final = 2048
"""How many states are kept."""
SEEN: Final = 1 << 14
"""How many prefixes are known to have been met once."""


@dataclass(slots=True, eq=False)
class Kept:
    """A state of the trie: the node after a step, the notes the step left, and what may follow.

    What may follow is found by the key of the step, and by its id where that is enough. `held` keeps alive the step and
    what it took from, so that the identities in the keys stay theirs.
    """

    output: str
    prefix: int
    node: Node
    before: Node
    notes: tuple[Note, ...] = ()
    held: tuple[AnyStep, Node | None] | None = None
    next: dict[Key | int, Kept] = field(default_factory=dict)

    def marked(self, before: Node, cause: Callable[[], MergeCause]) -> Node:
        """The same state under the marks of another output."""
        if self.node is self.before or not isinstance(self.node, MergedNode):
            return before if self.node is self.before else self.node
        return self.node.marked(before if self.node.old is self.before else self.node.old, cause())


class PrefixMemo:
    """The prefixes of outputs that were folded before."""

    def __init__(self, kept: int = KEPT) -> None:
        nothing = LiteralNode(MISSING, ())
        self.root = Kept("", 0, nothing, nothing)
        self._seen: set[int] = set()
        self._room = self._limit = kept
        self.hits = 0
        """How many steps did not have to be folded."""

    def follow(self, output: Output, results: Results, mark: MarkOf) -> Following:
        """Go along the steps of an output as far as they are known."""
        following = Following(self, output, results, mark)
        self.hits += len(following.states)
        return following

    def met(self, prefix: int) -> bool:
        """Whether a prefix was met before; it is now."""
        if prefix in self._seen:
            return True
        if len(self._seen) >= SEEN:
            self._seen.clear()
        self._seen.add(prefix)
        return False

    def keep(self, last: Kept, key: Key, kept: Kept) -> None:
        """Keep what follows a state, making room first where there is none."""
        if self._room == 0:
            self.root.next.clear()
            self._room = self._limit
        self._room -= 1
        last.next[key] = kept
        if kept.held is not None and kept.held[1] is None:
            last.next[id(kept.held[0])] = kept


class Following:
    """One output on its way through the trie: what is known of it, and then what is folded."""

    __slots__ = ("_last", "_memo", "_output", "_prefix", "_results", "notes", "states")

    def __init__(self, memo: PrefixMemo, output: Output, results: Results, mark: MarkOf) -> None:
        self._memo, self._output, self._results = memo, output, results
        self._last: Kept | None = memo.root
        self.states: list[Node] = []
        """The states after the steps that are known."""
        self.notes: list[Note] = []
        last, own = memo.root, True
        for number, step in enumerate(output.steps):
            kept = last.next.get(id(step)) if last.next else None
            if kept is None:
                key = key_of(step, results) if last.next else None
                kept = last.next.get(key) if key is not None else None
                if kept is None:
                    break
            own = own and kept.output == output.name
            before = self.states[-1] if self.states else memo.root.node
            self.states.append(kept.node if own else kept.marked(before, lambda: mark(output.name, number, step)))  # noqa: B023 - called at once
            self.notes += kept.notes
            last = kept
        self._last, self._prefix = last, last.prefix

    def add(self, step: AnyStep, node: Node, before: Node, notes: Sequence[Note]) -> None:
        """A further step was folded: keep its result if the prefix up to here was met before."""
        if self._prefix == _UNKNOWN:
            return
        self._prefix = hash((self._prefix, _glance(step)))
        if not self._memo.met(self._prefix) or self._last is None:
            self._last = None
            return
        key = key_of(step, self._results)
        if key is None or not (node is before or type(node) in (MergedNode, LiteralNode)):
            self._prefix = _UNKNOWN
            return
        kept = Kept(self._output.name, self._prefix, node, before, tuple(notes), (step, _base(step, self._results)))
        self._memo.keep(self._last, key, kept)
        self._last = kept


_UNKNOWN: Final = -1
"""No hash is -1: the prefix of an output with a step that cannot be compared with others."""


def _base(step: AnyStep, results: Results) -> Node | None:
    """The result of another output a step takes from, if it does."""
    take: From | None = getattr(step, "take", None)
    return results[take.source.name].lazy if take is not None and isinstance(take.source, OutputRef) else None


def _glance(step: AnyStep) -> Hashable:
    """What equal steps have in common, and most others have not: enough to decide what is worth caching."""
    take: From | None = getattr(step, "take", None)
    return (take.layer, id(getattr(take.source, "tape", None)), step.subject) if take else type(step).__name__


_WORDS: Final = attrgetter(
    *(
        "directive.text",
        "directive.origin",
        "on_fault",
        "subject",
        "verb",
        "dry",
        "hands_on",
        "take.layer",
        "take.casts",
        "take.rank",
    )
)


def key_of(step: AnyStep, results: Results) -> Key | None:
    """What two steps must have in common to be the same; None if that is not known.

    The key holds the identities of objects that the step refers to.
    """
    kind: type = type(step)
    if (kind is not Merge and kind is not Start) or type(step.take) is not From:  # type: ignore[attr-defined]
        return None
    take: From = step.take  # type: ignore[attr-defined]
    source = _source_key(take, results)
    if source is None:
        return None
    common = (kind.__name__, *source, id(step.faults) if step.faults else 0, *_WORDS(step), _path_key(take.path))
    if not isinstance(step, Merge):
        return common
    return (*common, id(step.policy), _path_key(step.path), step.create, id(step.directives) if step.directives else 0)


def _source_key(take: From, results: Results) -> Key | None:
    """The identity of what is taken: of a written node its position, of an empty one what it holds."""
    node = take.source
    if isinstance(node, OutputRef):
        found = results.get(node.name)
        return None if found is None or found.failed else ("output", id(found.lazy))
    if isinstance(node, StateRef):
        # The state must be the very node the output itself rests on, which marks of another name would make two.
        return None
    if type(node) is SourceNode:
        secrets = repr(node.secret_keys) if node.secret_keys else ""
        return (id(node.tape), node.index, node.layer, node.secret, secrets, _path_key(node.path), *node.extent)
    if type(node) is LiteralNode and not node.path and (node.value is MISSING or node.value in (None, {}, [])):
        return ("empty", type(node.value).__name__)
    return ("node", id(node))


def _path_key(path: Path) -> Any:
    """A path that distinguishes 1, true and 1.0, and keys with an equality of their own."""
    return (repr(path), *map(type, path)) if path else ()
