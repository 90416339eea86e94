"""Values in the text of a file: replacing one, adding a member to a mapping, removing one; every other byte stays.

YAML is edited, and JSON, which is YAML in flow style. Where an edit could break the layout, there is none: keys that
are collections, texts with anchors or tags where the value is, block scalars as keys, tabs.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

from lamina.paths import MISSING
from lamina.sources.yaml import writer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.paths import Path

_BREAK: Final = re.compile(r"\r\n|\n|\r")
_BOM: Final = "\ufeff"
_COMMENT: Final = re.compile(r"[ \t]*(?:#[^\r\n]*)?")
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ESCAPED: Final = re.compile("[\\x85\\u2028\\u2029\\t]")


class NotEditableError(Exception):
    """Why a text cannot be edited at a place."""


class NoPlaceError(NotEditableError):
    """There is no mapping to add a member to, or it has that member: another edit changes it."""


class TextEdit(NamedTuple):
    """A span of characters, and what replaces it."""

    start: int
    end: int
    text: str


class _Member(NamedTuple):
    """A value with the mapping that it is in; none of a document itself or of an item of a list."""

    node: yaml.Node
    mapping: yaml.MappingNode | None = None
    key: yaml.Node | None = None


class TextNodes:
    """The text of one file, and the values in it by where they begin."""

    def __init__(self, data: bytes, *, is_json: bool = False) -> None:
        try:
            self.text = data.decode("utf-8")
            self._bom = len(self.text) - len(self.text.removeprefix(_BOM))
            self._documents = list(yaml.compose_all(self.text[self._bom :], Loader=_LOADER))
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
            raise NotEditableError("it is not plain YAML or JSON in UTF-8") from error
        if _ESCAPED.search(self.text) and not is_json:
            raise NotEditableError("it has tabs or line breaks that editors count differently")
        self._is_json = is_json
        self._starts = [self._bom, *(match.end() for match in _BREAK.finditer(self.text))]
        found = _BREAK.search(self.text)
        self._newline = found[0] if found else "\n"
        self._members: dict[tuple[int, int], list[_Member]] = {}
        for document in self._documents:
            for each in _members_of(document):
                mark = each.node.start_mark
                self._members.setdefault((mark.line, mark.column), []).append(each)

    def edited(self, edits: Sequence[TextEdit]) -> bytes:
        """The text with edits made, which do not overlap."""
        pieces, at = [], 0
        for edit in sorted(edits):
            pieces += [self.text[at : edit.start], edit.text]
            at = edit.end
        return "".join([*pieces, self.text[at:]]).encode("utf-8")

    def span_at(self, line: int, column: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """The lines and columns, counted from one, of the value that begins at a place, and of what is behind it."""
        start, end = self._span(self._at(line, column, None).node)
        return self._place(start), self._place(end)

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def replace(self, line: int, column: int, value: Any) -> TextEdit:
        """Write another value in the place of the one that begins at a line and a column, counted from one."""
        member = self._at(line, column, None)
        start, end = self._span(member.node)
        written = self.text[start:end]
        if written[:1] in ("&", "*", "!", "|", ">"):
            raise NotEditableError(f"the value is written with {written[0]!r} there")
        if isinstance(member.node, yaml.ScalarNode) and not isinstance(value, (dict, list)):
            return TextEdit(start, end, self._scalar(value, member.node.style, written))
        if self._in_flow(member):
            return TextEdit(start, end, self._flow(value))
        is_block = isinstance(member.node, yaml.CollectionNode) and not member.node.flow_style
        if isinstance(value, (dict, list)) and value:
            return self._block_in_place(member, start, end, value)
        if is_block and member.key is not None:
            return TextEdit(self._behind_colon(member.key), end, f" {self._flow(value)}")
        return TextEdit(start, end, self._flow(value))

    def add(self, line: int, column: int, path: Path, value: Any) -> TextEdit:
        """Add a member to the mapping that begins at a line and a column, counted from one."""
        mapping = self._at(line, column, yaml.MappingNode).node
        return self.add_to(mapping, path, value)

    def add_to_document(self, path: Path, value: Any) -> TextEdit:
        """Add a member to the mapping of the first document, at a path of which the mapping may have a part."""
        if not self._documents:
            if self.text.strip():
                raise NotEditableError("it has only comments")
            return TextEdit(len(self.text), len(self.text), self._block(_nested(path, value), 0))
        return self.add_to(self._documents[0], path, value)

    def add_to(self, mapping: yaml.Node, path: Path, value: Any) -> TextEdit:
        """Add a member to a mapping, inside of what is there on the way of a path."""
        if not isinstance(mapping, yaml.MappingNode):
            raise NoPlaceError("there is no mapping")
        if not all(isinstance(step, str) for step in path):
            raise NotEditableError("the path leads into a list there")
        there = next((inner for key, inner in mapping.value if key.value == path[0]), None)
        if there is not None:
            if len(path) == 1:
                raise NoPlaceError(f"{path[0]} is there already")
            return self.add_to(there, path[1:], value)
        added = _nested(path, value)
        if mapping.flow_style:
            return self._add_flow(mapping, added)
        return self._add_block(mapping, added)

    def remove(self, line: int, column: int) -> TextEdit:
        """Remove the member whose value begins at a line and a column, counted from one."""
        member = self._at(line, column, None)
        if member.mapping is None or member.key is None:
            raise NotEditableError("it is no member of a mapping")
        if len(member.mapping.value) == 1:
            start, end = self._span(member.mapping)
            return TextEdit(start, end, "{}")
        if member.mapping.flow_style:
            return self._remove_flow(member.mapping, member.key)
        first = member.key.start_mark.line
        start = self._starts[first]
        end = self._after(self._span(member.node)[1])
        if self.text[start : self._offset(member.key.start_mark)].strip(" "):
            raise NotEditableError("something else is on its line")
        return TextEdit(start, end, "")

    def _at(self, line: int, column: int, kind: type[yaml.Node] | None) -> _Member:
        found = self._members.get((line - 1, column - 1), [])
        for each in found:
            if kind is None or isinstance(each.node, kind):
                return each
        raise (NotEditableError if kind is None else NoPlaceError)("no value begins there")

    def _offset(self, mark: Any) -> int:
        return self._starts[mark.line] + mark.column if mark.line < len(self._starts) else len(self.text)

    def _span(self, node: yaml.Node) -> tuple[int, int]:
        """From the first to behind the last character of a value; block collections end with their last scalar."""
        last = node
        while isinstance(last, yaml.CollectionNode) and not last.flow_style and last.value:
            tail = last.value[-1]
            last = tail[1] if isinstance(tail, tuple) else tail
        end = self._offset(last.end_mark)
        if isinstance(last, yaml.ScalarNode) and last.style in ("|", ">"):
            end = len(self.text[:end].rstrip())
        return self._offset(node.start_mark), end

    def _in_flow(self, member: _Member) -> bool:
        start = self._offset(member.node.start_mark)
        return self._is_json or any(
            each.flow_style and self._offset(each.start_mark) < start < self._offset(each.end_mark)
            for members in self._members.values()
            for each in (known.node for known in members)
            if isinstance(each, yaml.CollectionNode)
        )

    def _scalar(self, value: Any, style: str | None, written: str) -> str:
        if self._is_json:
            return json.dumps(value, ensure_ascii=False)
        if isinstance(value, str) and style == "'" and value.isprintable():
            return "'" + value.replace("'", "''") + "'"
        if isinstance(value, str) and style == '"' and written[:1] == '"':
            return json.dumps(value, ensure_ascii=False)
        return self._flow(value)

    def _flow(self, value: Any) -> str:
        """A value on one line."""
        if self._is_json or isinstance(value, (dict, list)):
            return json.dumps(value, ensure_ascii=False)
        text = writer.dump(value, allow_unicode=True)
        text = text.removesuffix("\n...\n").removesuffix("\n")
        return text if "\n" not in text else json.dumps(value, ensure_ascii=False)

    def _block(self, value: Any, indent: int) -> str:
        lines = writer.dump(value, allow_unicode=True).removesuffix("\n...\n").removesuffix("\n").split("\n")
        return "".join(f"{' ' * indent if line else ''}{line}{self._newline}" for line in lines)

    def _block_in_place(self, member: _Member, start: int, end: int, value: Any) -> TextEdit:
        """A collection in block style where another value was."""
        if member.key is None:
            return TextEdit(start, end, json.dumps(value, ensure_ascii=False))
        indent = member.key.start_mark.column
        colon = self._behind_colon(member.key)
        inside = indent if isinstance(value, list) and isinstance(member.node, yaml.SequenceNode) else indent + 2
        if isinstance(member.node, yaml.CollectionNode) and not member.node.flow_style:
            inside = member.node.start_mark.column
        text = self._newline + self._block(value, inside)
        return TextEdit(colon, end, text.removesuffix(self._newline))

    def _behind_colon(self, key: yaml.Node) -> int:
        return self.text.index(":", self._offset(key.end_mark)) + 1

    def _add_flow(self, mapping: yaml.MappingNode, added: dict[Any, Any]) -> TextEdit:
        member = json.dumps(added, ensure_ascii=False)[1:-1]
        if not self._is_json:
            (key, value), *_ = added.items()
            member = f"{self._flow(key)}: {self._flow(value)}"
        if not mapping.value:
            at = self._offset(mapping.start_mark) + 1
            return TextEdit(at, at, member)
        last_key, last = mapping.value[-1]
        end = self._span(last)[1]
        between = ", "
        if last_key.start_mark.line != mapping.start_mark.line:
            between = "," + self._newline + " " * last_key.start_mark.column
        return TextEdit(end, end, between + member)

    def _add_block(self, mapping: yaml.MappingNode, added: dict[Any, Any]) -> TextEdit:
        """A line where a person would put it: in the order of sorted keys, else behind the last member."""
        column = mapping.start_mark.column
        (name,) = added
        text = self._block(added, column)
        keys = [key.value for key, _ in mapping.value]
        following = None
        if len(keys) > 1 and keys == sorted(keys):
            following = next((key for key, _ in mapping.value if key.value > name), None)
        if following is not None and following is not mapping.value[0][0]:
            at = self._starts[following.start_mark.line]
            at = self._above_comments(at, column)
            return TextEdit(at, at, text)
        end = self._span(mapping)[1]
        at = self._after(end)
        if at == len(self.text) and not self.text.endswith(("\n", "\r")):
            return TextEdit(at, at, self._newline + text.removesuffix(self._newline))
        return TextEdit(at, at, text)

    def _above_comments(self, at: int, column: int) -> int:
        """The start of the comments right above a line, which are about what follows."""
        line = bisect_right(self._starts, at) - 1
        while line > 0 and self.text[self._starts[line - 1] : self._starts[line]].startswith(" " * column + "#"):
            line -= 1
        return self._starts[line]

    def _remove_flow(self, mapping: yaml.MappingNode, key: yaml.Node) -> TextEdit:
        at = next(number for number, (each, _) in enumerate(mapping.value) if each is key)
        if at:
            return TextEdit(self._span(mapping.value[at - 1][1])[1], self._span(mapping.value[at][1])[1], "")
        return TextEdit(self._offset(key.start_mark), self._offset(mapping.value[1][0].start_mark), "")

    def _after(self, end: int) -> int:
        """The start of the line behind the one that a value ends on."""
        line = bisect_right(self._starts, end) - 1
        following = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        if self.text[self._starts[line] : end].strip():
            rest = self.text[end:following].rstrip("\r\n")
            if not _COMMENT.fullmatch(rest):
                raise NotEditableError("something else is on the line it ends on")
        return following


def _nested(path: Path, value: Any) -> dict[Any, Any]:
    for step in reversed(path):
        value = {step: value}
    return value  # type: ignore[no-any-return]


def _members_of(document: yaml.Node | None) -> Iterator[_Member]:
    """All values of a document, each once: what an alias stands for is where its anchor is."""
    pending = [_Member(document)] if document is not None else []
    seen: set[int] = set()
    while pending:
        member = pending.pop()
        if id(member.node) in seen:
            continue
        seen.add(id(member.node))
        yield member
        if isinstance(member.node, yaml.MappingNode):
            pending += [_Member(value, member.node, key) for key, value in member.node.value]
        elif isinstance(member.node, yaml.SequenceNode):
            pending += [_Member(item) for item in member.node.value]


def with_value(whole: Any, path: Path, value: Any) -> Any:
    """A value with another one at a path, or without it; what is beside the path is shared."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(whole, list) and isinstance(step, int):
        copied = list(whole)
        if value is MISSING and not rest:
            del copied[step]
        else:
            copied[step] = with_value(copied[step], rest, value)
        return copied
    inside = dict(whole) if isinstance(whole, dict) else {}
    if value is MISSING and not rest:
        inside.pop(step, None)
    else:
        inside[step] = with_value(inside.get(step, {}), rest, value)
    return inside
