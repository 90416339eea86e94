"""Patterns from data: regular expressions with a time limit.

A pattern is read as Python's `re` reads it, but run by `regex` with a time limit. A replacement is a template, as `re`
has it: `\\n` is a line break, `\\1` and `\\g<name>` are what a group of the pattern matched, and a backslash
before any other character is rejected.
"""

from __future__ import annotations

import re
from functools import lru_cache
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
    """A string with a value put in; whether there was a match, and whether any of the old string is left."""

    text: str
    found: bool
    kept: bool


class BadPattern(ValueError):
    """A pattern, or a text used as a template, that cannot be read or takes too long."""


class EndlessPattern(BadPattern):
    """A pattern that takes too long on a text."""


class Pattern:
    """A regular expression from data; it is compiled on first use, and only then an error is found."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def splice(self, old: str, value: str, spend: Callable[[int], None]) -> Spliced:
        """The text with the value put in at every match; what is built is counted by `spend`."""
        ready = compiled(self.text)
        template = template_of(value, ready)
        out: list[str] = []
        at = kept = found = 0
        for match in ready.matches(old):
            found += 1
            put_in = [part if isinstance(part, str) else match[part] or "" for part in template]
            spend(sum(map(len, put_in)) + match.start() - at + 8)
            out.append(old[at : match.start()])
            kept += match.start() - at
            out.extend(put_in)
            at = match.end()
        kept += len(old) - at
        out.append(old[at:])
        return Spliced("".join(out), found > 0, kept > 0)

    def extract(self, text: str, group: int) -> str | None:
        """What a group of the first match holds; the whole text if there is none."""
        match = compiled(self.text).search(text)
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
            self._pattern = regex.compile(_spelt_for_regex(without_doubles(text)))
        except (re.error, regex.error, OverflowError, RecursionError) as error:
            raise BadPattern(f"the pattern {text!r} cannot be read: {error}") from None
        if self._pattern.groups != groups.groups:
            raise BadPattern(f"the pattern {text!r} cannot be run")

    def search(self, text: str) -> regex.Match[str] | None:
        """The first match."""
        try:
            return self._pattern.search(text, timeout=SECONDS)
        except TimeoutError:
            raise self._endless() from None

    def matches(self, text: str) -> Iterator[regex.Match[str]]:
        """All matches, as a replacement finds them."""
        try:
            yield from self._pattern.finditer(text, timeout=SECONDS)
        except TimeoutError:
            raise self._endless() from None

    def _endless(self) -> EndlessPattern:
        return EndlessPattern(f"the pattern {self.text!r} takes more than {SECONDS:g} s on this string")

    def group(self, name: str) -> int:
        """The number of a group, given by number or name."""
        number = int(name) if name.isdecimal() and name.isascii() else self._pattern.groupindex.get(name, -1)
        if not 0 <= number <= self._pattern.groups:
            raise BadPattern(f"the pattern {self.text!r} has no group {name!r}")
        return number


def _spelt_for_regex(text: str) -> str:
    """The pattern with what only `regex` would take for an instruction (fuzzy matching, named sets) made literal."""
    return _LITERAL_BRACE.sub(r"\\{", text).replace("[[:", r"[\[:")


def readable(text: str) -> bool:
    """Whether a text is a regular expression of Python's."""
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
    """Where a position of the pattern with more backslashes is in the pattern itself."""
    if position is None:
        return None
    at = 0
    for character in escaped[:position]:
        at += at < len(text) and character == text[at]
    return at


_DOUBLES = re.compile(r"\[\[|--|&&|~~|\|\|")
_TOKEN = re.compile(r"\\.|.", re.DOTALL)


def without_doubles(text: str) -> str:
    """The same pattern, with characters escaped that both libraries take as they are but warn about: in sets, a second
    bracket and doubled `-`, `&`, `~`, `|`. Warnings are switched for the whole process, which is not ours."""
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
    """Escape what is doubled in the set whose first token is at a position; gives where it ends."""
    rest = [*tokens, "", "", ""]
    if rest[at] == "^":
        out.append("^")
        at += 1
    first = True
    while rest[at] and (first or rest[at] != "]"):
        doubled = rest[at] in "-&~|" and rest[at + 1] == rest[at] and not first
        out.append(f"\\{rest[at]}" if doubled or rest[at] == "[" else rest[at])
        at += 1
        first = False
        if rest[at] == "-" and rest[at + 1] not in ("", "]"):
            out += ["-", "\\-" if rest[at + 1] == "-" else rest[at + 1]]
            at += 2
    return at


_LONGEST_KEPT = 1024


def compiled(text: str) -> Compiled:
    """The compiled pattern of a string, cached unless it is long."""
    return _kept(text) if len(text) <= _LONGEST_KEPT else Compiled(text)


@lru_cache(maxsize=256)
def _kept(text: str) -> Compiled:
    return Compiled(text)


def template_of(text: str, pattern: Compiled) -> Template:
    """A replacement text as literal parts and numbers of groups."""
    if "\\" not in text:
        return (text,)
    parts: list[str | int] = []
    at = 0
    for match in _REFERENCE.finditer(text):
        parts.append(text[at : match.start()])
        parts.append(_meaning(match, pattern))
        at = match.end()
    return (*parts, text[at:])


def _meaning(match: re.Match[str], pattern: Compiled) -> str | int:
    if match["name"] is not None:
        return pattern.group(match["name"])
    if match["octal"] is not None:
        return chr(int(match["octal"], 8))
    if match["group"] is not None:
        return pattern.group(match["group"])
    letter = match["letter"]
    if letter is None or (letter not in _ESCAPES and letter.isascii() and letter.isalpha()):
        raise BadPattern(f"the value cannot be put in: \\{letter or ''} means nothing there")
    return _ESCAPES.get(letter, match[0])
