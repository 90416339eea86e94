"""Keys without case: strings that compare equal ignoring case, and keep their spelling.

Mappings with such keys need no code of their own anywhere: looking up, adding and replacing go by the key's equality.
Characters are compared one by one; one without a single character for its other case stays as it is. Where the C
extension was built a key has its hash like any string, which saves a method call on each lookup, and plain values are
made by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.native import compiled
from lamina.values import SCALARS

if TYPE_CHECKING:
    from collections.abc import Callable

_REMEMBERED = 1 << 14
_LONGEST = 128
"""Longer keys are not remembered."""
_compiled = compiled("lamina.sources.powershell._case_insensitive")


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
    """The spelling as a plain text."""
    _hash: int

    def __new__(cls, text: str) -> CaselessKey:
        self = super().__new__(cls, text)
        self.bare = folded(text)
        self.text = str(text)
        self._hash = hash(self.bare)
        if _compiled is not None:
            _compiled.take_hash(self, self.bare)
        return self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CaselessKey):
            return self.bare == other.bare
        return isinstance(other, str) and self.bare == folded(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    if _compiled is None:

        def __hash__(self) -> int:
            return self._hash
    else:
        __hash__ = str.__hash__

    def __deepcopy__(self, memo: Any) -> CaselessKey:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return CaselessKey, (str(self),)


class Spellings(dict[str, CaselessKey]):
    """The keys of spellings met before, as many as are worth keeping."""

    def __missing__(self, text: str) -> CaselessKey:
        key = CaselessKey(text)
        if len(text) <= _LONGEST:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[str(text)] = key
        return key


SPELLINGS = Spellings()


def caseless(text: str) -> CaselessKey:
    """The key of that spelling; one object a spelling, so that comparing is mostly comparing identity."""
    return text if type(text) is CaselessKey else SPELLINGS[text]


def with_case_plainly(value: Any) -> Any:
    """A value whose keys are plain texts and whose lists are plain lists; what needs no change is shared."""
    if isinstance(value, dict):
        return {
            key.text if type(key) is CaselessKey else key: item if type(item) in SCALARS else with_case_plainly(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        if type(value) is list and SCALARS.issuperset(map(type, value)):
            return value
        return [with_case_plainly(item) for item in value]
    return value


if _compiled is not None:
    _compiled.configure(CaselessKey)
with_case: Callable[[Any], Any] = with_case_plainly if _compiled is None else _compiled.with_case
