"""The deep merge of Ruby's deep_merge library, on plain values.

`merged(higher, lower)` gives what the library gives, with its oddities: markers are used up, a list that is new loses
its duplicates, and a list inside a mapping that is new is merged with itself, the very same list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lamina.plugin import formats as lpf


class NotSortableError(Exception):
    """A list holds values that have no order."""


@dataclass(frozen=True, slots=True)
class DeepOptions:
    """How a deep merge goes about lists."""

    prefix: str | None = None
    sort: bool = False
    merge_hashes: bool = False
    overwrite_arrays: bool = False


def eql(value: Any) -> Any:
    """A form of a value that is equal for values that are `eql?` in Ruby: 1, 1.0 and true differ."""
    if isinstance(value, dict):
        return (dict, frozenset((eql(key), eql(item)) for key, item in value.items()))
    if isinstance(value, list):
        return (list, tuple(map(eql, value)))
    return (type(value), value)


def unique(items: list[Any]) -> list[int]:
    """The positions of items that are not equal to one before."""
    if len(items) < 2:
        return list(range(len(items)))
    if all(type(item) is str for item in items):
        positions: dict[str, int] = {}
        for at, item in enumerate(items):
            positions.setdefault(item, at)
        return list(positions.values())
    seen: set[Any] = set()
    kept: list[int] = []
    for at, item in enumerate(items):
        form = eql(item)
        if form not in seen:
            seen.add(form)
            kept.append(at)
    return kept


def copied(value: Any) -> Any:
    """A deep copy of a plain value, in which nothing is shared."""
    if isinstance(value, dict):
        return {key: copied(item) if isinstance(item, (dict, list)) else item for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


class DeepMerge:
    """One merge; lists and mappings are changed in place, as the library does."""

    def __init__(self, options: DeepOptions) -> None:
        self._options = options
        self._prefix = None if options.prefix is None else lpf.SafePattern(f"(?m)^{options.prefix}")

    def merged(self, higher: Any, lower: Any) -> Any:
        """The lower value with the higher one merged over it; neither is changed."""
        return self._merge(copied(higher), copied(lower))

    def _merge(self, source: Any, dest: Any) -> Any:
        if source is None:
            return dest
        if dest is None or dest is False:
            return source
        if isinstance(source, dict):
            return self._mapping(source, dest)
        if isinstance(source, list):
            return self._list(source, dest)
        return self._merge_source(source)

    def _mapping(self, source: dict[Any, Any], dest: Any) -> Any:
        for key, value in list(source.items()):
            if isinstance(dest, dict):
                there = dest.get(key)
                current = _shallow(value) if there is None or there is False else there
                dest[key] = self._merge(value, current)
            else:
                dest = source
        return dest

    def _list(self, source: list[Any], dest: Any) -> Any:
        prefix = self._options.prefix
        if self._options.overwrite_arrays:
            return source  # markers stay in it
        if prefix is not None and prefix in source:
            dest = _empty_of(dest)
            source[:] = [item for item in source if item != prefix]
        if not isinstance(dest, list):
            return self._merge_source(source)
        if prefix is not None:
            self._knock_out(source, dest)
        if self._options.merge_hashes and all(isinstance(item, dict) for item in (*source, *dest)):
            pairs = [self._merge(source[at] if at < len(source) else {}, item) for at, item in enumerate(dest)]
            joined = pairs + source[len(dest) :]
        else:
            both = dest + source
            joined = [both[at] for at in unique(both)]
        return _in_order(joined) if self._options.sort else joined

    def _stripped(self, item: Any) -> Any:
        """What a marker is about; the item itself where it is not one."""
        if not isinstance(item, str) or self._prefix is None:
            return item
        out, last = [], 0
        for match in self._prefix.matches(item):
            out.append(item[last : match.start()])
            last = match.end()
        return "".join((*out, item[last:]))

    def _knock_out(self, source: list[Any], dest: list[Any]) -> None:
        """Take what markers name out of the other list, and the markers out of their own; the two may be one list."""
        read = write = 0
        while read < len(source):
            item = source[read]
            target = self._stripped(item)
            if isinstance(item, str) and target != item:
                dest[:] = [each for each in dest if not (isinstance(each, str) and each in (item, target))]
            else:
                if write != read:
                    if write < len(source):
                        source[write] = item
                    else:
                        source.append(item)
                write += 1
            read += 1
        source[write:] = source[read:]

    def _merge_source(self, source: Any) -> Any:
        if self._prefix is None:
            return source
        if isinstance(source, str):
            return "" if self._stripped(source) != source else source
        if isinstance(source, list):
            source[:] = [each for each in source if not isinstance(each, str) or self._prefix.search(each) is None]
        return source


def _shallow(value: Any) -> Any:
    return value.copy() if isinstance(value, (dict, list)) else value


def _empty_of(dest: Any) -> Any:
    if isinstance(dest, (dict, list)):
        dest.clear()
        return dest
    return "" if isinstance(dest, str) else None


def _in_order(items: list[Any]) -> list[Any]:
    from functools import cmp_to_key

    return sorted(items, key=cmp_to_key(_compared))


def _compared(one: Any, other: Any) -> int:
    """Ruby's `<=>`: numbers with numbers, texts by bytes, lists item by item."""
    numbers = (int, float)
    if type(one) in numbers and type(other) in numbers:
        if one != one or other != other:  # noqa: PLR0124 - not a number
            raise NotSortableError
        return int(one > other) - int(one < other)
    if isinstance(one, str) and isinstance(other, str):
        first, second = one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass")
        return (first > second) - (first < second)
    if isinstance(one, list) and isinstance(other, list):
        for own, others in zip(one, other, strict=False):
            if found := _compared(own, others):
                return found
        return (len(one) > len(other)) - (len(one) < len(other))
    if eql(one) == eql(other):
        return 0
    raise NotSortableError
