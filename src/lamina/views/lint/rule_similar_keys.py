"""Keys one edit away from a sibling that another layer sets.

Two keys are near when one character is added, omitted, changed or swapped with its neighbour, or when only upper and
lower case differ. Short keys, keys that differ in a digit and keys that differ in a word of one character (`node-a`,
`node-b`) are as a rule meant as they are, and so are two keys that one and the same layer sets side by side.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina._support.misspelling import SHORTEST, is_similar
from lamina.engine.delta import MapDelta
from lamina.engine.node import SourceNode
from lamina.errors import Diagnostic, Effect, Fix
from lamina.paths import MISSING, mapping_paths, show, show_key, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.errors import Note
    from lamina.paths import Path
    from lamina.views.lint.context import Survey

LONGEST = 100
"""Longer keys are data, not names."""


class _Setting(NamedTuple):
    """A key of a mapping, and the one layer that sets it."""

    mapping: SourceNode
    key: str


def similar_keys(survey: Survey) -> Iterator[Note]:
    """A finding for each key that only one layer sets and that is nearly another layer's."""
    candidates = [*_candidates(survey)]
    keys = _Keys(survey, {path for path, _, _ in candidates})
    reported: set[tuple[Path, str]] = set()
    for path, new_key, known in candidates:
        if keys.are_set_together(path, new_key, known):
            continue
        rare, intended = (new_key, known) if keys.only(path, new_key) else (known, new_key)
        setting = keys.only(path, rare)
        if setting is not None and (path, rare) not in reported:
            reported.add((path, rare))
            finding = _finding(setting, path, intended, keys)
            yield (
                replace(finding, fix=_renaming(survey, setting, intended))
                if keys.is_set_often(path, intended)
                else finding
            )


class _Keys:
    """Which layers set which key of some mappings."""

    def __init__(self, survey: Survey, paths: set[Path]) -> None:
        self._setters: dict[tuple[Path, Any], dict[tuple[str, str], _Setting]] = {}
        for layer in survey.layers if paths else ():
            for path in mapping_paths(layer.node.value):
                full_path = survey.path(layer.output, (*layer.path, *path))
                mapping = layer.node.at(path) if full_path in paths else None
                if not isinstance(mapping, SourceNode):
                    continue
                for key in mapping.value:
                    setters = self._setters.setdefault((full_path, key), {})
                    setters.setdefault(layer.name, _Setting(mapping, key))

    def setters(self, path: Path, key: str) -> dict[tuple[str, str], _Setting]:
        return self._setters.get((path, key), {})

    def only(self, path: Path, key: str) -> _Setting | None:
        """The setting of a key that just one layer sets."""
        found = list(self.setters(path, key).values())
        return found[0] if len(found) == 1 else None

    def is_set_often(self, path: Path, key: str) -> bool:
        """Whether more than one layer sets a key, so that it is not the odd one of the two."""
        return len(self.setters(path, key)) > 1

    def are_set_together(self, path: Path, one: str, other: str) -> bool:
        """Whether a layer sets both keys, or it is not known which layers set one of them."""
        setters, others = self.setters(path, one), self.setters(path, other)
        return not setters or not others or bool(setters.keys() & others.keys())


def _candidates(survey: Survey) -> Iterator[tuple[Path, str, str]]:
    """Keys a layer brought to a mapping without them, each with a key that was there and is near."""
    for pair in survey.merge_pairs:
        if not isinstance(pair.delta, MapDelta) or not isinstance(pair.old.value, dict):
            continue
        old = pair.old.value
        new_keys = [key for key in pair.delta.entries if isinstance(key, str) and key not in old]
        if new_keys:
            index = _SimilarKeys(key for key in old if isinstance(key, str))
            path = survey.path(pair.output, pair.path)
            yield from ((path, key, other) for key in new_keys for other in index.similar_to(key))


class _SimilarKeys:
    """Keys by what is left of them without any one character: two keys one edit apart have some of that in common."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys: dict[str, list[str]] = {}
        for key in keys:
            for rest in _with_one_removed(key):
                self._keys.setdefault(rest, []).append(key)

    def similar_to(self, key: str) -> list[str]:
        """The keys that are probably the same one misspelled."""
        found = dict.fromkeys(other for rest in _with_one_removed(key) for other in self._keys.get(rest, ()))
        return [other for other in found if is_similar(key, other)]


def _with_one_removed(key: str) -> frozenset[str]:
    if not SHORTEST - 1 <= len(key) <= LONGEST:
        return frozenset()
    low = key.lower()
    return frozenset((low, *(low[:at] + low[at + 1 :] for at in range(len(low)))))


def _finding(setting: _Setting, path: Path, intended: str, keys: _Keys) -> Note:
    mapping, key = setting
    others: Iterable[_Setting] = keys.setters(path, intended).values()
    related = [(f"{show_key(intended)} is set here", origin) for each in others if (origin := _origin(each))]
    return Diagnostic(
        code="near-miss-key",
        message=f"only {mapping.layer} sets {show((*path, key))}; other layers set {show_key(intended)}",
        at=_origin(setting),
        path=(*path, key),
        related=tuple(related[:1]),
        hint=f"did you mean {show_key(intended)}?",
        subject=mapping.layer,
    )


def _renaming(survey: Survey, setting: _Setting, intended: str) -> Fix | None:
    """What gives a key its right name; what is at that name afterwards follows from the other layers."""
    at, value = _origin(setting), setting.mapping.child(setting.key)
    if at is None or not isinstance(value, SourceNode):
        return None
    effects = []
    for output, path in survey.ends_of(value):
        before = survey.outputs[output].value
        effects.append(Effect(output, path, walk(before, path), MISSING))
        right = (*path[:-1], intended)
        effects.append(Effect(output, right, walk(before, right), None, exactly=False))
    return Fix(title=f"write {intended}", action="rename", at=at, old=setting.key, new=intended, effects=tuple(effects))


def _origin(setting: _Setting) -> Any:
    return setting.mapping.key_origin(setting.key)
