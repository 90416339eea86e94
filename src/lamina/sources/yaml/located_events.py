"""Reading YAML by the events of a parser, for programs whose documents PyYAML would not build: base of such readers.

The first document is read. Merge keys are applied where they are written: keys before one are overwritten, keys after
it win. An anchor may be defined again; an alias means the last one before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from yaml import events

from lamina.errors import Diagnostic, InputError
from lamina.origins import PositionMap
from lamina.sources.document import Document, duplicate_key
from lamina.sources.yaml.pyyaml_reader import checked_events

if TYPE_CHECKING:
    from lamina.origins import Origin
    from lamina.sources.limits import Limits
    from lamina.sources.source import Source


@dataclass(slots=True, eq=False)
class OpenCollection:
    """An open collection: its record, and the values and records of its members."""

    index: int
    anchor: str | None
    tag: str
    mapping: bool
    values: list[Any] = field(default_factory=list)
    records: list[int] = field(default_factory=list)
    merges: set[int] = field(default_factory=set)
    """The positions of merge keys."""


class LocatedReading:
    """One traversal of the events of a file."""

    code = "invalid-yaml"
    """The code of errors."""

    def __init__(self, source: Source, limits: Limits) -> None:
        self.source = source
        self.limits = limits
        self.positions = PositionMap(source.locate)
        self.result = Document(None, self.positions)
        self.anchors: dict[str, tuple[Any, int] | OpenCollection] = {}
        self.stack: list[OpenCollection] = []

    def scalar(self, event: Any, record: int) -> Any:
        """The value of a scalar."""
        raise NotImplementedError

    def key(self, written: Any, there: dict[Any, Any], record: int) -> Any:
        """What a key is in a mapping that has some already."""
        raise NotImplementedError

    def check_collection(self, tag: str, record: int) -> None:
        """Reject a collection by its tag, if the program does."""

    def check_start(self, event: Any) -> None:
        """Reject a document by what stands before it, if the program does."""

    def not_merged(self, record: int) -> None:
        """Reject a merge key whose value is no mapping, unless it is a plain key then."""

    def reject(self, message: str, at: Origin | None, hint: str) -> NoReturn:
        """Stop with one finding on the file."""
        raise InputError(Diagnostic(code=self.code, message=message, at=at, hint=hint))

    def document(self) -> Document:
        """The first document; an empty file holds null."""
        for event in checked_events(self.source, self.limits):
            if isinstance(event, events.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, events.CollectionStartEvent):
                self._start(event)
            elif isinstance(event, events.CollectionEndEvent):
                self._end()
            elif isinstance(event, events.AliasEvent):
                self._alias(event)
            elif isinstance(event, events.DocumentStartEvent):
                self.check_start(event)
            elif isinstance(event, events.DocumentEndEvent):
                break
        if not self.positions.lines:
            self.positions.add(0, 0)
        return self.result

    def _add(self, value: Any, record: int) -> None:
        if not self.stack:
            self.result.value = value
            return
        self.stack[-1].values.append(value)
        self.stack[-1].records.append(record)

    def _record(self, event: Any) -> int:
        return self.positions.add(event.start_mark.line, event.start_mark.column)

    def is_merge(self, event: Any, value: Any) -> bool:
        """Whether a key merges the mapping that is its value."""
        return bool(value == "<<" and event.implicit[0])

    def _scalar(self, event: Any) -> None:
        record = self._record(event)
        value = self.scalar(event, record)
        if event.anchor is not None:
            self.anchors[event.anchor] = value, record
        holder = self.stack[-1] if self.stack else None
        if holder is not None and holder.mapping and len(holder.values) % 2 == 0 and self.is_merge(event, value):
            holder.merges.add(len(holder.values))
        self._add(value, record)

    def _start(self, event: Any) -> None:
        record = self._record(event)
        tag = event.tag or ""
        self.check_collection(tag, record)
        started = OpenCollection(record, event.anchor, tag, isinstance(event, events.MappingStartEvent))
        if event.anchor is not None:
            self.anchors[event.anchor] = started
        self.stack.append(started)

    def _end(self) -> None:
        done = self.stack.pop()
        self.positions.close(done.index)
        value = self.mapping(done) if done.mapping else self.sequence(done)
        if done.anchor is not None and self.anchors.get(done.anchor) is done:
            self.anchors[done.anchor] = value, done.index
        self._add(value, done.index)

    def sequence(self, done: OpenCollection) -> Any:
        """The value of a sequence that has ended."""
        return done.values

    def _alias(self, event: Any) -> None:
        mark = event.start_mark
        target = self.anchors.get(event.anchor)
        if not isinstance(target, tuple):
            inside = target is not None
            what = f"*{event.anchor} refers to itself" if inside else f"undefined anchor &{event.anchor}"
            hint = "define the anchor before the alias, or quote a string that starts with '*'"
            self.reject(what, self.source.locate(mark.line, mark.column), hint)
        record = self._record(event)
        self.positions.aliases[record] = self.positions.resolve(target[1])
        self._add(target[0], record)

    def mapping(self, done: OpenCollection) -> dict[Any, Any]:
        """The value of a mapping that has ended."""
        value: dict[Any, Any] = {}
        members: dict[Any, tuple[int, int]] = {}
        is_plain = not done.merges
        for at in range(0, len(done.values), 2):
            written, inner = done.values[at], done.values[at + 1]
            records = done.records[at], done.records[at + 1]
            if at in done.merges and (layers := self._layers(inner, records[1])) is not None:
                for mapping, record in layers:
                    value.update(mapping)
                    members.update(self.positions.pairs(record, mapping))
                continue
            key = self.key(written, value, records[0])
            if key in value and not done.merges:
                origins = self.positions.origin(members[key][0]), self.positions.origin(records[0])
                self.result.notes.append(duplicate_key(key, *origins))
            value[key] = inner
            members[key] = records
        if not is_plain or 2 * len(value) != len(done.values):
            self.positions.members[done.index] = members
        return value

    def _layers(self, inner: Any, record: int) -> list[tuple[dict[Any, Any], int]] | None:
        """What a merge key lays over what is before it, the weakest first; None if it is a plain key."""
        at = self.positions.resolve(record)
        if isinstance(inner, dict):
            return [(inner, at)]
        if not isinstance(inner, list) or not all(isinstance(item, dict) for item in inner):
            self.not_merged(record)
            return None
        items = zip(inner, map(self.positions.resolve, self.positions.children(at)), strict=True)
        return list(items)[::-1]
