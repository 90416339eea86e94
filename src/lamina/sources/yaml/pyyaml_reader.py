"""The thorough way to read YAML: PyYAML's own composer and constructor over checked events.

It defines what a text means: values, errors and their wording are those of the loader that the real program uses. It
reads what the C extension does not take (unusual tags, sets, ordered maps, recursive aliases, every error), and
everything if the extension was not built.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml
from yaml import events
from yaml.composer import Composer
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.nodes import MappingNode, ScalarNode, SequenceNode
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.resolver import Resolver
from yaml.scanner import Scanner

from lamina.errors import Diagnostic, InputError
from lamina.origins import PositionMap
from lamina.sources.decimals import WrittenDecimal
from lamina.sources.document import Document, duplicate_key, order_of_lines, repeated_key_error
from lamina.sources.limits import NumberTooLongError, check_digits
from lamina.sources.yaml.errors import invalid_yaml
from lamina.sources.yaml.scalars import PYYAML_TEXT_DATES, YAML, ScalarTable
from lamina.values import Tagged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.events import Event
    from yaml.nodes import Node

    from lamina.errors import Note
    from lamina.sources.limits import Limits
    from lamina.sources.source import Source

_MERGE = YAML + "merge"
_TIMESTAMP = YAML + "timestamp"
_NUMBERS = (YAML + "int", YAML + "float")
_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,16}")


class PureParser(Reader, Scanner, Parser):
    """PyYAML's parser written in Python."""

    def __init__(self, data: bytes) -> None:
        Reader.__init__(self, data)
        Scanner.__init__(self)
        Parser.__init__(self)


FastParser: Any
try:
    from yaml._yaml import CParser as FastParser
except ImportError:  # PyYAML built without libyaml: the same, only slowly
    FastParser = PureParser


class _Events:
    """The events of a parser with one event of lookahead, counted against the limits."""

    def __init__(self, parser: Any, source: Source, limits: Limits) -> None:
        self._parser = parser
        self._source = source
        self._limits = limits
        self._most_nodes = min(limits.nodes, limits.thorough_nodes)
        self._next_event: Event | None = None
        self._open: list[tuple[str | None, int, int]] = []
        self._heights = [0]
        self._weights: dict[str, tuple[int, int, int] | None] = {}
        self._nodes = 0
        self._all_nodes = 0
        self._alias_nodes = 0
        self._alias_text = 0
        self.own_alias: Any = None
        """The position of an alias inside the collection it refers to."""

    def peek_event(self) -> Event:
        if self._next_event is None:
            event: Event = self._parser.get_event()
            self._count(event)
            self._next_event = event
        return self._next_event

    def get_event(self) -> Event:
        event = self.peek_event()
        self._next_event = None
        return event

    def check_event(self, *kinds: type[Event]) -> bool:
        return isinstance(self.peek_event(), kinds)

    def _count(self, event: Event) -> None:
        if isinstance(event, events.DocumentStartEvent):
            self._weights, self._nodes = {}, 0
        elif isinstance(event, events.AliasEvent):
            self._count_alias(event)
        elif isinstance(event, events.CollectionStartEvent):
            self._open.append((event.anchor, self._nodes, _index(event.start_mark) + self._alias_text))
            self._heights.append(0)
            self._nodes += 1
            self._weights[event.anchor or ""] = None
            if len(self._open) > self._limits.depth:
                raise self._limits.too_deep(self._where(event))
        elif isinstance(event, events.CollectionEndEvent):
            anchor, before, start = self._open.pop()
            height = self._heights.pop() + 1
            self._heights[-1] = max(self._heights[-1], height)
            text = _index(event.end_mark) + self._alias_text - start
            self._weights[anchor or ""] = (self._nodes - before, height, text)
        elif isinstance(event, events.ScalarEvent):
            self._nodes += 1
            self._weights[event.anchor or ""] = (1, 0, len(event.value))
        if isinstance(event, events.NodeEvent):
            self._all_nodes += 1
            if self._all_nodes > self._most_nodes:
                raise self._limits.too_many_nodes(self._most_nodes, self._where(event))

    def _count_alias(self, event: Any) -> None:
        known = self._weights.get(event.anchor, (1, 0, 0))
        if known is None:
            self.own_alias = self.own_alias or event.start_mark
            # A mapping may merge itself: its size counts again, which is known only at its end.
            known = (len(self._source.data), 0, 0)
        weight, height, text = known
        self._heights[-1] = max(self._heights[-1], height)
        if len(self._open) + height > self._limits.depth:
            raise self._limits.too_deep(self._where(event))
        self._nodes += weight
        self._alias_nodes += weight
        self._alias_text += text
        if self._alias_text > self._limits.alias_text:
            raise self._limits.too_much_alias_text(self._where(event))
        if self._alias_nodes > self._limits.alias_nodes:
            raise self._limits.too_many_aliases(self._where(event))

    def _where(self, event: Event) -> Any:
        mark: Any = event.start_mark
        return self._source.locate(mark.line, mark.column)


def checked_events(source: Source, limits: Limits) -> Iterator[Event]:
    """The events of a file as libyaml parses it, counted against the limits; errors have their origin."""
    limits.check_size(source)
    try:
        found = _Events(FastParser(source.data), source, limits)
        while not found.check_event(events.StreamEndEvent):
            yield found.get_event()
    except yaml.YAMLError as fault:
        raise invalid_yaml(source, fault) from None


def _index(mark: Any) -> int:
    index: int = mark.index
    return index


class _Loader(_Events, Composer, SafeConstructor, Resolver):
    """PyYAML's safe loader over checked events, with the origin of every error."""

    def __init__(self, parser: Any, source: Source, table: ScalarTable, limits: Limits) -> None:
        _Events.__init__(self, parser, source, limits)
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)
        self.table = table
        self.made: dict[int, Any] = {}

    def key_of(self, node: Node) -> Any:
        """The value of a key of a mapping that was constructed."""
        return self.made[id(node)]

    def remove_tag(self, node: Node) -> None:
        """Let a node with a tag that only marks it be what it would be without, if its tag allows that."""
        meaning, tag = self.table.tags[node.tag], node.tag
        node.tag = self.resolve(type(node), node.value, (True, False))  # type: ignore[no-untyped-call]
        if meaning == "string" and node.tag != YAML + "str":
            raise ConstructorError(None, None, f"the tag {tag} is for strings", node.start_mark)

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if self.table.anchors_again and isinstance(event, (events.ScalarEvent, events.CollectionStartEvent)):
            self.anchors.pop(event.anchor, None)  # an alias means the latest before it
        return super().compose_node(parent, index)

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        try:
            value = self._construct(node, deep)
        except (yaml.YAMLError, InputError, RecursionError, MemoryError):
            raise
        except NumberTooLongError:
            raise self._limits.too_long(self._source.locate(node.start_mark.line, node.start_mark.column)) from None
        except Exception as fault:  # a bad date or number makes PyYAML fail with an exception of Python
            why = f": {fault}" if isinstance(fault, (ValueError, OverflowError)) else ""
            problem = f"this is not a valid {node.tag.removeprefix(YAML)}{why}"
            raise ConstructorError(None, None, problem, node.start_mark) from fault
        self.made[id(node)] = value
        return value

    def _construct(self, node: Node, deep: bool) -> Any:
        if self.table.keeps_tags and node.tag.startswith("!"):
            return self._tagged(node)
        if not isinstance(node, ScalarNode):
            return super().construct_object(node, deep)
        if node.tag == _TIMESTAMP and self.table is PYYAML_TEXT_DATES:
            return node.value
        if node.tag in _NUMBERS:
            check_digits(node.value, 0, self._limits.digits)
        value = super().construct_object(node, deep)
        check_digits(node.value, value, self._limits.digits)
        return value

    def _tagged(self, node: Node) -> Tagged:
        """A value with its tag, and with all that is in it."""
        if isinstance(node, ScalarNode):
            return Tagged(node.tag, node.value, node.style)
        if isinstance(node, SequenceNode):
            return Tagged(node.tag, self.construct_sequence(node, deep=True))
        return Tagged(node.tag, self.construct_mapping(node, deep=True))  # type: ignore[arg-type]


class _DotNetLoader(_Loader):
    """The values that PowerShell gets from YamlDotNet: no merge keys, keys are strings, unknown tags are ignored."""

    ended = False
    """Whether the last document had an end marker."""

    def get_event(self) -> Event:
        event = super().get_event()
        if isinstance(event, events.DocumentEndEvent):
            self.ended = bool(event.explicit)
        return event

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        if kind is ScalarNode:
            return "plain" if implicit[0] else YAML + "str"
        return super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]

    def _construct(self, node: Node, deep: bool) -> Any:
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        tag = YAML + ("seq" if isinstance(node, SequenceNode) else "map")
        node.tag = tag
        return super()._construct(node, deep)

    def _scalar(self, node: ScalarNode) -> Any:
        kind = node.tag.removeprefix(YAML)
        if kind == "str":
            return node.value
        if kind == "null":
            return None
        if kind in ("bool", "int", "float"):
            return self._converted(node, kind)
        return node.value if node.style else self.table.plain(node.value, self._limits.digits)

    def _converted(self, node: ScalarNode, kind: str) -> Any:
        if kind == "int" and (digits := _HEX.fullmatch(node.value)):
            return int(digits[0], 16)
        value = self.table.plain(node.value, self._limits.digits)
        if kind == "float" and type(value) is int:
            return float(value)
        if type(value) not in {"bool": (bool,), "int": (int,), "float": (float, WrittenDecimal)}[kind]:
            raise ValueError(f"{node.value[:40]!r} cannot be converted")
        return value

    def key_of(self, node: Node) -> Any:
        return node.value

    def flatten_mapping(self, node: MappingNode) -> None:
        pass

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                where = ("while constructing a mapping", node.start_mark)
                raise ConstructorError(*where, "found unhashable key", key_node.start_mark)
            mapping[key_node.value] = self.construct_object(value_node, deep)
        return mapping


def read_nodes(source: Source, table: ScalarTable, parse: Any, limits: Limits, single: bool) -> list[Document]:
    """All documents as a parser reads them, or the error of the real program's loader."""
    loader = None
    parser = None
    try:
        parser = parse(source.data)
        kind = _DotNetLoader if table.text_keys else _Loader
        loader = kind(parser, source, table, limits)
        return list(_documents(loader, source, single))
    except InputError:
        raise
    except RecursionError:
        raise limits.too_deep(source.locate(0, 0)) from None
    except yaml.YAMLError as fault:
        raise invalid_yaml(source, fault) from fault
    except (ValueError, OverflowError) as fault:  # an escape beyond Unicode
        mark = parser.get_mark() if isinstance(parser, PureParser) else None
        raise invalid_yaml(source, yaml.MarkedYAMLError(problem=str(fault), problem_mark=mark)) from fault


def _documents(loader: _Loader, source: Source, single: bool) -> Iterator[Document]:
    nodes = _single(loader) if single else _all(loader)
    for node in nodes:
        # The constructor rewrites merge keys in the nodes, so the positions are recorded first.
        positions, records, own = _with_positions(node, source, loader)
        loader.own_alias, own_alias = None, loader.own_alias
        value = loader.construct_document(node)
        if own_alias and _is_cyclic(value):
            raise _cyclic(source.locate(own_alias.line, own_alias.column))
        document = Document(value, positions)
        for mapping, pairs in own:
            _add_members(document, mapping, pairs, records, loader)
        document.notes.sort(key=order_of_lines)
        loader.made.clear()
        yield document


def _single(loader: _Loader) -> Iterator[Node]:
    node = loader.get_single_node()
    if node is not None:
        yield node


def _all(loader: _Loader) -> Iterator[Node]:
    while not getattr(loader, "ended", False) and loader.check_node():
        node = loader.get_node()
        assert node is not None
        yield node


_Own = list[tuple[MappingNode, list[tuple["Node", "Node"]]]]


def _with_positions(root: Node, source: Source, loader: _Loader) -> tuple[PositionMap, dict[int, int], _Own]:
    """The positions of all nodes, the record of each, and each mapping with the pairs written in it.

    A tag that only marks a value is recorded, and its node goes on without.
    """
    positions = PositionMap(source.locate)
    records: dict[int, int] = {}
    own: _Own = []
    todo: list[Node | int] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, int):
            positions.close(node)
            continue
        index = positions.add(node.start_mark.line, node.start_mark.column)
        if id(node) in records:
            positions.aliases[index] = records[id(node)]
            continue
        records[id(node)] = index
        if node.tag in loader.table.tags:
            positions.tags[index] = node.tag
            loader.remove_tag(node)
        children: list[Node] = []
        if isinstance(node, MappingNode):
            own.append((node, list(node.value)))
            children = [child for pair in node.value for child in pair]
        elif isinstance(node, SequenceNode):
            children = node.value
        if children:
            todo.append(index)
            todo.extend(reversed(children))
    return positions, records, own


def _add_members(
    document: Document, mapping: MappingNode, own: list[tuple[Node, Node]], records: dict[int, int], loader: _Loader
) -> None:
    if id(mapping) not in loader.made or not isinstance(loader.made[id(mapping)], (dict, set)):
        return
    positions = document.positions
    first: dict[Any, int] = {}
    for node, _ in own:
        if node.tag == _MERGE:
            continue
        key, record = loader.key_of(node), records[id(node)]
        if key in first:
            places = positions.origin(first[key]), positions.origin(record)
            if loader.table.unique_keys:
                raise repeated_key_error(key, *places)
            document.notes.append(duplicate_key(key, *places))
        first.setdefault(key, record)
    if loader.table.merged_repeats:
        document.notes.extend(_merged_again(mapping, own, records, document, loader))
    positions.members[records[id(mapping)]] = {
        loader.key_of(key): (records[id(key)], records[id(value)]) for key, value in mapping.value
    }


def _merged_again(
    mapping: MappingNode, own: list[tuple[Node, Node]], records: dict[int, int], document: Document, loader: _Loader
) -> Iterator[Note]:
    """A note on each key that more than one of the merged mappings has, or one of them and the mapping itself.

    What is merged stands before what is written there.
    """
    merged = len(mapping.value) - sum(node.tag != _MERGE for node, _ in own)
    first: dict[Any, int] = {}
    for at, (node, _) in enumerate(mapping.value):
        key, record = loader.key_of(node), records[id(node)]
        if key in first:
            yield duplicate_key(key, document.positions.origin(first[key]), document.positions.origin(record))
        elif at < merged:
            first[key] = record


def _is_cyclic(root: Any) -> bool:
    """Whether the value contains itself."""
    path: set[int] = set()
    done: set[int] = set()
    todo: list[tuple[Any, bool]] = [(root, False)]
    while todo:
        value, leaving = todo.pop()
        if leaving:
            path.discard(id(value))
            done.add(id(value))
        elif id(value) in path:
            return True
        elif isinstance(value, (dict, list, tuple)) and id(value) not in done:
            path.add(id(value))
            todo.append((value, True))
            todo.extend((child, False) for child in (value.values() if isinstance(value, dict) else value))
    return False


def _cyclic(at: Any) -> InputError:
    return InputError(
        Diagnostic(
            code="cyclic-alias",
            message="the alias is inside the collection it refers to, and Lamina does not support recursive values",
            at=at,
            hint="move the alias out of the anchored collection",
        )
    )
