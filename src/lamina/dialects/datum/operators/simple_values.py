"""Simple values: mappings of scalars, of lists of scalars, and of such mappings; nearly all configuration is simple.

A list in them is never empty and holds no null; there is no list in a list and no mapping in one.
"""

from __future__ import annotations

from typing import Any, Final

from lamina.session import current_call
from lamina.values import SCALARS

_PRESENT: Final = SCALARS - {type(None)}
_EACH: Final = 256
_NODE: Final = 192
"""The approximate size in bytes of a cached answer, and of each node of the mapping it keeps."""


def is_plain_list(value: Any) -> bool:
    """Whether this is a list of scalars, none of them null, and not empty."""
    return type(value) is list and bool(value) and _PRESENT.issuperset(map(type, value))


def is_simple(value: Any) -> bool:
    """Whether a value is a simple mapping; cached, so the value must not change."""
    if type(value) is not dict:
        return False
    # By identity, and with the mapping, so that the identity stays its own.
    call, key = current_call(), ("calm", id(value))
    known: tuple[bool, Any] | None = call.find(key)
    if known is None:
        simple, nodes = _check(value)
        known = (simple, value)
        call.keep(key, known, _EACH + _NODE * nodes)
    return known[0]


def _check(mapping: dict[Any, Any]) -> tuple[bool, int]:
    """Whether a mapping is simple, and how many values were looked at to find out."""
    pending, nodes = [mapping], 0
    while pending:
        values = pending.pop().values()
        nodes += len(values)
        if SCALARS.issuperset(map(type, values)):
            continue
        for value in values:
            if type(value) is dict:
                pending.append(value)
            elif type(value) in SCALARS:
                pass
            elif is_plain_list(value):
                nodes += len(value)
            else:
                return False, nodes
    return True, nodes
