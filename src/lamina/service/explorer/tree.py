"""An output as a tree: a row for each key and item, with its text, the places that set it and the layers they are in.

What every layer set at a path is the stack of a row, which is asked for one row at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.escapes import visible
from lamina.budget import check_shown, to_show
from lamina.errors import Diagnostic, UsageError
from lamina.paths import MISSING, parse, resolve_path, show
from lamina.views.explain import hints_for
from lamina.views.report.layer_record import LayerRecord
from lamina.views.report.layer_status import LayerStatuses
from lamina.views.report.value_text import full
from lamina.views.rows import KINDS, WORDS, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.history import Event, History
    from lamina.engine.losses import Loss
    from lamina.origins import Origin
    from lamina.views.report.views import PageView
    from lamina.views.result import Result
    from lamina.views.rows import Row
    from lamina.views.schemas.explorer import (
        ExploreStackData,
        ExploreTreeData,
        PlaceData,
        RowData,
        StackEventData,
        StackLossData,
    )

_ROW = 160
"""What a row takes in an answer without its texts, about."""
_ORIGIN = 48
"""What a place of a row takes."""

Layer = tuple[str, str]
"""The name of a layer and the source it is in."""


def tree_data(result: Result, view: PageView) -> ExploreTreeData:
    """All rows of an output, each after what it is in."""
    check_shown(view.node.value)
    tree = _TreeRows(result, view)
    rows = list(tree.rows())
    return {
        "version": 1,
        "output": visible(view.name),
        "layers": [_shown(layer) for layer in tree.numbers],
        "order": tree.layers.in_order(),
        "rows": rows,
    }


def stack_data(result: Result, view: PageView, path: str) -> ExploreStackData:
    """A value with every layer that sets it, the first one applied first."""
    history = _history(result, view, path)
    events = [event for event in history.events if event.output is None or event.output != view.table]
    budget = to_show()
    for event in events:
        budget.count_path(event.path)
    inside = history.path if result.many else history.path[len(view.prefix) :]
    return {
        "version": 1,
        "output": visible(view.name),
        "path": show(inside),
        "present": history.value is not MISSING,
        "value": None if history.value is MISSING else full(history.value),
        "origins": [origin_data_of(origin) for origin in history.origins],
        "events": [_event_data(event, inside, view) for event in events],
        "hints": [visible(hint) for hint in hints_for(history, result)],
    }


def _history(result: Result, view: PageView, path: str) -> History:
    steps = parse(path)
    if not view.aside:
        return result.history_at((*view.prefix, *steps))
    history = result.history(view.node.at(resolve_path(steps, view.node.value)))
    if history.value is MISSING and not history.events:
        message = f"no layer sets {show(steps)} in {view.name}"
        raise UsageError(Diagnostic(code="no-such-path", message=message, hint="choose a key that is listed"))
    return history


def origin_data_of(origin: Origin | None) -> PlaceData | None:
    """A place as plain data."""
    if origin is None:
        return None
    part = visible(origin.part) if origin.part else None
    return {"source": visible(origin.source), "line": origin.line, "column": origin.column, "part": part}


def _event_data(event: Event, path: tuple[Any, ...], view: PageView) -> StackEventData:
    directive = event.directive
    return {
        "verdict": WORDS.get(event.verdict, event.verdict),
        "layer": _shown(_layer_of(event)),
        "place": origin_data_of(event.origin),
        "value": None if event.value is MISSING else full(event.value),
        "scalar": event.value is not MISSING and not isinstance(event.value, (dict, list, tuple)),
        "rule": visible(directive.text) if directive else "",
        "rule_place": origin_data_of(directive.origin) if directive else None,
        "path": "" if event.path[-len(path) :] == path or not path else visible(show(event.path)),
        "output": visible(event.output) if event.output and event.output != view.name else "",
        "by": origin_data_of(event.by),
        "lost": [_loss_data(loss) for loss in event.lost],
    }


def _loss_data(loss: Loss) -> StackLossData:
    return {
        "verdict": WORDS.get(loss.verdict, loss.verdict),
        "value": full(loss.value),
        "place": origin_data_of(loss.origin),
        "by": origin_data_of(loss.by),
    }


def _layer_of(event: Event) -> Layer:
    return event.layer or "", event.origin.source if event.origin else ""


def _shown(layer: Layer) -> Layer:
    name, source = layer
    return visible(name), visible(source)


class _TreeRows:
    """The rows of one output."""

    def __init__(self, result: Result, view: PageView) -> None:
        self._result = result
        self._view = view
        self._statuses = LayerStatuses()
        self._budget = to_show()
        self.numbers: dict[Layer, int] = {}
        self.layers = LayerRecord(result, self._number)

    def rows(self) -> Iterator[RowData]:
        return map(self._row, rows_of(self._result, self._view))

    def _row(self, row: Row) -> RowData:
        origins = [(self.layers.holding(each.layer, each.origin()), each.origin()) for each in row.sources()]
        events = [(self.layers.setting(event), event) for event in row.events()]
        statuses = {} if row.opens else self._statuses.of(events, [layer for layer, _ in origins])
        step, text = visible(row.step), row.text
        self._budget.spend(size=_ROW + len(step) + len(text) + _ORIGIN * len(origins))
        return {
            "step": step,
            "level": row.level,
            "kind": KINDS[row.kind],
            "text": text,
            "opens": row.opens,
            "origins": [{"layer": layer, "place": origin_data_of(origin)} for layer, origin in origins],
            "statuses": [(layer, status.name.lower()) for layer, status in statuses.items()],
        }

    def _number(self, name: str | None, origin: Origin | None) -> int:
        """The number of a layer."""
        return self.numbers.setdefault((name or "", origin.source if origin else ""), len(self.numbers))
