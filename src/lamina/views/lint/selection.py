"""Selection of codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lamina.protocol.lint import LintRule


@dataclass(frozen=True, slots=True)
class Selection:
    """Codes, or prefixes of codes, that are selected (all if there is none) or ignored."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def wants(self, code: str) -> bool:
        """Whether a code is selected."""
        return (not self.select or fits(code, self.select)) and not fits(code, self.ignore)

    def wants_rule(self, rule: LintRule) -> bool:
        """Whether a rule is wanted, which may have to be asked for."""
        return self.wants(rule.code) and (not rule.opt_in or fits(rule.code, self.select))

    def names(self, code: str) -> bool:
        """Whether a code was asked for by its whole name."""
        return code in self.select


def fits(code: str, words: Collection[str]) -> bool:
    """Whether a code is one of the words or begins with one of them."""
    return code.startswith(tuple(words))


def split_words(texts: Iterable[str]) -> tuple[str, ...]:
    """Words from texts in which they are separated by commas."""
    return tuple(word for text in texts for piece in text.split(",") if (word := piece.strip()))
