"""Rows: every part of an output as it is shown, with what each layer said about it.

There is a row for each key and item in the order of the value, and one for each key that some layer set and that was
removed; each comes before the rows inside it. Page and explorer show the same rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.budget import values_to_show
from lamina.engine.walk import walk
from lamina.paths import MISSING, show_key
from lamina.sources.yaml.writer import in_order
from lamina.views.report.value_text import full

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.budget import Budget
    from lamina.engine.history import Event
    from lamina.engine.node import SourceNode
    from lamina.engine.walk import Visited
    from lamina.paths import Path
    from lamina.views.report.views import PageView
    from lamina.views.result import Result

KINDS = ("mapping", "list", "text", "other", "gone", "secret")
MAPPING, LIST, TEXT, OTHER, GONE, SECRET = range(len(KINDS))
"""What a row holds; the page knows these numbers."""

WITHHELD = "withheld: secret"
WORDS = {"kept": "ignored", "dropped": "ignored", "deleted": "removed", "looked up": "set"}
"""Verdicts as they are shown beside values: none may read as if a layer had won that lost."""


class Row:
    """One key, item, or removed key of an output."""

    __slots__ = ("_table", "is_secret", "level", "part", "path", "step")

    def __init__(self, level: int, step: str, path: Path, part: Visited, table: str | None, *, is_secret: bool) -> None:
        self.level = level
        """In how many other rows it is."""
        self.step = step
        """The last step of its path, as it is written."""
        self.path = path
        """Its path in the output."""
        self.part = part
        self.is_secret = is_secret
        """Whether its value must not be shown."""
        self._table = table

    def events(self) -> list[Event]:
        """What the layers said, the earliest first; without what the table says that the output was put into."""
        table = self._table
        return [event for event in self.part.events() if event.output is None or event.output != table]

    @property
    def is_shown(self) -> bool:
        """Whether it is shown itself: the value as a whole is not, where there are rows inside."""
        return bool(self.part.path) or not self.part.opens

    @property
    def opens(self) -> bool:
        """Whether there are rows inside."""
        return self.part.opens

    @property
    def kind(self) -> int:
        value = self.part.value
        if value is MISSING:
            return GONE
        if self.part.opens:
            return MAPPING if isinstance(value, dict) else LIST
        if self.is_secret:
            return SECRET
        return TEXT if isinstance(value, str) else OTHER

    @property
    def text(self) -> str:
        """Its value, or how much is in it."""
        value = self.part.value
        if value is MISSING:
            return ""
        if self.part.opens:
            return size_of(value)
        return WITHHELD if self.is_secret else full(value)

    def sources(self) -> Iterator[SourceNode]:
        """What the value comes from; of a collection the rows inside say that."""
        return iter(()) if self.part.opens and self.part.value else self.part.sources()


def rows_of(result: Result, view: PageView, shown: Budget | None = None, *, into_runs: bool = True) -> Iterator[Row]:
    """The rows of a view; that of all of it only if nothing is inside.

    Without `into_runs`, that of all of it in any case, and of what one source set as a whole (see `engine.walk`) only
    the first. `shown` counts the rows.
    """
    shown = shown or values_to_show()
    lists: list[bool] = []
    """Of what the current row is in: whether it is a list."""
    secrets: list[bool] = []
    """The same: whether it may hold a secret."""
    above = view.node.path
    for part in walk(view.node, in_order if result.spec.sort_keys else None, into_runs=into_runs):
        path = part.path
        level = len(path)
        lists[level:] = [isinstance(part.value, (list, tuple))]
        may_be_secret = secrets[level - 1] if level else result.hides_secrets
        is_secret = may_be_secret and _holds_secret(part)
        secrets[level:] = [is_secret]
        if path or not part.opens or not into_runs:
            shown.spend(1 + len(part.deciding))
            step = step_text(path[-1], in_list=lists[level - 1]) if path else "."
            yield Row(max(level - 1, 0), step, (*above, *path), part, view.table, is_secret=is_secret)


def _holds_secret(part: Visited) -> bool:
    """Whether a part, or anything that it came from, is secret."""
    source = part.run_source
    return source.holds_secret if source else any(each.holds_secret for each in part.sources_behind())


def step_text(step: Any, *, in_list: bool) -> str:
    """The last step of a path as it is written."""
    return f"[{step}]" if in_list else show_key(step)


def size_of(value: object) -> str:
    """How much a collection holds."""
    assert isinstance(value, (dict, list, tuple))
    return f"{len(value)} {'key' if isinstance(value, dict) else 'item'}{'s' * (len(value) != 1)}"
