"""Nearness: the name that was likely meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like the one given, if any is like it at all."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), n=1)), None)
