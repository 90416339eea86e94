"""What filters, formats and methods of a template cost: how much output they may produce, and how slowly.

The template language does most things in one pass through its operands, and produces at most a few times what it was
given. What produces more, or is slower, is listed here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit.template_limits import LARGEST, make, size_of, traverse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.budget import Budget
    from lamina.dialects.cloudinit.template_limits import Size

Arguments = tuple[Any, ...]

_COUNTS = ("count", "float", "int", "length", "wordcount")
PASS_THROUGH: Final = frozenset([*_COUNTS, "attr", "d", "default", "first", "last", "max", "min", "random", "safe"])
"""Filters that produce nothing large: they pass on their input."""
SORTING: Final = frozenset(["dictsort", "groupby", "max", "min", "sort", "unique"])
COST_FACTORS: Final[Mapping[str, int]] = {
    "pprint": 200,
    "striptags": 100,
    "title": 20,
    "tojson": 8,
    "urlencode": 50,
    "urlize": 1000,
    "wordwrap": 200,
    "xmlattr": 50,
}
"""How many times slower some filters are than others."""

_DIGITS: Final = re.compile(r"\d+")
_LONGEST_WIDTH: Final = 6


def cost_factor(name: str, size: Size, arguments: Arguments) -> int:
    """How many times a filter effectively iterates over its input."""
    if name in SORTING:
        return max(1, size.items.bit_length())
    if name == "pprint":
        return COST_FACTORS[name] * max(1, size.depth)
    if name == "sum":
        # Lists are concatenated one by one, copying all of them each time.
        return max(1, size.items) if any(isinstance(value, (list, tuple)) for value in arguments[1:]) else 1
    if name == "wordwrap":
        width = next((value for value in arguments[1:] if type(value) is int), 79)
        # A long word is cut piece by piece, copying the rest each time.
        return COST_FACTORS[name] + size.text // max(1, abs(width)) // 64
    return COST_FACTORS.get(name, 1)


def growth(name: str, size: Size, arguments: Arguments) -> int:
    """How many bytes a filter may produce from its arguments, at most."""
    rule = _GROWTH.get(name)
    return rule(size, arguments) if rule else 0


def _indented_size(size: Size, arguments: Arguments) -> int:
    return size.taken + sum(abs(value) for value in arguments[1:] if isinstance(value, int))


def _indented(size: Size, arguments: Arguments) -> int:
    text = arguments[0] if isinstance(arguments[0], str) else ""
    indent = max((_length(value) for value in arguments[1:]), default=0)
    return size.taken + (len(text.splitlines()) + 1) * indent


def _wrapped(size: Size, arguments: Arguments) -> int:
    line = max((len(value) for value in arguments[1:] if isinstance(value, str)), default=1)
    return size.taken + (size.text + 1) * line


def _replaced(size: Size, arguments: Arguments) -> int:
    strings = [str(value) for value in arguments[:3] if isinstance(value, (str, int, float))]
    return size.taken + replaced(*strings) if len(strings) == 3 else size.taken


def _joined(size: Size, arguments: Arguments) -> int:
    between = max((_length(value) for value in arguments[1:] if isinstance(value, str)), default=0)
    return size.taken + size.items * between


def _as_json(size: Size, arguments: Arguments) -> int:
    indent = max((_length(value) for value in arguments[1:]), default=0)
    return 6 * size.taken + size.items * size.depth * indent


def _times_six(size: Size, arguments: Arguments) -> int:
    del arguments
    return 6 * size.taken


def _formatted(size: Size, arguments: Arguments) -> int:
    text = arguments[0] if isinstance(arguments[0], str) else ""
    return formatted(text, "%", size.taken)


_GROWTH: Final[Mapping[str, Callable[[Size, Arguments], int]]] = {
    "batch": _indented_size,
    "center": _indented_size,
    "e": _times_six,
    "escape": _times_six,
    "forceescape": _times_six,
    "format": _formatted,
    "indent": _indented,
    "join": _joined,
    "pprint": _times_six,
    "replace": _replaced,
    "round": _indented_size,
    "slice": _indented_size,
    "tojson": _as_json,
    "truncate": _indented_size,
    "urlencode": _times_six,
    "urlize": _times_six,
    "wordwrap": _wrapped,
    "xmlattr": _times_six,
}


def _length(value: Any) -> int:
    """The length of a margin or separator given as a string or as a number of spaces."""
    if isinstance(value, int):
        return abs(value)
    return len(value) if isinstance(value, str) else 0


def replaced(text: str, old: str, new: str) -> int:
    """How much longer a string gets by a replacement, at most."""
    return (text.count(old) + 1) * len(new)


def formatted(text: str, mark: str, size: int) -> int:
    """The maximum length of a formatted string, each field of which may contain all arguments, of `size` bytes."""
    widths = [int(width) if len(width) <= _LONGEST_WIDTH else LARGEST + 1 for width in _DIGITS.findall(text)]
    return len(text) + sum(widths) + text.count(mark) * size


def called(owner: Any, name: str, arguments: Arguments, budget: Budget) -> None:
    """Count the cost of a method call on a string, list or mapping before it runs."""
    size = size_of(budget, *arguments)
    if isinstance(owner, (str, bytes)):
        traverse(budget, len(owner))
        make(budget, _of_text(owner, name, arguments, size))
    elif isinstance(owner, int) and name == "to_bytes":
        make(budget, sum(abs(value) for value in arguments if isinstance(value, int)))
    elif isinstance(owner, (list, tuple)) and name in ("count", "index", "remove", "sort"):
        own_size = size_of(budget, owner)
        traverse(budget, own_size.taken * (own_size.items.bit_length() if name == "sort" else 1))
    elif isinstance(owner, (list, tuple, dict)):
        traverse(budget, len(owner) if name in ("insert", "pop", "copy", "reverse") else 0)


def _of_text(owner: str | bytes, name: str, arguments: Arguments, size: Size) -> int:
    """How much a string method may produce before its result is available."""
    numbers = sum(abs(value) for value in arguments if isinstance(value, int))
    if name in ("center", "ljust", "rjust", "zfill"):
        return len(owner) + numbers
    if name == "expandtabs":
        return len(owner) * (numbers or 8)
    if name == "join":
        return size.taken + size.items * len(owner)
    if name == "translate":
        return len(owner) * (size.text + 1)
    if name == "replace" and len(arguments) > 1 and all(isinstance(value, str) for value in arguments[:2]):
        return replaced(str(owner), *arguments[:2])
    if name in ("format", "format_map") and isinstance(owner, str):
        nested = owner.count("{") * numbers if ":" in owner else 0
        return formatted(owner, "{", size.taken) + nested
    return 0
