"""Values after a round trip through JSON: keys become strings, sets and tuples lists, bytes and dates strings.

Two such ways exist. The server writes a later json value as JSON and reads it back (a string is read as JSON as it is).
The client writes each environment as JSON, and the server reads that text as YAML 1.1, where some numbers are strings:
those that JSON writes without a point and with an exponent, `NaN` and `Infinity`. Either way nothing is shared any
more with other places of the file.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from json.encoder import encode_basestring_ascii
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.heat.converted_sources import ConvertedSource, in_order
from lamina.engine.node import ComputedNode
from lamina.plugin import SourceNode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.engine.node import Node
    from lamina.plugin import Path

MAX_DEPTH: Final = 200
"""How deep JSON text may be nested."""
MAX_KEY: Final = 1024
"""How long a key may be in JSON text that is read as YAML, quotes and escapes included."""
_SAFE_KEY: Final = (MAX_KEY - 2) // 6
"""Keys up to this length are short enough, even if every character is written as an escape."""
_TEXT: Final = frozenset((str,))
_UNCHANGED: Final = frozenset((str, int, bool, type(None)))
_SAME: Final = _UNCHANGED | {float}
"""What JSON text that is read as JSON gives back as it was."""
_HOLDS: Final = frozenset((dict, list))
_SAME_OR_HOLDS: Final = _SAME | _HOLDS


class NotJsonError(ValueError):
    """The string is not JSON, or the value cannot be written as JSON; `path` leads to what is wrong inside it."""

    def __init__(self, message: str, path: Path = ()) -> None:
        super().__init__(message)
        self.path = path


class JsonRoundTrip:
    """Values written as JSON and read again, as YAML if so asked.

    What comes back unchanged is the value itself, except where `copies` are needed: containers that share nothing.
    """

    def __init__(self, *, as_yaml: bool = False, copies: bool = False) -> None:
        self._as_yaml = as_yaml
        self._copies = copies
        self._done: dict[int, tuple[Any, Any]] = {}
        """The results for containers, by id; with the container, so that its id is not reused."""
        self.long_key: Path | None = None
        """The first key that is too long for YAML, as it was written."""
        self.changed: list[Path] = []
        """Where keys and scalars came back as something else; the keys as they were written."""

    def value(self, value: Any, path: Path = ()) -> Any:
        kind = type(value)
        if kind in _UNCHANGED:
            return value
        if kind is float or kind is bytes or isinstance(value, date):
            converted = (
                self._number(value) if kind is float else _decoded(value, path) if kind is bytes else _dated(value)
            )
            if converted is not value:
                self.changed.append(path)
            return converted
        known = self._done.get(id(value))
        if known is None or self._copies:
            converted = self._mapping(value, path) if isinstance(value, dict) else self._items(value, path)
            known = self._done[id(value)] = (value, converted)
        return known[1]

    def _number(self, value: float) -> Any:
        if not self._as_yaml or (isfinite(value) and "." in repr(value)):
            return value
        return json.dumps(value)

    def _mapping(self, value: dict[Any, Any], path: Path) -> Any:
        if not _TEXT.issuperset(map(type, value)):
            return self._spelled(value, path)
        if self._as_yaml and self.long_key is None and max(map(len, value), default=0) > _SAFE_KEY:
            self.long_key = next(((*path, key) for key in value if len(written(key)) > MAX_KEY), None)
        if not self._copies and _UNCHANGED.issuperset(map(type, value.values())):
            return value
        inner = {key: self.value(item, (*path, key)) for key, item in value.items()}
        return inner if self._copies or any(inner[key] is not item for key, item in value.items()) else value

    def _spelled(self, value: dict[Any, Any], path: Path) -> dict[str, Any]:
        """A mapping of which some keys are not strings; the last of two that are spelled the same is used."""
        converted: dict[str, Any] = {}
        for key, item in value.items():
            inside = (*path, key)
            try:
                spelling = spell_key(key)
            except NotJsonError as error:
                raise NotJsonError(str(error), inside) from None
            converted[spelling] = self.value(item, inside)
            if spelling is not key:
                self.changed.append(inside)
            if self._as_yaml and self.long_key is None and len(written(spelling)) > MAX_KEY:
                self.long_key = inside
        return converted

    def _items(self, value: Iterable[Any], path: Path) -> Any:
        if not isinstance(value, (list, tuple)):
            assert isinstance(value, set)
            value = in_order(value)
            return [self.value(item, (*path, position)) for position, item in enumerate(value)]
        if type(value) is list and not self._copies and _UNCHANGED.issuperset(map(type, value)):
            return value
        inner = [self.value(item, (*path, position)) for position, item in enumerate(value)]
        changed = (
            self._copies
            or type(value) is not list
            or any(one is not other for one, other in zip(inner, value, strict=True))
        )
        return inner if changed else value


def changes(value: Any, *, only_json: bool = False) -> bool:
    """Whether a later json value is another one after the way through JSON text, sharing aside.

    `only_json` says that the value is known to hold only what JSON has.
    """
    if isinstance(value, str):
        return value != ""
    if only_json or _is_json(value):
        return False
    try:
        return JsonRoundTrip().value(value) is not value
    except NotJsonError:
        return True


def _is_json(value: Any) -> bool:
    """Whether a value is unchanged by a round trip through JSON; nearly all are, and this is the fastest check."""
    if type(value) is dict and _TEXT.issuperset(map(type, value)) and _SAME.issuperset(map(type, value.values())):
        return True
    pending = [value]
    seen: set[int] = set()
    for current in pending:
        if id(current) in seen:
            continue
        seen.add(id(current))
        inner: Iterable[Any] = current
        if type(current) is dict:
            if not _TEXT.issuperset(map(type, current)):
                return False
            inner = current.values()
        elif type(current) is not list:
            return type(current) in _SAME
        kinds = set(map(type, inner))
        if not kinds <= _SAME:
            if not kinds <= _SAME_OR_HOLDS:
                return False
            pending += [one for one in inner if type(one) in _HOLDS]
    return True


def through_json(node: Node) -> Node:
    """The node of a later json value as the server sees it."""
    value = node.value
    if value == "":
        return node
    if isinstance(value, str):
        return ComputedNode(read_json(value), node.path, (node,), "parsed from a JSON string")
    assert isinstance(node, SourceNode)
    return ConvertedSource(node, JsonRoundTrip(copies=True).value(value), spell_key)


def read_json(text: str) -> Any:
    """The value of JSON text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotJsonError(str(error)) from None
    if _is_too_deep(value):
        raise NotJsonError(f"nested more than {MAX_DEPTH} deep")
    return value


def spell_key(key: Any) -> str:
    """A key as JSON spells it."""
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, (bool, int, float)):
        return json.dumps(key)
    raise NotJsonError(f"JSON does not allow the key {key!r}")


def written(text: str) -> str:
    """A string as JSON writes it."""
    return encode_basestring_ascii(text)


def length_in_json(value: Any, lengths: dict[int, int] | None = None) -> int:
    """How many characters the JSON text of a value has, as the client writes it; shared parts are counted once each
    time they are written, but measured only once."""
    lengths = {} if lengths is None else lengths
    if isinstance(value, str):
        return len(written(value))
    if not isinstance(value, (dict, list)):
        return len(json.dumps(value))
    known = lengths.get(id(value))
    if known is None:
        # Two brackets, and `, ` between the members; `: ` behind each key.
        known = 2 + 2 * max(len(value) - 1, 0)
        if isinstance(value, dict):
            known += sum(len(written(key)) + 2 + length_in_json(item, lengths) for key, item in value.items())
        else:
            known += sum(length_in_json(item, lengths) for item in value)
        lengths[id(value)] = known
    return known


def _decoded(value: bytes, path: Path) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise NotJsonError(f"the bytes are not UTF-8: {error.reason}", path) from None


def _dated(value: date) -> str:
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f" if isinstance(value, datetime) else "%Y-%m-%d")


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for item in level
            if isinstance(item, (dict, list))
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True
