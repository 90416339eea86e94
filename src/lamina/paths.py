"""Paths: tuples of keys and positions that lead to a value.

Written `a.b[0]`; a key with special characters is quoted (`a."b.c"`, `"0"`); a JSON Pointer (`/a/b/0`) is read too. A
step is a `str` key or an `int` position; a key that is not a string (YAML allows numbers, dates and null as keys) is in
the path as it is and is written in parentheses: `a.(1)`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lamina._support.escapes import visible
from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

Step = Any
Path = tuple[Step, ...]

# Compiled on first use (`re` caches them): most commands need neither, and compiling takes a while.
# A slash at the start is read as a JSON Pointer, and a dollar sign alone as the whole value: such keys are quoted.
_PLAIN = (
    r"(?!\$\Z)[A-Za-z_@$%*+~^!?<>=&;,:\\-][A-Za-z0-9_@$%*+~^!?<>=&;,/:\\-]*"
    r"|[0-9][A-Za-z0-9_-]*[A-Za-z_-][A-Za-z0-9_-]*"
)
_TOKEN = r"""
    \[(?P<position>-?\d+)\]
    | \["(?P<inner>(?:[^"\\]|\\.)*)"\]
    | "(?P<quoted>(?:[^"\\]|\\.)*)"
    | \((?P<literal>[^)]*)\)
    | (?P<plain>[^.\[\]"()]+)
    """
_ESCAPE = r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|.)"
_NAMED = {"n": "\n", "r": "\r", "t": "\t"}


_MAX_DIGITS = 18
"""How many digits a position may have; no list is longer, and Python reads only so many."""
_MOST_SHOWN = 100


class NonStringKey:
    """A key that is not a string, as written in a path; `resolve_path` finds the key in the value."""

    __slots__ = ("spelling",)

    def __init__(self, spelling: str) -> None:
        self.spelling = spelling

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NonStringKey) and other.spelling == self.spelling

    def __hash__(self) -> int:
        return hash(self.spelling)


def show(path: Path) -> str:
    """The path as people write it; the empty path is `.`."""
    if not path:
        return "."
    out = ""
    for step in path:
        if type(step) is int:
            out += f"[{step}]"
        else:
            out += ("." if out else "") + show_key(step)
    return out


def show_key(key: Any) -> str:
    """One key as it is written in a path."""
    if isinstance(key, str):
        if re.fullmatch(_PLAIN, key):
            return str(key)
        return '"' + visible(key.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    return visible(f"({key.spelling})" if isinstance(key, NonStringKey) else f"({key})")


def parse(text: str) -> Path:
    """Read a path written as `a.b[0]` or as a JSON Pointer."""
    if text in ("", ".", "$"):
        return ()
    if text.startswith("/"):
        return tuple(_pointer_step(part) for part in text[1:].split("/"))
    steps: list[Step] = []
    at = 0
    token = re.compile(_TOKEN, re.VERBOSE)
    body = text.removeprefix(".")
    while at < len(body):
        if body[at] == "." and steps:
            at += 1
        match = token.match(body, at)
        if match is None or (match["position"] and len(match["position"]) > _MAX_DIGITS):
            raise _bad_path(text, body[at:])
        steps.append(_step(match))
        at = match.end()
        if at < len(body) and body[at] not in ".[":
            raise _bad_path(text, body[at:])
    if body.endswith("."):
        raise _bad_path(text, ".")
    return tuple(steps)


def _step(match: re.Match[str]) -> Step:
    if match["position"] is not None:
        return int(match["position"])
    for group in ("inner", "quoted"):
        if match[group] is not None:
            return re.sub(_ESCAPE, _unescaped, match[group])
    if match["literal"] is not None:
        return NonStringKey(match["literal"])
    return match["plain"]


def _unescaped(match: re.Match[str]) -> str:
    """The meaning of an escape in a quoted key; a backslash before any other character is dropped."""
    body = match[0][1:]
    return chr(int(body[1:], 16)) if len(body) > 1 else _NAMED.get(body, body)


def _pointer_step(part: str) -> Step:
    text = part.replace("~1", "/").replace("~0", "~")
    position = position_of(text) if re.fullmatch(r"0|[1-9][0-9]*", text) else None
    return text if position is None else position


def position_of(text: str) -> int | None:
    """The position that a string of digits represents; None for other strings and for too many digits."""
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None


def _bad_path(text: str, rest: str) -> UsageError:
    return UsageError(
        Diagnostic(
            code="bad-path",
            message=f"the path {_short(text)!r} cannot be parsed at {_short(rest)!r}",
            hint='write a.b[0], quote keys with special characters (a."b.c"), or use a JSON Pointer (/a/b/0)',
        )
    )


def _short(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def resolve_path(path: Path, value: Any) -> Path:
    """The path with each step as it is in the value: digits as a key or a position, other keys found by their text.

    Steps that lead nowhere are left as they are.
    """
    out: list[Step] = []
    for step in path:
        found = _resolve_step(step, value)
        out.append(found)
        value = child(value, found)
    return tuple(out)


def _resolve_step(step: Step, value: Any) -> Step:
    if isinstance(value, dict):
        if not isinstance(step, NonStringKey) and step in value and type(step) is not bool:
            return step
        spelling = step.spelling if isinstance(step, NonStringKey) else str(step)
        for key in value:
            # A key may have its own equality (keys without case).
            if str(key) == spelling or key == spelling:
                return key
    elif isinstance(value, (list, tuple)):
        if isinstance(step, str):
            position = position_of(step)
            step = step if position is None else position
        if type(step) is int and step < 0:
            return step + len(value)
    return step


class _Missing:
    """The type of MISSING, which marks an absent value; not null."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()


def child(value: Any, step: Step) -> Any:
    """The member or item of a value, or MISSING."""
    if isinstance(value, dict):
        return value.get(step, MISSING)
    if isinstance(value, (list, tuple)) and type(step) is int and 0 <= step < len(value):
        return value[step]
    return MISSING


def walk(value: Any, path: Path) -> Any:
    """The value at the end of a path, or MISSING."""
    for step in path:
        value = value.get(step, MISSING) if type(value) is dict else child(value, step)
    return value


def leaves(value: Any) -> Iterator[Path]:
    """The paths of all scalars and empty collections in a value."""
    return (path for path, _ in leaf_values(value))


def leaf_values(value: Any) -> Iterator[tuple[Path, Any]]:
    """All scalars and empty collections in a value, with their paths."""
    stack: list[tuple[Path, Any]] = [((), value)]
    while stack:
        path, value = stack.pop()
        if value and isinstance(value, dict):
            stack.extend(((*path, key), inner) for key, inner in reversed(value.items()))
        elif value and isinstance(value, (list, tuple)):
            stack.extend(((*path, i), value[i]) for i in range(len(value) - 1, -1, -1))
        else:
            yield path, value


def mapping_paths(value: Any) -> Iterator[Path]:
    """The paths of all mappings in a value that are reached by keys alone."""
    stack: list[tuple[Path, Any]] = [((), value)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            yield path
            stack.extend(((*path, key), member) for key, member in value.items())
