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


class _SharedDeepMerge:
    """The deep merge without options of values from the lowest level up."""

    how = "hiera deep"

    def check(self, value: Any) -> None:
        """Whether the order matters is seen only where two values meet."""

    def combine(self, upper: Any, lower: Any) -> tuple[Any, int | None]:
        return _merged(upper, lower), None


_DEEP: Final = _SharedDeepMerge()


def shared_value(values: Sequence[Any]) -> Any:
    """The values merged, the highest first; MISSING where the result depends on the real order."""
    lower = lp.shared_merge(_DEEP, values[1:]).value
    if lower is lp.MISSING:
        return lp.MISSING
    try:
        return _merged(values[0], lower)
    except lp.OrderMatters:
        return lp.MISSING


def _merged(higher: Any, lower: Any) -> Any:
    if type(higher) is dict and type(lower) is dict:
        return _mapping(higher, lower)
    if type(higher) is list and type(lower) is list:
        lp.charge(len(higher) + len(lower))
        both = lower + higher
        return both if all_different(both) else [both[at] for at in unique(both)]
    raise lp.OrderMatters


def _mapping(higher: dict[Any, Any], lower: dict[Any, Any]) -> dict[Any, Any]:
    lp.charge(len(higher) + len(lower))
    value = {**lower, **higher}
    for key, own in higher.items():
        there = lower.get(key, lp.MISSING)
        if type(own) in _SINGLE:
            if there is not lp.MISSING and type(there) not in _SINGLE:
                raise lp.OrderMatters
        elif there is not lp.MISSING:
            value[key] = _merged(own, there)
        elif own is None:
            raise lp.OrderMatters
        else:
            value[key] = as_merged(own)
    return value
