"""Values in the text of a file: replacing one, adding a member to a mapping, removing one; every other byte stays.

YAML is edited, and JSON, which is YAML in flow style. Where an edit could break the layout, there is none: keys that
are collections, tags where the value is, collections with anchors.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from itertools import pairwise
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
_ANCHOR: Final = re.compile(r"&[^\s,\[\]{}]+[ \t]+")
_BREAKS_OF_YAML: Final = re.compile("[\\x85\\u2028\\u2029]")


class NotEditableError(Exception):
    """Why a text cannot be edited at a place."""


class NoPlaceError(NotEditableError):
    """There is no mapping to add a member to, or it has that member: another edit changes it."""


class TextEdit(NamedTuple):
    """A span of characters, and what replaces it."""

    start: int
    end: int
    text: str


class _TextMember(NamedTuple):
    """A value with the mapping that it is in; none of a document itself or of an item of a list."""

    node: yaml.Node
    mapping: yaml.MappingNode | None = None
    key: yaml.Node | None = None
    sequence: yaml.SequenceNode | None = None


class TextNodes:
    """The text of one file, and the values in it by where they begin."""

    def __init__(self, data: bytes, *, is_json: bool = False) -> None:
        try:
            self.text = data.decode("utf-8")
            self._bom = len(self.text) - len(self.text.removeprefix(_BOM))
            self._documents = list(yaml.compose_all(self.text[self._bom :], Loader=_LOADER))
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
            raise NotEditableError("it is not plain YAML or JSON in UTF-8") from error
        if _BREAKS_OF_YAML.search(self.text) and not is_json:
            raise NotEditableError("it has line breaks that editors count differently")
        self._is_json = is_json
        self._aliases = dict(_aliases_in(self.text[self._bom :])) if "*" in self.text else {}
        self._starts = [self._bom, *(match.end() for match in _BREAK.finditer(self.text))]
        found = _BREAK.search(self.text)
        self._newline = found[0] if found else "\n"
        self._members: dict[tuple[int, int], list[_TextMember]] = {}
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
        alias = self._aliases.get((line - 1, column - 1))
        if alias is not None:
            return TextEdit(self._offset(alias[0]), self._offset(alias[1]), self._flow(value))
        member = self._at(line, column, None)
        start, end = self._span(member.node)
        anchor = _ANCHOR.match(self.text, start, end)
        start = anchor.end() if anchor else start
        written = self.text[start:end]
        if not written and member.key is not None and not self._in_flow(member):
            return self._in_empty_place(member, value)
        if written[:1] in ("", "!") or (anchor and not isinstance(member.node, yaml.ScalarNode)):
            raise NotEditableError("a tag, an anchor or nothing is written there")
        if written[:1] in ("|", ">"):
            return self._block_text(member, start, end, value)
        if isinstance(member.node, yaml.ScalarNode) and not isinstance(value, (dict, list)):
            space = " " if self.text[end : end + 1] == "#" else ""
            return TextEdit(start, end, self._scalar(value, member.node.style, written) + space)
        if self._in_flow(member):
            return TextEdit(start, end, self._flow(value))
        is_block = isinstance(member.node, yaml.CollectionNode) and not member.node.flow_style
        if isinstance(value, (dict, list)) and value:
            return self._block_in_place(member, start, end, value)
        if is_block and member.key is not None:
            return TextEdit(self._behind_colon(member.key), end, f" {self._flow(value)}")
        return TextEdit(start, end, self._flow(value))

    def _in_empty_place(self, member: _TextMember, value: Any) -> TextEdit:
        """A value behind a key that has none."""
        assert member.key is not None
        colon = self._behind_colon(member.key)
        if isinstance(value, (dict, list)) and value:
            inside = member.key.start_mark.column + 2
            return TextEdit(colon, colon, (self._newline + self._block(value, inside)).removesuffix(self._newline))
        return TextEdit(colon, colon, f" {self._flow(value)}")

    def _block_text(self, member: _TextMember, start: int, end: int, value: Any) -> TextEdit:
        """Another text in the place of a block of text; a text of several lines stays a block."""
        indent = member.key.start_mark.column + 2 if member.key is not None else member.node.start_mark.column
        written = _as_block(value, " " * indent, self._newline) if isinstance(value, str) else None
        if written is None:
            if isinstance(value, (dict, list)) and value:
                return self._block_in_place(member, start, end, value)
            return TextEdit(start, end, self._flow(value))
        return TextEdit(start, end, written)

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

    def add_document(self, value: Any) -> TextEdit:
        """Add a document behind all others."""
        end = len(self.text)
        line = "" if self.text.endswith(("\n", "\r")) or not self.text else self._newline
        mark = f"---{self._newline}" if self.text.strip() else ""
        if self._is_json or self.text.rstrip().endswith("\n..."):
            raise NotEditableError("no document can be added to it")
        return TextEdit(end, end, line + mark + self._block(value, 0))

    def remove(self, line: int, column: int, *, with_empty: bool = False) -> TextEdit:
        """Remove the member or item whose value begins at a line and a column, counted from one; `with_empty`, also the
        mappings around it of which nothing is left."""
        return self._removed(self._at(line, column, None), with_empty=with_empty)

    def _removed(self, member: _TextMember, *, with_empty: bool) -> TextEdit:
        if member.sequence is not None:
            return self._remove_item(member.sequence, member.node)
        if member.mapping is None or member.key is None:
            raise NotEditableError("it is a whole document")
        if len(member.mapping.value) == 1:
            return self._emptied(member.mapping, with_empty=with_empty)
        if member.mapping.flow_style:
            return self._remove_flow(member.mapping, member.key)
        return self._remove_lines(member.key, member.node, [key for key, _ in member.mapping.value])

    def _emptied(self, mapping: yaml.MappingNode, *, with_empty: bool) -> TextEdit:
        """A mapping without its only member."""
        holder = self._holder(mapping)
        if with_empty and holder.mapping is not None:
            return self._removed(holder, with_empty=True)
        return self._without_members(mapping, "{}")

    def _holder(self, node: yaml.CollectionNode) -> _TextMember:
        mark: Any = node.start_mark
        return next(each for each in self._members[mark.line, mark.column] if each.node is node)

    def _without_members(self, node: yaml.CollectionNode, empty: str) -> TextEdit:
        """An empty collection in the place of one; of what is below its key, behind the key."""
        start, end = self._span(node)
        key = self._holder(node).key
        if key is None or node.flow_style:
            return TextEdit(start, end, empty)
        colon = self._behind_colon(key)
        if self.text[colon:start].strip():
            raise NotEditableError("something else is between the key and its value")
        return TextEdit(colon, end, f" {empty}")

    def _remove_lines(self, key: yaml.Node, value: yaml.Node, keys: Sequence[yaml.Node]) -> TextEdit:
        """The lines of a member; the first one of an item of a list leaves its dash to the next one."""
        at = self._offset(key.start_mark)
        start = self._starts[key.start_mark.line]
        end = self._after(self._span(value)[1])
        if not self.text[start:at].strip(" "):
            return TextEdit(start, end, "")
        following = next((each for before, each in pairwise(keys) if before is key), None)
        if following is None or self.text[start:at].strip(" -"):
            raise NotEditableError("something else is on its line")
        return TextEdit(at, self._offset(following.start_mark), "")

    def _remove_item(self, sequence: yaml.SequenceNode, node: yaml.Node) -> TextEdit:
        at = next(number for number, each in enumerate(sequence.value) if each is node)
        if len(sequence.value) == 1:
            return self._without_members(sequence, "[]")
        if sequence.flow_style:
            if at:
                return TextEdit(self._span(sequence.value[at - 1])[1], self._span(node)[1], "")
            return TextEdit(self._offset(node.start_mark), self._offset(sequence.value[1].start_mark), "")
        dash = self.text.rfind("-", 0, self._offset(node.start_mark))
        start = self._starts[bisect_right(self._starts, dash) - 1]
        end = self._after(self._span(node)[1])
        if self.text[start:dash].strip(" ") or self.text[dash + 1 : self._offset(node.start_mark)].strip(" "):
            raise NotEditableError("something else is on its line")
        return TextEdit(start, end, "")

    def _at(self, line: int, column: int, kind: type[yaml.Node] | None) -> _TextMember:
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

    def _in_flow(self, member: _TextMember) -> bool:
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
            return json.dumps(value, ensure_ascii=False, default=str)
        text = writer.dump(value, allow_unicode=True)
        text = text.removesuffix("\n...\n").removesuffix("\n")
        return text if "\n" not in text else json.dumps(value, ensure_ascii=False)

    def _block(self, value: Any, indent: int) -> str:
        """A collection in block style, texts of several lines as blocks."""
        return "".join(f"{line}{self._newline}" for line in self._block_lines(value, " " * indent))

    def _block_lines(self, value: Any, indent: str) -> Iterator[str]:
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                yield from self._entry_lines(f"{indent}{self._flow(key)}:", inner, indent, isinstance(inner, dict))
        elif isinstance(value, list) and value:
            for item in value:
                if isinstance(item, (dict, list)) and item:
                    first, *rest = self._block_lines(item, indent + "  ")
                    yield f"{indent}- {first[len(indent) + 2 :]}"
                    yield from rest
                else:
                    yield from self._entry_lines(f"{indent}-", item, indent, is_deeper=False)
        else:
            yield indent + self._flow(value)

    def _entry_lines(self, head: str, value: Any, indent: str, is_deeper: bool) -> Iterator[str]:
        """What is behind a colon or a dash, or below it."""
        if isinstance(value, (dict, list)) and value:
            yield head
            yield from self._block_lines(value, indent + "  " if is_deeper else indent)
            return
        block = _as_block(value, indent + "  ", "\n") if isinstance(value, str) else None
        yield from f"{head} {block or self._flow(value)}".split("\n")

    def _block_in_place(self, member: _TextMember, start: int, end: int, value: Any) -> TextEdit:
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


def _members_of(document: yaml.Node | None) -> Iterator[_TextMember]:
    """All values of a document, each once: what an alias stands for is where its anchor is."""
    pending = [_TextMember(document)] if document is not None else []
    seen: set[int] = set()
    while pending:
        member = pending.pop()
        if id(member.node) in seen:
            continue
        seen.add(id(member.node))
        yield member
        if isinstance(member.node, yaml.MappingNode):
            pending += [_TextMember(value, member.node, key) for key, value in member.node.value]
        elif isinstance(member.node, yaml.SequenceNode):
            pending += [_TextMember(item, sequence=member.node) for item in member.node.value]


def _aliases_in(text: str) -> Iterator[tuple[tuple[int, int], tuple[Any, Any]]]:
    """Where the aliases of a text are, each with its end."""
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent):
            mark: Any = event.start_mark
            yield (mark.line, mark.column), (mark, event.end_mark)


def _as_block(text: str, indent: str, newline: str) -> str | None:
    """A text of several lines as a literal block; None if that does not hold it."""
    lines = text.split("\n")
    if len(lines) < 2 or lines[0].startswith(" ") or not lines[0] or not text.replace("\n", "").isprintable():
        return None
    kept = text.rstrip("\n")
    end = {0: "-", 1: ""}.get(len(text) - len(kept))
    if end is None:
        return None
    return f"|{end}{newline}" + newline.join(indent + line if line else "" for line in kept.split("\n"))


def with_value(whole: Any, path: Path, value: Any) -> Any:
    """A value with another one at a path, or without it; what is beside the path is shared."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(whole, list) and isinstance(step, int):
        copied = list(whole)
        if value is MISSING and not rest:
            return copied[:step] + copied[step + 1 :]
        if step == len(copied):
            copied.append({})
        copied[step] = with_value(copied[step], rest, value)
        return copied
    inside = dict(whole) if isinstance(whole, dict) else {}
    if value is MISSING and not rest:
        inside.pop(step, None)
    else:
        inside[step] = with_value(inside.get(step, {}), rest, value)
    return inside
