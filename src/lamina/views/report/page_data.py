"""Everything the page shows, as plain data.

The data is a handful of tables; an output is the numbers of its topmost rows. There is a row for each key and item in
the order of the value, and one for each key that some layer set and that was removed. A row is a short list that ends
with the numbers of the rows inside it, so that a part that many outputs share is stored once. `_row` says what each
field is; the script of the page reads them in the same order. Nothing here knows a dialect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.escapes import visible
from lamina._support.progress import unwatched
from lamina.budget import ShownBudget, check_shown
from lamina.dialects.extensions import explain_of
from lamina.engine.history import Event, events_of
from lamina.engine.provenance import source_nodes_of
from lamina.paths import MISSING, show, show_key
from lamina.sources.yaml.writer import in_order
from lamina.version import VERSION
from lamina.views.output_graph import links_of
from lamina.views.redaction import has_secret_history
from lamina.views.report.history_patterns import NO_PATHS, ShownHistory, equality_pattern, pattern_of
from lamina.views.report.interning import NONE, InternedTables
from lamina.views.report.layer_order import in_one_line
from lamina.views.report.layer_status import LayerStatus, LayerStatuses
from lamina.views.report.open_row import OpenRow
from lamina.views.report.row_content import (
    LIST,
    MAPPING,
    OTHER,
    TEXT,
    WITHHELD,
    WORDS,
    content_of,
    has_history,
    removed_keys_of,
    size_of,
)
from lamina.views.report.shared_parts import Sharing, UnknownPart
from lamina.views.report.source_links import NO_LINKS, SourceLinks
from lamina.views.report.value_text import LONGEST_COLLECTION, full, on_one_line
from lamina.views.report.views import takes_from_others, views_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from lamina._support.progress import Counting
    from lamina.engine.losses import Loss
    from lamina.engine.node import Node
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.views.lint.api import Linted
    from lamina.views.report.history_patterns import EventFields, HistoryPattern, Writing
    from lamina.views.report.shared_parts import Kind, Mark, Part, WrittenPart
    from lamina.views.report.views import PageView
    from lamina.views.result import Result

_PLAIN = frozenset((str, int, bool, type(None)))
"""Types whose values are equal if their texts are."""

_ROW = 40
"""What a row takes on the page without the numbers in its lists, about."""
_EVENT = 32
"""What an event of a row takes: a number on the page, and working it out."""
_NUMBER = 7
"""What a number takes, with the comma behind it."""


def collect(
    rendered: Result,
    title: str,
    counting: Counting = unwatched,
    links: SourceLinks = NO_LINKS,
    linted: Linted | None = None,
) -> dict[str, Any]:
    """All data of a page; what rendering noted is among the findings of linting."""
    check_shown(rendered.plain)
    views = views_of(rendered)
    work = _Collecting(rendered, views)
    outputs = [work.output(view) for view in counting(views)]
    found = dict.fromkeys(rendered.notes if linted is None else linted.findings)
    notes = [work.note(note, views) for note in found]
    names = {view.name for view in views}
    shown = (
        link for link in links_of(rendered) if rendered.spec.shape != "table" or {link.source, link.target} <= names
    )
    graph = dict.fromkeys((visible(link.source), visible(link.target), link.kind) for link in shown)
    tables = work.tables
    return {
        "version": 2,
        "title": visible(title),
        "dialect": rendered.dialect.title,
        "noun": rendered.spec.noun,
        "opens_at": rendered.spec.opens_at,
        "compat": getattr(rendered.options, "compat", None),
        "lamina": VERSION,
        "texts": tables.texts.entries(),
        "layers": tables.layers.entries(),
        "places": tables.places.entries(),
        "rules": tables.rules.entries(),
        "events": [_trimmed(event) for event in tables.events.entries()],
        "rows": [_trimmed(row) for row in tables.rows.entries()],
        "outputs": outputs,
        "notes": notes,
        "linted": linted is not None,
        "rule_titles": _rule_titles(linted, found) if linted else {},
        "links": list(graph),
        "sources": links.of_all(tables.sources()),
    }


def _rule_titles(linted: Linted, found: Iterable[Note]) -> dict[str, str]:
    """What each rule finds, of those that found something."""
    codes = {note.code for note in found}
    return {rule.code: visible(rule.title) for rule in linted.rules if rule.code in codes}


class _Collecting:
    """The collection of the data of one page."""

    def __init__(self, rendered: Result, views: list[PageView]) -> None:
        self._rendered = rendered
        self._hint = explain_of(rendered.dialect).hint
        self._statuses = LayerStatuses()
        outputs = [output for stage in rendered.plan.stages for output in stage.outputs]
        self._outputs = {output.name: number for number, output in enumerate(outputs)}
        self._dependent_outputs = {number for number, output in enumerate(outputs) if takes_from_others(output)}
        self._views = {view.name for view in views}
        self._view: PageView
        self._secrets = False
        """Whether anything in the current view may be secret."""
        self._order: dict[int, tuple[int, int]] = {}
        """When each layer set something first, in the current view: in which output of the plan, at which step."""
        self._steps: dict[int, dict[int, int]] = {}
        """The last step of each layer in each of those outputs of the plan."""
        self._ranks: dict[int, int] = {}
        """The precedence of each layer in the current view, if the plan has one."""
        self._names: dict[int, tuple[str, str]] = {NONE: ("", "")}
        """The name and the source of each layer."""
        self._known: dict[int, tuple[int, Any]] = {}
        """The text of each collection shown so far, and the collection, which keeps its identity while it lives."""
        self._sharing = Sharing(self._through)
        self._collections: dict[Hashable, HistoryPattern | None] = {}
        self._leaves: dict[Hashable, HistoryPattern | None] = {}
        self._list_items: dict[Hashable, HistoryPattern | None] = {}
        """The patterns of the histories of collections, of values, and of items of lists."""
        self._shared: dict[Hashable, int] = {}
        """The rows of what outputs share."""
        self._budget = ShownBudget()
        self.tables = InternedTables(self._budget)

    def output(self, view: PageView) -> dict[str, Any]:
        """An output: its name, its layers with the one that wins over all others last, and its topmost rows."""
        self._view, self._order, self._steps, self._ranks = view, {}, {}, {}
        self._secrets = self._rendered.hides_secrets and has_secret_history(view.node)
        rows = self._rows(view)
        return {"name": visible(view.name), "layers": self._layers(), "rows": rows}

    def note(self, note: Note, views: list[PageView]) -> dict[str, Any]:
        """A note; its texts as they are, since most occur once."""
        path = note.path
        view = next((number for number, view in enumerate(views) if path[: len(view.prefix)] == view.prefix), NONE)
        inside = path[len(views[view].prefix) :] if view != NONE else ()
        # Findings may quote the value they are about.
        is_hidden = self._rendered.hides_secrets and bool(inside) and has_secret_history(views[view].node.at(inside))
        return {
            "severity": note.severity.word,
            "code": note.code,
            "message": WITHHELD if is_hidden else visible(note.message),
            "at": self.tables.place(note.at),
            "output": view,
            "path": show(inside) if inside else "",
            "hint": "" if is_hidden else visible(note.hint or ""),
            "related": [[visible(label), self.tables.place(origin)] for label, origin in note.related],
        }

    def _layers(self) -> list[int]:
        """The layers, by precedence where the plan states one: then what has none, and so never competes, is first."""
        if self._ranks:
            known, last = self._ranks, max(self._ranks.values()) + 1
            return sorted(self._order, key=lambda layer: (-known.get(layer, last), self._names[layer]))
        order = in_one_line(self._sequences(), self._order)
        return order[::-1] if self._rendered.spec.first_wins else order

    def _sequences(self) -> list[list[int]]:
        """The layers by step in each output; outputs come last in which one layer represents all of another."""
        found = sorted(self._steps.items(), key=lambda each: each[0] in self._dependent_outputs)
        return [sorted(steps, key=steps.__getitem__) for _, steps in found]

    def _rows(self, view: PageView) -> list[int]:
        """The numbers of the topmost rows; children are numbered before what holds them."""
        root = self._open(view.node, ".", (), None)
        for event in root.events or ():
            self._layer(event)
        if not root.children:
            return [self._row(root)]
        stack = [root]
        while True:
            last = stack[-1]
            if len(last.rows) < len(last.children):
                if (inner := self._inner(last)) is not None:
                    stack.append(inner)
            elif last is root:
                return root.rows
            else:
                stack.pop()
                stack[-1].rows.append(self._row(last))

    def _inner(self, last: OpenRow) -> OpenRow | None:
        """The next child of a collection; None if its row is known already or follows from a pattern.

        The layers of what is shared need no look: they are among those of the node that it is in.
        """
        key = last.children[len(last.rows)]
        mark = last.marks.get(key)
        number = self._shared.get((key, mark))
        if number is None and mark is not None:
            value = last.value.get(key)
            if isinstance(value, dict) and value:
                if (opened := self._mapping(last, key, value, mark)) is not None:
                    return opened
            elif isinstance(value, list) and value:
                number = self._list(last, key, value, mark)
            elif mark[0] not in self._sharing.complex:
                number = self._leaf(last, key, value, mark)
            if number is not None:
                self._shared[key, mark] = number
        if number is None:
            step = f"[{key}]" if isinstance(last.value, (list, tuple)) else show_key(key)
            return self._open(last.node.child(key), step, (*last.path, key), mark)
        last.rows.append(number)
        return None

    def _open(self, node: Node, step: str, path: Path, mark: Mark | None) -> OpenRow:
        """A value whose history is looked at as it is."""
        events, value = self._events(node), node.value
        opened = OpenRow(lambda: node, step, path, value, self._children(node, events), events, mark)
        if isinstance(value, dict) and not self._secrets:
            opened.outline = self._sharing.outline(node, self._view.table)
            if opened.outline is not None:
                opened.marks = self._sharing.marks(opened.outline)
        return opened

    def _events(self, node: Node) -> list[Event]:
        table = self._view.table
        return [event for event in events_of(node) if event.output is None or event.output != table]

    def _mapping(self, last: OpenRow, key: Any, value: dict[Any, Any], mark: Mark) -> OpenRow | None:
        """A mapping whose history has a pattern; None if there is none, or where keys were removed."""
        try:
            outline = self._part(last, key, mark, dict)
        except UnknownPart:
            return None
        marks = self._sharing.marks(outline)
        if not marks.keys() <= value.keys():
            return None
        found = self._collection(last, key, mark)
        if found is None:
            return None
        keys = in_order(value) if self._rendered.style.sort_keys else list(value)
        inside = (*last.path, key)
        return OpenRow(
            lambda: last.node.child(key), show_key(key), inside, value, keys, None, mark, *found, outline, marks
        )

    def _part(self, last: OpenRow, key: Any, mark: Mark, kind: Kind) -> Part:
        if last.outline is None or mark[0] in self._sharing.complex:
            raise UnknownPart
        return self._sharing.part_at(last.outline, key, kind)

    def _collection(self, last: OpenRow, key: Any, mark: Mark) -> tuple[HistoryPattern, list[Writing]] | None:
        """The pattern of a collection's own history, and what it is filled in with."""
        written = self._sharing.written
        source_writes = [self._place(written[slot], key) for slot in mark[1]]
        known = (mark[0], equality_pattern(mark[1]))
        if known not in self._collections:
            node = last.node.child(key)
            shown = self._history(node, self._events(node), opens=True)
            self._collections[known] = pattern_of(shown, source_writes)
        pattern = self._collections[known]
        return None if pattern is None else (pattern, source_writes)

    def _leaf(self, last: OpenRow, key: Any, value: Any, mark: Mark) -> int | None:
        """The row of a value that holds nothing further; None if its history has no pattern."""
        written, slots = self._sharing.written, mark[1]
        source_writes: list[Writing] = []
        for slot in slots:
            part = written[slot]
            writing = part.leaves.get(key) or self._writing(part, key)
            if writing is None:
                return None
            source_writes.append(writing)
        alike: Hashable = None
        if len(slots) > 1:
            alike = (
                equality_pattern(slots),
                equality_pattern([each[0] for each in source_writes]),
                equality_pattern([each[2] for each in source_writes]),
            )
        known = (mark[0], alike)
        if known not in self._leaves:
            node = last.node.child(key)
            shown = self._history(node, self._events(node), opens=False)
            pattern = pattern_of(shown, source_writes)
            self._leaves[known] = None if pattern is None or len(pattern.origins) != 1 else pattern
        pattern = self._leaves[known]
        if pattern is None:
            return None
        return self._filled(TEXT if type(value) is str else OTHER, self._step(key), pattern, source_writes)

    def _list(self, last: OpenRow, key: Any, value: list[Any], mark: Mark) -> int | None:
        """The row of a list; None if the history of the list or of an item has no pattern."""
        try:
            items = self._sharing.item_marks(self._part(last, key, mark, list), mark)
        except UnknownPart:
            return None
        found = self._collection(last, key, mark)
        if found is None or len(items) != len(value):
            return None
        rows = self._items(last, key, value, mark, items)
        if rows is None:
            return None
        return self._filled_collection(LIST, self._step(key), self.tables.texts(size_of(value)), *found, rows)

    def _items(
        self, last: OpenRow, key: Any, value: list[Any], mark: Mark, items: list[tuple[int, int, int]]
    ) -> list[int] | None:
        """The rows of the items of a list; None if the history of one of them has no pattern.

        An event of an item may be about the list as one layer has it, or about the whole list. It then has the path of
        the list, as many steps of it as the pattern says: so a pattern is that of lists at one depth.
        """
        sharing, tables, path = self._sharing, self.tables, (*last.path, key)
        parts = [sharing.written[slot] for slot in mark[1]]
        lists = [part.value[key] for part in parts]
        places = [self._place(part, key) for part in parts]
        whole = self.value(value)
        written = [(layer, place, self.value(own)) for (layer, place, _), own in zip(places, lists, strict=True)]
        written += [(layer, place, whole) for layer, place, _ in places]
        alike = (
            equality_pattern(mark[1]),
            equality_pattern([place[0] for place in places]),
            self._statuses.alike([*lists, value]),
        )
        slots = {sharing.inner(part, key, list).ident: at for at, part in enumerate(parts)}
        paths = [NONE, *(tables.texts(show(path[-steps:])) for steps in range(1, len(path) + 1))]
        rows: list[int] = []
        for at, (pattern, ident, position) in enumerate(items):
            part = sharing.written[ident]
            writing = part.leaves.get(position) or self._writing(part, position)
            if writing is None or pattern in sharing.complex:
                return None
            source_writes = [writing, *written]
            known = (pattern, slots[ident], alike, len(path))
            if known not in self._list_items:
                node = last.node.child(key).child(at)
                shown = self._history(node, self._events(node), opens=False)
                self._list_items[known] = pattern_of(shown, source_writes, path)
            found = self._list_items[known]
            if found is None or found.origins != (0,):
                return None
            kind = TEXT if type(value[at]) is str else OTHER
            rows.append(self._filled(kind, tables.texts(f"[{at}]"), found, source_writes, paths))
        return rows

    def _step(self, key: Any) -> int:
        return self.tables.texts(show_key(key))

    def _place(self, part: WrittenPart, key: Any) -> Writing:
        """The layer and the place of a collection in a source."""
        found = part.places.get(key)
        if found is None:
            origin = part.positions.origin(part.record(key))
            found = part.places[key] = self._named(part.layer, origin), self.tables.place(origin), NONE
        return found

    def _writing(self, part: WrittenPart, key: Any) -> Writing | None:
        """The layer, the place and the text of a value in a source; None for values of which not all is in the text."""
        value = part.value[key]
        if type(value) not in _PLAIN:
            return None
        text = full(value)
        if len(text) >= LONGEST_COLLECTION:
            return None
        layer, place, _ = self._place(part, key)
        found = part.leaves[key] = layer, place, self.tables.texts(text)
        return found

    def _filled(
        self,
        kind: int,
        step: int,
        pattern: HistoryPattern,
        source_writes: list[Writing],
        paths: Sequence[int] = NO_PATHS,
    ) -> int:
        """The row of a value whose history has a pattern."""
        self._budget.spend(_ROW + _EVENT * len(pattern.events) + _NUMBER * 2)
        return self.tables.rows(
            (
                kind,
                step,
                source_writes[pattern.origins[0]][2],
                pattern.origins_in(source_writes),
                pattern.events_in(source_writes, self.tables, paths),
                pattern.statuses_in(source_writes),
                (),
                (),
            )
        )

    def _filled_collection(
        self, kind: int, step: int, text: int, pattern: HistoryPattern, source_writes: list[Writing], rows: list[int]
    ) -> int:
        self._budget.spend(_ROW + _EVENT * len(pattern.events) + _NUMBER * len(rows))
        events = pattern.events_in(source_writes, self.tables, NO_PATHS)
        return self.tables.rows((kind, step, text, (), events, (), (), tuple(rows)))

    def _through(self, output: str) -> str | None:
        """The name of an output as far as the page shows it: of others that a reader can pick."""
        return output if output in self._views and output != self._view.name else None

    def _children(self, node: Node, events: list[Event]) -> list[Any]:
        """What a node holds, as it would be written, and the keys some layer set here that were removed."""
        value = node.value
        if isinstance(value, (list, tuple)):
            return list(range(len(value)))
        if not isinstance(value, dict):
            return []
        removed_keys = [key for key in removed_keys_of(value, events) if has_history(node.child(key))]
        keys = [*value, *removed_keys]
        return in_order(keys) if self._rendered.style.sort_keys else keys

    def _row(self, done: OpenRow) -> int:
        """The number of a row.

        Kind, step, text, origins (layer, place, …), events, statuses (layer, status, …), hints, rows inside.
        """
        step = self.tables.texts(done.step)
        if done.events is None and done.pattern is not None:
            text = self.tables.texts(size_of(done.value))
            number = self._filled_collection(MAPPING, step, text, done.pattern, done.source_writes, done.rows)
        else:
            number = self._complete_row(done, step)
        if done.mark is not None:
            self._shared[done.path[-1], done.mark] = number
        return number

    def _complete_row(self, done: OpenRow, step: int) -> int:
        node, opens = done.node, bool(done.children)
        events = done.events or []
        shown = self._history(node, events, opens=opens)
        kind, text = content_of(node, opens, secret=self._secrets and has_secret_history(node))
        self._budget.spend(_ROW + _EVENT * len(events) + _NUMBER * (len(shown.origins) + len(done.rows)))
        return self.tables.rows(
            (
                kind,
                step,
                self.tables.texts(text),
                shown.origins,
                tuple(map(self.tables.events, shown.events)),
                shown.statuses,
                shown.hints,
                tuple(done.rows),
            )
        )

    def _history(self, node: Node, events: list[Event], *, opens: bool) -> ShownHistory:
        """What is shown of how a value came about."""
        secret = self._secrets and has_secret_history(node)
        origins: list[int] = []
        if not (opens and node.value):
            for written in source_nodes_of(node):
                origin = written.origin()
                layer = self._named(written.layer, origin)
                self._order.setdefault(layer, (len(self._outputs), 0))
                origins += [layer, self.tables.place(origin)]
        layered = [(self._layer(event), event) for event in events]
        statuses: dict[int, LayerStatus] = {} if opens else self._statuses.of(layered, origins[::2])
        hints = dict.fromkeys(hint for event in events if (hint := self._hint(event)))
        fields = [(self._event(layer, event, node, secret, opens), event.path) for layer, event in layered]
        last_events = _last_paths(fields)
        return ShownHistory(
            tuple(origins),
            tuple(event for event, _ in last_events),
            tuple(path for _, path in last_events),
            tuple([int(number) for pair in statuses.items() for number in pair]),
            tuple(self.tables.texts(hint) for hint in hints),
        )

    def _layer(self, event: Event) -> int:
        """The layer of an event; remembers when it first set something, and its precedence."""
        layer = self._named(event.layer, event.origin)
        if layer != NONE:
            when = (self._outputs.get(event.output or "", NONE), NONE if event.step is None else event.step)
            self._order[layer] = min(when, self._order.get(layer, when))
            steps = self._steps.setdefault(when[0], {})
            steps[layer] = max(when[1], steps.get(layer, when[1]))
            if event.rank is not None:
                self._ranks[layer] = min(event.rank, self._ranks.get(layer, event.rank))
        return layer

    def _named(self, name: str | None, origin: Origin | None) -> int:
        layer = self.tables.layer(name, origin)
        self._names[layer] = name or "", origin.source if origin else ""
        return layer

    def _event(self, layer: int, event: Event, node: Node, secret: bool, opens: bool) -> EventFields:
        """The fields of an event; the value that a layer has for all of a collection is shown by the rows inside.

        Rule (verdict, directive, its place), layer, place, value, path (if another), output (if another that is shown),
        what removed it, what it lost.
        """
        tables, directive = self.tables, event.directive
        verdict = tables.texts(WORDS.get(event.verdict, event.verdict))
        words, origin = (directive.text, directive.origin) if directive else (None, None)
        return (
            tables.rules((verdict, tables.text(words), tables.place(origin))),
            layer,
            tables.place(event.origin),
            NONE if opens else self.value(WITHHELD if secret and event.value is not MISSING else event.value),
            NONE if _ends_with(node.path, event.path) else tables.texts(show(event.path)),
            tables.text(self._through(event.output) if event.output else None),
            tables.place(event.by),
            tuple(self._loss(loss, secret) for loss in event.lost),
        )

    def _loss(self, loss: Loss, secret: bool) -> tuple[int, ...]:
        """Something that is not in the result: verdict, value, place, the place of what removed it."""
        value = self.tables.texts(WITHHELD) if secret else self.value(loss.value)
        verdict = self.tables.texts(WORDS.get(loss.verdict, loss.verdict))
        return verdict, value, self.tables.place(loss.origin), self.tables.place(loss.by)

    def value(self, value: Any) -> int:
        if isinstance(value, str):
            return self.tables.texts(full(value))
        if value is MISSING:
            return NONE
        if id(value) not in self._known:
            self._known[id(value)] = self.tables.texts(on_one_line(value)), value
        return self._known[id(value)][0]


def _last_paths(events: list[tuple[EventFields, Path]]) -> list[tuple[EventFields, Path]]:
    """The events; of what reached the output on several ways, the last one."""
    last = {event[1:4]: at for at, (event, _) in enumerate(events)}
    return [each for at, each in enumerate(events) if each[0][2] == NONE or last[each[0][1:4]] == at]


def _ends_with(path: Path, end: Path) -> bool:
    """Whether a path is another one, seen from further above."""
    return len(path) >= len(end) and path[len(path) - len(end) :] == end


def _trimmed(entry: tuple[Any, ...]) -> tuple[Any, ...]:
    """An entry without the fields at its end that hold nothing; the page fills them in."""
    end = len(entry)
    while end and (entry[end - 1] == NONE or entry[end - 1] == ()):
        end -= 1
    return entry[:end]
