"""Output flow: where in the results the outputs of a plan end up.

An output may be a result itself, be at a path of another output, or be what another one starts with; through several
outputs if need be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lamina.engine.plan import Merge, OutputRef
from lamina.views.lint.layer_index import steps_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lamina.engine.plan import From, Plan
    from lamina.paths import Path

End: TypeAlias = "tuple[str, Path]"
"""An output of the result, and a path in it."""


class _Flow(NamedTuple):
    """What is at a path of one output is merged into a path of another."""

    taken: Path
    output: str
    path: Path


class Ends:
    """Where everything ends up."""

    def __init__(self, plan: Plan, visible: Collection[str]) -> None:
        self._visible = visible
        self._flows: dict[str, list[_Flow]] = {}
        self._known: dict[tuple[str, Path], frozenset[End]] = {}
        for output, step in steps_of(plan):
            take: From | None = getattr(step, "take", None)
            if take is not None and isinstance(take.source, OutputRef) and not take.selects:
                flow = _Flow(take.path, output, step.path if isinstance(step, Merge) else ())
                self._flows.setdefault(take.source.name, []).append(flow)

    def of(self, output: str, path: Path) -> frozenset[End]:
        """Where what is at a path of an output ends up, as a whole."""
        known = self._known.get((output, path))
        if known is None:
            reached = self._reached((output, path))
            known = self._known[(output, path)] = frozenset(end for end in reached if end[0] in self._visible)
        return known

    def _reached(self, start: End) -> set[End]:
        """All places of outputs that something is merged into, one after the other."""
        reached = {start}
        pending = [start]
        while pending:
            output, path = pending.pop()
            for flow in self._flows.get(output, ()):
                end = (flow.output, (*flow.path, *path[len(flow.taken) :]))
                if path[: len(flow.taken)] == flow.taken and end not in reached:
                    reached.add(end)
                    pending.append(end)
        return reached


def common_end(paths: Iterable[Path]) -> Path:
    """The steps that all the paths end with."""
    first, *others = [tuple(reversed(path)) for path in paths] or [()]
    count = 0
    while count < len(first) and all(path[count : count + 1] == first[count : count + 1] for path in others):
        count += 1
    return tuple(reversed(first[:count]))
