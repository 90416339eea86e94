"""Suggestions: the known word that is most similar to a wrong one."""

from __future__ import annotations

from itertools import islice
from posixpath import splitext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_COMPARED = 2000
"""How many known words are compared, so that a message never takes long."""


def nearest(word: object, known: Iterable[object]) -> str | None:
    """The known word most similar to this one, if any is similar enough."""
    from difflib import get_close_matches

    matches = get_close_matches(str(word), [str(each) for each in islice(known, _COMPARED)], n=1)
    return matches[0] if matches else None


def nearest_file(name: str, known: Iterable[str]) -> str | None:
    """The known file whose name is most similar; that both end in `.yaml` does not make two names similar."""
    stem = splitext(name)[0]
    return nearest(name, (each for each in islice(known, _COMPARED) if nearest(stem, [splitext(each)[0]])))


def did_you_mean(word: object, known: Iterable[object], otherwise: str | None = None) -> str:
    """`did you mean ...?` with the most similar word, or `otherwise`; without that it ends with a space or is empty."""
    matches = nearest(word, known)
    if otherwise is None:
        return f"did you mean {matches}? " if matches else ""
    return f"did you mean {matches}?" if matches else otherwise
