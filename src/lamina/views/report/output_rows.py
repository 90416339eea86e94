"""The rows of an output as the page has them: short lists of numbers, which name what is in the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import values_to_show
from lamina.engine.history import event_of, plain_value
from lamina.engine.provenance import FirstSourceNode
from lamina.paths import MISSING, show
from lamina.views.report.carried_events import CarriedEvents
from lamina.views.report.layer_status import LayerStatus, LayerStatuses
from lamina.views.report.page_tables import NONE
from lamina.views.report.run_rows import EVENT, ROW, RunRows, ends_with, trimmed
from lamina.views.report.value_text import full, on_one_line
from lamina.views.rows import WITHHELD, WORDS, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.budget import Budget
    from lamina.engine.history import Event
    from lamina.engine.losses import Loss
    from lamina.paths import Path
    from lamina.views.report.layer_record import LayerRecord
    from lamina.views.report.page_tables import PageTables
    from lamina.views.report.views import PageView
    from lamina.views.result import Result
    from lamina.views.rows import Row

_PATH = 4
"""Which field of an event is its path."""


class OutputRows:
    """Makes the rows of one view after the other."""

    def __init__(
        self,
        rendered: Result,
        views: Iterable[PageView],
        tables: PageTables,
        layers: LayerRecord,
        budget: Budget,
    ) -> None:
        self._rendered = rendered
        self._names = {view.name for view in views}
        self._tables = tables
        self._layers = layers
        self._budget = budget
        self._statuses = LayerStatuses()
        self._in_runs = RunRows(tables, layers, budget, self._through, in_order_of_keys=rendered.spec.sort_keys)
        self._known: dict[int, tuple[int, Any]] = {}
        """The text of each collection shown so far, and the collection, which keeps its identity while it lives."""

    def of(self, view: PageView) -> list[list[Any]]:
        """The rows of a view, each before those inside it.

        Level, kind, step, text, origins (layer, place, …), events, statuses (layer, status, …), hints; without the
        fields at the end that hold nothing.
        """
        self._view = view
        self._carried, self._first_source = CarriedEvents(), FirstSourceNode()
        rows: list[list[Any]] = []
        shown = values_to_show()
        for row in rows_of(self._rendered, view, shown, into_runs=False):
            source = row.part.run_source
            if source is None:
                fields = self._row(row)
                if row.is_shown:
                    rows.append(fields)
            else:
                self._in_runs.add(rows, row, source, view.table, shown)
        return rows

    def _row(self, row: Row) -> list[Any]:
        if row.opens:
            return self._container(row)
        origins = self._origins(row)
        layered = [(self._layers.setting(event), event) for event in row.events()]
        statuses = self._statuses.of(layered, origins[::2])
        hints = dict.fromkeys(hint for _, event in layered if (hint := self._rendered.hint_on(event)))
        events = _last_ways([self._event(layer, event, row) for layer, event in layered])
        return self._fields(row, origins, events, statuses, hints)

    def _fields(
        self,
        row: Row,
        origins: list[int],
        events: list[tuple[Any, ...]],
        statuses: dict[int, LayerStatus],
        hints: Iterable[str],
    ) -> list[Any]:
        tables = self._tables
        self._budget.spend(size=ROW + EVENT * len(events))
        fields: list[Any] = [
            row.level,
            row.kind,
            tables.texts(row.step),
            tables.texts(row.text),
            origins,
            [tables.events(trimmed(event)) for event in events],
            [int(number) for pair in statuses.items() for number in pair],
            [tables.texts(hint) for hint in hints],
        ]
        while not fields[-1]:
            fields.pop()
        return fields

    def _container(self, row: Row) -> list[Any]:
        """The row of a collection; the rows inside say what it has."""
        hints: dict[str, None] = {}
        events: list[tuple[Any, ...]] = []
        for node in row.part.deciding:
            known = self._carried.find(node)
            if known is None:
                event = event_of(node, plain_value, self._first_source)
                if event.output is not None and event.output == self._view.table:
                    continue
                fields = self._event(self._layers.setting(event), event, row)
                if not self._rendered.gives_hints:
                    self._carried.add(node, fields)
                elif (hint := self._rendered.hint_on(event)) is not None:
                    hints[hint] = None
            else:
                fields = (*known[:_PATH], self._path(row, node.path), *known[_PATH + 1 :])
            events.append(fields)
        return self._fields(row, self._origins(row), _last_ways(events), {}, hints)

    def _origins(self, row: Row) -> list[int]:
        """Layer and place of each that the value comes from, in a flat list."""
        origins: list[int] = []
        for written in row.sources():
            origin = written.origin()
            origins += (self._layers.holding(written.layer, origin), self._tables.place(origin))
        return origins

    def _event(self, layer: int, event: Event, row: Row) -> tuple[Any, ...]:
        """An event; the value that a layer has for all of a collection is shown by the rows inside.

        Rule (verdict, directive, its place), layer, place, value, path (if another), output (if another that is shown),
        what removed it, what it lost.
        """
        tables, directive = self._tables, event.directive
        verdict = tables.texts(WORDS.get(event.verdict, event.verdict))
        words, origin = (directive.text, directive.origin) if directive else (None, None)
        is_hidden = row.is_secret and event.value is not MISSING
        return (
            tables.rules((verdict, tables.text(words), tables.place(origin))),
            layer,
            tables.place(event.origin),
            NONE if row.opens else self._value(WITHHELD if is_hidden else event.value),
            self._path(row, event.path),
            tables.text(self._through(event.output)),
            tables.place(event.by),
            tuple(self._loss(loss, hidden=row.is_secret) for loss in event.lost),
        )

    def _path(self, row: Row, path: Path) -> int:
        """The path at which something happened, unless that goes without saying."""
        return NONE if ends_with(row.path, path) else self._tables.texts(show(path))

    def _through(self, output: str | None) -> str | None:
        """The name of an output as far as the page shows it: of others that a reader can pick."""
        return output if output in self._names and output != self._view.name else None

    def _value(self, value: Any) -> int:
        """The number of the text of a value."""
        if isinstance(value, str):
            return self._tables.texts(full(value))
        if value is MISSING:
            return NONE
        if id(value) not in self._known:
            self._known[id(value)] = self._tables.texts(on_one_line(value)), value
        return self._known[id(value)][0]

    def _loss(self, loss: Loss, *, hidden: bool) -> tuple[int, ...]:
        """Something that is not in the result: verdict, value, place, the place of what removed it."""
        value = self._tables.texts(WITHHELD) if hidden else self._value(loss.value)
        verdict = self._tables.texts(WORDS.get(loss.verdict, loss.verdict))
        return verdict, value, self._tables.place(loss.origin), self._tables.place(loss.by)


def _last_ways(events: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The events; of what reached the output on several ways, the last one."""
    last = {event[1:4]: at for at, event in enumerate(events)}
    return [event for at, event in enumerate(events) if event[2] == NONE or last[event[1:4]] == at]
