"""Why a lookup has its result: every layer in order of precedence, what it sets, and what the strategy did with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.compile import wanted_node
from lamina.dialects.datum.hierarchy import Hierarchy
from lamina.dialects.datum.lookup_options import joined
from lamina.engine.history import events_of
from lamina.engine.provenance import first_origin
from lamina.paths import MISSING, Path, walk
from lamina.plugin.extensions import tried
from lamina.sources.caseless_keys import caseless, with_case

if TYPE_CHECKING:
    from lamina.dialects.datum.hierarchy import NodeView
    from lamina.dialects.datum.lookup import DatumLookup
    from lamina.dialects.datum.options import DatumOptions
    from lamina.engine.history import Event
    from lamina.engine.node import Node
    from lamina.engine.plan import Directive
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.sources.inputs import Inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerValue:
    """One layer of a lookup.

    `value` is what the layer sets at the path, or MISSING; `verdict` is what happened to it, by `directive`: the
    option entry in force there, with its file and line.
    """

    prefix: str
    path: str
    file: str | None
    value: Any = MISSING
    origin: Origin | None = None
    verdict: str | None = None
    directive: Directive | None = None
    events: tuple[Event, ...] = ()

    @property
    def exists(self) -> bool:
        return self.file is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupReport:
    """A lookup with all its layers, and the entries that are not used although they look as if they apply."""

    lookup: str
    path: Path
    """The path inside the looked-up value."""
    value: Any
    strategy: str
    strategy_origin: Origin | None
    layers: tuple[LayerValue, ...]
    clean_up: tuple[Event, ...]
    """The events of cleaning up."""
    notes: tuple[Note, ...]


def explain_lookup(inputs: Inputs, options: DatumOptions, path: Path = ()) -> LookupReport:
    """The report on a lookup in a tree, or on a path inside its result."""
    hierarchy = Hierarchy(inputs, options)
    view = hierarchy.view(wanted_node(hierarchy, options))
    lookup = view.lookup(options.lookup or "")
    steps = tuple(caseless(step) if isinstance(step, str) else step for step in path)
    folded = tried(lookup.output(), {})
    node = folded.node.at(steps)
    events = [event for event in events_of(node) if event.step is not None]
    entry = hierarchy.entries.find((*lookup.names, *(step for step in steps if isinstance(step, str))))
    clean_ups = {at for at, step in enumerate(folded.output.steps) if step.verb == "cleaned up"}
    return LookupReport(
        lookup=joined(lookup.names),
        path=path,
        value=with_case(node.value),
        strategy=entry.label,
        strategy_origin=entry.origin,
        layers=tuple(_layers(view, lookup, steps, [event for event in events if event.step not in clean_ups])),
        clean_up=tuple(event for event in events if event.step in clean_ups),
        notes=(*lookup.notes(), *folded.notes, *folded.faults, *view.notes()),
    )


def _layers(view: NodeView, lookup: DatumLookup, steps: Path, events: list[Event]) -> list[LayerValue]:
    found: list[LayerValue] = []
    number = 0
    for prefix in view.resolved_prefixes:
        node = view.value_at(prefix, lookup.names)
        own: list[Event] = []
        if node is not None:
            own = [event for event in events if event.step == number]
            number += 1
        found.append(_layer(prefix.prefix.pattern, prefix.path, prefix.file, node, steps, own))
    return found


def _layer(prefix: str, path: str, file: str | None, node: Node | None, steps: Path, events: list[Event]) -> LayerValue:
    inside = MISSING if node is None else walk(node.value, steps)
    last = events[-1] if events else None
    return LayerValue(
        prefix=prefix,
        path=path,
        file=file,
        value=MISSING if inside is MISSING else with_case(inside),
        origin=first_origin(node.at(steps)) if node is not None and inside is not MISSING else None,
        verdict=last.verdict if last else None,
        directive=last.directive if last else None,
        events=tuple(events),
    )
