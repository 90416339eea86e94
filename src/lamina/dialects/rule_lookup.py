"""Rules by path for systems that have options by key: which rule applies at a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.conversion import pattern_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lamina.dialects.conversion import LayeredSet
    from lamina.paths import Path

Rule = dict[str, Any]


class RuleLookup:
    """The rules of a set of layers: exact paths, and patterns with stars by their depth."""

    def __init__(self, rules: Sequence[Mapping[str, Any]]) -> None:
        self._exact: dict[str, Rule] = {}
        self._stars: list[tuple[list[str], Rule]] = []
        for rule in rules:
            path, own = str(rule["path"]), {key: value for key, value in rule.items() if key != "path"}
            if "*" in path:
                self._stars.append((path.split("."), own))
            else:
                self._exact.setdefault(path, own)

    def at(self, path: Path) -> Rule:
        """The rule for a path; `deep` if there is none."""
        exact = self._exact.get(pattern_of(path))
        if exact is not None:
            return exact
        keys = pattern_of(path).split(".") if len(path) > 1 else [pattern_of(path)]
        found = (rule for stars, rule in self._stars if _matches(stars, keys))
        return next(found, {"merge": "deep"})


def _matches(stars: list[str], keys: list[str]) -> bool:
    if stars == ["**"]:
        return True
    return len(stars) == len(keys) and all(star in ("*", key) for star, key in zip(stars, keys, strict=True))


def values_by_path(layers: LayeredSet) -> dict[Path, list[Any]]:
    """The values that the files of a set have at each path of keys; lists are not traversed."""
    found: dict[Path, list[Any]] = {}
    for file in layers.files.values():
        for path, value in _walk(file.value, ()):
            found.setdefault(path, []).append(value)
    return found


def _walk(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _walk(each, (*path, key))
