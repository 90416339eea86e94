"""Values as the page writes them: short, on one line where they can be, and with nothing invisible in them."""

from __future__ import annotations

import json
import re
from typing import Any

from lamina._support.escapes import visible
from lamina.paths import MISSING

LONGEST_TEXT = 4_000
LONGEST_COLLECTION = 300

_PLAIN_STRING = re.compile(r"[A-Za-z_/](?:[\w./@%+=~$;,()*!?<>|&'-]|:(?=\S)| (?![#\s]))*(?<!\s)")
_NOT_TEXT = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def full(value: Any) -> str:
    """A value in full: text as it reads, line by line; anything else on one line. Cut where it is very long."""
    if isinstance(value, str):
        text = value[: LONGEST_TEXT + 1]
        return cut(visible(text, keep="\n\t", as_json=True) if "\n" in text.strip() else _text(text), LONGEST_TEXT)
    return on_one_line(value)


def is_plain_string(text: str) -> bool:
    """Whether a text cannot be taken for anything else when it is without quotes, and hides nothing."""
    return _PLAIN_STRING.fullmatch(text) is not None and text.lower() not in _NOT_TEXT


def cut(text: str, limit: int) -> str:
    """The text, cut where it passes the limit."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def on_one_line(value: Any, limit: int = LONGEST_COLLECTION) -> str:
    """A value on one line, cut at the limit; never looks at more of it than it shows."""
    pieces: list[str] = []
    _write(value, pieces, [limit])
    return cut("".join(pieces), limit)


def _write(value: Any, pieces: list[str], free: list[int]) -> None:
    """Write a value as long as there is room; every level takes some, which bounds the depth."""
    if free[0] < 0:
        return
    if isinstance(value, dict) and value:
        _write_all(value.items(), "{}", pieces, free)
    elif isinstance(value, (list, tuple)) and value:
        _write_all(value, "[]", pieces, free)
    else:
        _add(_scalar(value), pieces, free)


def _write_all(items: Any, brackets: str, pieces: list[str], free: list[int]) -> None:
    _add(brackets[0], pieces, free)
    for number, item in enumerate(items):
        if free[0] < 0:
            return
        if number:
            _add(", ", pieces, free)
        if brackets == "{}":
            _add(f"{_scalar(item[0])}: ", pieces, free)
            item = item[1]  # noqa: PLW2901 - a pair is written as its key and then its value
        _write(item, pieces, free)
    _add(brackets[1], pieces, free)


def _add(text: str, pieces: list[str], free: list[int]) -> None:
    pieces.append(text)
    free[0] -= len(text)


def _scalar(value: Any) -> str:
    if value is MISSING:
        return "nothing"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value[:LONGEST_TEXT])
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, (list, tuple)):
        return "[]"
    return visible(_other(value))


def _other(value: Any) -> str:
    """Numbers, dates, bytes and whatever else a source can hold."""
    try:
        return str(value)
    except ValueError:  # Python does not write very long whole numbers out
        return hex(value)


def _text(text: str) -> str:
    return text if is_plain_string(text) else visible(json.dumps(text, ensure_ascii=False), as_json=True)
