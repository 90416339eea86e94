"""Reading YAML by one loop over libyaml's events: the common cases, read as PyYAML's safe loaders read them.

Plain scalars are looked up in the table's cache. Cases that the loop cannot decide end with one of `_UNDECIDED`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from yaml import YAMLError
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from lamina.origins import PositionMap
from lamina.sources.document import Document
from lamina.sources.yaml.mapping_members import record_members
from lamina.sources.yaml.pyyaml_reader import FastParser
from lamina.sources.yaml.scalars import YAML, MergeKeyError, OddScalarError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.sources.limits import Limits
    from lamina.sources.source import Source
    from lamina.sources.yaml.scalars import ScalarTable

_MERGE = object()


def read_events(source: Source, table: ScalarTable, pure: bool, limits: Limits, single: bool) -> list[Document] | None:
    """The documents of a stream; None if `pyyaml_reader` has to decide."""
    try:
        return _EventReading(source, table, pure, limits).documents(single)
    except _UNDECIDED:
        return None


class _UndecidedError(Exception):
    """A case that the loop leaves to `pyyaml_reader`."""


_UNDECIDED = (YAMLError, _UndecidedError, OddScalarError, ValueError, TypeError, KeyError, OverflowError)
"""The exceptions after which `pyyaml_reader` has to decide."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    """An anchored node; while it is open its record is -1 and its size that of all aliases before it."""

    record: int
    value: Any
    size: int
    height: int
    text: int
    """How many characters it has; while it is open, where it starts, plus those of all aliases before it."""


class _EventReading:
    """One traversal of a source."""

    def __init__(self, source: Source, table: ScalarTable, pure: bool, limits: Limits) -> None:
        self.source = source
        self.table = table
        self.limits = limits
        self.pure = pure
        # PyYAML's own parser ends a plain scalar inside brackets at a question mark, libyaml does not.
        self.check_question_marks = pure and b"?" in source.data
        self.anchored = b"&" in source.data
        self.get_event: Callable[[], Any] = FastParser(source.data).get_event
        self.alias_nodes = 0
        self.alias_text = 0
        self.nodes = 0
        self.ended = False
        """Whether the last document had an end marker."""

    def documents(self, single: bool) -> list[Document]:
        found: list[Document] = []
        self.get_event()
        while type(self.get_event()) is not StreamEndEvent:
            self.positions = PositionMap(self.source.locate)
            self.document = Document(None, self.positions)
            self.anchors: dict[str, _Anchor] = {}
            self.heights = [0]
            self.merges = 0
            self.document.value = self.value()
            if self.merges or (single and found):
                raise _UndecidedError
            found.append(self.document)
            if self.table.first_of_many and self.ended:
                break
        return found

    def value(self) -> Any:  # noqa: PLR0912, PLR0915 - the hot loop: calls would cost a fifth of its speed
        """Read one document up to its end and return its value."""
        get_event, cache, positions = self.get_event, self.table.cache, self.positions
        lines, sizes = positions.lines, positions.sizes
        add_line, add_column = lines.append, positions.columns.append
        anchored, check_marks, text_keys = self.anchored, self.check_question_marks, self.table.text_keys
        depth, most = self.limits.depth, self.limits.nodes - self.nodes
        stack: list[tuple[list[Any], int, str | None, bool]] = []
        items: list[Any] = []
        add = items.append
        while True:
            event = get_event()
            kind = type(event)
            if kind is ScalarEvent:
                mark = event.start_mark
                add_line(mark.line)
                add_column(mark.column)
                implicit = event.implicit
                if implicit[0]:
                    if not event.value and (check_marks or (self.pure and stack and stack[-1][3])):
                        raise _UndecidedError  # the two parsers place an absent value differently here
                    try:
                        value = cache[event.value]
                    except MergeKeyError:
                        value = _MERGE
                        self.merges += 1
                elif implicit[1]:
                    value = event.value
                else:
                    value = self.tagged(event)
                if anchored and event.anchor is not None:
                    self.anchor_scalar(event.anchor, value)
                if len(lines) > most:
                    raise self.limits.too_many_nodes(self.limits.nodes, self.source.locate(mark.line, mark.column))
                add(value)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                own = items
                items, index, anchor, flow = stack.pop()
                sizes[index] = len(lines) - index
                if kind is MappingEndEvent:
                    pairs = iter(own)
                    value = dict(zip(pairs, pairs))  # noqa: B905 - events come in pairs
                    if 2 * len(value) != len(own) or self.merges or text_keys:
                        self.record_members(index, value, own)
                else:
                    value = own
                if anchored:
                    self.close_anchor(anchor, index, value, event.end_mark.index)
                if check_marks and flow and any(type(item) is str and "?" in item for item in own):
                    raise _UndecidedError
                add = items.append
                add(value)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                mark = event.start_mark
                add_line(mark.line)
                add_column(mark.column)
                anchor = event.anchor
                if event.tag is not None:
                    raise _UndecidedError
                if anchored:
                    self.open_anchor(anchor, mark.index)
                stack.append((items, len(lines) - 1, anchor, event.flow_style))
                if len(stack) > depth:
                    raise self.limits.too_deep(self.source.locate(mark.line, mark.column))
                if len(lines) > most:
                    raise self.limits.too_many_nodes(self.limits.nodes, self.source.locate(mark.line, mark.column))
                items = []
                add = items.append
            elif kind is AliasEvent:
                add(self.alias(event, len(stack)))
            elif kind is DocumentEndEvent:
                self.nodes += len(lines)
                self.ended = event.explicit
                return items[0]

    def tagged(self, event: Any) -> Any:
        if event.tag == YAML + "str" and not self.table.text_keys:
            return event.value
        raise _UndecidedError

    def anchor_scalar(self, anchor: str, value: Any) -> None:
        if (anchor in self.anchors and not self.table.anchors_again) or value is _MERGE:
            raise _UndecidedError
        text = len(value) if type(value) is str else 0
        self.anchors[anchor] = _Anchor(len(self.positions.lines) - 1, value, 1, 0, text)

    def open_anchor(self, anchor: str | None, start: int) -> None:
        self.heights.append(0)
        if anchor is None:
            return
        if anchor in self.anchors and not self.table.anchors_again:
            raise _UndecidedError
        self.anchors[anchor] = _Anchor(-1, None, self.alias_nodes, 0, start + self.alias_text)

    def close_anchor(self, anchor: str | None, index: int, value: Any, end: int) -> None:
        height = self.heights.pop() + 1
        self.heights[-1] = max(self.heights[-1], height)
        if anchor is not None:
            opened = self.anchors[anchor]
            size = self.positions.sizes[index] + self.alias_nodes - opened.size
            self.anchors[anchor] = _Anchor(index, value, size, height, end + self.alias_text - opened.text)

    def alias(self, event: Any, depth: int) -> Any:
        """The target of the alias; all its nodes and levels count."""
        anchor = self.anchors[event.anchor]
        if anchor.record < 0:
            raise _UndecidedError
        mark = event.start_mark
        self.positions.aliases[self.positions.add(mark.line, mark.column)] = anchor.record
        self.alias_nodes += anchor.size
        self.alias_text += anchor.text
        self.heights[-1] = max(self.heights[-1], anchor.height)
        if self.alias_text > self.limits.alias_text:
            raise self.limits.too_much_alias_text(self.source.locate(mark.line, mark.column))
        if self.alias_nodes > self.limits.alias_nodes:
            raise self.limits.too_many_aliases(self.source.locate(mark.line, mark.column))
        if depth + anchor.height > self.limits.depth:
            raise self.limits.too_deep(self.source.locate(mark.line, mark.column))
        return anchor.value

    def record_members(self, index: int, value: dict[Any, Any], own: list[Any]) -> None:
        """Set the value and the members of a mapping with merge keys or repeated keys."""
        if self.table.text_keys and not all(type(key) is str for key in value):
            raise _UndecidedError
        if 2 * len(value) == len(own) and _MERGE not in value:
            return
        merges = [(at, own[at + 1]) for at in range(0, len(own), 2) if own[at] is _MERGE]
        value.clear()
        for _, source in merges:
            self.merges -= 1
            for mapping in source[::-1] if type(source) is list else [source]:
                if type(mapping) is not dict:
                    raise _UndecidedError
                value.update(mapping)
        value.update((own[at], own[at + 1]) for at in range(0, len(own), 2) if own[at] is not _MERGE)
        keys = own[::2]
        for at, source in merges:
            keys[at // 2] = (source,)
        record_members(self.document, index, keys, unique_keys=self.table.unique_keys)
