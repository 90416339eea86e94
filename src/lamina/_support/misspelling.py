"""Misspelling: whether one name is probably another one misspelled."""

from __future__ import annotations

import re

SHORTEST = 5
"""Shorter names are similar to too many others."""


def is_similar(one: str, other: str) -> bool:
    """Whether one key is probably the other one misspelled."""
    if min(len(one), len(other)) < SHORTEST or abs(len(one) - len(other)) > 1 or one == other:
        return False
    if one.lower() == other.lower():
        return True
    start = _common(one, other)
    end = _common(one[start:][::-1], other[start:][::-1])
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    if len(left) > 1 or len(right) > 1:
        return len(left) == len(right) == 2 and left == right[::-1]
    return not (any(map(str.isdigit, left + right)) or _differ_in_one_character_word(one, other))


def _common(one: str, other: str) -> int:
    """The length of the common prefix of two strings."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _differ_in_one_character_word(one: str, other: str) -> bool:
    own_words, other_words = _words(one), _words(other)
    differing = [pair for pair in zip(own_words, other_words, strict=False) if pair[0] != pair[1]]
    if len(own_words) != len(other_words):
        return True
    return any(len(word) == 1 for pair in differing for word in pair)


def _words(key: str) -> list[str]:
    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", key)
