"""Patterns of paths in rules: keys with dots between them, `*` for any key, `**` for any number of keys.

`*` and `?` also match characters inside a key (`web*`). A key in quotes is meant as it is written. The items of a
list are where the list is: `users.groups` is the key `groups` of every item of the list `users`.

Patterns are followed key by key. A state is how far each pattern has come, so that what no pattern can reach any more
is known at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

ANY_DEPTH: Final = "**"
MAX_KEYS: Final = 64
"""How many keys a pattern may have."""

_KEY = re.compile(r'"((?:[^"\\]|\\.)*)"|([^."\[\]]+)')

State = frozenset[tuple[int, int]]
"""The number of a pattern and how many of its keys were matched, for each that may still match."""


class BadPathPattern(Exception):
    """A string is not a pattern; says why."""


@dataclass(frozen=True, slots=True)
class KeyPattern:
    """One key of a pattern."""

    text: str
    expression: re.Pattern[str] | None = None

    def matches(self, name: Any) -> bool:
        text = name if isinstance(name, str) else _text_of(name)
        return text == self.text if self.expression is None else self.expression.match(text) is not None


def _text_of(key: Any) -> str:
    """A key that is not a string, as it is written in YAML."""
    return str(key).lower() if isinstance(key, bool) else "null" if key is None else str(key)


PathPattern = tuple[KeyPattern | None, ...]
"""The keys of a pattern; None matches any number of them."""


def parse_pattern(text: str) -> PathPattern:
    """The keys of a pattern as it is written."""
    keys: list[KeyPattern | None] = []
    at = 0
    while True:
        match = _KEY.match(text, at)
        if match is None:
            raise BadPathPattern(_error_text(text, at))
        keys.append(_key(match))
        at = match.end()
        if at == len(text):
            break
        if text[at] != ".":
            raise BadPathPattern(_error_text(text, at))
        at += 1
    if len(keys) > MAX_KEYS:
        raise BadPathPattern(f"a path may have {MAX_KEYS} keys, this one has {len(keys)}")
    return tuple(keys)


def exact_pattern(path: Sequence[Any]) -> PathPattern:
    """The pattern of one path and no other."""
    return tuple(KeyPattern(key if isinstance(key, str) else _text_of(key)) for key in path)


def _key(match: re.Match[str]) -> KeyPattern | None:
    if match[1] is not None:
        return KeyPattern(re.sub(r"\\(.)", r"\1", match[1]))
    if match[2] == ANY_DEPTH:
        return None
    if "*" in match[2] or "?" in match[2]:
        return KeyPattern(match[2], re.compile(translate(match[2])))
    return KeyPattern(match[2])


def _error_text(text: str, at: int) -> str:
    if text[at : at + 1] == "[":
        return "a path in a rule has no positions: the items of a list are where the list is"
    rest = text[at : at + 20]
    return f"it cannot be read at {rest!r}" if rest else "a key is missing at its end"


class PathPatterns:
    """Several patterns, followed together."""

    def __init__(self, patterns: Sequence[PathPattern]) -> None:
        self._patterns = patterns
        self.start: State = self._closed({(number, 0) for number in range(len(patterns))})

    def advance(self, state: State, name: Any) -> State:
        """The state one key further."""
        reached: set[tuple[int, int]] = set()
        for number, at in state:
            pattern = self._patterns[number]
            if at < len(pattern):
                key = pattern[at]
                if key is None:
                    reached.add((number, at))
                elif key.matches(name):
                    reached.add((number, at + 1))
        return self._closed(reached)

    def matched(self, state: State) -> int | None:
        """The first pattern that matches the path so far."""
        return min(self.all_matched(state), default=None)

    def all_matched(self, state: State) -> list[int]:
        """All patterns that match the path so far."""
        return [number for number, at in state if at == len(self._patterns[number])]

    def _closed(self, reached: set[tuple[int, int]]) -> State:
        """Includes what is reached where `**` matches no key at all."""
        pending = list(reached)
        while pending:
            number, at = pending.pop()
            pattern = self._patterns[number]
            if at < len(pattern) and pattern[at] is None and (number, at + 1) not in reached:
                reached.add((number, at + 1))
                pending.append((number, at + 1))
        return frozenset(reached)
