"""Patterns of file names as Ruby's `Dir.glob` expands them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lamina import plugin as lp
from lamina.dialects.hiera import messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.plugin import hierarchy as lph


_MOST = 1000
"""How many patterns braces may expand to."""


def expand(tree: lph.Tree, folder: str, pattern: str) -> Iterator[str]:
    """The files that match a pattern below a folder, in Ruby's order; a file may come more than once."""
    for plain in _multiplied(pattern):
        parts = [part for part in plain.split("/") if part not in ("", ".")]
        if ".." not in parts:
            yield from _walk(tree, folder, parts)


def _multiplied(pattern: str) -> list[str]:
    """The pattern once for each choice in its braces, the last braces varying fastest."""
    done: list[str] = []
    pending = [pattern]
    while pending:
        text = pending.pop(0)
        braces = _first_braces(text)
        if braces is None:
            done.append(text)
            continue
        start, end, choices = braces
        pending[:0] = [text[:start] + choice + text[end:] for choice in choices]
        if len(pending) + len(done) > _MOST:
            raise lp.Reject(messages.TOO_MANY_PATTERNS.at(braces=pattern[:60], most=_MOST))
    return done


def _first_braces(text: str) -> tuple[int, int, list[str]] | None:
    start = text.find("{")
    if start < 0:
        return None
    choices: list[str] = []
    depth, last = 0, start + 1
    for at in range(start, len(text)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return start, at + 1, [*choices, text[last:at]]
        elif text[at] == "," and depth == 1:
            choices.append(text[last:at])
            last = at + 1
    return None


def _walk(tree: lph.Tree, folder: str, parts: list[str]) -> Iterator[str]:
    inside = tree.listing(folder)
    if not parts:
        return
    first, *rest = parts
    if first == "**" and rest:
        yield from _any_depth(tree, folder, rest)
        return
    matches = _expression(first)
    for name in inside:
        plain = name.rstrip("/")
        if matches.fullmatch(plain) is None or (plain.startswith(".") and not first.startswith(".")):
            continue
        path = f"{folder}/{plain}" if folder else plain
        if not name.endswith("/"):
            if not rest:
                yield path
        elif rest:
            yield from _walk(tree, path, rest)


def _any_depth(tree: lph.Tree, folder: str, rest: list[str]) -> Iterator[str]:
    """What matches in a folder and in all below it that are not hidden, entry by entry."""
    found = dict.fromkeys(_walk(tree, folder, rest))
    for name in tree.listing(folder):
        if name.endswith("/") and not name.startswith("."):
            inner = f"{folder}/{name}" if folder else name
            found.update(dict.fromkeys(_any_depth(tree, inner.rstrip("/"), rest)))
    yield from sorted(found, key=lambda path: [part.encode("utf-8", "surrogatepass") for part in path.split("/")])


def _expression(part: str) -> re.Pattern[str]:
    """One name of a pattern as a regular expression."""
    out = ""
    at = 0
    while at < len(part):
        char = part[at]
        at += 1
        if char == "*":
            out += "" if out.endswith("[^/]*") else "[^/]*"
        elif char == "?":
            out += "[^/]"
        elif char == "[" and "]" in part[at + 1 :]:
            end = part.index("]", at + 1)
            inside = part[at:end]
            negated = inside[:1] in ("^", "!")
            members = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[negated:])
            out += f"[{'^' if negated else ''}{members}]"
            at = end + 1
        elif char == "\\" and at < len(part):
            out += re.escape(part[at])
            at += 1
        else:
            out += re.escape(char)
    try:
        return re.compile(out, re.DOTALL)
    except re.error:
        return re.compile(re.escape(part))
