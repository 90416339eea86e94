"""Writing JSON: dates as ISO strings, bytes as base64 strings, sets as sorted lists, tuples as lists, keys that are not
strings as YAML writes them. A value with a tag is a mapping of the tag to its content, and what is not known one of
`unknown` to the reason, the place and the text that stands there.

What JSON cannot express is rejected: NaN and the infinities (`not-json`), and keys that would be written alike
(1 and "1", `json-key-clash`).
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, Any

from lamina.budget import Budget, text_size, to_write
from lamina.errors import Diagnostic, UsageError
from lamina.origins import origin_data
from lamina.paths import show
from lamina.values import Tagged, Unknown

if TYPE_CHECKING:
    from lamina.paths import Path

_quoted = json.encoder.encode_basestring
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONG = 1 << 63
_SHORT = 80
"""Longer strings are counted one by one, before anything is written."""
_WORDS = {True: "true", False: "false", None: "null"}
_LINE = 8
"""The approximate size of a line besides its text and indent."""


class _WrittenSize:
    """How much of one value was written."""

    __slots__ = ("_budget",)

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or to_write()

    def spend(self, size: int) -> None:
        """Count bytes that are about to be written."""
        self._budget.spend(size=size)

    def count_short(self, text: str, length: int) -> None:
        """Count a short string; the limit is checked when the next collection is counted."""
        self._budget.size -= length if text.isprintable() else 6 * length

    def count_long(self, text: str) -> None:
        """Count a long string; an unprintable character takes six characters."""
        self.spend(text_size(text) if text.isprintable() else 6 * text_size(text))

    def count_lines(self, lines: int, depth: int) -> None:
        """Count the lines of a collection, each with its indent."""
        self.spend(lines * (2 * depth + _LINE))


def dump(value: Any, indent: int | None = 2, sort_keys: bool = False, *, budget: Budget | None = None) -> str:
    """The value as JSON text, with a line end; `budget` counts it together with other output."""
    try:
        made = _jsonable(value, (), _WrittenSize(budget))
        if indent:
            text = _indented(made, "\n", " " * indent, sort_keys)
        else:
            text = json.dumps(made, sort_keys=sort_keys, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise _too_deep() from None
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _indented(value: Any, line: str, indent: str, sort_keys: bool) -> str:
    """A value of JSON's types with a line for each part, as `json.dumps` writes it, only sooner.

    `line` is a line break with the indent of what the value is in.
    """
    kind = type(value)
    if kind is str:
        return _quoted(value)
    if kind is dict and value:
        inner = line + indent
        items = sorted(value.items()) if sort_keys else value.items()
        parts = [f"{_quoted(key)}: {_indented(each, inner, indent, sort_keys)}" for key, each in items]
        return f"{{{inner}{f',{inner}'.join(parts)}{line}}}"
    if kind in (list, tuple) and value:
        inner = line + indent
        parts = [_indented(each, inner, indent, sort_keys) for each in value]
        return f"[{inner}{f',{inner}'.join(parts)}{line}]"
    if kind is bool or value is None:
        return _WORDS[value]
    if kind is int:
        return repr(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """The value with only JSON types; unchanged parts are shared."""
    try:
        return _jsonable(value, (), _WrittenSize())
    except RecursionError:
        raise _too_deep() from None


def _as_text(number: float | int) -> str:
    try:
        return repr(number)
    except ValueError:
        raise _rejected(
            "number-too-long", "a number has too many digits to write", (), "write it as a string"
        ) from None


def _jsonable(value: Any, path: Path, written: _WrittenSize) -> Any:
    """The value with only JSON types; the same object if nothing changes."""
    kind = type(value)
    if kind is str:
        length = len(value)
        if length > _SHORT:
            written.count_long(value)
        else:
            written.count_short(value, length)
        return value
    if kind is bool or value is None:
        return value
    if kind is int:
        if not -_LONG <= value < _LONG:
            _as_text(value)
        return value
    if kind is float:
        return _finite(value, path)
    if isinstance(value, dict):
        return _mapping(value, path, written)
    if isinstance(value, (list, tuple)):
        written.count_lines(len(value), len(path))
        made = [_jsonable(item, (*path, at), written) for at, item in enumerate(value)]
        return value if all(map(_is, made, value)) else made
    if isinstance(value, (set, frozenset)):
        return sorted((_jsonable(item, path, written) for item in value), key=lambda item: (str(type(item)), str(item)))
    if isinstance(value, Tagged):
        return {value.tag: _jsonable(value.content, path, written)}
    return {"unknown": unknown_data(value)} if isinstance(value, Unknown) else _other(value, path)


def unknown_data(value: Unknown) -> dict[str, Any]:
    """Why a value is not known, and where."""
    at = {} if value.at is None else {"at": origin_data(value.at)}
    return {"reason": value.reason, **at, **({} if value.text is None else {"text": value.text})}


def _is(left: Any, right: Any) -> bool:
    return left is right


def _finite(value: float, path: Path) -> float:
    if not math.isfinite(value):
        raise _rejected("not-json", f"JSON cannot represent {value}", path, "write it as a string, or use YAML output")
    return value


def _mapping(value: dict[Any, Any], path: Path, written: _WrittenSize) -> Any:
    written.count_lines(len(value), len(path))
    made = {_key(key, path): _jsonable(child, (*path, key), written) for key, child in value.items()}
    written.spend(sum(map(len, made)))
    if len(made) != len(value):
        [(spelling, _)] = Counter(_key(key, path) for key in value).most_common(1)
        message = f"two keys would both be {spelling!r} in JSON"
        raise _rejected("json-key-clash", message, path, "rename one of them, or use YAML output")
    same = type(value) is dict and all(map(_is, made, value)) and all(map(_is, made.values(), value.values()))
    return value if same else made


def _key(key: Any, path: Path) -> str:
    if type(key) is str:
        return key
    if key is None or key is True or key is False:
        return {None: "null", True: "true", False: "false"}[key]
    if isinstance(key, float):
        return _yaml_float(key)
    if isinstance(key, int):
        return _as_text(key)
    return str(key) if isinstance(key, (Tagged, Unknown)) else str(_other(key, path))


def _yaml_float(value: float) -> str:
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else (".inf" if value > 0 else "-.inf")
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e", 1)


def _other(value: Any, path: Path) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    for kind in (str, bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    name = type(value).__name__
    raise _rejected("not-json", f"a value of type {name} cannot be written as JSON", path, "use YAML output")


def _too_deep() -> UsageError:
    return _rejected("too-deep", "the value is nested too deeply to write", (), "flatten it")


def _rejected(code: str, message: str, path: Path, hint: str) -> UsageError:
    message = f"{show(path)}: {message}" if path else message
    return UsageError(Diagnostic(code=code, message=message, path=path, hint=hint))
