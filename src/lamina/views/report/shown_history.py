"""What the page shows of how a value came about, read from its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.engine.history import events_of, settings_of
from lamina.engine.provenance import source_nodes_of
from lamina.paths import MISSING, show
from lamina.views.redaction import has_secret_history
from lamina.views.report.interning import NONE
from lamina.views.report.layer_status import LayerStatus, LayerStatuses
from lamina.views.report.row_content import WITHHELD, WORDS
from lamina.views.report.value_text import full, on_one_line

if TYPE_CHECKING:
    from lamina.engine.history import Event, LayerSetting
    from lamina.engine.losses import Loss
    from lamina.engine.node import Node
    from lamina.paths import Path
    from lamina.views.report.interning import InternedTables
    from lamina.views.report.layer_record import LayerRecord
    from lamina.views.report.views import PageView
    from lamina.views.result import Result

EventFields = tuple[int, int, int, int, int, int, int, tuple[tuple[int, ...], ...]]
"""Rule, layer, place, value, path, output, what removed it, what it lost."""


@dataclass(frozen=True, slots=True)
class ShownHistory:
    """What the page shows of how a value came about."""

    origins: tuple[int, ...]
    """Layer, place, …"""
    events: tuple[EventFields, ...]
    paths: tuple[Path | None, ...]
    """The path of each event, where it is another."""
    statuses: tuple[int, ...]
    """Layer, status, …"""
    hints: tuple[int, ...]


class ShownHistories:
    """Reads histories of the values of one view after the other."""

    def __init__(self, rendered: Result, views: list[PageView], tables: InternedTables, layers: LayerRecord) -> None:
        self._tables = tables
        self._layers = layers
        self._hint = rendered.hint_on
        self._names = {view.name for view in views}
        self._withholds = rendered.hides_secrets
        self._view: PageView
        self.statuses = LayerStatuses()
        self.secrets = False
        """Whether anything in the current view may be secret."""
        self._known: dict[int, tuple[int, Any]] = {}
        """The text of each collection shown so far, and the collection, which keeps its identity while it lives."""

    def begin(self, view: PageView) -> None:
        """Begin with another view."""
        self._view = view
        self.secrets = self._withholds and has_secret_history(view.node)

    def through(self, output: str) -> str | None:
        """The name of an output as far as the page shows it: of others that a reader can pick."""
        return output if output in self._names and output != self._view.name else None

    def is_secret(self, node: Node) -> bool:
        """Whether the value of a node must not be shown."""
        return self.secrets and has_secret_history(node)

    def events(self, node: Node) -> list[Event]:
        """The events at a node, without those of the table that the view was put into."""
        table = self._view.table
        return [event for event in events_of(node) if event.output is None or event.output != table]

    def settings(self, node: Node) -> list[LayerSetting]:
        """The layers of these events."""
        table = self._view.table
        return [each for each in settings_of(node) if each.output is None or each.output != table]

    def of(self, node: Node, events: list[Event], *, opens: bool) -> ShownHistory:
        """What is shown of how a value came about."""
        secret = self.is_secret(node)
        origins: list[int] = []
        if not (opens and node.value):
            for written in source_nodes_of(node):
                origin = written.origin()
                origins += [self._layers.holding(written.layer, origin), self._tables.place(origin)]
        layered = [(self._layers.setting(event), event) for event in events]
        statuses: dict[int, LayerStatus] = {} if opens else self.statuses.of(layered, origins[::2])
        hints = dict.fromkeys(hint for event in events if (hint := self._hint(event)))
        fields = [(self._event(layer, event, node, secret, opens), event.path) for layer, event in layered]
        shown = _last_ways(fields)
        return ShownHistory(
            tuple(origins),
            tuple(event for event, _ in shown),
            tuple(path for _, path in shown),
            tuple([int(number) for pair in statuses.items() for number in pair]),
            tuple(self._tables.texts(hint) for hint in hints),
        )

    def value(self, value: Any) -> int:
        """The number of the text of a value."""
        if isinstance(value, str):
            return self._tables.texts(full(value))
        if value is MISSING:
            return NONE
        if id(value) not in self._known:
            self._known[id(value)] = self._tables.texts(on_one_line(value)), value
        return self._known[id(value)][0]

    def _event(self, layer: int, event: Event, node: Node, secret: bool, opens: bool) -> EventFields:
        """The fields of an event; the value that a layer has for all of a collection is shown by the rows inside.

        Rule (verdict, directive, its place), layer, place, value, path (if another), output (if another that is shown),
        what removed it, what it lost.
        """
        tables, directive = self._tables, event.directive
        verdict = tables.texts(WORDS.get(event.verdict, event.verdict))
        words, origin = (directive.text, directive.origin) if directive else (None, None)
        return (
            tables.rules((verdict, tables.text(words), tables.place(origin))),
            layer,
            tables.place(event.origin),
            NONE if opens else self.value(WITHHELD if secret and event.value is not MISSING else event.value),
            NONE if _ends_with(node.path, event.path) else tables.texts(show(event.path)),
            tables.text(self.through(event.output) if event.output else None),
            tables.place(event.by),
            tuple(self._loss(loss, secret) for loss in event.lost),
        )

    def _loss(self, loss: Loss, secret: bool) -> tuple[int, ...]:
        """Something that is not in the result: verdict, value, place, the place of what removed it."""
        value = self._tables.texts(WITHHELD) if secret else self.value(loss.value)
        verdict = self._tables.texts(WORDS.get(loss.verdict, loss.verdict))
        return verdict, value, self._tables.place(loss.origin), self._tables.place(loss.by)


def _last_ways(events: list[tuple[EventFields, Path]]) -> list[tuple[EventFields, Path]]:
    """The events; of what reached the output on several ways, the last one."""
    last = {event[1:4]: at for at, (event, _) in enumerate(events)}
    return [each for at, each in enumerate(events) if each[0][2] == NONE or last[each[0][1:4]] == at]


def _ends_with(path: Path, end: Path) -> bool:
    """Whether a path is another one, seen from further above."""
    return len(path) >= len(end) and path[len(path) - len(end) :] == end
