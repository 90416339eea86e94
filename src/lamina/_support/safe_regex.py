"""Patterns from data: regular expressions with a time limit.

A pattern has the syntax of Python's `re`, but is run by `regex` with a time limit. A replacement is a template as in
`re`: `\\n` is a line break, `\\1` and `\\g<name>` are groups of the match, and a backslash before any other character
is rejected.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS = 1.0
"""How long one pattern may run on one text."""

_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_REFERENCE = re.compile(
    r"\\(?:g<(?P<name>[^>]*)>|(?P<octal>0[0-7]{0,2}|[1-3][0-7]{2})|(?P<group>[1-9][0-9]?)|(?P<letter>.)|(?P<end>$))",
    re.DOTALL,
)
_LITERAL_BRACE = re.compile(r"(?<!\\)\{(?!\d*,?\d*\})")

Template: TypeAlias = "tuple[str | int, ...]"


class Spliced(NamedTuple):
    """A string after replacing all matches; whether there was a match, and whether any of the old string is left."""

    text: str
    found: bool
    kept: bool


class BadPattern(ValueError):
    """A pattern or template that is invalid or takes too long."""


class SlowPattern(BadPattern):
    """A pattern that takes too long on a string."""


class Pattern:
    """A regular expression from data; it is compiled on first use, which is when errors are found."""

    __slots__ = ("_compiled", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._compiled: Compiled | None = None

    @property
    def compiled(self) -> Compiled:
        """The pattern, ready to run."""
        if self._compiled is None:
            self._compiled = Compiled(self.text)
        return self._compiled

    def splice(self, old: str, value: str, spend: Callable[[int], None]) -> Spliced:
        """The string with every match replaced by the value; `spend` counts what is built."""
        ready = self.compiled
        template = template_of(value, ready, spend)
        out: list[str] = []
        at = kept = found = 0
        for match in ready.matches(old):
            found += 1
            replacement = [part if isinstance(part, str) else match[part] or "" for part in template]
            spend(sum(map(len, replacement)) + match.start() - at + 8)
            out.append(old[at : match.start()])
            kept += match.start() - at
            out.extend(replacement)
            at = match.end()
        kept += len(old) - at
        out.append(old[at:])
        return Spliced("".join(out), found > 0, kept > 0)

    def extract(self, text: str, group: int) -> str | None:
        """A group of the first match; the whole string if there is none."""
        match = self.compiled.search(text)
        if match is None:
            return text
        if not 0 <= group <= len(match.groups()):
            raise BadPattern(f"the pattern {self.text!r} has no group {group}")
        found: str | None = match[group]
        return found


class Compiled:
    """A compiled pattern."""

    __slots__ = ("_pattern", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            groups = _read(text)
            self._pattern = regex.compile(_escaped_for_regex(without_doubles(text)))
        except (re.error, regex.error, OverflowError, RecursionError) as error:
            raise BadPattern(f"the pattern {text!r} cannot be read: {error}") from None
        if self._pattern.groups != groups.groups:
            raise BadPattern(f"the pattern {text!r} cannot be run")

    def search(self, text: str) -> regex.Match[str] | None:
        """The first match."""
        try:
            return self._pattern.search(text, timeout=SECONDS)
        except TimeoutError:
            raise self._too_slow() from None

    def matches(self, text: str) -> Iterator[regex.Match[str]]:
        """All matches, as for a replacement."""
        try:
            yield from self._pattern.finditer(text, timeout=SECONDS)
        except TimeoutError:
            raise self._too_slow() from None

    def _too_slow(self) -> SlowPattern:
        return SlowPattern(f"the pattern {self.text!r} takes more than {SECONDS:g} s on this string")

    def group(self, name: str) -> int:
        """The number of a group, given by number or name."""
        number = int(name) if name.isdecimal() and name.isascii() else self._pattern.groupindex.get(name, -1)
        if not 0 <= number <= self._pattern.groups:
            raise BadPattern(f"the pattern {self.text!r} has no group {name!r}")
        return number


def _escaped_for_regex(text: str) -> str:
    """The pattern with the syntax that only `regex` has (fuzzy matching, named sets) escaped."""
    return _LITERAL_BRACE.sub(r"\\{", text).replace("[[:", r"[\[:")


def readable(text: str) -> bool:
    """Whether a string is a valid regular expression of Python."""
    try:
        _read(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _read(text: str) -> re.Pattern[str]:
    plain = without_doubles(text)
    try:
        return re.compile(plain)
    except re.error as error:
        raise re.error(error.msg, text, _position(text, plain, error.pos)) from None


def _position(text: str, escaped: str, position: int | None) -> int | None:
    """Converts a position in the pattern with added backslashes to one in the original."""
    if position is None:
        return None
    at = 0
    for character in escaped[:position]:
        at += at < len(text) and character == text[at]
    return at


_DOUBLES = re.compile(r"\[\[|--|&&|~~|\|\|")
_TOKEN = re.compile(r"\\.|.", re.DOTALL)


def without_doubles(text: str) -> str:
    """The same pattern, with those characters in sets escaped that both libraries accept but warn about: a second
    bracket and doubled `-`, `&`, `~`, `|`. Silencing the warnings would change the state of the whole process."""
    if not _DOUBLES.search(text) or "(?#" in text or re.search(r"\(\?[a-zA-Z]*x", text):
        return text
    out: list[str] = []
    tokens = _TOKEN.findall(text)
    at = 0
    while at < len(tokens):
        out.append(tokens[at])
        at += 1
        if out[-1] == "[":
            at = _set_without_doubles(tokens, at, out)
    return "".join(out)


def _set_without_doubles(tokens: list[str], at: int, out: list[str]) -> int:
    """Escape doubled characters in the set whose first token is at a position; returns where it ends."""
    rest = [*tokens, "", "", ""]
    if rest[at] == "^":
        out.append("^")
        at += 1
    first = True
    while rest[at] and (first or rest[at] != "]"):
        is_doubled = rest[at] in "-&~|" and rest[at + 1] == rest[at] and not first
        out.append(f"\\{rest[at]}" if is_doubled or rest[at] == "[" else rest[at])
        at += 1
        first = False
        if rest[at] == "-" and rest[at + 1] not in ("", "]"):
            out += ["-", "\\-" if rest[at + 1] == "-" else rest[at + 1]]
            at += 2
    return at


_PART = 1000
"""The cost of a part of a replacement, in the unit of text: it takes as long as so many characters."""


def template_of(text: str, pattern: Compiled, spend: Callable[[int], None]) -> Template:
    """A replacement as literal parts and group numbers; `spend` counts them."""
    if "\\" not in text:
        return (text,)
    parts: list[str | int] = []
    at = 0
    for match in _REFERENCE.finditer(text):
        spend(_PART)
        parts.append(text[at : match.start()])
        parts.append(_template_part(match, pattern))
        at = match.end()
    return (*parts, text[at:])


def _template_part(match: re.Match[str], pattern: Compiled) -> str | int:
    if match["name"] is not None:
        return pattern.group(match["name"])
    if match["octal"] is not None:
        return chr(int(match["octal"], 8))
    if match["group"] is not None:
        return pattern.group(match["group"])
    character = match["letter"]
    if character is None or (character not in _ESCAPES and character.isascii() and character.isalpha()):
        raise BadPattern(f"the value cannot be put in: \\{character or ''} means nothing there")
    return _ESCAPES.get(character, match[0])
