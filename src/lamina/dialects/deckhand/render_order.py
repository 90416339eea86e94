"""The order in which documents are rendered: parents and sources before the documents that need them.

The choice among several possible orders matters, since substitutions may change their sources (see `substitution`):
the graph points from each document to what it needs, its nodes in the order they are first named; generations are
taken from it, those without dependents first, and the whole is then reversed. Documents without any
relation come last.
A cycle cannot be ordered: the documents in one are reported, and those that need them come after.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(slots=True, eq=False)
class NeedsGraph:
    """The graph of needs, by number; nodes and edges in the order they were added."""

    needs: dict[int, dict[int, None]] = field(default_factory=dict)

    def add(self, node: int, needed: int) -> None:
        self.needs.setdefault(node, {})
        self.needs.setdefault(needed, {})
        self.needs[node][needed] = None

    def generations(self) -> list[list[int]]:
        """The nodes without dependents, then those whose dependents are done, and so on; none in or after a cycle."""
        wanted = dict.fromkeys(self.needs, 0)
        for needed in self._edges():
            wanted[needed] += 1
        found: list[list[int]] = []
        generation = [node for node, count in wanted.items() if not count]
        while generation:
            found.append(generation)
            following: list[int] = []
            for node in generation:
                for needed in self.needs[node]:
                    wanted[needed] -= 1
                    if not wanted[needed]:
                        following.append(needed)
            generation = following
        return found

    def _edges(self) -> Iterator[int]:
        for needed in self.needs.values():
            yield from needed

    def order(self) -> list[int]:
        """The nodes, each after all it needs; nodes in or behind a cycle are omitted."""
        return [node for generation in self.generations() for node in generation][::-1]

    def cycles(self) -> list[list[int]]:
        """The cycles: sets of nodes that all need each other, each in the order of the graph."""
        components = _components(self.needs)
        return [component for component in components if len(component) > 1 or component[0] in self.needs[component[0]]]

    def without(self, nodes: Iterable[int]) -> NeedsGraph:
        """The graph without some nodes."""
        removed = set(nodes)
        kept = {node: needed for node, needed in self.needs.items() if node not in removed}
        return NeedsGraph({node: {one: None for one in needed if one not in removed} for node, needed in kept.items()})


def _components(needs: dict[int, dict[int, None]]) -> list[list[int]]:
    """The strongly connected components (Tarjan's algorithm, without recursion)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for start, first in needs.items():
        if start in number:
            continue
        work = [(start, iter(first))]
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            for needed in rest:
                if needed not in number:
                    number[needed] = low[needed] = len(number)
                    stack.append(needed)
                    on_stack.add(needed)
                    work.append((needed, iter(needs[needed])))
                    break
                if needed in on_stack:
                    low[node] = min(low[node], number[needed])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component = [stack.pop()]
                    while component[-1] != node:
                        component.append(stack.pop())
                    on_stack.difference_update(component)
                    found.append(component[::-1])
    return found
