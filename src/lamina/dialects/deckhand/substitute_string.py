"""Substitution in strings: a value inserted wherever a pattern matches.

The value is inserted as Python writes it (`True`, `{'a': 1}`). Without a match the string stays as it is. The caller
passes the pattern. What is built counts against the budget of the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from lamina.engine.delta import JOINED, Computed
from lamina.plugin.operators import OLD, Cast, Delta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina._support.safe_regex import Spliced
    from lamina.plugin import Path, Policy
    from lamina.plugin.operators import MergeContext, Trail


class Matcher(Protocol):
    """A pattern; raises ValueError if it cannot be used on a string."""

    @property
    def text(self) -> str: ...

    def splice(self, old: str, value: str, spend: Callable[[int], None]) -> Spliced:
        """The string with every match replaced by the value; `spend` counts what is built."""
        ...

    def extract(self, text: str, group: int) -> str | None:
        """What a group of the first match holds; the whole text if there is none."""
        ...


class Splice:
    """Insert the new value into the old string wherever a pattern matches; an empty outcome may be rejected."""

    __slots__ = ("name", "pattern", "reject_empty")

    def __init__(self, pattern: Matcher, *, reject_empty: bool = False) -> None:
        self.name = f"splice({pattern.text})"
        self.pattern = pattern
        self.reject_empty = reject_empty

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        if not isinstance(old, str):
            run.reject("no-text", old, new, trail)
            return OLD
        try:
            text, found, kept = self.pattern.splice(old, str(new), run.build_text)
        except ValueError as bad:
            run.reject("bad-pattern", old, new, trail, str(bad))
            return OLD
        if self.reject_empty and not text:
            run.reject("nothing-left", old, new, trail)
            return OLD
        if not found:
            return OLD
        return Computed(text, JOINED, None if kept else "new")


@dataclass(frozen=True, slots=True)
class StringsWith:
    """The strings inside a container that contain a literal string, down to a depth; -1 is all of them."""

    literal: str
    depth: int = -1
    reject_empty: bool = False
    """Whether an empty list is rejected."""

    def strings(self, value: Any) -> Iterator[Path]:
        """The paths of the strings, in order."""
        pending: list[tuple[Path, Any]] = [((), value)]
        while pending:
            path, current = pending.pop()
            if len(path) == self.depth:
                continue
            inside: Any = current.items() if isinstance(current, dict) else enumerate(current)
            deeper: list[tuple[Path, Any]] = []
            for key, inner in inside:
                if isinstance(inner, str):
                    if self.literal in inner:
                        yield (*path, key)
                elif isinstance(inner, (dict, list)):
                    deeper.append(((*path, key), inner))
            pending.extend(reversed(deeper))


def extract(pattern: Matcher, group: int) -> Cast:
    """The part of a string a group of a pattern matches; the whole text if there is no match."""

    def change(value: Any) -> Any:
        if not isinstance(value, str):
            raise ValueError("the value is not a string, so src.pattern cannot be applied")
        return pattern.extract(value, group)

    return Cast(f"what {pattern.text} matches", change)
