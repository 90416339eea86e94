"""The syntax of paths in Deckhand's documents.

    path  = ["$"] {step}            step = "." name | ".." name | "[" sub "]"
    name  = field {"," field} | "*" | NUMBER (as a key)
    field = ID | 'quoted' | "quoted"
    sub   = NUMBER {"," NUMBER} | "*" | [N] ":" [N] [":" [N]] | field {"," field}

Blanks between these do not count. `.` means `$`, and a path may start without a dot. A dot may also be followed by
`$`, which leads back to the outermost value, or by a bracket. Two dots reach over all that is joined by single dots
behind them, up to the next bracket that has no dot before it or the next two dots: in `..a.b[0].c` what is looked for
anywhere is `a.b`. That makes no difference for what is found, but it does for what is written.

In an action the first `.data` (or `$.data`) is cut off as text, so that `.database` is read as `.base`, and a dot is
put before what does not begin with `.` or `$.`; `$` alone thus becomes `$.$`, which writes nothing. A destination
must begin with `.` or `$.`, or be `$`; a source may begin with anything. Where a destination or an action leads to
nothing, what is made is spelt by the text itself, cut at its dots. See Actions and Substitution in
docs/reference/deckhand.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina.dialects.deckhand.jsonpath.selector import At, Descendants, NamedMembers, Range, Selector, Single, Step, Top
from lamina.sources.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME_CHARACTERS = "a-zA-Z_@\u4e00-\u9fa5\U0001f600-\U0001f64f"
_TOKEN = re.compile(
    rf"""
    [ \t\n]*(?:
      (?P<id>[{_NAME_CHARACTERS}][{_NAME_CHARACTERS}0-9\-]*)
    | (?P<number>-?\d+)
    | '(?P<single>(?:[^'\\]|\\.)*)'
    | "(?P<double>(?:[^"\\]|\\.)*)"
    | (?P<sign>\.\.|[.$*,:\[\]])
    )
    """,
    re.VERBOSE,
)
_BLANK = re.compile(r"[ \t\n]*")
_RESERVED = ("where", "wherenot")
_NAMES = re.compile(rf"\$(?:\.[{_NAME_CHARACTERS}][{_NAME_CHARACTERS}0-9\-]*)+")


SPELLING: Final = "write paths as .a.b[0]; a single . selects everything; quote keys with special characters: .a.'b.c'"


class BadPath(ValueError):
    """A path that cannot be read."""


class _PathTokens:
    """The tokens of a path, one after the other."""

    def __init__(self, text: str, shown: str) -> None:
        self.text = text
        self.shown = shown
        self.at = 0
        self.kind = ""
        self.value = ""
        self.advance()

    def advance(self) -> None:
        match = _TOKEN.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
            kind = str(match.lastgroup)
            self.kind, self.value = kind, match[kind]
            if kind in ("single", "double"):
                self.kind, self.value = "id", re.sub(r"\\(.)", r"\1", self.value)
            elif kind == "sign":
                self.kind = self.value
            elif kind == "id" and self.value in _RESERVED:
                raise self.error(f"unexpected {self.value!r}")
        elif _BLANK.fullmatch(self.text, self.at):
            self.kind = "end"
        else:
            raise self.error(f"unexpected {self.text[self.at :].lstrip()[0]!r}")

    def take(self, kind: str) -> str:
        if self.kind != kind:
            what = "it is incomplete" if self.kind == "end" else f"unexpected {self.value!r}"
            raise self.error(what)
        value = self.value
        self.advance()
        return value

    def error(self, problem: str) -> BadPath:
        return BadPath(f"invalid path {self.shown!r}: {problem}")


def read(text: str) -> Selector:
    """The selector of a path."""
    normalized = "$" if text == "." else f"${text}" if text.startswith(".") else text
    if _NAMES.fullmatch(normalized):  # as nearly all are
        names = normalized.split(".")[1:]
        if not any(name in _RESERVED for name in names):
            return Selector(text, (Top(), *[NamedMembers((name,)) for name in names]), tuple(names))
    tokens = _PathTokens(normalized, text)
    steps: list[Step] = [_first(tokens)]
    while tokens.kind != "end":
        if tokens.kind == "..":
            tokens.advance()
            steps.append(_descendants(tokens))
        elif tokens.kind == "[":
            steps.append(_bracket(tokens))
        else:
            tokens.take(".")
            steps.append(_first(tokens))
    return Selector(text, tuple(steps), tuple(normalized.split(".")[1:]))


def _descendants(tokens: _PathTokens) -> Descendants:
    """What follows two dots: all names joined by single dots, but not the brackets after them."""
    steps = [_first(tokens)]
    while tokens.kind == ".":
        tokens.advance()
        steps.append(_first(tokens))
    return Descendants(tuple(steps))


def _first(tokens: _PathTokens) -> Single:
    """What can be a path by itself: a name, a bracket, or the root."""
    if tokens.kind == "$":
        tokens.advance()
        return Top()
    if tokens.kind == "[":
        return _bracket(tokens)
    if tokens.kind == "*":
        tokens.advance()
        return NamedMembers(("*",))
    if tokens.kind == "number":
        return NamedMembers((str(_number(tokens)),))
    return NamedMembers(_listed(tokens, lambda: tokens.take("id")))


def _listed(tokens: _PathTokens, item: Callable[[], str]) -> tuple[str, ...]:
    found = [item()]
    while tokens.kind == ",":
        tokens.advance()
        found.append(item())
    return tuple(found)


def _bracket(tokens: _PathTokens) -> Single:
    tokens.take("[")
    step: Single
    if tokens.kind == "*":
        tokens.advance()
        step = Range()
    elif tokens.kind == "id":
        step = NamedMembers(_listed(tokens, lambda: tokens.take("id")))
    else:
        step = _numbers(tokens)
    tokens.take("]")
    return step


def _numbers(tokens: _PathTokens) -> Single:
    first = _maybe_number(tokens)
    if tokens.kind != ":":
        if first is None:
            tokens.take("number")
        rest = []
        while tokens.kind == ",":
            tokens.advance()
            rest.append(_number(tokens))
        return At((first or 0, *rest))
    bounds = [first]
    while tokens.kind == ":" and len(bounds) < 3:
        tokens.advance()
        bounds.append(_maybe_number(tokens))
    return Range(*bounds)


def _maybe_number(tokens: _PathTokens) -> int | None:
    return _number(tokens) if tokens.kind == "number" else None


def _number(tokens: _PathTokens) -> int:
    """A number; longer ones are rejected by Python, and so by the real engine."""
    text = tokens.take("number")
    if len(text.lstrip("-")) > LIMITS.digits:
        raise BadPath(f"the path {tokens.shown[:40]!r}… contains a number with more than {LIMITS.digits:,} digits")
    return int(text)


def of_action(path: str) -> Selector:
    """The selector of an action."""
    return read(_for_action(path))


def _for_action(path: str) -> str:
    for prefix in (".data", "$.data"):
        if path.startswith(prefix):
            path = path[len(prefix) :]
            break
    return path if path.startswith((".", "$.")) else f".{path}"


def of_source(path: str) -> Selector:
    """The selector of a substitution's source."""
    return read(path)


def of_destination(path: str) -> Selector:
    """The selector of a substitution's destination."""
    if path != "$" and not path.startswith((".", "$.")):
        raise BadPath(f"the path {path!r} does not start with . or $")
    return read(path)


def list_of(selector: Selector) -> Selector:
    """The list a path that ends in a position leads to."""
    text = selector.text[: selector.text.rindex("[")] or "."
    *before, last = selector.steps
    if isinstance(last, Descendants):
        before.append(Descendants(last.steps[:-1]))
    return Selector(text, tuple(before), tuple(text.split(".")[1:]))
