"""Simple values: mappings of scalars, of lists of scalars, and of such mappings; nearly all configuration is simple.

A list in them is never empty and holds no null; there is no list in a list and no mapping in one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina._support.native import compiled
from lamina.session import current_call
from lamina.sources.powershell.case_insensitive import CaselessKey, folded, with_case
from lamina.values import SCALARS

if TYPE_CHECKING:
    from collections.abc import Callable

_PRESENT: Final = SCALARS - {type(None)}
_TEXTS: Final = frozenset({str})
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


def is_orderless(value: Any, markers: tuple[str, ...], texts: bool) -> bool:
    """Whether a value is a simple mapping of which no key holds a marker, by its text without case.

    With `texts`, lists hold nothing but strings.
    """
    if type(value) is not dict:
        return False
    pending = [value]
    while pending:
        here = pending.pop()
        try:
            keys = folded("\n".join(here))
        except TypeError:  # keys that are not strings
            return False
        if any(each in keys for each in markers):
            return False
        if SCALARS.issuperset(map(type, here.values())):
            continue
        for inner in here.values():
            if type(inner) is dict:
                pending.append(inner)
            elif type(inner) is list:
                if not (inner and (_TEXTS if texts else _PRESENT).issuperset(map(type, inner))):
                    return False
            elif type(inner) not in SCALARS:
                return False
    return True


_compiled = compiled("lamina.dialects.datum.operators._simple_merge")


def orderless_test(markers: tuple[str, ...], texts: bool) -> Callable[[Any], bool]:
    """The same as a function of the value, by the C extension where that was built and no marker has a letter in it."""
    if _compiled is None or any(each.lower() != each.upper() for each in markers):
        return lambda value: is_orderless(value, markers, texts)
    test = _compiled.is_orderless
    return lambda value: test(value, markers, texts)


if _compiled is not None:
    _compiled.configure(with_case, CaselessKey)
merge_simple: Callable[[Any, Any, bool, int], tuple[Any, int] | None] | None = (
    None if _compiled is None else _compiled.merged
)
"""The value of two simple tables merged, and how many keys and items were made for it; None where they conflict.

The arguments after the tables: whether nested tables are merged too, and how lists are merged: 0 keeps the upper
one, 1 joins both, 2 takes each string once. None without the C extension.
"""
merge_simple_plain: Callable[[Any, Any, Any, bool, int], Any] | None = (
    None if _compiled is None else _compiled.merged_plain
)
"""The same value with plain keys; its third argument is what the lower table is with plain keys.

The second one is the lower table, or the tables it was merged from, as a tuple. NotImplemented where a key that is
merged has another spelling in the lower table; with a tuple, where any key has.
"""
