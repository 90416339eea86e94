"""Collecting garbage: put off while something large is made.

What makes only what it keeps has no garbage, and collecting meanwhile goes through all of it over and over.
"""

from __future__ import annotations

import gc


class Paused:
    """While it is entered no garbage is collected; after that it is again, if it was before."""

    __slots__ = ("_collecting",)

    def __enter__(self) -> None:
        self._collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collecting:
            gc.enable()
