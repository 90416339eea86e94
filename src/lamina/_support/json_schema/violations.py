"""Violations of a schema, and their messages.

Messages have the wording of Deckhand's validator, with values as Python writes them, cut to a length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina._support import suggestions
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.paths import Path

_SHOWN = 120
"""How many characters of a value are shown."""
_COMPARED = 100
"""Among how many allowed values the most similar one is searched."""
_LISTED = 20
"""How many names are listed."""

_UNQUOTED = re.compile(r"[-+]?\d+(\.\d+)?|true|false|null")
"""Strings that YAML would read as something else without their quotes."""

_WORDS = {
    "minimum": "is less than the minimum of",
    "maximum": "is greater than the maximum of",
    "exclusive minimum": "is less than or equal to the minimum of",
    "exclusive maximum": "is greater than or equal to the maximum of",
    "multipleOf": "is not a multiple of",
    "enum": "is not one of",
    "pattern": "does not match",
    "not": "should not be valid under",
}
"""The words between the value and the expected one."""

_SIZES = {
    "minItems": "is too short",
    "minLength": "is too short",
    "maxItems": "is too long",
    "maxLength": "is too long",
    "minProperties": "does not have enough properties",
    "maxProperties": "has too many properties",
    "uniqueItems": "has non-unique elements",
    "anyOf": "is not valid under any of the given schemas",
    "oneOf": "is not valid under any of the given schemas",
    "format": "is not a regular expression",
    "contains": "has no item that fits",
}
"""The words after the value."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Violation:
    """One violation of a schema by a value."""

    keyword: str
    """The keyword that is violated; some have several variants."""
    wanted: Any
    """The value of the keyword, or the names that are missing or unexpected."""
    found: Any
    path: Path
    """The path of the offending part, in the value that was checked."""
    known: tuple[Any, ...] = ()
    """The allowed names, if the violation is an unknown one."""

    within: Any = None
    """The part of the schema that the keyword is in."""

    def below(self, path: Path) -> Violation:
        """The same violation with its path prefixed: for a value that contains the checked one."""
        return replace(self, path=(*path, *self.path))

    def message(self, *, secret: bool = False) -> str:
        """The message; of a secret value only the type is shown."""
        shown = word_for(self.found) if secret else abbreviated(self.found)
        match self.keyword:
            case "required":
                return f"{self.wanted!r} is a required property"
            case "dependencies":
                return f"{self.wanted[0]!r} is a dependency of {self.wanted[1]!r}"
            case "type":
                types = [self.wanted] if isinstance(self.wanted, str) else self.wanted
                return f"{shown} is not of type {', '.join(abbreviated(name) for name in types)}"
            case "additionalProperties" | "additionalItems":
                return self._additional(secret)
            case "patternProperties":
                names, patterns = self.wanted
                verb = "does" if len(names) == 1 else "do"
                return f"{_listed(names)} {verb} not match any of the regexes: {_listed(patterns)}"
            case "several oneOf":
                return f"{shown} is valid under each of {_listed(self.wanted)}"
            case "minItems" | "minLength" | "minProperties" if self.wanted == 1:
                return f"{shown} should be non-empty"
            case "maxItems" | "maxLength" | "maxProperties" if self.wanted == 0:
                return f"{shown} is expected to be empty"
            case keyword if keyword in _SIZES:
                return f"{shown} {_SIZES[keyword]}"
            case keyword:
                return f"{shown} {_WORDS[keyword]} {abbreviated(self.wanted)}"

    def _additional(self, secret: bool) -> str:
        what = "properties" if self.keyword == "additionalProperties" else "items"
        listed = word_for(self.found) if secret and what == "items" else _listed(self.wanted)
        return f"Additional {what} are not allowed ({listed} {'was' if len(self.wanted) == 1 else 'were'} unexpected)"

    @property
    def hint(self) -> str | None:
        """What to do about it, if that is not obvious."""
        match self.keyword:
            case "required":
                return f"add {self.wanted}"
            case "enum":
                options = f"write one of {_listed(self.wanted, _as_python)}"
                close = isinstance(self.found, str) and len(self.found) <= _SHOWN and len(self.wanted) <= _COMPARED
                return suggestions.did_you_mean(self.found, self.wanted, options) if close else options
            case "type":
                return _type_hint(self.found, self.wanted)
            case "additionalProperties" | "patternProperties":
                return "remove it, or fix its name"
            case _:
                return None


def _type_hint(found: Any, wanted: Any) -> str | None:
    """What to do about a value of the wrong type, where quotes are the likely reason."""
    if isinstance(found, str) and _UNQUOTED.fullmatch(found):
        return "remove the quotes: a quoted value is always a string"
    if isinstance(found, (bool, int, float)) and "string" in ([wanted] if isinstance(wanted, str) else wanted):
        return "put it in quotes to make it a string"
    return None


def abbreviated(value: Any, limit: int = _SHOWN) -> str:
    """The repr of a value, cut to a length; visits no more of the value than is shown."""
    out: list[str] = []
    left = limit
    for piece in _pieces(value, limit):
        out.append(piece)
        left -= len(piece)
        if left < 0:
            break
    text = "".join(out)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _pieces(value: Any, limit: int) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for number, (key, inner) in enumerate(value.items()):
            yield ", " if number else "{"
            yield from _pieces(key, limit)
            yield ": "
            yield from _pieces(inner, limit)
        yield "}"
    elif isinstance(value, (list, set)) and value:
        first, last = "[]" if isinstance(value, list) else "{}"
        for number, inner in enumerate(value):
            yield ", " if number else first
            yield from _pieces(inner, limit)
        yield last
    elif isinstance(value, (str, bytes)):
        # One more than is shown, so that the cut is visible.
        yield repr(value[: limit + 1])
    elif isinstance(value, int) and value.bit_length() > 4 * limit:
        yield f"a number of {value.bit_length():,} bits"
    else:
        yield repr(value)


def _listed(names: Sequence[Any], write: Callable[[Any], str] = abbreviated) -> str:
    return ", ".join(write(name) for name in names[:_LISTED]) + (", …" if len(names) > _LISTED else "")


def _as_python(value: Any) -> str:
    return value[:_SHOWN] if isinstance(value, str) else abbreviated(value)
