"""Splicing: a value put into a text wherever a pattern matches.

The value goes in as Python writes it (`True`, `{'a': 1}`), and that text is a template: `\\n` stands for a line break,
`\\1` and `\\g<name>` for what a group of the pattern matched, and a backslash before any other letter is refused.
Without a match the text stays as it is. Patterns and texts come from data: a pattern is read as Python's `re` reads
it, but run with a time limit, and what is built counts against the budget of the run.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import regex

from lamina.merge.pieces import NEW, OLD, Parts, Piece
from lamina.merge.recast import Cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.merge.policy import Policy, Trail
    from lamina.merge.run import Run
    from lamina.paths import Path

SECONDS = 2.0
"""How long one pattern may run on one text."""

_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_REFERENCE = re.compile(
    r"\\(?:g<(?P<name>[^>]*)>|(?P<octal>0[0-7]{0,2}|[1-3][0-7]{2})|(?P<group>[1-9][0-9]?)|(?P<letter>.)|(?P<end>$))",
    re.DOTALL,
)
_LITERAL_BRACE = re.compile(r"(?<!\\)\{(?!\d*,?\d*\})")

Template: TypeAlias = "tuple[str | int, ...]"


class BadPattern(ValueError):
    """A pattern, or a text used as a template, that cannot be read or takes too long."""


class Pattern:
    """A regular expression from data."""

    __slots__ = ("_pattern", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                groups = re.compile(text)
                self._pattern = regex.compile(_spelt_for_regex(text))
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

    def _endless(self) -> BadPattern:
        return BadPattern(f"the pattern {self.text!r} takes longer than {SECONDS:g} seconds on this text")

    def group(self, name: str) -> int:
        """The number of a group, given by number or name."""
        number = int(name) if name.isdecimal() and name.isascii() else self._pattern.groupindex.get(name, -1)
        if not 0 <= number <= self._pattern.groups:
            raise BadPattern(f"the pattern {self.text!r} has no group {name!r}")
        return number


def _spelt_for_regex(text: str) -> str:
    """The pattern with what only `regex` would take for an instruction (fuzzy matching, named sets) made literal."""
    return _LITERAL_BRACE.sub(r"\\{", text).replace("[[:", r"[\[:")


@lru_cache(maxsize=4096)
def compiled(text: str) -> Pattern:
    """The pattern of a text."""
    return Pattern(text)


def template_of(text: str, pattern: Pattern) -> Template:
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


def _meaning(match: re.Match[str], pattern: Pattern) -> str | int:
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


def spliced(old: str, pattern: Pattern, value: str, run: Run) -> tuple[str, bool, bool]:
    """The text with the value put in at every match; whether there was one, and whether any old text is left."""
    template = template_of(value, pattern)
    out: list[str] = []
    at = kept = found = 0
    for match in pattern.matches(old):
        found += 1
        out.append(old[at : match.start()])
        kept += match.start() - at
        out.extend(part if isinstance(part, str) else match[part] or "" for part in template)
        run.spend(len(value) + match.start() - at + 1)
        at = match.end()
    kept += len(old) - at
    out.append(old[at:])
    return "".join(out), found > 0, kept > 0


class Splice:
    """Put the new value into the old text wherever a pattern matches; an empty outcome may be refused."""

    __slots__ = ("name", "pattern", "refuse_empty")

    def __init__(self, pattern: str, *, refuse_empty: bool = False) -> None:
        self.name = f"splice({pattern})"
        self.pattern = pattern
        self.refuse_empty = refuse_empty

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: Run) -> Piece:
        if not isinstance(old, str):
            run.refuse("no-text", old, new, trail)
            return OLD
        try:
            pattern = compiled(self.pattern)
            text, found, kept = spliced(old, pattern, str(new), run)
        except BadPattern as bad:
            run.refuse("bad-pattern", old, new, trail, str(bad))
            return OLD
        if self.refuse_empty and not text:
            run.refuse("nothing-left", old, new, trail)
            return OLD
        if not found:
            return OLD
        return Parts(text, (OLD, NEW) if kept else (NEW,))


@dataclass(frozen=True, slots=True)
class Each:
    """The texts inside a container that hold a literal text, down to a depth; -1 is all of them."""

    literal: str
    depth: int = -1

    def texts(self, value: Any) -> Iterator[Path]:
        """Where they stand, in order."""
        pending: list[tuple[Path, Any]] = [((), value)]
        while pending:
            path, here = pending.pop()
            if len(path) == self.depth:
                continue
            inside: Any = here.items() if isinstance(here, dict) else enumerate(here)
            deeper: list[tuple[Path, Any]] = []
            for key, inner in inside:
                if isinstance(inner, str):
                    if self.literal in inner:
                        yield (*path, key)
                elif isinstance(inner, (dict, list)):
                    deeper.append(((*path, key), inner))
            pending.extend(reversed(deeper))


def extract(pattern: str, group: int) -> Cast:
    """The part of a text a group of a pattern matches; the whole text where there is no match."""

    def change(value: Any) -> Any:
        if not isinstance(value, str):
            raise BadPattern("the value is no text, so no pattern can be looked for in it")
        match = compiled(pattern).search(value)
        if match is None:
            return value
        if not 0 <= group <= len(match.groups()):
            raise BadPattern(f"the pattern {pattern!r} has no group {group}")
        return match[group]

    return Cast(f"what {pattern} matches", change)
