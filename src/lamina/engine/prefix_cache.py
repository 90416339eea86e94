"""Remembering folds: outputs that begin with the same steps are folded once up to where they part.

A step's result follows from the state before it, what it takes, and how it combines the two. So the state after the
first k steps of one output is the state after the first k steps of any other that begins alike. Steps are alike when
they are of one kind and agree in everything: the same node or the same place of the same document, the same policy
object, the same path and flags, the same directive and words. Whatever is not known to be alike is folded.

Only beginnings met a second time are kept, so that what is a node's own never fills the memo; and when the memo is
full it starts anew. The nodes are immutable and are shared, histories included. They are marked with the output they
were made for; an output of another name gets the same nodes under marks of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from lamina.engine.node import LiteralNode, MergedNode, Node, SourceNode
from lamina.engine.plan import From, Merge, OnFault, OutputRef, Start, StateRef
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from lamina.engine.node import MergeCause
    from lamina.engine.plan import AnyStep, Output, Results
    from lamina.errors import Note
    from lamina.paths import Path

Key: TypeAlias = "tuple[Hashable, ...]"
MarkOf: TypeAlias = "Callable[[str, int, AnyStep], MergeCause]"

KEPT = 2048
"""How many states are kept."""
SEEN = 1 << 14
"""How many beginnings are known to have been met once."""


class Kept:
    """The state after a step, how it rests on the one before, the notes the step left, and what may follow.

    `held` keeps alive the step and what it took from, so that the identities in the keys stay theirs.
    """

    __slots__ = ("beginning", "held", "next", "node", "notes", "onto", "output", "same")

    def __init__(
        self,
        output: str,
        beginning: int,
        node: Node,
        before: Node,
        notes: tuple[Note, ...],
        held: tuple[AnyStep, Node | None],
    ) -> None:
        self.output = output
        self.beginning = beginning
        self.node = node
        self.same = node is before
        self.onto = isinstance(node, MergedNode) and node.old is before
        self.notes = notes
        self.held = held
        self.next = Branch()


class Branch:
    """The states that may follow a state: by the key of the step, and by the step itself where that is enough."""

    __slots__ = ("by_key", "by_step")

    def __init__(self) -> None:
        self.by_key: dict[Key, Kept] = {}
        self.by_step: dict[int, Kept] = {}

    def find(self, step: AnyStep, results: Results) -> Kept | None:
        """The state a step that is not itself known leads to, if one like it is."""
        if not self.by_key:
            return None
        key = key_of(step, results)
        kept = self.by_key.get(key) if key is not None else None
        if kept is not None and kept.held[1] is None:
            # Compilers that make a step once hand it over again; so the one met last is the one to know.
            del self.by_step[id(kept.held[0])]
            kept.held = (step, None)
            self.by_step[id(step)] = kept
        return kept

    def add(self, key: Key, kept: Kept) -> None:
        self.by_key[key] = kept
        step, base = kept.held
        if base is None:
            self.by_step[id(step)] = kept


class PrefixMemo:
    """The beginnings of outputs that were folded before."""

    def __init__(self, kept: int = KEPT) -> None:
        self.first = Branch()
        self._seen: set[int] = set()
        self._room = self._limit = kept
        self.hits = 0
        """How many steps did not have to be folded."""

    def follow(self, output: Output, results: Results, mark: MarkOf) -> Following:
        """Go along the steps of an output as far as they are known."""
        following = Following(self, output, results)
        following.go(mark)
        self.hits += len(following.states)
        return following

    def met(self, beginning: int) -> bool:
        """Whether a beginning was met before; it is now."""
        if beginning in self._seen:
            return True
        if len(self._seen) >= SEEN:
            self._seen.clear()
        self._seen.add(beginning)
        return False

    def keep(self, place: Branch, key: Key, kept: Kept) -> None:
        """Keep a state, making room first where there is none."""
        if self._room == 0:
            self.first.by_key.clear()
            self.first.by_step.clear()
            self._room = self._limit
        self._room -= 1
        place.add(key, kept)


class Following:
    """One output on its way through the memo: what is known of it, and then what is folded."""

    __slots__ = ("_beginning", "_lost", "_memo", "_output", "_place", "_results", "notes", "states")

    def __init__(self, memo: PrefixMemo, output: Output, results: Results) -> None:
        self._memo = memo
        self._output = output
        self._results = results
        self._place: Branch | None = memo.first
        self._lost = False
        self._beginning = 0
        self.states: list[Node] = []
        """The states after the steps that are known."""
        self.notes: list[Note] = []

    def go(self, mark: MarkOf) -> None:
        place, path, name = self._memo.first, [], self._output.name
        own = True
        for step in self._output.steps:
            kept = place.by_step.get(id(step)) or place.find(step, self._results)
            if kept is None:
                break
            path.append(kept)
            place = kept.next
            own = own and kept.output == name
        self._place = place
        if not path:
            return
        self._beginning = path[-1].beginning
        self.notes = [note for kept in path for note in kept.notes]
        self.states = [kept.node for kept in path] if own else self._under_own_marks(path, mark)

    def _under_own_marks(self, path: Sequence[Kept], mark: MarkOf) -> list[Node]:
        states: list[Node] = []
        before: Node = LiteralNode(MISSING, ())
        for number, kept in enumerate(path):
            node = kept.node
            if kept.same:
                node = before
            elif isinstance(node, MergedNode):
                cause = mark(self._output.name, number, self._output.steps[number])
                node = node.marked(before if kept.onto else node.old, cause)
            states.append(node)
            before = node
        return states

    def add(self, step: AnyStep, node: Node, before: Node, notes: Sequence[Note]) -> None:
        """A further step was folded: keep its result if the beginning up to here was met before."""
        if self._lost:
            return
        self._beginning = hash((self._beginning, glance(step)))
        if not self._memo.met(self._beginning) or self._place is None:
            self._place = None
            return
        key = key_of(step, self._results)
        if key is None or not (node is before or type(node) in (MergedNode, LiteralNode)):
            self._lost = True
            return
        held = (step, _base(step, self._results))
        kept = Kept(self._output.name, self._beginning, node, before, tuple(notes), held)
        self._memo.keep(self._place, key, kept)
        self._place = kept.next


def _base(step: AnyStep, results: Results) -> Node | None:
    """The result of another output a step takes from, if it does."""
    take: From | None = getattr(step, "take", None)
    return results[take.source.name].node if take is not None and isinstance(take.source, OutputRef) else None


def glance(step: AnyStep) -> Hashable:
    """What steps that are alike have in common, and most others have not: enough to tell what is worth keeping."""
    take: From | None = getattr(step, "take", None)
    return (
        (take.layer, id(getattr(take.source, "tape", None)), step.subject) if take is not None else type(step).__name__
    )


def key_of(step: AnyStep, results: Results) -> Key | None:
    """What a step and another must have in common to be alike; none where that cannot be told.

    The key holds the identities of objects that the step refers to.
    """
    if type(step) is Merge:
        path = path_key(step.path)
        take = take_key(step.take, results)
        if path is None or take is None:
            return None
        directives = id(step.directives) if step.directives else 0
        return ("put", take, id(step.policy), path, step.create, directives, *_common(step))
    if type(step) is Start:
        take = take_key(step.take, results)
        return None if take is None else ("start", take, *_common(step))
    return None


def _common(step: AnyStep) -> Key:
    directive = step.directive
    return (
        directive.text,
        directive.origin,
        step.on_fault is OnFault.STOP,
        id(step.faults) if step.faults else 0,
        step.subject,
        step.verb,
        step.dry,
        step.hands_on,
    )


def take_key(take: From, results: Results) -> Key | None:
    """What takes must have in common to be alike."""
    if type(take) is not From:
        return None
    source = take.source
    if isinstance(source, OutputRef):
        found = results.get(source.name)
        if found is None or found.failed:
            return None
        base: Key = ("output", id(found.node))
    elif isinstance(source, StateRef):
        # The state must be the very node the output itself rests on, which marks of another name would make two.
        return None
    else:
        base = node_key(source)
    path = path_key(take.path)
    if path is None:
        return None
    casts = tuple(map(id, take.casts)) if take.casts else ()
    return (base, path, casts, take.layer)


def node_key(node: Node) -> Key:
    """The identity of a node: of a written one where it stands, of an empty one what it holds."""
    if type(node) is SourceNode:
        return (id(node.tape), node.index, node.layer, node.secret, _told(node), path_key(node.path), *node.extent)
    if type(node) is LiteralNode and not node.path:
        value = node.value
        if value is None or value is MISSING or (isinstance(value, (dict, list)) and not value):
            return ("blank", type(value).__name__)
    return ("node", id(node))


def _told(node: SourceNode) -> str:
    """What of a written node is secret, such that two nodes with the same secrets are alike."""
    return repr(node.secret_keys) if node.secret_keys else ""


_NAMES: Mapping[type, None] = {str: None, int: None, bool: None, float: None, type(None): None}


def path_key(path: Path) -> Key | None:
    """A path such that 1, true and 1.0 are told apart; none where a step is not a plain one."""
    if not path:
        return ()
    kinds = tuple(map(type, path))
    return (path, kinds) if all(kind in _NAMES for kind in kinds) else None
