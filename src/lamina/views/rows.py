"""Rows: every part of an output as it is shown, with what each layer said about it.

There is a row for each key and item in the order of the value, and one for each key that some layer set and that was
removed; each comes before the rows inside it. Page and explorer show the same rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lamina.budget import values_to_show
from lamina.engine.provenance import source_nodes_of
from lamina.engine.walk import walk
from lamina.paths import MISSING, show_key
from lamina.sources.yaml.writer import in_order
from lamina.views.redaction import has_secret_history
from lamina.views.report.value_text import full

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.history import Event
    from lamina.engine.node import Node, SourceNode
    from lamina.engine.walk import Visited
    from lamina.views.report.views import PageView
    from lamina.views.result import Result

KINDS = ("mapping", "list", "text", "other", "gone", "secret")
MAPPING, LIST, TEXT, OTHER, GONE, SECRET = range(len(KINDS))
"""What a row holds; the page knows these numbers."""

WITHHELD = "withheld: secret"
WORDS = {"kept": "ignored", "dropped": "ignored", "deleted": "removed", "looked up": "set"}
"""Verdicts as they are shown beside values: none may read as if a layer had won that lost."""


class Row(NamedTuple):
    """One key, item, or removed key of an output."""

    level: int
    """In how many other rows it is."""
    step: str
    """The last step of its path, as it is written."""
    node: Node
    events: list[Event]
    """What the layers said, the earliest first."""
    opens: bool
    """Whether there are rows inside."""
    is_secret: bool
    """Whether its value must not be shown."""

    @property
    def kind(self) -> int:
        value = self.node.value
        if value is MISSING:
            return GONE
        if self.opens:
            return MAPPING if isinstance(value, dict) else LIST
        if self.is_secret:
            return SECRET
        return TEXT if isinstance(value, str) else OTHER

    @property
    def text(self) -> str:
        """Its value, or how much is in it."""
        value = self.node.value
        if value is MISSING:
            return ""
        if self.opens:
            return size_of(value)
        return WITHHELD if self.is_secret else full(value)

    def sources(self) -> Iterator[SourceNode]:
        """What the value comes from; of a collection the rows inside say that."""
        return iter(()) if self.opens and self.node.value else source_nodes_of(self.node)


def rows_of(result: Result, view: PageView) -> Iterator[Row]:
    """The rows of a view; that of all of it only if nothing is inside."""
    secrets = result.hides_secrets and has_secret_history(view.node)
    shown = values_to_show()
    lists: list[bool] = []
    """Of what the current row is in: whether it is a list."""
    for visited in walk(view.node, in_order if result.style.sort_keys else None):
        path, node = visited.path, visited.node
        opens = bool(visited.members)
        level = len(path)
        lists[level:] = [isinstance(node.value, (list, tuple))]
        if path or not opens:
            events = _events(visited, view)
            shown.spend(1 + len(events))
            step = _step(visited, in_list=lists[level - 1])
            is_secret = secrets and has_secret_history(node)
            yield Row(max(level - 1, 0), step, node, events, opens, is_secret)


def _events(visited: Visited, view: PageView) -> list[Event]:
    """The events of a part, without those of the table that the view was put into."""
    table = view.table
    return [event for event in visited.events() if event.output is None or event.output != table]


def _step(visited: Visited, *, in_list: bool) -> str:
    if not visited.path:
        return "."
    last = visited.path[-1]
    return f"[{last}]" if in_list else show_key(last)


def size_of(value: object) -> str:
    """How much a collection holds."""
    assert isinstance(value, (dict, list, tuple))
    return f"{len(value)} {'key' if isinstance(value, dict) else 'item'}{'s' * (len(value) != 1)}"
