"""Deep merges of lower levels that many nodes have in common, done once for all of them.

Puppet merges from the highest level down, so that no two nodes have a state in common. Where all levels have values of
the same types, merging from the lowest level up gives the same value, and that is what nodes share. Only the value is
made so; its history comes from the merge in its real order, done when somebody asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera.deep_merge import all_different, unique
from lamina.dialects.hiera.plain_deep import as_merged

if TYPE_CHECKING:
    from collections.abc import Sequence

_SINGLE: Final = frozenset((str, int, float, bool))
_MOST: Final = 1_000
"""How many merges are kept."""


class DifferentTypesError(Exception):
    """Values of different types, or nulls, meet: the order of merging matters."""


class SharedMerges:
    """Merges of values by the values themselves, which must not be changed."""

    def __init__(self) -> None:
        self._merges: dict[tuple[int, ...], tuple[Sequence[Any], Any]] = {}

    def merged(self, values: Sequence[Any]) -> Any:
        """The values merged, the highest first; MISSING where the result depends on the real order."""
        try:
            return _merged(values[0], self._lower(values[1:]))
        except DifferentTypesError:
            return lp.MISSING

    def _lower(self, values: Sequence[Any]) -> Any:
        if len(values) == 1:
            return values[0]
        key = tuple(map(id, values))
        known = self._merges.get(key)
        if known is None:
            merged = _merged(values[0], self._lower(values[1:]))
            if len(self._merges) >= _MOST:
                self._merges.clear()
            known = self._merges[key] = values, merged  # the values are held, so that their identities stay their own
        return known[1]


def _merged(higher: Any, lower: Any) -> Any:
    if type(higher) is dict and type(lower) is dict:
        return _mapping(higher, lower)
    if type(higher) is list and type(lower) is list:
        lp.charge(len(higher) + len(lower))
        both = lower + higher
        return both if all_different(both) else [both[at] for at in unique(both)]
    raise DifferentTypesError


def _mapping(higher: dict[Any, Any], lower: dict[Any, Any]) -> dict[Any, Any]:
    lp.charge(len(higher) + len(lower))
    value = {**lower, **higher}
    for key, own in higher.items():
        there = lower.get(key, lp.MISSING)
        if type(own) in _SINGLE:
            if there is not lp.MISSING and type(there) not in _SINGLE:
                raise DifferentTypesError
        elif there is not lp.MISSING:
            value[key] = _merged(own, there)
        elif own is None:
            raise DifferentTypesError
        else:
            value[key] = as_merged(own)
    return value
