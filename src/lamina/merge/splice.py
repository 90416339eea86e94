"""Splicing: a value put into a text wherever a pattern matches.

The value goes in as Python writes it (`True`, `{'a': 1}`). Without a match the text stays as it is. How a pattern is
read and run is not settled here: whoever makes the operator brings it along. What is built counts against the budget of
the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from lamina.merge.pieces import NEW, OLD, Parts, Piece
from lamina.merge.recast import Cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.merge.policy import Policy, Trail
    from lamina.merge.run import Run
    from lamina.paths import Path


class Spliced(NamedTuple):
    """A text with a value put in; whether there was a match, and whether any of the old text is left."""

    text: str
    found: bool
    kept: bool


class Matcher(Protocol):
    """A pattern; a ValueError of its says why it cannot be used on a text."""

    @property
    def text(self) -> str: ...

    def splice(self, old: str, value: str, spend: Callable[[int], None]) -> Spliced:
        """The text with the value put in at every match; what is built is counted by `spend`."""
        ...

    def extract(pattern: Matcher, group: int) -> Cast:
    """The part of a text a group of a pattern matches; the whole text where there is no match."""

    def change(value: Any) -> Any:
        if not isinstance(value, str):
            raise ValueError("the value is no text, so no pattern can be looked for in it")  # noqa: TRY004
        return pattern.extract(value, group)

    return Cast(f"what {pattern.text} matches", change)
