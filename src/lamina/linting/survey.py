"""The survey: everything a lint rule may look at, worked out when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from lamina.linting.layers import layers_of, steps_of, survivors_of, users_of
from lamina.linting.meetings import meetings_of, strikers_of
from lamina.merge.lineage import origins_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.fold import Folded, Work
    from lamina.linting.layers import Layer
    from lamina.linting.meetings import Meeting
    from lamina.linting.recording import Record
    from lamina.merge.nodes import Written
    from lamina.places import Origin
    from lamina.plan import Plan
    from lamina.rendered import Rendered


class Survey:
    """A finished render: its result, all outputs with their histories, and what was read for it."""

    def __init__(self, rendered: Rendered, work: Work, record: Record) -> None:
        self.rendered = rendered
        self.record = record
        self.outputs: Mapping[str, Folded] = work.results

    @property
    def plan(self) -> Plan:
        return self.rendered.plan

    @cached_property
    def meetings(self) -> tuple[Meeting, ...]:
        """Every pair of values that met in a merge, hidden outputs included."""
        return tuple(meeting for folded in self.outputs.values() for meeting in meetings_of(folded))

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """What the steps bring, as it stands in the sources; steps that were given up bring nothing."""
        return tuple(layers_of(self.plan, self.skipped))

    @cached_property
    def skipped(self) -> frozenset[int]:
        """The identities of the steps that did nothing, since they failed or were made for their faults only."""
        done = {id(meeting.step) for meeting in self.meetings}
        return frozenset(id(step) for _, step in steps_of(self.plan) if id(step) not in done)

    def holders(self, node: Written) -> list[Layer]:
        """The layers a written value is a part of."""
        return [layer for layer in self._by_tape.get(id(node.tape), ()) if layer.holds(node)]

    @cached_property
    def _by_tape(self) -> Mapping[int, list[Layer]]:
        found: dict[int, list[Layer]] = {}
        for layer in self.layers:
            found.setdefault(id(layer.node.tape), []).append(layer)
        return found

    @cached_property
    def survivors(self) -> frozenset[Origin]:
        """The places of everything that is left in the results."""
        return survivors_of(self.rendered.outputs)

    @cached_property
    def strikers(self) -> frozenset[Origin]:
        """The places of everything that removed something else."""
        nodes = (striker for meeting in self.meetings for striker in strikers_of(meeting.node))
        return frozenset(origin for node in nodes for origin in origins_of(node))

    @cached_property
    def users(self) -> Mapping[str, set[str]]:
        """For each output, the outputs of the result that are made from it."""
        return users_of(self.plan, (folded.output.name for folded in self.rendered.outputs))
