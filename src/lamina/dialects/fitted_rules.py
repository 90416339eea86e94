"""Fitted rules: the merge rules that give, for the layers of a target, the result of the real system.

Systems whose rules depend on the layer (the merge rule of a part, the action of a document) have no rules by path.
This module derives them: for every path that several layers set, the rule under which their values merge to the value
in the result. A path without such a rule is a miss.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.conversion import pattern_of
from lamina.paths import MISSING
from lamina.values import same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.paths import Path

_MAX_ITEMS: Final = 2_000
"""How long a list may be to be compared item by item."""
_GENERAL: Final[dict[int | None, tuple[dict[str, Any], ...]]] = {
    None: (),
    1: ({"path": "*", "merge": "take"},),
    2: ({"path": "*.*", "merge": "take"},),
}
"""Rules for all paths, by the depth at which values are replaced as a whole."""


@dataclass(slots=True)
class FittedRules:
    """Rules for layers in an order, and the paths where no rule gives the result."""

    backwards: bool
    whole_depth: int | None
    rules: list[dict[str, Any]] = field(default_factory=list)
    misses: list[Path] = field(default_factory=list)
    added: list[Path] = field(default_factory=list)
    """The paths that no layer has."""

    @property
    def all_rules(self) -> list[dict[str, Any]]:
        return [*self.rules, *_GENERAL[self.whole_depth]]


def fitted_rules(layers: Sequence[Any], result: Any) -> FittedRules:
    """The rules that fit best, for layers in the order they are merged, or in reverse order."""
    candidates = [
        _RuleFinder(layers[::-1] if backwards else layers, FittedRules(backwards, whole_depth)).fit(result)
        for backwards in ((False, True) if len(layers) > 1 else (False,))
        for whole_depth in (None, 1, 2)
    ]
    return min(candidates, key=lambda each: (len(each.misses), len(each.rules) + each.backwards, each.backwards))


class _RuleFinder:
    def __init__(self, layers: Sequence[Any], found: FittedRules) -> None:
        self._layers = layers
        self._found = found

    def fit(self, result: Any) -> FittedRules:
        self._visit((), list(self._layers), result)
        return self._found

    def _visit(self, path: Path, values: list[Any], result: Any) -> None:
        if same(self._by_default(values, len(path)), result):
            return
        rule_word = next(
            (rule_word for rule_word, gives in _WORDS.items() if path and same(gives(values), result)), None
        )
        if rule_word is not None:
            self._found.rules.append({"path": pattern_of(path), "merge": rule_word})
        elif isinstance(result, dict) and all(isinstance(value, dict) for value in values):
            self._members(path, values, result)
        else:
            self._found.misses.append(path)

    def _members(self, path: Path, values: list[Any], result: dict[Any, Any]) -> None:
        if len(path) == self._found.whole_depth and len(values) > 1:
            self._found.rules.append({"path": pattern_of(path), "merge": "deep"})
        for key in dict.fromkeys((*(key for value in values for key in value), *result)):
            own = [value[key] for value in values if key in value]
            if not own:
                self._found.added.append((*path, key))
            elif key not in result:
                self._found.misses.append((*path, key))
            else:
                self._visit((*path, key), own, result[key])

    def _by_default(self, values: list[Any], depth: int) -> Any:
        """The merge of values at a depth where no rule of their own applies."""
        if depth == self._found.whole_depth:
            return values[-1]
        result = values[0]
        for value in values[1:]:
            result = self._deep(result, value, depth)
        return result

    def _deep(self, old: Any, new: Any, depth: int) -> Any:
        if not isinstance(old, dict) or not isinstance(new, dict) or depth == self._found.whole_depth:
            return new
        merged = dict(old)
        for key, value in new.items():
            merged[key] = self._deep(old[key], value, depth + 1) if key in old else value
        return merged


def _joined(values: list[Any]) -> Any:
    if not all(isinstance(value, list) for value in values) or sum(map(len, values)) > _MAX_ITEMS:
        return MISSING
    return [item for value in values for item in value]


def _unique(values: list[Any]) -> Any:
    joined = _joined(values)
    if joined is MISSING:
        return MISSING
    kept: list[Any] = []
    for item in joined:
        if not any(same(item, other) for other in kept):
            kept.append(item)
    return kept


def _strings(values: list[Any]) -> Any:
    return "".join(values) if all(isinstance(value, str) for value in values) else MISSING


_WORDS: Final[dict[str, Callable[[list[Any]], Any]]] = {
    "take": lambda values: values[-1],
    "keep": lambda values: values[0],
    "append": _joined,
    "prepend": lambda values: _joined(values[::-1]),
    "unique": _unique,
    "join": _strings,
}


def missing_parts(added: Sequence[Path], result: Any) -> dict[Any, Any]:
    """A mapping with only the values at some paths of a result."""
    parts: dict[Any, Any] = {}
    for path in added:
        inner, value = parts, result
        for step in path[:-1]:
            inner, value = inner.setdefault(step, {}), value[step]
        inner[path[-1]] = value[path[-1]]
    return parts


def differing(before: Any, after: Any, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """The smallest parts of two values that differ: members of mappings, items of lists of the same length."""
    if same(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            yield from differing(before.get(key, MISSING), after.get(key, MISSING), (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for position, (old_item, new_item) in enumerate(zip(before, after, strict=True)):
            yield from differing(old_item, new_item, (*path, position))
    else:
        yield path, before, after
