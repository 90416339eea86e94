"""The rows of runs: of values that one source set as a whole, which most of a result consists of.

What happened to the first row happened to all inside it. So only steps, values and places are looked at there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.engine.change import MergeChange
from lamina.engine.history import directive_of, rank_of, verdict_of
from lamina.paths import show
from lamina.sources.yaml.writer import in_order
from lamina.views.report.layer_record import LayerSetting
from lamina.views.report.layer_status import LayerStatus
from lamina.views.report.page_tables import NONE
from lamina.views.report.value_text import full
from lamina.views.rows import LIST, MAPPING, OTHER, SECRET, TEXT, WITHHELD, WORDS, size_of, step_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.budget import Budget
    from lamina.engine.node import Node, SourceNode
    from lamina.paths import Path
    from lamina.views.report.layer_record import LayerRecord
    from lamina.views.report.page_tables import PageTables
    from lamina.views.rows import Row

ROW = 40
"""About what a row takes on the page without the numbers in its lists, and working it out."""
EVENT = 32
"""The same for an event of a row."""
_SET = int(LayerStatus.SET)
_COLLECTIONS = (dict, list, tuple)
_EQUAL_IN_TEXT = {str, int, bool, type(None)}
"""Types whose equal values have the same text."""


class _ShownChange(NamedTuple):
    """The change that a row of a run shows: the last one, since all brought the same value from the same place."""

    rule: int
    rule_inside: int
    """That of the rows inside the first one, which may have been appended to a list."""
    output: int
    path: Path | None
    """The path that it was made at, if it is not the end of that of the row."""


class RunRows:
    """Adds the rows of runs to those of an output."""

    def __init__(
        self,
        tables: PageTables,
        layers: LayerRecord,
        budget: Budget,
        through: Callable[[str | None], str | None],
        *,
        in_order_of_keys: bool,
    ) -> None:
        self._tables = tables
        self._layers = layers
        self._budget = budget
        self._through = through
        self._sorted = in_order_of_keys
        self._steps: dict[Any, int] = {}
        """The numbers of the texts of keys and positions."""
        self._texts: dict[Any, int] = {}
        """The numbers of the texts of scalars."""
        self._rules: dict[tuple[int, str | None, int], tuple[int, int, MergeChange]] = {}
        """The two rules of a change; with the change, since an id is unique while it lives."""

    def add(self, rows: list[list[Any]], row: Row, source: SourceNode, table: str | None, shown: Budget) -> None:
        """Add the rows of a run in an output that may have been put into a table; `shown` counts them."""
        deciding = [each for each in row.part.deciding if table is None or _output_of(each) != table]
        self._layer = NONE
        for each in deciding:
            self._layer = self._layers.setting(_setting(each, source))
        if not deciding:
            self._layer = self._layers.holding(source.layer, source.origin())
        self._rows, self._positions, self._is_secret = rows, source.positions, row.is_secret
        self._depth = len(row.path)
        self._shown, self._spent = shown, 1 + len(deciding)
        self._change = self._changed(deciding[-1], row.path) if deciding else None
        before = len(rows)
        if row.is_shown:
            self._add(row.level, self._tables.texts(row.step), row.part.value, source.index, row.path, is_first=True)
        if row.opens:
            self._add_inside(row.part.value, source.full, source.index, len(row.part.path), row.path)
        count = len(rows) - before
        self._budget.spend(size=count * (ROW + EVENT * bool(deciding)))

    def _changed(self, node: Node, path: Path) -> _ShownChange:
        """What the rows show of the node that has the event."""
        tables = self._tables
        if type(node) is not MergeChange:
            rule = tables.rules((tables.texts("set"), NONE, NONE))
            return _ShownChange(rule, rule, NONE, None if ends_with(path, node.path) else node.path)
        key = (id(node.cause), node.verdict, id(node.policy))
        if key not in self._rules:
            directive = directive_of(node, node.cause)
            rest = tables.text(directive.text), tables.place(directive.origin)
            words = [WORDS.get(verdict, verdict) for verdict in (verdict_of(node), node.cause.verb or "set")]
            first, inside = (tables.rules((tables.texts(word), *rest)) for word in words)
            self._rules[key] = first, inside, node
        first, inside, _ = self._rules[key]
        output = tables.text(self._through(node.cause.output))
        return _ShownChange(first, inside, output, None if ends_with(path, node.path) else node.path)

    def _add_inside(self, value: Any, full_value: Any, index: int, level: int, path: Path) -> None:
        """Add the rows inside a collection, of which `full_value` is what its record in the positions describes."""
        is_list = not isinstance(value, dict)
        self._shown.spend(self._spent * len(value))
        for key, item, record in self._members(value, full_value, index):
            inner = path if self._change is None or self._change.path is None else (*path, key)
            self._add(level, self._step(key, in_list=is_list), item, record, inner)
            if item and isinstance(item, _COLLECTIONS):
                self._add_inside(item, item, record, level + 1, inner)

    def _members(self, value: Any, full_value: Any, index: int) -> Iterable[tuple[Any, Any, int]]:
        """Each key or position in a collection, with what is there and its record."""
        positions = self._positions
        index = positions.resolve(index)
        if not isinstance(value, dict):
            records = positions.children(index)
            return zip(range(len(value)), value, records, strict=True)
        pairs = positions.pairs(index, full_value)
        keys = in_order(value) if self._sorted else value
        return ((key, value[key], pairs[key][1]) for key in keys)

    def _add(self, level: int, step: int, value: Any, record: int, path: Path, *, is_first: bool = False) -> None:
        tables, change, layer = self._tables, self._change, self._layer
        place = tables.place(self._positions.origin(record))
        opens = bool(value) and isinstance(value, _COLLECTIONS)
        event_value = NONE
        if opens:
            kind, text = MAPPING if isinstance(value, dict) else LIST, tables.texts(size_of(value))
        elif self._is_secret:
            kind, text, event_value = SECRET, tables.texts(WITHHELD), tables.texts(full(WITHHELD))
        else:
            kind = TEXT if isinstance(value, str) else OTHER
            text = event_value = self._text(value)
        row = [level, kind, step, text, [] if opens else [layer, place]]
        if change is not None:
            rule = change.rule if is_first else change.rule_inside
            at = NONE if change.path is None else tables.texts(show((*change.path, *path[self._depth :])))
            event = trimmed((rule, layer, place, event_value, at, change.output))
            row.append([tables.events(event)])
            if not opens:
                row.append([layer, _SET])
        self._rows.append(row)

    def _step(self, key: Any, *, in_list: bool) -> int:
        """The number of the text of a step."""
        if type(key) not in _EQUAL_IN_TEXT:
            return self._tables.texts(step_text(key, in_list=in_list))
        known = (in_list, type(key), key)
        number = self._steps.get(known)
        if number is None:
            number = self._steps[known] = self._tables.texts(step_text(key, in_list=in_list))
        return number

    def _text(self, value: Any) -> int:
        """The number of the text of a value that holds no rows."""
        if type(value) not in _EQUAL_IN_TEXT:
            return self._tables.texts(full(value))
        key = (type(value), value)
        number = self._texts.get(key)
        if number is None:
            number = self._texts[key] = self._tables.texts(full(value))
        return number


def _output_of(node: Node) -> str | None:
    return node.cause.output if type(node) is MergeChange else None


def _setting(node: Node, source: SourceNode) -> LayerSetting:
    """The layer that a change of a run sets something by, and when."""
    if type(node) is not MergeChange:
        return LayerSetting(source.layer, source.origin())
    cause = node.cause
    return LayerSetting(source.layer, source.origin(), cause.output, cause.number, rank_of(cause.step))


def ends_with(path: Path, end: Path) -> bool:
    """Whether a path is another one, seen from further above."""
    return len(path) >= len(end) and path[len(path) - len(end) :] == end


def trimmed(entry: tuple[Any, ...]) -> tuple[Any, ...]:
    """An entry without the fields at its end that hold nothing; the page fills them in."""
    end = len(entry)
    while end and (entry[end - 1] == NONE or entry[end - 1] == ()):
        end -= 1
    return entry[:end]
