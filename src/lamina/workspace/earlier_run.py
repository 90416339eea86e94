"""Earlier runs, from which a later run of a target takes over the outputs that cannot have changed.

The result of an output depends only on its steps and on the nodes it takes from other outputs. So an output need not be
folded again if it is the same object as in the last run and takes only from outputs that are reused themselves.
Dialects that want this return the same `Output` object as long as its inputs do not change.

Some dialects have steps that change other outputs, or that put one container into two outputs; only the run itself
knows about that. Outputs that are entangled in this way are reused together or not at all: all of them are folded again
if one of them is, if an output that took from one of them is, or if the order of any of these changes.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lamina.engine.plan import Output
    from lamina.engine.step_context import Folded, Ledger, Link


class _EntangledGroup(NamedTuple):
    """Entangled outputs, and the order in which they and the outputs that took from them were folded."""

    members: frozenset[str]
    order: tuple[str, ...]


class EarlierRun:
    """The results of a run, and which of them are entangled; called with the outputs of a stage, it says which of them
    would be the same if they were folded again."""

    def __init__(self, ledger: Ledger) -> None:
        self._results = ledger.results
        self._links = ledger.links

    def __call__(self, outputs: Sequence[Output]) -> tuple[Mapping[str, Folded], set[Link]]:
        known = self._reusable(outputs)
        return known, {link for link in self._links if link[0] in known}

    def _reusable(self, outputs: Sequence[Output]) -> dict[str, Folded]:
        names = [output.name for output in outputs]
        same = {each.name: found for each in outputs if (found := self._same(each)) is not None}
        if not same or len(set(names)) < len(names):
            return {}
        changed = _Changed(self._results, self._groups())
        changed.add_reordered({name: at for at, name in enumerate(names)})
        changed.add_outputs(each for each in outputs if each.name not in same)
        changed.add_with_dependents(self._results.keys() - same.keys())
        return {name: folded for name, folded in same.items() if name not in changed.names}

    def _same(self, output: Output) -> Folded | None:
        found = self._results.get(output.name)
        return found if found is not None and found.output is output else None

    def _groups(self) -> list[_EntangledGroup]:
        members: dict[str, set[str]] = {}
        for one, other in self._links:
            both = members.setdefault(one, {one}) | members.setdefault(other, {other})
            members.update(dict.fromkeys(both, both))
        sets = {id(each): frozenset(each) for each in members.values()}
        return [_EntangledGroup(each, tuple(self._around(each))) for each in sets.values()]

    def _around(self, members: frozenset[str]) -> Iterator[str]:
        """The members and the outputs that took from them, in the order they were folded."""
        for name, folded in self._results.items():
            if name in members or not members.isdisjoint(folded.taken):
                yield name


class _Changed:
    """Collects the names of the outputs that have to be folded again."""

    def __init__(self, results: Mapping[str, Folded], groups: Sequence[_EntangledGroup]) -> None:
        self.names: set[str] = set()
        self._groups = groups
        self._group_of = {name: group for group in groups for name in group.members}
        self._dependents: defaultdict[str, list[str]] = defaultdict(list)
        self._taken = {name: folded.taken for name, folded in results.items()}
        for name, folded in results.items():
            for source in folded.taken:
                self._dependents[source].append(name)

    def add_reordered(self, position: Mapping[str, int]) -> None:
        """Add the groups whose order has changed."""
        for group in self._groups:
            places = [position.get(name, -1) for name in group.order]
            if -1 in places or places != sorted(places):
                self.add_with_dependents(group.members)

    def add_outputs(self, outputs: Iterable[Output]) -> None:
        """Add outputs that are new or have other steps."""
        for output in outputs:
            self.add_with_dependents([output.name])
            self._add_entangled(output.sources())

    def add_with_dependents(self, names: Iterable[str]) -> None:
        """Add outputs, those that depend on them, and those that are entangled with any of them."""
        pending = [name for name in names if name not in self.names]
        self.names.update(pending)
        while pending:
            name = pending.pop()
            group = self._group_of.get(name)
            self._add_entangled(self._taken.get(name, ()))
            unseen = [*self._dependents.get(name, ()), *(group.members if group else ())]
            unseen = [each for each in dict.fromkeys(unseen) if each not in self.names]
            self.names.update(unseen)
            pending += unseen

    def _add_entangled(self, sources: Iterable[str]) -> None:
        """Add the entangled ones among the sources: who takes from them needs their state at that moment."""
        for source in sources:
            if source in self._group_of and source not in self.names:
                self.add_with_dependents([source])
