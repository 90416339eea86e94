"""Simple values: mappings of scalars, of lists of scalars, and of such mappings; nearly all configuration is simple.

A list in them is never empty and holds no null; there is no list in a list and no mapping in one.
"""

from __future__ import annotations

from typing import Any, Final

from lamina.sources.caseless_keys import folded
from lamina.values import SCALARS

_TEXTS: Final = frozenset({str})
_PRESENT: Final = SCALARS - {type(None)}


def is_plain_list(value: Any) -> bool:
    """Whether this is a list of scalars, none of them null, and not empty."""
    return type(value) is list and bool(value) and _PRESENT.issuperset(map(type, value))


def is_simple(value: Any) -> bool:
    """Whether a value is a simple mapping."""
    if type(value) is not dict:
        return False
    pending = [value]
    while pending:
        values = pending.pop().values()
        if SCALARS.issuperset(map(type, values)):
            continue
        for inner in values:
            if type(inner) is dict:
                pending.append(inner)
            elif type(inner) not in SCALARS and not is_plain_list(inner):
                return False
    return True


def is_order_free(value: Any, markers: tuple[str, ...], texts: bool) -> bool:
    """Whether a value is a simple mapping of which no key holds a marker, in its text without case.

    With `texts`, its lists hold nothing but strings.
    """
    if type(value) is not dict:
        return False
    items = _TEXTS if texts else _PRESENT
    pending = [value]
    while pending:
        here = pending.pop()
        try:
            keys = folded("\n".join(here))
        except TypeError:  # keys that are not strings
            return False
        if any(marker in keys for marker in markers):
            return False
        for inner in () if SCALARS.issuperset(map(type, here.values())) else here.values():
            if type(inner) is dict:
                pending.append(inner)
            elif type(inner) is list:
                if not inner or not items.issuperset(map(type, inner)):
                    return False
            elif type(inner) not in SCALARS:
                return False
    return True
