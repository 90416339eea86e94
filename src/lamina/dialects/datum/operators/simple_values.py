"""Simple values: mappings of scalars, of lists of scalars, and of such mappings; nearly all configuration is simple.

A list in them is never empty and holds no null; there is no list in a list and no mapping in one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.sources.caseless_keys import folded
from lamina.values import SCALARS

if TYPE_CHECKING:
    from collections.abc import Collection

TEXTS: Final[frozenset[object]] = frozenset({str})
PRESENT: Final[frozenset[object]] = SCALARS - {type(None)}


def is_simple(value: Any, *, markers: Collection[str] = (), items: frozenset[object] = PRESENT) -> bool:
    """Whether a value is a simple mapping whose keys hold none of some markers, and its lists only items of some types.

    Markers are given without case.
    """
    if type(value) is not dict:
        return False
    pending = [value]
    while pending:
        here = pending.pop()
        if markers and _holds(here, markers):
            return False
        if SCALARS.issuperset(map(type, here.values())):
            continue
        for inner in here.values():
            if type(inner) is dict:
                pending.append(inner)
            elif type(inner) is list:
                if not inner or not items.issuperset(map(type, inner)):
                    return False
            elif type(inner) not in SCALARS:
                return False
    return True


def _holds(mapping: dict[Any, Any], markers: Collection[str]) -> bool:
    try:
        keys = folded("\n".join(mapping))
    except TypeError:  # keys that are not strings
        return True
    return any(marker in keys for marker in markers)
