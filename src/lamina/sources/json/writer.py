"""Writing JSON: dates as ISO text, bytes as base64 text, sets as sorted lists, tuples as lists, other keys than text as
YAML spells them.

What JSON cannot say is refused and never bent: NaN and the infinities (`not-json`), and keys that would be spelt alike
(1 and "1", `json-key-clash`). The text is the same with and without orjson.
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, Any

from lamina.budget import WriteBudget, text_size
from lamina.errors import Diagnostic, UsageError
from lamina.paths import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.paths import Path

_SURROGATE = re.compile("[\ud800-\udfff]")
_LONG = 1 << 63
_SHORT = 80
"""Longer texts are looked at one by one, before anything is written."""
_LINE = 8
"""What a line takes besides its text and its margin, about."""


class _Writing:
    """One value on its way to JSON: how unusual numbers are put, and how much is written."""

    __slots__ = ("number", "written")

    def __init__(self, number: Callable[[float | int], Any], written: WriteBudget | None = None) -> None:
        self.number = number
        self.written = written or WriteBudget()

    def count_long(self, text: str) -> None:
        """Count a long text; what cannot be printed takes six characters."""
        self.written.spend(text_size(text) if text.isprintable() else 6 * text_size(text))

    def count_lines(self, lines: int, depth: int) -> None:
        """Count the lines of a collection, each with its margin."""
        self.written.spend(lines * (2 * depth + _LINE))


def dump(value: Any, indent: int | None = 2, sort_keys: bool = False, *, budget: WriteBudget | None = None) -> str:
    """The value as JSON text, with a line end; a `budget` counts it with what else is written."""
    text = _fast(value, sort_keys, budget) if indent == 2 else None
    return _plain_json(_told(value, (), _Writing(_same, budget)), indent, sort_keys) if text is None else text


def plain(value: Any) -> Any:
    """The value in JSON's own terms, sharing what need not change."""
    try:
        return _told(value, (), _Writing(_same))
    except RecursionError:
        raise _refusal("too-deep", "the value is nested too deep to be written", (), "flatten it") from None


def _fast(value: Any, sort_keys: bool, budget: WriteBudget | None) -> str | None:
    """The text by way of orjson; none where it is missing or cannot take the value."""
    try:
        import orjson
    except ImportError:
        return None

    def spelt(number: float | int) -> Any:
        # orjson has its own spelling of exponents, and no integers beyond 64 bits.
        return orjson.Fragment(_spelt(number))

    option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | (orjson.OPT_SORT_KEYS if sort_keys else 0)
    try:
        return orjson.dumps(_told(value, (), _Writing(spelt, budget)), option=option).decode()
    except TypeError:  # half of a surrogate pair, or more than 254 levels
        return None


def _plain_json(value: Any, indent: int | None, sort_keys: bool) -> str:
    try:
        text = json.dumps(value, indent=indent, sort_keys=sort_keys, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise _refusal("too-deep", "the value is nested too deep to be written", (), "flatten it") from None
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _same(number: float | int) -> Any:
    _spelt(number)
    return number


def _spelt(number: float | int) -> str:
    try:
        return repr(number)
    except ValueError:
        raise _refusal("number-too-long", "a number is too long to be written out", (), "write it as text") from None


def _told(value: Any, path: Path, writing: _Writing) -> Any:
    """The value in JSON's own terms; the same object where nothing has to change."""
    kind = type(value)
    if kind is str:
        length = len(value)
        if length > _SHORT:
            writing.count_long(value)
        else:
            writing.written.left -= length if value.isprintable() else 6 * length
        return value
    if kind is bool or value is None:
        return value
    if kind is int:
        return value if -_LONG <= value < _LONG else writing.number(value)
    if kind is float:
        return _told_float(value, path, writing)
    if isinstance(value, dict):
        return _told_mapping(value, path, writing)
    if isinstance(value, (list, tuple)):
        writing.count_lines(len(value), len(path))
        told = [_told(item, (*path, at), writing) for at, item in enumerate(value)]
        return value if all(map(_is, told, value)) else told
    if isinstance(value, (set, frozenset)):
        return sorted((_told(item, path, writing) for item in value), key=lambda item: (str(type(item)), str(item)))
    return _told_other(value, path)


def _is(left: Any, right: Any) -> bool:
    return left is right


def _told_float(value: float, path: Path, writing: _Writing) -> Any:
    if not math.isfinite(value):
        raise _refusal("not-json", f"JSON has no {value}", path, "write it as text, or ask for YAML")
    return writing.number(value) if "e" in repr(value) else value


def _told_mapping(value: dict[Any, Any], path: Path, writing: _Writing) -> Any:
    writing.count_lines(len(value), len(path))
    told = {_key(key, path): _told(child, (*path, key), writing) for key, child in value.items()}
    writing.written.spend(sum(map(len, told)))
    if len(told) != len(value):
        [(spelling, _)] = Counter(_key(key, path) for key in value).most_common(1)
        message = f"two keys are both spelt {spelling!r} in JSON"
        raise _refusal("json-key-clash", message, path, "rename one of them, or ask for YAML")
    same = type(value) is dict and all(map(_is, told, value)) and all(map(_is, told.values(), value.values()))
    return value if same else told


def _key(key: Any, path: Path) -> str:
    if type(key) is str:
        return key
    if key is None or key is True or key is False:
        return {None: "null", True: "true", False: "false"}[key]
    if isinstance(key, float):
        return _yaml_float(key)
    if isinstance(key, int):
        return _spelt(key)
    told = _told_other(key, path)
    return str(told)


def _yaml_float(value: float) -> str:
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else (".inf" if value > 0 else "-.inf")
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e", 1)


def _told_other(value: Any, path: Path) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    for kind in (str, bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    name = type(value).__name__
    raise _refusal("not-json", f"a value of type {name} cannot be written as JSON", path, "ask for YAML")


def _refusal(code: str, message: str, path: Path, hint: str) -> UsageError:
    message = f"{show(path)}: {message}" if path else message
    return UsageError(Diagnostic(code=code, message=message, path=path, hint=hint))
