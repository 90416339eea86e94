"""Keys one edit away from a sibling that another layer sets.

Two keys are near when one character is added, omitted, changed or swapped with its neighbour, or when only upper and
lower case differ. Short keys, keys that differ in a digit and keys that differ in a word of one character (`node-a`,
`node-b`) are as a rule meant as they are, and so are two keys that one and the same layer sets side by side.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.engine.delta import MapDelta
from lamina.engine.node import SourceNode
from lamina.errors import Diagnostic, Effect, Fix
from lamina.paths import MISSING, show, show_key, walk
from lamina.views.lint.layer_index import mappings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.errors import Note
    from lamina.paths import Path
    from lamina.views.lint.context import Survey

SHORTEST = 5
"""Keys with fewer characters are near too many others."""
LONGEST = 100
"""Longer texts are data, not names."""


class _Setting(NamedTuple):
    """A key of a mapping, and the one layer that sets it."""

    mapping: SourceNode
    key: str


def near_misses(survey: Survey) -> Iterator[Note]:
    """A finding for each key that only one layer sets and that is nearly another layer's."""
    keys = _Keys(survey)
    reported: set[tuple[Path, str]] = set()
    for path, newcomer, known in _candidates(survey):
        if keys.together(path, newcomer, known):
            continue
        odd, meant = (newcomer, known) if keys.only(path, newcomer) else (known, newcomer)
        setting = keys.only(path, odd)
        if setting is not None and (path, odd) not in reported:
            reported.add((path, odd))
            finding = _finding(setting, path, meant, keys)
            yield replace(finding, fix=_renaming(survey, setting, meant)) if keys.several(path, meant) else finding


class _Keys:
    """Who sets which key at which path."""

    def __init__(self, survey: Survey) -> None:
        self._setters: dict[tuple[Path, Any], dict[tuple[str, str], _Setting]] = {}
        for layer in survey.layers:
            for path, mapping in mappings_of(layer):
                whole = survey.path(layer.output, (*layer.path, *path))
                for key in mapping.value:
                    setters = self._setters.setdefault((whole, key), {})
                    setters.setdefault(layer.name, _Setting(mapping, key))

    def setters(self, path: Path, key: str) -> dict[tuple[str, str], _Setting]:
        return self._setters.get((path, key), {})

    def only(self, path: Path, key: str) -> _Setting | None:
        """The setting of a key that just one layer sets."""
        found = list(self.setters(path, key).values())
        return found[0] if len(found) == 1 else None

    def several(self, path: Path, key: str) -> bool:
        """Whether more than one layer sets a key, so that it is not the odd one of the two."""
        return len(self.setters(path, key)) > 1

    def together(self, path: Path, one: str, other: str) -> bool:
        """Whether a layer sets both keys, or all that is known of either is that it was made."""
        ours, theirs = self.setters(path, one), self.setters(path, other)
        return not ours or not theirs or bool(ours.keys() & theirs.keys())


def _candidates(survey: Survey) -> Iterator[tuple[Path, str, str]]:
    """Keys a layer brought to a mapping without them, each with a key that was there and is near."""
    for meeting in survey.meetings:
        if not isinstance(meeting.delta, MapDelta) or not isinstance(meeting.old.value, dict):
            continue
        old = meeting.old.value
        newcomers = [key for key in meeting.delta.entries if isinstance(key, str) and key not in old]
        if newcomers:
            index = _SimilarKeys(key for key in old if isinstance(key, str))
            path = survey.path(meeting.output, meeting.path)
            yield from ((path, key, other) for key in newcomers for other in index.near(key))


class _SimilarKeys:
    """Keys by what is left of them without any one character: two keys one edit apart have some of that in common."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys: dict[str, list[str]] = {}
        for key in keys:
            for rest in _rests(key):
                self._keys.setdefault(rest, []).append(key)

    def near(self, key: str) -> list[str]:
        """The keys that are probably the same one misspelled."""
        found = dict.fromkeys(other for rest in _rests(key) for other in self._keys.get(rest, ()))
        return [other for other in found if near(key, other)]


@lru_cache(maxsize=4096)
def _rests(key: str) -> frozenset[str]:
    if not SHORTEST - 1 <= len(key) <= LONGEST:
        return frozenset()
    low = key.lower()
    return frozenset((low, *(low[:at] + low[at + 1 :] for at in range(len(low)))))


def near(one: str, other: str) -> bool:
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
    return not (any(map(str.isdigit, left + right)) or _differ_in_a_letter_word(one, other))


def _common(one: str, other: str) -> int:
    """The length of the common prefix of two strings."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _differ_in_a_letter_word(one: str, other: str) -> bool:
    ours, theirs = _words(one), _words(other)
    differing = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
    if len(ours) != len(theirs):
        return True
    return any(len(word) == 1 for pair in differing for word in pair)


def _words(key: str) -> list[str]:
    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", key)


def _finding(setting: _Setting, path: Path, meant: str, keys: _Keys) -> Note:
    mapping, key = setting
    others: Iterable[_Setting] = keys.setters(path, meant).values()
    related = [(f"{show_key(meant)} is set here", place) for each in others if (place := _place(each))]
    return Diagnostic(
        code="near-miss-key",
        message=f"only {mapping.layer} sets {show((*path, key))}; other layers set {show_key(meant)}",
        at=_place(setting),
        path=(*path, key),
        related=tuple(related[:1]),
        hint=f"did you mean {show_key(meant)}?",
        subject=mapping.layer,
    )


def _renaming(survey: Survey, setting: _Setting, meant: str) -> Fix | None:
    """What gives a key its right name; what is at that name afterwards follows from the other layers."""
    at, value = _place(setting), setting.mapping.child(setting.key)
    if at is None or not isinstance(value, SourceNode):
        return None
    effects = []
    for output, path in survey.ends_of(value):
        before = survey.outputs[output].value
        effects.append(Effect(output, path, walk(before, path), MISSING))
        right = (*path[:-1], meant)
        effects.append(Effect(output, right, walk(before, right), None, exactly=False))
    return Fix(title=f"write {meant}", action="rename", at=at, old=setting.key, new=meant, effects=tuple(effects))


def _place(setting: _Setting) -> Any:
    return setting.mapping.key_origin(setting.key)
