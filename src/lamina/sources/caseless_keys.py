"""Keys without case: strings that compare equal ignoring case, and keep their spelling.

Mappings with such keys need no special code: lookup, insertion and replacement use the key's equality. Characters are
compared one by one; a character whose lower case is not a single character stays as it is.
"""

from __future__ import annotations

from typing import Any

from lamina.paths import child
from lamina.values import SCALARS

_MAX_CACHED = 1 << 14
_LONGEST = 128
"""Longer keys are not cached."""


def folded(text: str) -> str:
    """The string without differences in case."""
    if text.isascii():
        return text.lower()
    return "".join(lower if len(lower := letter.lower()) == 1 else letter for letter in text)


class CaselessKey(str):
    """A key that equals every other spelling of it."""

    __slots__ = ("_hash", "bare", "text")

    bare: str
    """The spelling without case."""
    text: str
    """The spelling as a plain string."""
    _hash: int

    def __new__(cls, text: str) -> CaselessKey:
        self = super().__new__(cls, text)
        self.bare = folded(text)
        self.text = str(text)
        self._hash = hash(self.bare)
        return self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CaselessKey):
            return self.bare == other.bare
        return isinstance(other, str) and self.bare == folded(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self._hash

    def __deepcopy__(self, memo: Any) -> CaselessKey:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return CaselessKey, (str(self),)


class Spellings(dict[str, CaselessKey]):
    """A bounded cache of keys by their spelling."""

    def __missing__(self, text: str) -> CaselessKey:
        key = CaselessKey(text)
        if len(text) <= _LONGEST:
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[str(text)] = key
        return key


SPELLINGS = Spellings()


def caseless(text: str) -> CaselessKey:
    """The key of that spelling; one object per spelling, so that most comparisons are by identity."""
    return text if type(text) is CaselessKey else SPELLINGS[text]


def as_written(value: Any, path: tuple[Any, ...]) -> tuple[Any, ...]:
    """A path with plain strings as keys, spelled as they are in a value as far as it has them."""
    steps: list[Any] = []
    for step in path:
        key = step
        if isinstance(step, CaselessKey):
            key = next((each for each in value if each == step), step) if isinstance(value, dict) else step
        value = child(value, step)
        steps.append(key.text if isinstance(key, CaselessKey) else key)
    return tuple(steps)


def with_case(value: Any) -> Any:
    """The value with plain strings as keys and plain lists; unchanged parts are shared."""
    if isinstance(value, dict):
        return {
            key.text if type(key) is CaselessKey else key: item if type(item) in SCALARS else with_case(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        if type(value) is list and SCALARS.issuperset(map(type, value)):
            return value
        return [with_case(item) for item in value]
    return value
