"""The survey: everything a lint rule may use, computed on first use."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from lamina.engine.delta import JOINED, NEW, OLD, Computed, Delta
from lamina.engine.provenance import source_nodes_of, whole_parts_of
from lamina.paths import show
from lamina.values import same
from lamina.views.lint.kept_records import KeptRecords
from lamina.views.lint.layer_index import Layer, layers_of, steps_of
from lamina.views.lint.merge_pairs import markers_of, merge_pairs_of, removing_nodes
from lamina.views.lint.output_flow import Ends, common_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from lamina.engine.node import Node, SourceNode
    from lamina.engine.plan import Plan
    from lamina.engine.step_context import Folded, Ledger
    from lamina.errors import Note
    from lamina.paths import Path
    from lamina.sources.inputs import Inputs
    from lamina.views.lint.merge_pairs import MergePair
    from lamina.views.lint.output_flow import End
    from lamina.views.lint.tracked_inputs import Record
    from lamina.views.result import Result


class Survey:
    """A finished render: its result, all outputs with their histories, and what was read for it."""

    def __init__(self, rendered: Result, ledger: Ledger, inputs: Inputs, record: Record) -> None:
        self.rendered = rendered
        self.inputs = inputs
        self.record = record
        self.outputs: Mapping[str, Folded] = ledger.results
        self._found: dict[Callable[[Survey], Iterable[Note]], tuple[Note, ...]] = {}

    def once(self, check: Callable[[Survey], Iterable[Note]]) -> tuple[Note, ...]:
        """The cached result of a check that several rules use."""
        if check not in self._found:
            self._found[check] = tuple(check(self))
        return self._found[check]

    @property
    def plan(self) -> Plan:
        return self.rendered.plan

    @cached_property
    def merge_pairs(self) -> tuple[MergePair, ...]:
        """Every pair of values that was merged, hidden outputs included."""
        return tuple(pair for folded in self.outputs.values() for pair in merge_pairs_of(folded))

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layers that steps take from sources; failed steps have none."""
        return tuple(layers_of(self.plan, self.skipped))

    @cached_property
    def skipped(self) -> frozenset[int]:
        """The identities of the steps that did nothing, since they failed or were made for their faults only."""
        done = {id(pair.step) for pair in self.merge_pairs}
        return frozenset(id(step) for _, step in steps_of(self.plan) if id(step) not in done)

    def holders(self, node: SourceNode) -> list[Layer]:
        """The layers a written value is a part of."""
        return [layer for layer in self._by_positions.get(id(node.positions), ()) if layer.holds(node)]

    @cached_property
    def _by_positions(self) -> Mapping[int, list[Layer]]:
        found: dict[int, list[Layer]] = {}
        for layer in self.layers:
            found.setdefault(id(layer.node.positions), []).append(layer)
        return found

    @cached_property
    def kept(self) -> KeptRecords:
        """Everything of the sources that is in the results, or that had an effect on them."""
        found = KeptRecords()
        for output in self.rendered.outputs:
            for part in whole_parts_of(output.node):
                found.add_whole(part)
        for pair in self.merge_pairs:
            for worker in _workers(pair):
                for node in source_nodes_of(worker):
                    found.add(node)
        return found

    def outputs_of(self, node: SourceNode) -> set[str]:
        """The outputs that use a written value, apart from those in which something filled in takes its place."""
        return {layer.output for layer in self.holders(node) if not self._is_filled_in(layer.output, node)}

    def _is_filled_in(self, output: str, node: SourceNode) -> bool:
        return any(Layer(placeholder, output, ()).holds(node) for placeholder in self._placeholders.get(output, ()))

    @cached_property
    def _placeholders(self) -> Mapping[str, list[SourceNode]]:
        found: dict[str, list[SourceNode]] = {}
        for pair in self.merge_pairs:
            if _fills_in(pair):
                found.setdefault(pair.output, []).extend(source_nodes_of(pair.old))
        return found

    @cached_property
    def ends(self) -> Ends:
        """Where in the results the outputs end up."""
        return Ends(self.plan, self._numbers)

    def ends_of(self, node: SourceNode) -> set[End]:
        """Where in the results a written value is used."""
        return {end for layer in self.holders(node) for end in self.ends.of(layer.output, layer.path_of(node))}

    def name(self, node: SourceNode, pair: MergePair) -> str:
        """A written value by its path for people: as it is in all results that use it, else where it met another."""
        common = common_end(path for _, path in self.ends_of(node))
        return show(common) if common else self.show(pair.output, pair.path)

    def path(self, output: str, path: Path) -> Path:
        """A path of an output as it is in all results it ends up in; what they have in common of it."""
        return common_end(end for _, end in self.ends.of(output, path)) or path

    def show(self, output: str, path: Path) -> str:
        """A path of an output for people; the whole of an output goes by its name."""
        shown = show(self.path(output, path))
        return output if shown == "." else f"{output}{shown}" if shown.startswith("[") else shown

    def full_path(self, output: str, path: Path) -> Path:
        """The path in the result that leads to a path of an output, in the first place it ends up."""
        ends = self.ends.of(output, path)
        name, whole = min(ends, key=lambda end: self._numbers[end[0]], default=(output, path))
        return (self._numbers.get(name, 0), *whole) if self.rendered.many else whole

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {folded.output.name: number for number, folded in enumerate(self.rendered.outputs)}


def _fills_in(pair: MergePair) -> bool:
    """Whether a value from another output replaced a placeholder."""
    return pair.both and pair.step.verb is not None and pair.delta is NEW


def _fills_in_part(pair: MergePair) -> bool:
    """Whether a value from elsewhere was put into a string, for which the string must have been there."""
    return pair.both and pair.step.verb is not None and _is_joined(pair.delta)


def _is_joined(delta: Delta) -> bool:
    return isinstance(delta, Computed) and delta.how == JOINED


def _workers(pair: MergePair) -> Iterator[Node]:
    """What is not left because it did its work: markers, what they knocked out, place-holders, and repetitions."""
    yield from removing_nodes(pair.node)
    yield from (node for _, node in markers_of(pair))
    if _fills_in(pair) or _fills_in_part(pair):
        yield pair.old
    elif pair.both and pair.delta in (OLD, NEW) and same(pair.old.value, pair.new.value):
        yield pair.old
        yield pair.new
