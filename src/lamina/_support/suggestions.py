"""Nearness: the right word that is nearest to a wrong one."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_COMPARED = 2000
"""How many words are compared with one, so that a message never takes long."""


def nearest(word: object, known: Iterable[object]) -> str | None:
    """The known word most similar to this one, if any is near."""
    from difflib import get_close_matches

    near = get_close_matches(str(word), [str(each) for each in islice(known, _COMPARED)], n=1)
    return near[0] if near else None


def meant(word: object, known: Iterable[object], otherwise: str | None = None) -> str:
    """`did you mean ...?` with the nearest word, or the other hint; a space follows where more is to be said."""
    near = nearest(word, known)
    if otherwise is None:
        return f"did you mean {near}? " if near else ""
    return f"did you mean {near}?" if near else otherwise
