"""The record of a run: what a later run of nearly the same outputs may take over from it.

What becomes of an output follows from its steps and from the nodes it took from other outputs. So an output that is the
very object it was, and took from outputs that are taken over, too, need not be folded again. Dialects that want this
hand out the same `Output` object as long as nothing it is made from changes.

Steps of some dialects change other outputs than their own, or leave containers in two places, which only the run they
are part of knows. Outputs that are entangled in this way are taken over together or not at all: all of them are folded
again if one of them is, if an output that took from one of them is, or if they and those would come in another order.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lamina.engine.plan import OutputRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lamina.engine.plan import Output
    from lamina.engine.step_context import Folded

Link = tuple[str, str]
"""Two outputs of which one was changed by a step of the other; the same twice, where it has a container twice."""


class _Knot(NamedTuple):
    """Outputs that are entangled, and the order in which they and those that took from them were folded."""

    members: frozenset[str]
    order: tuple[str, ...]


@dataclass(slots=True, eq=False)
class RunRecord:
    """The outputs of a run, with what each took, and which of them are entangled."""

    results: Mapping[str, Folded] = field(default_factory=dict)
    links: frozenset[Link] = frozenset()

    def lasting(self, outputs: Sequence[Output]) -> dict[str, Folded]:
        """Those of the outputs that would come out as they did, by name."""
        names = [output.name for output in outputs]
        same = {each.name: found for each in outputs if (found := self._same(each)) is not None}
        if not same or len(set(names)) < len(names):
            return {}
        changed = _Changed(self.results, self._knots())
        changed.reorder({name: at for at, name in enumerate(names)})
        changed.add(each for each in outputs if each.name not in same)
        changed.spread(self.results.keys() - same.keys())
        return {name: folded for name, folded in same.items() if name not in changed.names}

    def links_of(self, names: Iterable[str]) -> frozenset[Link]:
        """The links of some outputs, all of which were taken over if one was."""
        kept = set(names)
        return frozenset(link for link in self.links if link[0] in kept)

    def _same(self, output: Output) -> Folded | None:
        found = self.results.get(output.name)
        return found if found is not None and found.output is output else None

    def _knots(self) -> list[_Knot]:
        members: dict[str, set[str]] = {}
        for one, other in self.links:
            both = members.setdefault(one, {one}) | members.setdefault(other, {other})
            members.update(dict.fromkeys(both, both))
        sets = {id(each): frozenset(each) for each in members.values()}
        return [_Knot(each, tuple(self._around(each))) for each in sets.values()]

    def _around(self, members: frozenset[str]) -> Iterator[str]:
        """Members and those that took from them, in the order they were folded."""
        for name, folded in self.results.items():
            if name in members or not members.isdisjoint(folded.taken):
                yield name


class _Changed:
    """The names of what has to be folded again, and what follows from that."""

    def __init__(self, results: Mapping[str, Folded], knots: Sequence[_Knot]) -> None:
        self.names: set[str] = set()
        self._knots = knots
        self._knot_of = {name: knot for knot in knots for name in knot.members}
        self._takers: defaultdict[str, list[str]] = defaultdict(list)
        self._taken = {name: folded.taken for name, folded in results.items()}
        for name, folded in results.items():
            for source in folded.taken:
                self._takers[source].append(name)

    def reorder(self, position: Mapping[str, int]) -> None:
        """Knots that would not come in the order they did."""
        for knot in self._knots:
            places = [position.get(name, -1) for name in knot.order]
            if -1 in places or places != sorted(places):
                self.spread(knot.members)

    def add(self, outputs: Iterable[Output]) -> None:
        """Outputs that are new or have other steps."""
        for output in outputs:
            self.spread([output.name])
            self._untie(sources_of(output))

    def spread(self, names: Iterable[str]) -> None:
        """Add what has to be folded again if these are."""
        pending = [name for name in names if name not in self.names]
        self.names.update(pending)
        while pending:
            name = pending.pop()
            knot = self._knot_of.get(name)
            self._untie(self._taken.get(name, ()))
            fresh = [*self._takers.get(name, ()), *(knot.members if knot else ())]
            fresh = [each for each in dict.fromkeys(fresh) if each not in self.names]
            self.names.update(fresh)
            pending += fresh

    def _untie(self, sources: Iterable[str]) -> None:
        """Who takes from a member of a knot needs it as it was at that moment."""
        for source in sources:
            if source in self._knot_of and source not in self.names:
                self.spread([source])


def sources_of(output: Output) -> Iterator[str]:
    """The outputs that the steps of an output may take from."""
    for step in output.steps:
        take = getattr(step, "take", None)
        if take is not None and isinstance(take.source, OutputRef):
            yield take.source.name
