"""Calm values: mappings of scalars, of lists of scalars, and of such mappings. Nearly all configuration is.

A list in them is never empty and holds no null; there is no list in a list and no mapping in one.
"""

from __future__ import annotations

from typing import Any, Final

from lamina._support.two_stage_cache import Recurring
from lamina.values import SCALARS

_PRESENT: Final = SCALARS - {type(None)}
_KNOWN: Final[Recurring[int, tuple[bool, Any]]] = Recurring(256, 4096)
"""Answers by the identity of a mapping, which is held so that it stays that one's."""


def is_plain_list(value: Any) -> bool:
    """Whether this is a list of scalars, none of them null, and not empty."""
    return type(value) is list and bool(value) and _PRESENT.issuperset(map(type, value))


def is_calm(value: Any) -> bool:
    """Whether a value is a calm mapping. What is asked about again must not have been changed."""
    if type(value) is not dict:
        return False
    known = _KNOWN.find(id(value)) or _KNOWN.add(id(value), (_looks_calm(value), value))
    return known[0]


def _looks_calm(mapping: dict[Any, Any]) -> bool:
    pending = [mapping]
    while pending:
        values = pending.pop().values()
        if SCALARS.issuperset(map(type, values)):
            continue
        for value in values:
            if type(value) is dict:
                pending.append(value)
            elif type(value) not in SCALARS and not is_plain_list(value):
                return False
    return True
