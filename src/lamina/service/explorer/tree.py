"""An output as a tree: a row for each key and item, with its text, the places that set it and the layers they are in.

What every layer set at a path is the stack of a row, which is asked for one row at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.escapes import visible
from lamina.budget import check_shown, to_show
from lamina.engine.history import events_of
from lamina.engine.provenance import source_nodes_of
from lamina.errors import Diagnostic, UsageError
from lamina.paths import MISSING, parse, resolve_path, show, show_key
from lamina.sources.yaml.writer import in_order
from lamina.views.explain import hints_for
from lamina.views.redaction import has_secret_history
from lamina.views.report.layer_status import LayerStatuses
from lamina.views.report.row_content import KINDS, WORDS, content_of, removed_keys_of
from lamina.views.report.value_text import full

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.history import Event, History
    from lamina.engine.losses import Loss
    from lamina.engine.node import Node
    from lamina.origins import Origin
    from lamina.views.report.views import PageView
    from lamina.views.result import Result

_ROW = 160
"""What a row takes in an answer without its texts, about."""
_ORIGIN = 48
"""What a place of a row takes."""

Layer = tuple[str, str]
"""The name of a layer and the source it is in."""


def tree_data(result: Result, view: PageView) -> dict[str, Any]:
    """All rows of an output, each after what it is in."""
    check_shown(view.node.value)
    walk = _RowWalk(result, view)
    rows = list(walk.rows())
    return {
        "version": 1,
        "output": visible(view.name),
        "layers": [[visible(name), visible(source)] for name, source in walk.numbers],
        "order": walk.order(),
        "rows": rows,
    }


def stack_data(result: Result, view: PageView, path: str) -> dict[str, Any]:
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


def origin_data_of(origin: Origin | None) -> dict[str, Any] | None:
    """A place as plain data."""
    if origin is None:
        return None
    part = visible(origin.part) if origin.part else None
    return {"source": visible(origin.source), "line": origin.line, "column": origin.column, "part": part}


def _event_data(event: Event, path: tuple[Any, ...], view: PageView) -> dict[str, Any]:
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


def _loss_data(loss: Loss) -> dict[str, Any]:
    return {
        "verdict": WORDS.get(loss.verdict, loss.verdict),
        "value": full(loss.value),
        "place": origin_data_of(loss.origin),
        "by": origin_data_of(loss.by),
    }


def _layer_of(event: Event) -> Layer:
    return event.layer or "", event.origin.source if event.origin else ""


def _shown(layer: Layer) -> list[str]:
    return [visible(text) for text in layer]


class _RowWalk:
    """One walk through an output."""

    def __init__(self, result: Result, view: PageView) -> None:
        self._result = result
        self._view = view
        self._secrets = result.hides_secrets and has_secret_history(view.node)
        self._statuses = LayerStatuses()
        self._budget = to_show()
        names = [output.name for stage in result.plan.stages for output in stage.outputs]
        self._outputs = {name: number for number, name in enumerate(names)}
        self.numbers: dict[Layer, int] = {}
        self._first: dict[int, tuple[int, int]] = {}
        """When each layer set something first: in which output of the plan, at which step."""
        self._ranks: dict[int, int] = {}
        """The precedence of each layer, as far as the plan states one."""

    def order(self) -> list[int]:
        """The layers, the one that wins over all others last."""
        if self._ranks:
            last = max(self._ranks.values()) + 1
            return sorted(self._first, key=lambda layer: -self._ranks.get(layer, last))
        found = sorted(self._first, key=self._first.__getitem__)
        return found[::-1] if self._result.spec.first_wins else found

    def rows(self) -> Iterator[dict[str, Any]]:
        root = self._view.node
        children = self._children(root, self._events(root))
        if not children:
            yield self._row(root, ".", 0, [])
            return
        pending = [(root, key, 0) for key in reversed(children)]
        while pending:
            holder, key, level = pending.pop()
            node = holder.child(key)
            inner = self._children(node, self._events(node))
            step = f"[{key}]" if isinstance(holder.value, (list, tuple)) else visible(show_key(key))
            yield self._row(node, step, level, inner)
            pending += [(node, each, level + 1) for each in reversed(inner)]

    def _events(self, node: Node) -> list[Event]:
        table = self._view.table
        return [event for event in events_of(node) if event.output is None or event.output != table]

    def _children(self, node: Node, events: list[Event]) -> list[Any]:
        """What a node holds, and the keys some layer set there that were removed."""
        value = node.value
        if isinstance(value, (list, tuple)):
            return list(range(len(value)))
        if not isinstance(value, dict):
            return []
        former = [key for key in removed_keys_of(value, events) if next(events_of(node.child(key)), None) is not None]
        keys = [*value, *former]
        return in_order(keys) if self._result.style.sort_keys else keys

    def _row(self, node: Node, step: str, level: int, inner: list[Any]) -> dict[str, Any]:
        secret = self._secrets and has_secret_history(node)
        kind, text = content_of(node, bool(inner), secret=secret)
        origins = []
        if not (inner and node.value):
            origins = [
                (self._number((each.layer or "", _source(each.origin()))), each) for each in source_nodes_of(node)
            ]
        events = [(self._seen(event), event) for event in self._events(node)]
        statuses = {} if inner else self._statuses.of(events, [layer for layer, _ in origins])
        self._budget.spend(size=_ROW + len(step) + len(text) + _ORIGIN * len(origins))
        return {
            "step": step,
            "level": level,
            "kind": KINDS[kind],
            "text": text,
            "opens": bool(inner),
            "origins": [{"layer": layer, "place": origin_data_of(each.origin())} for layer, each in origins],
            "statuses": [[layer, status.name.lower()] for layer, status in statuses.items()],
        }

    def _seen(self, event: Event) -> int:
        """The number of the layer of an event; remembers when it first set something, and its precedence."""
        layer = self._number(_layer_of(event))
        when = (self._outputs.get(event.output or "", -1), -1 if event.step is None else event.step)
        self._first[layer] = min(when, self._first[layer])
        if event.rank is not None:
            self._ranks[layer] = min(event.rank, self._ranks.get(layer, event.rank))
        return layer

    def _number(self, layer: Layer) -> int:
        number = self.numbers.setdefault(layer, len(self.numbers))
        self._first.setdefault(number, (len(self._outputs), 0))
        return number


def _source(origin: Origin | None) -> str:
    return origin.source if origin else ""
