"""Keys with dots: how a key is split, and how a part of a value is found."""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

from lamina import plugin as lp
from lamina.dialects.hiera import messages
from lamina.plugin import extensions as lpx

Segment: TypeAlias = "str | int"

_SEGMENT: Final = re.compile(r"""(\s*"[^"]+"\s*|\s*'[^']+'\s*|[^'".]+)(\.?)""")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)
_SYMBOL_NUMBER: Final = re.compile(r":[0-9]+", re.ASCII)
_DIGITS: Final = 18
"""Longer numbers find nothing in a list."""


def split(key: str) -> tuple[Segment, ...] | None:
    """The segments of a key; None if it cannot be split."""
    if not any(char in key for char in "'\"."):
        return (key,)
    segments: list[Segment] = []
    at, dot = 0, "."
    while at < len(key) or dot:
        match = _SEGMENT.match(key, at)
        if match is None or not dot:
            return None
        segments.append(_segment(match[1].strip()))
        at, dot = match.end(), match[2]
    return tuple(segments)


def _segment(text: str) -> Segment:
    if text[:1] in ("'", '"'):
        return text[1:-1]
    if _NUMBER.fullmatch(text):
        return int(text[:_DIGITS])
    return 0 if _SYMBOL_NUMBER.fullmatch(text) else text


def quoted(key: str) -> str:
    """A whole key as it is asked for: in quotes if it would be split otherwise."""
    if not any(char in key for char in "'\"."):
        return key
    return f"'{key}'" if "'" not in key else f'"{key}"'


def segments_of(key: str) -> tuple[Segment, ...]:
    """The segments of a key; one that cannot be split is rejected."""
    found = split(key)
    if found is None:
        raise lp.Reject(messages.KEY_SYNTAX.at(key=key))
    return found


def value_at_segments(node: lp.Node, segments: tuple[Segment, ...], key: str) -> lp.Node | None:
    """The part of a value that segments lead to; None if it is missing."""
    for segment in segments:
        value: Any = node.value
        if isinstance(value, lp.Unknown):
            return node
        if value is None:
            return None
        if isinstance(value, list) and isinstance(segment, int):
            if not 0 <= segment < len(value):
                return None
        elif isinstance(value, dict):
            if not any(segment == each and type(segment) is type(each) for each in (value if segment in value else ())):
                return None
        else:
            raise lp.Reject(
                messages.NO_HASH.at(
                    next(iter(lpx.origins_of(node)), None), key=key, segment=segment, kind=lp.word_for(value)
                )
            )
        node = node.child(segment)
    return node
