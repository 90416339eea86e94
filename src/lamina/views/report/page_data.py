"""Collecting: everything the page shows, as plain data.

The data is a handful of tables and, for each output, its rows: one for each key and item in the order of the value,
and one for each key that some layer set and that is gone. A row is a short list; `_row` says what is where, and
the script of the page reads it by the same order. Nothing here knows a dialect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.escapes import visible
from lamina._support.progress import unwatched
from lamina.budget import ShownBudget, check_shown
from lamina.dialects.extensions import explain_of
from lamina.engine.history import Event, events_of
from lamina.engine.provenance import writings_of
from lamina.engine.secrecy import has_secret_past
from lamina.paths import MISSING, show, show_key
from lamina.sources.yaml.writer import in_order
from lamina.version import VERSION
from lamina.views.output_graph import links_of
from lamina.views.report.interning import NONE, InternedTables
from lamina.views.report.layer_order import in_one_line
from lamina.views.report.layer_status import LayerStatuses
from lamina.views.report.value_text import full, on_one_line
from lamina.views.report.views import takes_from_others, views_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina._support.progress import Counting
    from lamina.engine.losses import Loss
    from lamina.engine.node import Node
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.views.report.views import PageView
    from lamina.views.result import Result

MAPPING, LIST, TEXT, OTHER, GONE, SECRET = range(6)
"""What a row holds; the page knows these numbers."""

WITHHELD = "withheld: secret"

_ROW = 40
"""What a row takes on the page without the numbers in its lists, about."""
_ORIGINS, _STANDINGS = 4, 6
"""Where in a row these lists are."""
_EVENT = 32
"""What an event of a row takes: a number on the page, and working it out."""
_NUMBER = 7
"""What a number takes, with the comma behind it."""


def collect(rendered: Result, title: str, counting: Counting = unwatched) -> dict[str, Any]:
    """All data of a page."""
    check_shown(rendered.plain)
    work = _Collecting(rendered)
    views = views_of(rendered)
    outputs = [work.output(view) for view in counting(views)]
    notes = [_note(note, views, withholds=rendered.withholds) for note in dict.fromkeys(rendered.notes)]
    links = dict.fromkeys((visible(link.source), visible(link.target), link.kind) for link in links_of(rendered))
    return {
        "version": 1,
        "title": visible(title),
        "dialect": rendered.dialect.title,
        "noun": rendered.spec.noun,
        "compat": getattr(rendered.options, "compat", None),
        "lamina": VERSION,
        "texts": work.tables.texts.entries(),
        "layers": work.tables.layers.entries(),
        "places": work.tables.places.entries(),
        "events": work.tables.events.entries(),
        "outputs": outputs,
        "notes": notes,
        "links": list(links),
    }


class _Collecting:
    """One collection under way."""

    def __init__(self, rendered: Result) -> None:
        self._rendered = rendered
        self._hint = explain_of(rendered.dialect).hint
        self._standings = LayerStatuses()
        outputs = [output for stage in rendered.plan.stages for output in stage.outputs]
        self._outputs = {output.name: number for number, output in enumerate(outputs)}
        self._takers = {number for number, output in enumerate(outputs) if takes_from_others(output)}
        self._order: dict[int, tuple[int, int]] = {}
        """When each layer spoke first, in the output at hand: in which output of the plan, at which step."""
        self._steps: dict[int, dict[int, int]] = {}
        """The step at which each layer had its last word in each of those outputs of the plan."""
        self._events_of: dict[int, tuple[int, Any]] = {}
        """The text of each collection told of so far, and the collection, which keeps its identity while it lives."""
        self._budget = ShownBudget()
        self.tables = InternedTables(self._budget)

    def output(self, view: PageView) -> dict[str, Any]:
        """An output: its name, its layers in the order they came, and its rows."""
        self._order, self._steps = {}, {}
        rows = list(self._rows(view))
        return {"name": visible(view.name), "layers": in_one_line(self._sequences(), self._order), "rows": rows}

    def _sequences(self) -> list[list[int]]:
        """The layers as they spoke in each output; outputs come last in which one layer stands for all of another."""
        ordered = sorted(self._steps.items(), key=lambda each: each[0] in self._takers)
        return [sorted(steps, key=steps.__getitem__) for _, steps in ordered]

    def _rows(self, view: PageView) -> Iterator[list[Any]]:
        stack: list[tuple[Node, int, str]] = [(view.node, -1, ".")]
        while stack:
            node, level, step = stack.pop()
            events = [event for event in events_of(node) if event.output is None or event.output != view.table]
            inside = list(self._children(node, events))
            if level >= 0 or not inside:
                row = self._row(node, max(level, 0), step, events, bool(inside))
                self._budget.spend(_ROW + _EVENT * len(events) + _NUMBER * (len(row[_ORIGINS]) + len(row[_STANDINGS])))
                yield row
            stack.extend((child, level + 1, text) for child, text in reversed(inside))

    def _children(self, node: Node, events: list[Event]) -> Iterator[tuple[Node, str]]:
        """What a node holds, as it would be written, and the keys some layer set here that are gone."""
        value = node.value
        if isinstance(value, (list, tuple)):
            yield from ((node.child(position), f"[{position}]") for position in range(len(value)))
        elif isinstance(value, dict):
            keys = [*value, *_former_keys(value, events)]
            for key in in_order(keys) if self._rendered.style.sort_keys else keys:
                child = node.child(key)
                if key in value or next(events_of(child), None) is not None:
                    yield child, show_key(key)

    def _row(self, node: Node, level: int, step: str, events: list[Event], opens: bool) -> list[Any]:
        """A row: level, kind, step, text, origins (layer, place, …), events, standings (layer, standing, …), hints."""
        secret = self._rendered.withholds and has_secret_past(node)
        kind, text = _content(node, opens, secret=secret)
        origins: list[int] = []
        if not (opens and node.value):
            for written in writings_of(node):
                origin = written.origin()
                layer = self.tables.layer(written.layer, origin)
                self._order.setdefault(layer, (len(self._outputs), 0))
                origins += [layer, self.tables.place(origin)]
        ordered = [(self._speaker(event), event) for event in events]
        standings = [number for pair in self._standings.of(ordered, origins[::2]).items() for number in pair]
        hints = dict.fromkeys(hint for event in events if (hint := self._hint(event)))
        return [
            level,
            kind,
            self.tables.texts(step),
            self.tables.texts(text),
            origins,
            [self._event(layer, event, node, secret) for layer, event in ordered],
            standings,
            [self.tables.texts(hint) for hint in hints],
        ]

    def _speaker(self, event: Event) -> int:
        """The layer that set something; remembers when it first did."""
        layer = self.tables.layer(event.layer, event.origin)
        if layer != NONE:
            when = (self._outputs.get(event.output or "", NONE), NONE if event.step is None else event.step)
            self._order[layer] = min(when, self._order.get(layer, when))
            steps = self._steps.setdefault(when[0], {})
            steps[layer] = max(when[1], steps.get(layer, when[1]))
        return layer

    def _event(self, layer: int, event: Event, node: Node, secret: bool) -> int:
        """The number of an event.

        Verdict, layer, place, value, directive, its place, path (if another), output, what removed it, what it lost.
        """
        tables, directive = self.tables, event.directive
        return tables.events(
            (
                tables.texts(event.verdict),
                layer,
                tables.place(event.origin),
                tables.texts(WITHHELD) if secret and event.value is not MISSING else self._value(event.value),
                tables.text(directive.text if directive else None),
                tables.place(directive.origin if directive else None),
                NONE if event.path == node.path else tables.texts.path(event.path),
                tables.text(event.output),
                tables.place(event.by),
                tuple(self._loss(loss, secret) for loss in event.lost),
            )
        )

    def _loss(self, loss: Loss, secret: bool) -> tuple[int, ...]:
        """Something that is not in the result: verdict, value, place, the place of what removed it."""
        value = self.tables.texts(WITHHELD) if secret else self._value(loss.value)
        verdict = self.tables.texts(loss.verdict)
        return verdict, value, self.tables.place(loss.origin), self.tables.place(loss.by)

    def _value(self, value: Any) -> int:
        if isinstance(value, str):
            return self.tables.texts(full(value))
        if value is MISSING:
            return NONE
        if id(value) not in self._events_of:
            self._events_of[id(value)] = self.tables.texts(on_one_line(value)), value
        return self._events_of[id(value)][0]


def _former_keys(value: dict[Any, Any], events: list[Event]) -> dict[Any, None]:
    mappings = (said for event in events for said in (event.value, event.displaced) if isinstance(said, dict))
    return dict.fromkeys(key for mapping in mappings for key in mapping if key not in value)


def _content(node: Node, opens: bool, *, secret: bool) -> tuple[int, str]:
    """The kind of a row and its text."""
    value = node.value
    if value is MISSING:
        return GONE, ""
    if opens:
        count = len(value)
        if isinstance(value, dict):
            return MAPPING, f"{count} key{'s' * (count != 1)}"
        return LIST, f"{count} item{'s' * (count != 1)}"
    if secret:
        return SECRET, WITHHELD
    return (TEXT if isinstance(value, str) else OTHER), full(value)


def _note(note: Note, views: list[PageView], *, withholds: bool) -> dict[str, Any]:
    """A note; its texts as they are, since there are few."""
    path = note.path
    view = next((number for number, view in enumerate(views) if path[: len(view.prefix)] == view.prefix), NONE)
    inside = path[len(views[view].prefix) :] if view != NONE else ()
    # Findings may quote the value they are about.
    withheld = withholds and bool(inside) and has_secret_past(views[view].node.at(inside))
    return {
        "severity": note.severity.word,
        "code": note.code,
        "message": WITHHELD if withheld else visible(note.message),
        "at": _place(note.at),
        "output": view,
        "path": show(inside) if inside else "",
        "hint": "" if withheld else visible(note.hint or ""),
        "related": [[visible(label), _place(origin)] for label, origin in note.related],
    }


def _place(origin: Origin | None) -> str:
    return visible(str(origin)) if origin else ""
