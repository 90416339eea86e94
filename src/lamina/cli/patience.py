"""Patience: a line on the terminal that says the work is still going on, for whatever takes more than a moment.

It is shown only where standard error is a terminal, and cleared before anything else is printed.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Event

MOMENT = 1.5
"""Seconds before anything is shown."""


@contextmanager
def patience(what: str, stream: TextIO | None = None, moment: float = MOMENT) -> Iterator[None]:
    """Show how long the work inside takes, once it takes more than a moment."""
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield
        return
    import threading

    done = threading.Event()
    shower = threading.Thread(target=_show, args=(what, stream, moment, done), daemon=True)
    shower.start()
    try:
        yield
    finally:
        done.set()
        shower.join()


def _show(what: str, stream: TextIO, moment: float, done: Event) -> None:
    from time import monotonic

    started = monotonic()
    shown = False
    while not done.wait(moment if not shown else 0.5):
        shown = True
        stream.write(f"\r{what} … {monotonic() - started:.0f} s ")
        stream.flush()
    if shown:
        stream.write("\r\x1b[K")
        stream.flush()
