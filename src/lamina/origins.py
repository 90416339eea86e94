"""Origins: where values were written.

An `Origin` is a location that a user can open: the name of a source, a line and a column, counted from one. A
`PositionMap` has the positions of a whole document as flat lists of records, one per node in document order, keys
included, so that they cost next to nothing until they are needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NotRequired, Protocol, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.errors import Note


class Origin(NamedTuple):
    """A location in a source, counted from one; `part` names the part of the source it is in, if any."""

    source: str
    line: int
    column: int
    part: str | None = None

    def __str__(self) -> str:
        text = f"{self.source}:{self.line}:{self.column}"
        return f"{text} ({self.part})" if self.part else text


class OriginData(TypedDict):
    """A location; line and column count from one, part names a part of a source."""

    source: str
    line: Annotated[int, {"minimum": 1}]
    column: Annotated[int, {"minimum": 1}]
    part: NotRequired[str]


def origin_data(origin: Origin) -> OriginData:
    """An origin as plain data."""
    data: OriginData = {"source": origin.source, "line": origin.line, "column": origin.column}
    return {**data, "part": origin.part} if origin.part else data


def data_or_none(origin: Origin | None) -> OriginData | None:
    """An origin as plain data, if there is one."""
    return origin_data(origin) if origin else None


class PositionMap:
    """The positions of the nodes of one document.

    Record i is the line and column (from zero) of node i; `sizes` is how many records a collection takes, itself
    included (one for all else). A mapping is followed by key, value, key, value; a sequence by its items. An alias
    takes one record; `aliases` points from it to the record of its anchor. A mapping whose plain value does not follow
    from its records in order (duplicate keys, merge keys, sets) has an entry in `members`: key to (record of the key,
    record of the value). `tags` has the tags that only mark values, by record.
    """

    __slots__ = ("_children", "aliases", "columns", "lines", "locate", "members", "notes", "sizes", "tags")

    def __init__(self, locate: Callable[[int, int], Origin]) -> None:
        self.locate = locate
        self.lines: list[int] = []
        self.columns: list[int] = []
        self.sizes: dict[int, int] = {}
        self.aliases: dict[int, int] = {}
        self.members: dict[int, dict[Any, tuple[int, int]]] = {}
        self.tags: dict[int, str] = {}
        self.notes: Sequence[Note] = ()
        """What the reader noticed, once a layer was made of the document."""
        self._children: dict[int, dict[Any, tuple[int, int]] | list[int]] = {}

    @property
    def record_count(self) -> int:
        """How many nodes there are."""
        return len(self.lines)

    @property
    def collection_count(self) -> int:
        """How many of them are collections."""
        return len(self.sizes)

    def add(self, line: int, column: int) -> int:
        """Record a node and return its index."""
        self.lines.append(line)
        self.columns.append(column)
        return len(self.lines) - 1

    def close(self, index: int) -> None:
        """The collection at `index` ends with the last record added."""
        self.sizes[index] = len(self.lines) - index

    def resolve(self, index: int) -> int:
        """The record for `index`: itself, or the anchor of an alias."""
        return self.aliases.get(index, index)

    def tag(self, index: int) -> str | None:
        """The tag of a value, or of what it is in."""
        index = self.aliases.get(index, index)
        around = (tag for at, tag in self.tags.items() if at <= index < at + self.sizes.get(at, 1))
        return next(around, None)

    def origin(self, index: int) -> Origin:
        """Where record `index` was written, aliases followed."""
        index = self.aliases.get(index, index)
        return self.locate(self.lines[index], self.columns[index])

    def item(self, index: int, position: int) -> int:
        """The record of the item at `position` of the sequence (or pair) at `index`."""
        return self.children(self.resolve(index))[position]

    def member(self, index: int, value: dict[Any, Any] | set[Any], key: Any) -> tuple[int, int]:
        """The records of a key and of its value, in the mapping at `index` whose plain value is `value`."""
        index = self.aliases.get(index, index)
        known = self._children.get(index)
        return known[key] if type(known) is dict and index not in self.members else self.pairs(index, value)[key]

    def children(self, index: int) -> list[int]:
        """The records of all children of the collection at `index`, keys included."""
        known = self._children.get(index)
        if isinstance(known, list):
            return known
        items: list[int] = []
        sizes = self.sizes
        at, end = index + 1, index + sizes.get(index, 1)
        while at < end:
            items.append(at)
            at += sizes.get(at, 1)
        self._children[index] = items
        return items

    def pairs(self, index: int, value: dict[Any, Any] | set[Any]) -> dict[Any, tuple[int, int]]:
        """The records of each key and its value, in the mapping at `index` whose plain value is `value`."""
        special = self.members.get(index)
        if special is not None:
            return special
        known = self._children.get(index)
        if isinstance(known, dict):
            return known
        items = self.children(index)
        members = dict(zip(value, zip(items[::2], items[1::2], strict=True), strict=True))
        self._children[index] = members
        return members


_NO_ALIASES: dict[int, int] = {}
"""Those of all documents without any."""


class Located(Protocol):
    """Converts positions to origins; a source."""

    def locate(self, line: int, column: int) -> Origin: ...


class PackedPositionMap(PositionMap):
    """The positions of a document as a reader packed them: pairs of 32-bit numbers, unpacked on demand.

    Most documents are read for their values only.
    """

    __slots__ = ("_packed_positions", "_packed_sizes", "_source")

    def __init__(self, source: Located, positions: bytes, sizes: bytes) -> None:
        # The other attributes are set by `__getattr__`.
        self._source = source
        self._packed_positions = positions
        self._packed_sizes = sizes

    @property
    def record_count(self) -> int:
        return len(self._packed_positions) // 8

    @property
    def collection_count(self) -> int:
        return len(self._packed_sizes) // 8

    def __getattr__(self, name: str) -> Any:
        value: Any
        if name in ("_children", "members", "tags"):
            value = {}
        elif name == "notes":
            value = ()
        elif name == "aliases":
            value = _NO_ALIASES  # a reader that found some has set them
        elif name == "locate":
            value = self._source.locate
        elif name in ("lines", "columns"):
            value = _numbers(self._packed_positions)[name == "columns" :: 2]
        elif name == "sizes":
            numbers = _numbers(self._packed_sizes)
            value = dict(zip(numbers[::2], numbers[1::2], strict=True))
        else:
            raise AttributeError(name)
        setattr(self, name, value)
        if name == "columns":
            PackedPositionMap._unpack(self)  # by its class, which another thread may just have changed
        return value

    def _unpack(self) -> None:
        """Unpack all, once somebody asks where something was written: `__getattr__` slows down each attribute."""
        for name in PositionMap.__slots__:
            getattr(self, name)
        self.__class__ = _UnpackedPositionMap  # type: ignore[assignment]  # it has the same slots


class _UnpackedPositionMap(PositionMap):
    """A packed map all of whose attributes are set."""

    __slots__ = PackedPositionMap.__slots__


def _numbers(packed: bytes) -> list[int]:
    return memoryview(packed).cast("I").tolist()
