"""How references are written in strings: what is around a name, what makes them plain text, what a name leads to.

References("${", "}")                                               # ${a.b[0]}
References("${", "}", separator=":", nested=True, escape="\\\\")      # ${a:b:${c}}, and \\${ for a plain ${
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from lamina import paths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.paths import Path


class UnclosedReference(Exception):
    """A reference has no end."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference in a string: its name, in which there may be other references."""

    name: tuple[str | Reference, ...]
    content: str
    """The name as it is written."""
    written: str


def text_of_scalar(value: Any) -> str | None:
    """A string, number or boolean as part of a string; None for all else, which cannot be one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None


@dataclass(frozen=True, slots=True)
class References:
    """A notation of references."""

    open: str
    close: str
    separator: str | None = field(default=None, kw_only=True)
    """What is between the keys of a name; without one a name is a path as Lamina writes them."""
    nested: bool = field(default=False, kw_only=True)
    """Whether a name may have references in it."""
    escape: str = field(default="", kw_only=True)
    """What makes a reference behind it plain text; twice, it is itself, and the reference counts."""
    unclosed: Literal["reject", "plain"] = field(default="reject", kw_only=True)
    """What a reference without an end is: an error, or plain text."""
    missing: Literal["reject", "remark", "keep"] = field(default="reject", kw_only=True)
    """What a reference to nothing is: an error, plain text with a note, or plain text."""
    text: Callable[[Any], str | None] = field(default=text_of_scalar, kw_only=True)
    """A value as part of a string; None if it cannot be one."""
    off: str = field(default="", kw_only=True)
    """What else makes references plain text, for hints."""

    def holds(self, value: Any) -> bool:
        """Whether anything has to be done with a value: it is a string in which a reference may begin."""
        return isinstance(value, str) and self.open in value

    def parts(self, text: str) -> Iterator[str | Reference]:
        """The plain texts and the references of a string, in order."""
        if self.open not in text:
            yield text
            return
        at = 0
        for match in _marks(self).finditer(text):
            if match.start() < at:
                continue  # inside of a reference
            if match.start() > at:
                yield text[at : match.start()]
            at = match.end()
            if match.lastgroup == "plain":
                yield self.open
                continue
            if match.lastgroup == "escaped":
                yield self.escape
            end = self._end(text, at)
            if end is None:
                if self.unclosed == "reject":
                    raise UnclosedReference
                yield self.open
                continue
            content = text[at : end - len(self.close)]
            name = tuple(self.parts(content)) if self.nested else (content,)
            yield Reference(name, content, f"{self.open}{content}{self.close}")
            at = end
        if at < len(text):
            yield text[at:]

    def _end(self, text: str, at: int) -> int | None:
        """Where the reference ends whose name begins here."""
        depth = 1
        while depth:
            close = text.find(self.close, at)
            if close < 0:
                return None
            opened = text.find(self.open, at, close) if self.nested else -1
            depth, at = (depth + 1, opened + len(self.open)) if opened >= 0 else (depth - 1, close + len(self.close))
        return at

    def path(self, name: str) -> Path:
        """The path that a name stands for; a `UsageError` if it cannot be one."""
        return paths.parse(name.strip()) if self.separator is None else tuple(name.split(self.separator))

    def shown(self, path: Path) -> str:
        """A path as a name."""
        return paths.show(path) if self.separator is None else self.separator.join(map(str, path))

    @property
    def example(self) -> str:
        """A reference as it is written."""
        return f"{self.open}{self.shown(('a', 'b'))}{self.close}"

    @property
    def plain(self) -> str:
        """How the mark of a reference is written where it is meant as text, for hints."""
        ways = ([f"write {self.escape}{self.open}"] if self.escape else []) + ([self.off] if self.off else [])
        return " or ".join(ways)


@lru_cache(maxsize=64)
def _marks(references: References) -> re.Pattern[str]:
    """Where references begin, plain or not."""
    opened, escape = re.escape(references.open), re.escape(references.escape)
    ways = [f"(?P<plain>{escape}{opened})", f"(?P<open>{opened})"] if escape else [f"(?P<open>{opened})"]
    if escape and not references.open.startswith(references.escape):
        ways.insert(0, f"(?P<escaped>{escape}{escape}{opened})")
    return re.compile("|".join(ways))
