"""Patterns from data: .NET's regular expressions, run by the `regex` package within a time limit.

Both dialects agree on nearly everything. What is written differently is translated; what has no counterpart (balancing
groups, subtraction in character classes, control characters) is rejected by name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum import messages
from lamina.errors import MergeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.errors import Diagnostic
    from lamina.origins import Origin

SECONDS: Final = 0.5
"""How long one match may take."""

_TRANSLATED: Final = {r"\z": r"\Z", r"\Z": r"(?=\n?\Z)", r"\e": r"\x1b"}
_TOKEN = re.compile(
    r"\\(?:k'(?P<back>\w+)'|.)|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?'(?P<group>\w+)'|\(\?<\w*-\w+>|.", re.DOTALL
)


class BadPowerShellPattern(Exception):
    """An invalid pattern, or one that cannot be run here, with the reason."""

    def __init__(self, reason: str, *, foreign: bool = False) -> None:
        super().__init__(reason)
        self.foreign = foreign
        """Whether it may be valid, but has no counterpart here."""


def compiled(pattern: str) -> Any:
    """The pattern, ready to run, without case."""
    import regex

    try:
        return regex.compile(_translate(pattern), regex.IGNORECASE | regex.V0)
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        raise BadPowerShellPattern(str(error)) from None


def _translate(pattern: str) -> str:
    out: list[str] = []
    for match in _TOKEN.finditer(pattern):
        token = match[0]
        if match["group"]:
            out.append(f"(?P<{match['group']}>")
        elif match["back"]:
            out.append(f"(?P={match['back']})")
        elif token in _TRANSLATED:
            out.append(_TRANSLATED[token])
        else:
            _reject_foreign(token)
            out.append(token)
    return "".join(out)


def _reject_foreign(token: str) -> None:
    if token.startswith("(?<"):
        raise BadPowerShellPattern(f"balancing groups such as {token} are not supported", foreign=True)
    if token.startswith("[") and "-[" in token:
        raise BadPowerShellPattern(f"subtraction in the character class {token} is not supported", foreign=True)
    if token == r"\c":
        raise BadPowerShellPattern(r"control characters (\c) are not supported", foreign=True)


_LITERAL = re.compile(r"[-~!@%&=:;,<>/_0-9 ]*")


def searcher(pattern: str, origin: Origin | None = None) -> Callable[[str], bool]:
    """A function that searches strings for a pattern; one without letters and metacharacters is a plain string."""
    if _LITERAL.fullmatch(pattern):
        return lambda text: pattern in text
    return lambda text: search(pattern, text, origin)


def search(pattern: str, text: str, origin: Origin | None = None) -> bool:
    """Whether the pattern matches in a string, ignoring case."""
    try:
        return compiled(pattern).search(text, timeout=SECONDS) is not None
    except BadPowerShellPattern as bad:
        raise MergeError(unusable(pattern, bad, origin)) from None
    except TimeoutError:
        raise MergeError(messages.PATTERN_TOO_SLOW.at(origin, pattern=pattern, seconds=SECONDS)) from None


def without(pattern: str, text: str, origin: Origin | None = None) -> str:
    """The string without the matches of a pattern."""
    try:
        return str(compiled(pattern).sub("", text, timeout=SECONDS))
    except BadPowerShellPattern as bad:
        raise MergeError(unusable(pattern, bad, origin)) from None
    except TimeoutError:
        raise MergeError(messages.PATTERN_TOO_SLOW.at(origin, pattern=pattern, seconds=SECONDS)) from None


def unusable(pattern: str, bad: BadPowerShellPattern, origin: Origin | None) -> Diagnostic:
    """The finding on a pattern that cannot be run."""
    message = messages.UNSUPPORTED_PATTERN if bad.foreign else messages.BAD_PATTERN
    return message.at(origin, pattern=pattern, problem=bad)
