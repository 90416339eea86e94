"""Simple values: mappings of scalars, of lists of scalars, and of such mappings; nearly all configuration is simple.

A list in them is never empty and holds no null; there is no list in a list and no mapping in one.
"""

from __future__ import annotations

from typing import Any, Final

from lamina.values import SCALARS

_PRESENT: Final = SCALARS - {type(None)}


def is_simple(value: Any) -> bool:
    """Whether a value is a simple mapping."""
    if type(value) is not dict:
        return False
    pending = [value]
    while pending:
        here = pending.pop()
        if SCALARS.issuperset(map(type, here.values())):
            continue
        for inner in here.values():
            if type(inner) is dict:
                pending.append(inner)
            elif type(inner) is list:
                if not inner or not _PRESENT.issuperset(map(type, inner)):
                    return False
            elif type(inner) not in SCALARS:
                return False
    return True
