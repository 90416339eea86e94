"""Reading YAML as Psych does: values of Ruby with the position of every node.

What differs from PyYAML: the meaning of plain scalars, symbols, anchors that may be given again, and merge keys, which
are applied where they are written. Plainly written files are read by the fast reader; it knows none of these.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NoReturn

from yaml import events

from lamina import plugin as lp
from lamina.dialects.hiera.psych_scalars import PSYCH, Symbol, TimeScalarError, plain
from lamina.dialects.hiera.ruby_text import hash_key
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator

_YAML: Final = "tag:yaml.org,2002:"
_RUBY_FACTS: Final = "!ruby/object:Puppet::Node::Facts"
"""The one Ruby object that is taken, as a mapping: what Puppet's server stores the facts of a node as."""


def read(source: lp.Source, run: lp.Run) -> lp.LayerDocument:
    """The first document of a YAML file; an empty file holds null."""
    return lpf.read_as("psych", source, run, _read)


def _read(source: lp.Source, limits: lpf.Limits) -> lpf.Document:
    if b"<<" not in source.data:  # the fast reader takes a quoted merge key for a key
        found = lpf.read_plain_yaml(source, PSYCH, limits)
        if found and not found[0].notes:  # it takes 1 and true for the same key, and says so
            return found[0]
    return _PsychReading(source, limits).document()


def reject(code: str, message: str, at: lp.Origin | None, hint: str) -> NoReturn:
    """Stop with one finding on an input."""
    raise lp.InputError(lp.Diagnostic(code=code, message=message, at=at, hint=hint))


@dataclass(slots=True)
class _OpenCollection:
    """An open collection: its record, and the values and records of its members."""

    index: int
    anchor: str | None
    tag: str | None
    mapping: bool
    values: list[Any] = field(default_factory=list)
    records: list[int] = field(default_factory=list)
    merges: set[int] = field(default_factory=set)
    """The positions of merge keys."""


class _PsychReading:
    """One traversal of the events of a file."""

    def __init__(self, source: lp.Source, limits: lpf.Limits) -> None:
        self.source = source
        self.positions = lpf.PositionMap(source.locate)
        self.result = lpf.Document(None, self.positions)
        self.events: Iterator[events.Event] = lpf.yaml_events(source, limits)
        self.anchors: dict[str, tuple[Any, int] | None] = {}
        self.stack: list[_OpenCollection] = []

    def document(self) -> lpf.Document:
        try:
            self._run()
        except lp.InputError as error:
            if error.diagnostic.code != "invalid-yaml":
                raise
            finding = error.diagnostic
            reject("parse", f"invalid YAML: {finding.message}", finding.at, finding.hint or "correct the YAML here")
        if not self.positions.lines:
            self.positions.add(0, 0)
        return self.result

    def _run(self) -> None:
        for event in self.events:
            if isinstance(event, events.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, events.CollectionStartEvent):
                self._start(event)
            elif isinstance(event, events.CollectionEndEvent):
                self._end()
            elif isinstance(event, events.AliasEvent):
                self._alias(event)
            elif isinstance(event, events.DocumentEndEvent):
                return

    def _add(self, value: Any, record: int) -> None:
        if not self.stack:
            self.result.value = value
            return
        self.stack[-1].values.append(value)
        self.stack[-1].records.append(record)

    def _record(self, event: Any) -> int:
        return self.positions.add(event.start_mark.line, event.start_mark.column)

    def _scalar(self, event: Any) -> None:
        record = self._record(event)
        value = self._scalar_value(event, record)
        if event.anchor is not None:
            self.anchors[event.anchor] = value, record
        if value == "<<" and self.stack and self.stack[-1].mapping and len(self.stack[-1].values) % 2 == 0:
            self.stack[-1].merges.add(len(self.stack[-1].values))
        self._add(value, record)

    def _scalar_value(self, event: Any, record: int) -> Any:
        tag, text = event.tag, event.value
        if event.implicit[1] or tag == "!":
            return text
        try:
            if tag is None or not tag.startswith(("!ruby", _YAML, "!binary", "!str", "!float")):
                return plain(text)
            return self._tagged(tag.removeprefix(_YAML).removeprefix("!"), text, record)
        except TimeScalarError:
            what = f"{text} is a date or time, and Puppet rejects files that contain one"
            reject("yaml-class", what, self.positions.origin(record), "quote it if it should be a string")
        except (ValueError, OverflowError):
            at = self.positions.origin(record)
            reject("parse", f"{text!r} is not a valid {tag}", at, "correct the value, or remove the tag")

    def _tagged(self, tag: str, text: str, record: int) -> Any:
        if tag == "str":
            return text
        if tag == "binary":
            try:
                return base64.b64decode(text).decode()
            except binascii.Error as error:
                raise ValueError from error
        if tag == "float":
            return float(plain(text))
        if tag.startswith("ruby"):
            self._reject_class(f"!{tag}", record)
        return plain(text)

    def _reject_class(self, tag: str, record: int) -> NoReturn:
        what = f"Puppet rejects files that contain {tag}"
        reject("yaml-class", what, self.positions.origin(record), "use a plain mapping, list or string without the tag")

    def _start(self, event: Any) -> None:
        record = self._record(event)
        tag = (event.tag or "").replace(_YAML, "!")
        if (tag == "!set" or tag.startswith("!ruby")) and not (tag == _RUBY_FACTS and not self.stack):
            self._reject_class(event.tag, record)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        self.stack.append(_OpenCollection(record, event.anchor, tag, isinstance(event, events.MappingStartEvent)))

    def _end(self) -> None:
        done = self.stack.pop()
        self.positions.close(done.index)
        if done.mapping:
            value: Any = self._mapping(done)
        elif done.tag == "!omap":
            value = self._ordered(done)
        else:
            value = done.values
        if done.anchor is not None:
            self.anchors[done.anchor] = value, done.index
        self._add(value, done.index)

    def _ordered(self, done: _OpenCollection) -> dict[Any, Any]:
        """A list of mappings with one entry each, as one mapping."""
        value: dict[Any, Any] = {}
        members: dict[Any, tuple[int, int]] = {}
        for item, record in zip(done.values, done.records, strict=True):
            at = self.positions.resolve(record)
            if isinstance(item, dict):
                value.update(item)
                members.update(self.positions.pairs(at, item))
        self.positions.members[done.index] = members
        return value

    def _alias(self, event: Any) -> None:
        mark = event.start_mark
        found = self.anchors.get(event.anchor)
        if found is None:
            inside = event.anchor in self.anchors
            what = f"*{event.anchor} refers to itself" if inside else f"undefined anchor &{event.anchor}"
            hint = "define the anchor before the alias, or quote a string that starts with '*'"
            reject("parse", what, self.source.locate(mark.line, mark.column), hint)
        record = self._record(event)
        self.positions.aliases[record] = self.positions.resolve(found[1])
        self._add(found[0], record)

    def _mapping(self, done: _OpenCollection) -> dict[Any, Any]:
        value: dict[Any, Any] = {}
        members: dict[Any, tuple[int, int]] = {}
        for at in range(0, len(done.values), 2):
            written, inner = done.values[at], done.values[at + 1]
            records = done.records[at], done.records[at + 1]
            if at in done.merges and (layers := self._layers(inner, records[1])) is not None:
                for mapping, record in layers:
                    value.update(mapping)
                    members.update(self.positions.pairs(record, mapping))
                continue
            key = self._key(written, value)
            if key in value and not done.merges:
                origins = self.positions.origin(members[key][0]), self.positions.origin(records[0])
                self.result.notes.append(lpf.duplicate_key(key, *origins))
            value[key] = inner
            members[key] = records
        if done.merges or 2 * len(value) != len(done.values):
            self.positions.members[done.index] = members
        return value

    def _layers(self, inner: Any, record: int) -> list[tuple[dict[Any, Any], int]] | None:
        """What a merge key lays under what follows, the weakest first; None if it is a plain key."""
        at = self.positions.resolve(record)
        if isinstance(inner, dict):
            return [(inner, at)]
        if not isinstance(inner, list) or not all(isinstance(item, dict) for item in inner):
            return None
        items = zip(inner, map(self.positions.resolve, self.positions.children(at)), strict=True)
        return list(items)[::-1]

    @staticmethod
    def _key(written: Any, there: dict[Any, Any]) -> Any:
        return written.name if isinstance(written, Symbol) else hash_key(written, there)
