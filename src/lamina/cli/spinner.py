"""The spinner: a line on the terminal that shows the progress of work that takes more than a moment.

It is shown only where standard error is a terminal, and cleared before anything else is printed.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from lamina._support.progress import unwatched

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from threading import Event

    from lamina._support.progress import Counting, Item

DELAY = 1.5
"""Seconds before anything is shown."""


class Count:
    """How many things there are to go through, what they are, and which one it is at."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._at = self._total = 0

    def __call__(self, items: Sequence[Item], /) -> Iterable[Item]:
        """The items, counted."""
        self._total = len(items)
        for self._at, item in enumerate(items, start=1):
            yield item

    def __str__(self) -> str:
        return f", {self._noun} {self._at:,} of {self._total:,}" if self._total > 1 else ""


@contextmanager
def spinner(
    activity: str, noun: str = "number", *, stream: TextIO | None = None, delay: float = DELAY
) -> Iterator[Counting]:
    """Show how long the work inside takes, once it takes more than a moment, and how far it has come, if it counts."""
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield unwatched
        return
    import threading

    done, count = threading.Event(), Count(noun)
    thread = threading.Thread(target=_show, args=(activity, count, stream, delay, done), daemon=True)
    thread.start()
    try:
        yield count
    finally:
        done.set()
        thread.join()


def _show(activity: str, count: Count, stream: TextIO, delay: float, done: Event) -> None:
    from time import monotonic

    started = monotonic()
    shown = False
    while not done.wait(delay if not shown else 0.5):
        shown = True
        stream.write(f"\r{activity}{count} … {monotonic() - started:.0f} s \x1b[K")
        stream.flush()
    if shown:
        stream.write("\r\x1b[K")
        stream.flush()
