"""The rows of an output: one for each key and item in the order of the value, and for each key that was removed.

What follows from what outputs share, or from a pattern, is not looked at; everything else is collected as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import values_to_show
from lamina.engine.delta import NEW, OLD, MapDelta
from lamina.engine.merged_node import MergedNode
from lamina.engine.node import LiteralNode, SourceNode
from lamina.sources.yaml.writer import in_order
from lamina.views.report.interning import NONE
from lamina.views.report.mapping_stacks import MappingStacks
from lamina.views.report.open_row import OpenRow
from lamina.views.report.outline_parts import UnknownPart
from lamina.views.report.pattern_rows import PatternRows
from lamina.views.report.row_content import content_of, has_history, removed_keys_of
from lamina.views.report.row_size import EVENT, NUMBER, ROW
from lamina.views.report.shared_parts import Sharing
from lamina.views.report.stack_walk import GLANCES

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lamina.budget import Budget
    from lamina.engine.history import Event
    from lamina.engine.node import Node
    from lamina.paths import Path
    from lamina.views.report.interning import InternedTables
    from lamina.views.report.layer_record import LayerRecord
    from lamina.views.report.outline_parts import Mark
    from lamina.views.report.shown_history import ShownHistories
    from lamina.views.report.views import PageView


class OutputRows:
    """Collects the rows of one view after the other."""

    def __init__(
        self,
        tables: InternedTables,
        histories: ShownHistories,
        layers: LayerRecord,
        budget: Budget,
        sort_keys: bool,
    ) -> None:
        self._tables = tables
        self._histories = histories
        self._layers = layers
        self._budget = budget
        self._sort_keys = sort_keys
        self._sharing = Sharing(histories.through)
        self.patterns = PatternRows(tables, self._sharing, histories, layers, budget)
        self.stacks = MappingStacks(tables, self, self.patterns, self._sharing, budget)
        self._table: str | None = None
        """The table that contains the current view."""
        self._values = values_to_show()
        """What is not shared; a value that is takes a glance."""
        self._shared: dict[Hashable, int] = {}
        """The rows of what outputs share."""

    def of(self, view: PageView) -> list[int]:
        """The numbers of the topmost rows; children are numbered before what holds them."""
        self._table = view.table
        root = self._open(view.node, self._tables.texts("."), (), None)
        for setting in self._histories.settings(view.node):
            self._layers.setting(setting)
        if not root.children:
            return [self._row(root)]
        self._collect(root)
        return root.rows

    def _collect(self, root: OpenRow) -> None:
        """Collect the rows inside a row."""
        stack = [root]
        while True:
            opened = self._fill(stack[-1])
            if opened is not None:
                stack.append(opened)
            elif len(stack) == 1:
                return
            else:
                done = stack.pop()
                stack[-1].rows.append(self._row(done))

    def _fill(self, row: OpenRow) -> OpenRow | None:
        """Collect the children of a row up to one that must be opened, which is returned; None after the last.

        The page fills in those of a stack. A child needs no look if its row is known already or follows from a pattern.
        The layers of what is shared are among those of the node that it is in.
        """
        rows, children = row.rows, row.children
        if not row.is_tried:
            row.is_tried = True
            if not self._sort_keys and row.outline is not None and len(children) == len(row.value):
                found = self.stacks.entry(row)
                if found is not None:
                    rows.append(found[0])
                    self._values.spend(found[1])
                    row.is_stack = True
        if row.is_stack:
            return None
        for at in range(len(rows), len(children)):
            made = self._child(row, children[at])
            if isinstance(made, OpenRow):
                return made
            rows.append(made)
        return None

    def _child(self, row: OpenRow, key: Any) -> OpenRow | int:
        """The row of a child, or the child if it must be opened."""
        mark = self.mark(row, key)
        if mark is not None:
            number = self._shared.get((key, mark))
            made = self._by_pattern(row, key, mark) if number is None else number
            if made is not None:
                return made
        return self._open(row.node.child(key), self._step(row, key), (*row.path, key), mark)

    # What stacks ask for

    def mark(self, row: OpenRow, key: Any) -> Mark | None:
        """What outputs have in common that share what a row has at a key, if that is known."""
        if row.marks is None:
            row.marks = {} if row.outline is None else self._sharing.marks(row.outline)
        return row.marks.get(key)

    def mapping(self, row: OpenRow, mark: Mark, key: Any) -> OpenRow | None:
        """A mapping whose history has a pattern; None where there is none, or where keys were removed."""
        value = row.value[key]
        try:
            outline = self.patterns.part(row, key, mark, dict)
        except UnknownPart:
            return None
        marks = self._sharing.marks(outline)
        if not marks.keys() <= value.keys():
            return None
        pattern = self.patterns.collection(row, key, mark)
        if pattern == NONE:
            return None
        self._values.spend(len(value) // GLANCES)
        keys = in_order(value) if self._sort_keys else list(value)
        step, inside = self.patterns.step(key), (*row.path, key)
        return OpenRow(lambda: row.node.child(key), step, inside, value, keys, None, mark, pattern, outline, marks)

    def number(self, row: OpenRow, key: Any) -> int:
        """The number of the row of what a row has at a key."""
        made = self._child(row, key)
        if isinstance(made, OpenRow):
            self._collect(made)
            return self._row(made)
        return made

    def _step(self, row: OpenRow, key: Any) -> int:
        is_list = isinstance(row.value, (list, tuple))
        return self._tables.texts(f"[{key}]") if is_list else self.patterns.step(key)

    def _by_pattern(self, row: OpenRow, key: Any, mark: Mark) -> OpenRow | int | None:
        """What is at a key by its pattern: a mapping to be filled, or the row; None where there is no pattern."""
        value = row.value.get(key)
        if isinstance(value, dict) and value:
            return self.mapping(row, mark, key)
        number = None
        if isinstance(value, list) and value:
            number = self.patterns.items(row, key, value, mark)
        else:
            number = self.patterns.leaf(row, key, mark)
        if number is not None:
            self._values.spend(1 + (len(value) if isinstance(value, list) else 0))
            self._shared[key, mark] = number
        return number

    def _open(self, node: Node, step: int, path: Path, mark: Mark | None) -> OpenRow:
        """A value whose history is looked at as it is; that of all of a view is not shown if it holds anything."""
        value = node.value
        is_shown = bool(path) or not isinstance(value, dict) or not value
        events = self._histories.events(node) if is_shown else None
        if isinstance(value, (dict, list, tuple)):
            self._values.spend(len(value) // GLANCES)
        opened = OpenRow(lambda: node, step, path, value, self._children(node, events), events, mark)
        if isinstance(value, dict) and not self._histories.secrets:
            opened.outline = self._sharing.outline(node, self._table)
        return opened

    def _children(self, node: Node, events: list[Event] | None) -> list[Any]:
        """What a node holds, as it would be written, and the keys some layer set here that were removed."""
        value = node.value
        if isinstance(value, (list, tuple)):
            return list(range(len(value)))
        if not isinstance(value, dict):
            return []
        keys = list(value)
        known = _keys_in(node)
        if known is None or not known <= value.keys():
            former = removed_keys_of(value, self._histories.events(node) if events is None else events)
            keys += [key for key in former if (known is None or key in known) and has_history(node.child(key))]
        return in_order(keys) if self._sort_keys else keys

    def _row(self, done: OpenRow) -> int:
        """The number of a row.

        Kind, step, text, origins (layer, place, …), events, statuses (layer, status, …), hints, rows inside.
        """
        self._values.spend(1)
        if done.events is None and done.mark is not None:
            number = self.patterns.mapping(done, done.mark[1])
        else:
            number = self._whole_row(done)
        if done.mark is not None:
            self._shared[done.path[-1], done.mark] = number
        return number

    def _whole_row(self, done: OpenRow) -> int:
        node, opens = done.node, bool(done.children)
        events = done.events or []
        self._values.spend(len(events))
        shown = self._histories.of(node, events, opens=opens)
        kind, text = content_of(node, opens, secret=self._histories.is_secret(node))
        self._budget.spend(size=ROW + EVENT * len(events) + NUMBER * (len(shown.origins) + len(done.rows)))
        return self._tables.rows(
            (
                kind,
                done.step,
                self._tables.texts(text),
                shown.origins,
                tuple(map(self._tables.events, shown.events)),
                shown.statuses,
                shown.hints,
                tuple(done.rows),
            )
        )


def _keys_in(node: Node) -> set[Any] | None:
    """The keys that anything in the past of a mapping may have; None where that is not known without a look at each.

    Events name what a layer has, also where that went to a single key of the mapping.
    """
    found: set[Any] = set()
    todo = [node]
    while todo:
        node = todo.pop()
        if type(node) is MergedNode:
            todo.append(node.old)
            if type(node.delta) is MapDelta:
                found.update(node.delta.entries)
            elif node.delta is OLD or node.delta is NEW:
                todo.append(node.new)
            else:
                return None
        elif type(node) is SourceNode or type(node) is LiteralNode:
            if isinstance(node.value, dict):
                found.update(node.value)
        else:
            return None
    return found
