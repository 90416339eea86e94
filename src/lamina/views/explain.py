"""Histories as text (a small tree) and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.escapes import text_of
from lamina.budget import to_show
from lamina.origins import data_or_none, origin_data
from lamina.paths import MISSING, show
from lamina.sources.json.brief import in_brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.budget import Budget
    from lamina.engine.history import Event, History
    from lamina.engine.losses import Loss
    from lamina.engine.plan import Directive
    from lamina.paths import Path
    from lamina.views.result import Result
    from lamina.views.schemas.explanations import DirectiveData, EventData, HistoryData, LossData

_WIDTH = 60


def as_tree(history: History, rendered: Result, budget: Budget | None = None) -> str:
    """The history as text: the value, then each layer that sets something and the outcome.

    A `budget` counts it with what else is shown.
    """
    return text_of((budget or to_show()).counted(_tree(history, rendered)))


def _tree(history: History, rendered: Result) -> Iterator[str]:
    yield f"{location_of(history.output, history.path)}: {in_brief(history.value, 100)}"
    verdicts = max((len(event.verdict) for event in history.events), default=0)
    last = len(history.events) - 1
    for number, event in enumerate(history.events):
        yield from _branch(event, history, verdicts, end=number == last)
    yield from (f"hint: {hint}" for hint in hints_for(history, rendered))


def location_of(output: str | None, path: Path) -> str:
    """The path, with the output that it is in where a result has several."""
    return f"{output}: {show(path)}" if output else show(path)


def _branch(event: Event, history: History, width: int, *, end: bool) -> Iterator[str]:
    stem, rest = ("└─ ", "   ") if end else ("├─ ", "│  ")
    where = f" [{show(event.path)}]" if event.path != history.path else ""
    value = "" if event.value is MISSING else f" {in_brief(event.value)}"
    why = " (the earlier value wins)" if event.verdict == "ignored" and event.result is not MISSING else ""
    yield f"{stem}{event.verdict:<{width}}{value}{where}{why}"
    yield f"{rest}{'':<{width}} {_location(event)}"
    if event.directive:
        yield f"{rest}{'':<{width}} by {event.directive}"
    if event.by:
        yield f"{rest}{'':<{width}} knocked out by {event.by}"
    yield from (f"{rest}{'':<{width}} read {origin}" for origin in event.reads)
    for loss in event.lost:
        by = f" by {loss.by}" if loss.by else ""
        yield f"{rest}{'':<{width}} without {in_brief(loss.value)} of {loss.origin}: {loss.verdict}{by}"


def _location(event: Event) -> str:
    if event.origin is None:
        return f"in {event.layer}" if event.layer else "made by the program"
    named = event.layer and event.layer != event.origin.part and not event.origin.source.endswith(event.layer)
    return f"{event.origin} in {event.layer}" if named else str(event.origin)


def hints_for(history: History, rendered: Result) -> list[str]:
    """The dialect's hints on a history, each once."""
    found = (rendered.hint_on(event) for event in history.events)
    return list(dict.fromkeys(hint for hint in found if hint))


def as_data(history: History, rendered: Result, budget: Budget | None = None) -> HistoryData:
    """The history as plain data; `budget` counts it together with other output."""
    budget = budget or to_show()
    budget.count_path(history.path)
    return {
        "output": history.output,
        "path": show(history.path),
        "present": history.value is not MISSING,
        "value": _plain(history.value),
        "origins": [origin_data(origin) for origin in history.origins],
        "events": [_event_data(event, budget) for event in history.events],
        "hints": hints_for(history, rendered),
    }


def _event_data(event: Event, budget: Budget) -> EventData:
    budget.count_path(event.path)
    return {
        "verdict": event.verdict,
        "path": show(event.path),
        "value": _plain(event.value),
        "result": _plain(event.result),
        "origin": data_or_none(event.origin),
        "layer": event.layer,
        "directive": directive_data(event.directive) if event.directive else None,
        "output": event.output,
        "step": event.step,
        "by": data_or_none(event.by),
        "reads": [origin_data(origin) for origin in event.reads],
        "lost": [_loss_data(loss) for loss in event.lost],
    }


def directive_data(directive: Directive) -> DirectiveData:
    """The line or default that decided, as plain data."""
    return {"text": directive.text, "origin": data_or_none(directive.origin)}


def _loss_data(loss: Loss) -> LossData:
    return {
        "verdict": loss.verdict,
        "key": loss.key,
        "value": _plain(loss.value),
        "origin": data_or_none(loss.origin),
        "layer": loss.layer,
        "by": data_or_none(loss.by),
    }


def _plain(value: Any) -> Any:
    return None if value is MISSING else value
