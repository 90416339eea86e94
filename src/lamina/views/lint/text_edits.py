"""Text edits: from the origin of a finding to the span of text that a fix changes.

Only YAML (and JSON, which is YAML) is parsed. If the text at an origin is not what is expected, or a small edit could
break the layout (flow style, complex keys, anchors), there is no edit.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.errors import Fix
    from lamina.sources.source import Source

BOM: Final = b"\xef\xbb\xbf"
_BREAK: Final = re.compile(r"\r\n|\n|\r")
_UNICODE_BREAKS: Final = re.compile("[\x85\u2028\u2029]")
"""Line breaks of YAML that editors and other readers count differently."""
_SIMPLE_KEY: Final = re.compile(r"[A-Za-z_](?:[\w:./-]*[\w/-])?")
_REST: Final = re.compile(r"[ \t]*(?:#.*)?")
_TEMPLATE: Final = re.compile(r"\A##\s*template:|\{%")
"""What is a template gives other texts elsewhere, which nobody looked at."""
_OTHER_FORMATS: Final = (".psd1", ".toml", ".ps1")


class Edit(NamedTuple):
    """A span of characters in a file, and its replacement."""

    source: str
    start: int
    end: int
    text: str


class _TextEntry(NamedTuple):
    """An entry of a mapping: its key, and the span up to the end of its value."""

    key: Any
    end: tuple[int, int]
    """Line and column behind the last character of the value."""
    has_anchor: bool
    mapping: _TextMapping


@dataclass(slots=True, eq=False)
class _TextMapping:
    flow: bool
    root: bool
    entries: list[_TextEntry] = field(default_factory=list)
    removed: int = 0
    """How many entries are to be removed; one must stay, or the mapping is nothing any more."""

    @property
    def is_last(self) -> bool:
        """Whether all entries but one are to be removed."""
        return self.removed + 1 >= len(self.entries)


@dataclass(slots=True, eq=False)
class _OpenNode:
    """A collection that is being read."""

    mapping: _TextMapping | None
    flow: bool
    key: Any = None
    awaits_value: bool = False
    anchors: int = 0


class EditableText:
    """The text of one file, and where its scalars and entries are."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self._bom = BOM if source.data.startswith(BOM) else b""
        self.text = source.data[len(self._bom) :].decode("utf-8")
        self._starts = [0, *(match.end() for match in _BREAK.finditer(self.text))]
        self._entries: dict[tuple[int, int], _TextEntry] = {}
        self._scalars: dict[tuple[int, int], Any] = {}
        self._parsed = False

    @classmethod
    def of(cls, source: Source) -> EditableText | None:
        """The text of a source, if it can be edited."""
        try:
            found = cls(source)
        except UnicodeDecodeError:
            return None
        return None if _UNICODE_BREAKS.search(found.text) or _TEMPLATE.search(found.text) else found

    def edited(self, edits: Iterable[Edit]) -> bytes:
        """The file with edits made, which do not overlap."""
        pieces, at = [], 0
        for edit in sorted(edits):
            pieces += [self.text[at : edit.start], edit.text]
            at = edit.end
        return self._bom + "".join([*pieces, self.text[at:]]).encode("utf-8")

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of a character, counted from one."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def edit(self, fix: Fix) -> Edit | None:
        """The edit that a fix comes to in this text."""
        position = (fix.at.line - 1, fix.at.column - 1)
        if fix.action == "replace":
            start = self._offset(position)
            return Edit(self.name, start, start + len(fix.old), fix.new) if self._is_at(fix.old, start) else None
        if fix.action == "add-start":
            return Edit(self.name, 0, 0, fix.new + self._newline())
        if not self._parse():
            return None
        match fix.action:
            case "quote":
                return self._quote(fix, position)
            case "rename":
                return self._rename(fix, position)
            case "remove":
                return self._remove(position)
            case "add-key":
                return self._add_key(fix)

    def _is_at(self, text: str, start: int) -> bool:
        return bool(text) and self.text.startswith(text, start)

    def _offset(self, position: tuple[int, int]) -> int:
        line, column = position
        return self._starts[line] + column if line < len(self._starts) else len(self.text)

    def _newline(self) -> str:
        found = _BREAK.search(self.text)
        return found[0] if found else "\n"

    def _quote(self, fix: Fix, position: tuple[int, int]) -> Edit | None:
        scalar = self._scalars.get(position)
        if scalar is None or scalar.style or scalar.tag or scalar.anchor or "'" in fix.old:
            return None
        start, end = self._offset(position), self._offset(_mark(scalar.end_mark))
        return Edit(self.name, start, end, f"'{fix.old}'") if self.text[start:end] == fix.old else None

    def _rename(self, fix: Fix, position: tuple[int, int]) -> Edit | None:
        entry = self._entries.get(position)
        if entry is None or not _SIMPLE_KEY.fullmatch(fix.new) or entry.key.tag or entry.key.anchor:
            return None
        if fix.new in (each.key.value for each in entry.mapping.entries):
            return None
        start = self._offset(position) + (1 if entry.key.style else 0)
        return Edit(self.name, start, start + len(fix.old), fix.new) if self._is_at(fix.old, start) else None

    def _remove(self, position: tuple[int, int]) -> Edit | None:
        """The lines of an entry; comments above it stay, since they may be about more than this entry."""
        entry = self._entries.get(position)
        if entry is None or entry.mapping.flow or entry.has_anchor or entry.mapping.is_last:
            return None
        first, last = position[0], self._last_line(entry)
        before = self.text[self._starts[first] : self._offset(position)]
        if before.strip(" "):
            return None
        after = self._starts[last + 1] if last + 1 < len(self._starts) else len(self.text)
        rest = self.text[self._offset(entry.end) : after].rstrip("\r\n") if entry.end[0] == last else ""
        if not _REST.fullmatch(rest):
            return None
        entry.mapping.removed += 1
        return Edit(self.name, self._starts[first], after, "")

    def _last_line(self, entry: _TextEntry) -> int:
        """The last line an entry has a part of; block scalars end in front of what comes next."""
        last, column = entry.end
        last -= column == 0
        while last > entry.key.start_mark.line and not self._line(last).strip():
            last -= 1
        return last

    def _line(self, number: int) -> str:
        if number >= len(self._starts):
            return ""
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[number] : end]

    def _add_key(self, fix: Fix) -> Edit | None:
        """A line in front of the first entry of the document a place is in."""
        holder = next((each for each in self._roots() if _holds(each, fix.at.line - 1)), None)
        if holder is None or holder.flow or fix.old in (each.key.value for each in holder.entries):
            return None
        first = holder.entries[0].key.start_mark
        start = self._starts[first.line]
        return None if first.column else Edit(self.name, start, start, fix.new + self._newline())

    def _roots(self) -> list[_TextMapping]:
        found = dict.fromkeys(entry.mapping for entry in self._entries.values() if entry.mapping.root)
        return list(found)

    def _parse(self) -> bool:
        """Take the text apart, once; whether it could be."""
        if not self._parsed:
            self._parsed = True
            if not self.name.lower().endswith(_OTHER_FORMATS):
                _EventWalk(self._entries, self._scalars).read(self.text)
        return bool(self._scalars)


def _holds(mapping: _TextMapping, line: int) -> bool:
    first: int = mapping.entries[0].key.start_mark.line
    return first <= line <= mapping.entries[-1].end[0]


def _mark(mark: Any) -> tuple[int, int]:
    return mark.line, mark.column


class _EventWalk:
    """The events of a YAML text, as entries and scalars by where they start."""

    def __init__(self, entries: dict[tuple[int, int], _TextEntry], scalars: dict[tuple[int, int], Any]) -> None:
        self._entries, self._scalars = entries, scalars
        self._stack: list[_OpenNode] = []
        self._anchors = 0
        self._end = (0, 0)

    def read(self, text: str) -> None:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            for event in yaml.parse(text, Loader=loader):
                self._take(event)
        except (yaml.YAMLError, RecursionError, ValueError):
            # Part of a text is not enough to know what an edit does to all of it.
            self._entries.clear()
            self._scalars.clear()

    def _take(self, event: Any) -> None:
        match type(event).__name__:
            case "ScalarEvent" | "AliasEvent":
                self._scalar(event)
            case "MappingStartEvent" | "SequenceStartEvent" as kind:
                self._begin(event, is_mapping=kind == "MappingStartEvent")
            case "MappingEndEvent" | "SequenceEndEvent":
                if self._stack.pop().flow:
                    self._end = _mark(event.end_mark)
                self._done()

    def _scalar(self, event: Any) -> None:
        self._anchors += 1 if event.anchor else 0
        is_scalar = hasattr(event, "value")
        top = self._stack[-1] if self._stack else None
        if is_scalar and not event.anchor:
            self._scalars[_mark(event.start_mark)] = event
        self._end = max(self._end, _mark(event.end_mark))
        if top and top.mapping is not None and not top.awaits_value:
            top.key, top.awaits_value, top.anchors = (event if is_scalar else None), True, self._anchors
        else:
            self._done()

    def _begin(self, event: Any, *, is_mapping: bool) -> None:
        top = self._stack[-1] if self._stack else None
        if top and top.mapping is not None and not top.awaits_value:
            top.key = None
        self._anchors += 1 if event.anchor else 0
        mapping = _TextMapping(bool(event.flow_style), not self._stack) if is_mapping else None
        self._stack.append(_OpenNode(mapping, bool(event.flow_style)))

    def _done(self) -> None:
        """A value, or a key that is a collection, has ended."""
        top = self._stack[-1] if self._stack else None
        if top is None or top.mapping is None:
            return
        if not top.awaits_value:
            top.awaits_value, top.anchors = True, self._anchors
            return
        if top.key is not None:
            entry = _TextEntry(top.key, self._end, self._anchors > top.anchors, top.mapping)
            top.mapping.entries.append(entry)
            self._entries[_mark(top.key.start_mark)] = entry
        top.awaits_value, top.key = False, None
