"""Lookups: the values of a path in all layers, most specific first, as the steps that merge them.

The first value is the start and every further one is merged under it. Then the program visits the states of this fold
again, newest first: it merges the result with each of them, discards that, and cleans up the result. Of these rounds
only rejections, warnings and the repeated clean-up are visible; so the merges are steps of their own here, which leave
the value alone. A single value is only cleaned up. If the newest state is null, the newest one that is not null is used
instead.

For simple tables it is known in advance that the rounds report nothing: then they are omitted, and so is cleaning up
if no strategy would find anything.

See How values merge in docs/reference/datum.md; golden cases in random.json.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum.lookup_options import split, unreachable
from lamina.dialects.datum.messages import UNREACHABLE_OPTION
from lamina.dialects.datum.operators.simple_values import is_simple
from lamina.dialects.datum.operators.unwrap import UNWRAP_LIST
from lamina.dialects.datum.strategy_tables import DIFFERENT, FIELD_CONFLICT, NOT_A_TABLE, NULL_ITEM
from lamina.engine.node import LiteralNode, Node
from lamina.engine.operators.whole import TAKE
from lamina.engine.plan import NOTHING, Directive, From, Merge, Output, Start, StateRef
from lamina.engine.policy import Cases, Policy
from lamina.errors import Message, Reject, Severity
from lamina.paths import MISSING, walk
from lamina.plugin import folded, hierarchy
from lamina.plugin.operators import merged_into
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.dialects.datum.lookup_options import Barrier, Entries, OptionEntry, PathLookup
    from lamina.engine.plan import AnyStep
    from lamina.engine.step_context import StepContext
    from lamina.errors import Note
    from lamina.run import Run

_NULL = Message(
    code="null-list-item",
    message="lookup of LOOKUP{within}: a list cannot be merged with null or with a list that contains null",
    hint="remove the null, or replace it with a value",
)
FAULTS: Final = MappingProxyType(
    {
        NULL_ITEM: _NULL,
        FIELD_CONFLICT: Message(
            code="tuple-value-clash",
            message="lookup of LOOKUP{within}: the value of a tuple key is a table in one item but not in another",
            hint="use tuple keys whose values are strings or numbers",
        ),
        NOT_A_TABLE: Message(
            code="nested-type-clash",
            message="lookup of LOOKUP{within}: {new_kind} in {layer} cannot be merged with a hash table",
            hint="use the same type in both, or add a lookup_options entry for this path",
        ),
        DIFFERENT: Message(
            code="different-types",
            message="lookup of LOOKUP{within}: {old_kind} cannot be merged with {new_kind} in {layer}; "
            "the most specific value is used",
            hint="use the same type in both",
        ),
    }
)


_SECOND_ROUND: Final = MappingProxyType(
    {
        **FAULTS,
        DIFFERENT: Message(
            code="different-types",
            message="lookup of LOOKUP{within}: Datum warns that {old_kind} and {new_kind} differ when it goes over the "
            "result again; the result is not affected",
            hint="nothing to do: a list with one item has become that item",
        ),
    }
)


def faults_for(path: str, second_round: bool = False) -> Mapping[str, Message]:
    """The wording of faults in a lookup of a path."""
    shown = path.replace("{", "{{").replace("}", "}}")
    fault_texts = _SECOND_ROUND if second_round else FAULTS
    return {name: replace(text, message=text.message.replace("LOOKUP", shown)) for name, text in fault_texts.items()}


@dataclass(slots=True, kw_only=True, eq=False)
class SecondRound(Merge):
    """A merge with an earlier state, whose result is discarded: it counts only for what it rejects or warns of."""

    def apply(self, context: StepContext) -> Node:
        # The value is not used, so that a warning about it is only information.
        merged_into(context, context.take(self.take), self.policy, Severity.INFO)
        return context.node


class RankedHit(hierarchy.Hit):
    """The value of one layer at the looked-up path."""

    __slots__ = ("rank",)

    def __init__(self, node: Node, layer: str, rank: int) -> None:
        super().__init__(node.value, node, layer)
        self.rank = rank
        """The rank of the layer in the order of precedence."""

    @property
    def take(self) -> From:
        return From(source=self.node, layer=self.layer, rank=self.rank)


@dataclass(slots=True, eq=False)  # for each node: a frozen one takes three times as long to make
class DatumLookup:
    """The lookup of one path, and the values of the layers."""

    at: PathLookup
    hits: tuple[RankedHit, ...]
    entries: Entries
    run: Run
    literal: bool = False
    """Whether nothing in it is evaluated, whatever node asks."""

    @property
    def names(self) -> tuple[str, ...]:
        return self.at.names

    @property
    def path(self) -> str:
        return self.at.path

    @property
    def entry(self) -> OptionEntry:
        if self.at.entry is None:
            self.at.entry = self.entries.find(self.at.names)
        return self.at.entry

    def output(self, *, hidden: bool = False) -> Output:
        """The output that the lookup makes."""
        return Output(name=self.path, steps=self.steps(), hidden=hidden)

    def notes(self) -> list[Note]:
        """Notes on nested entries that this lookup never uses although they look as if they apply."""
        found = self.unreachable if len(self.hits) > 1 else None
        if not found:
            return []
        return [
            _unreachable(self.path, entry, barrier)
            for entry, barrier in found
            if len(values := self._values_at(entry)) > 1 and barrier.stops(values)
        ]

    def _values_at(self, entry: OptionEntry) -> list[Any]:
        """What the layers have at the path of a nested entry."""
        path = tuple(caseless(name) for name in split(entry.key)[len(self.names) :])
        return [value for hit in self.hits if (value := walk(hit.value, path)) is not MISSING]

    @property
    def unreachable(self) -> list[tuple[OptionEntry, Barrier]]:
        """Entries below the path that lookups of it never use, each with what applies instead."""
        return self.at.derived.once("unreachable", lambda: list(unreachable(self.entries, self.names)))

    def steps(self) -> tuple[AnyStep, ...]:
        if not self.hits:
            return (Start(directive=Directive("not found"), take=From(source=LiteralNode(None, ()))),)
        entry = self.entry
        directive = Directive(entry.label, entry.origin)
        first = Start(directive=directive, take=self.hits[0].take, subject=self.hits[0].layer)
        if entry.strategy.at_once:
            return (
                (first,)
                if self.entries.documented
                else (first, self._clean_up_step(Policy(Cases.everywhere(UNWRAP_LIST)), directive))
            )
        merge, clean = self.entries.merging(self.names), self.entries.cleaning(self.names)
        faults = self._faults()
        merges = [
            Merge(directive=directive, take=hit.take, policy=merge, faults=faults, subject=hit.layer)
            for hit in self.hits[1:]
        ]
        clean_up = self._clean_up_step(clean, directive)
        if not merges:
            return first, clean_up
        return first, *merges, *self._rounds([first, *merges], merge, clean_up, directive)

    def _clean_up_step(self, policy: Policy, directive: Directive) -> Merge:
        return Merge(directive=directive, take=NOTHING, policy=policy, faults=self._faults(), verb="cleaned up")

    def _faults(self, *, second_round: bool = False) -> Mapping[str, Message]:
        """The wording of faults, the same for all nodes."""
        return self.at.derived.once(("faults", second_round), lambda: faults_for(self.path, second_round))

    def _states(self, steps: list[AnyStep]) -> list[Any]:
        """The value after each step; none if one fails, which the fold of the output says."""
        try:
            return [folded(self.path, *steps[:end], run=self.run).value for end in range(1, len(steps) + 1)]
        except Reject:
            return []

    def _rounds(self, steps: list[AnyStep], merge: Policy, clean_up: Merge, directive: Directive) -> Iterable[AnyStep]:
        """The second rounds over the states of the fold."""
        if self.entries.rounds_are_silent and all(is_simple(hit.value) for hit in self.hits):
            if self.entries.clean:
                yield clean_up
            return
        newest = len(steps)
        if any(_may_become_null(hit.value) for hit in self.hits):
            states = self._states(steps)
            while states and newest > 1 and states[newest - 1] is None:
                newest -= 1
        if newest < len(steps):
            yield Merge(
                directive=Directive("latest state that is not null"),
                take=From(source=StateRef(newest)),
                policy=Policy(Cases.everywhere(TAKE)),
            )
        for state in range(newest - 1, 0, -1):
            yield SecondRound(
                directive=directive,
                take=From(source=StateRef(state)),
                policy=merge,
                faults=self._faults(second_round=True),
                subject="earlier state",
            )
            yield clean_up


def _may_become_null(value: Any) -> bool:
    """Whether a value can become null during the merge: only a list without items, once nested lists are flattened."""
    return isinstance(value, list) and all(isinstance(item, list) for item in value)


def _unreachable(path: str, entry: OptionEntry, barrier: Barrier) -> Note:
    related = (("this entry applies instead", barrier.entry.origin),)
    reason, how = barrier.reason(path), barrier.fix(path)
    return UNREACHABLE_OPTION.at(entry.origin, subject=path, related=related, entry=entry.key, reason=reason, how=how)
