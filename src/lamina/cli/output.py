"""Output: data to standard output, everything else to standard error, and the exit statuses."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lamina._support.escapes import escaped_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.errors import Note

FINDINGS = 1
USAGE = 2
UNREADABLE = 3
DEFECT = 70


def echo(text: str | bytes) -> None:
    """Print data to standard output, as one piece."""
    if isinstance(text, bytes):
        sys.stdout.flush()
        sys.stdout.buffer.write(text)
    else:
        sys.stdout.write(text)
    sys.stdout.flush()


def echo_json(text: str) -> None:
    """Print JSON to standard output, what cannot be seen in it escaped: it reads as the same data."""
    echo(escaped_json(text))


def echo_all(texts: Iterable[str]) -> None:
    """Print data that comes in pieces."""
    sys.stdout.writelines(texts)
    sys.stdout.flush()


def print_error(text: str) -> None:
    """Print a line to standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def status_of(notes: Iterable[Note]) -> int:
    """The exit status for notes: findings if any of them is an error."""
    from lamina.errors import Severity

    return FINDINGS if any(note.severity >= Severity.ERROR for note in notes) else 0
