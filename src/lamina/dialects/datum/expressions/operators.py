"""PowerShell's operators: the type of the left side decides how the right side is converted.

`ARITHMETIC` has those on values as they are. `COMPARISONS` has those that compare strings, without case unless their
name begins with c; of a list on the left `_TESTS` give the items that pass.
"""

from __future__ import annotations

import math
import operator as plain_operators
import re
from collections.abc import Callable
from decimal import Decimal, DecimalException
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lamina.dialects.datum import equality, powershell_regex
from lamina.dialects.datum.expressions.errors import ExpressionTooLarge, OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.formats import formatted
from lamina.dialects.datum.expressions.values import (
    Hashtable,
    enumerated,
    exact,
    integer,
    items_of,
    number,
    scalar,
    text,
    truth,
    weight,
)
from lamina.sources.caseless_keys import caseless, folded
from lamina.sources.decimals import WrittenDecimal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.budget import Budget

Found = TypeVar("Found")

_INT: Final = 1 << 31
_LONG: Final = 1 << 63
_SLOW: Final = 20
"""The operations that one search with a pattern counts for, per thousand characters."""


def binary(name: str, left: Any, right: Any, budget: Budget) -> Any:
    """The result of a binary operator."""
    budget.spend(1)
    if name in ARITHMETIC:
        return ARITHMETIC[name](left, right, budget)
    base_name, exactly = (name, False) if name in COMPARISONS else (name[1:], name[0] == "c")
    return COMPARISONS[base_name](left, right, exactly, budget)


# Arithmetic


def _add(left: Any, right: Any, budget: Budget) -> Any:
    items = items_of(left)
    if items is not None:
        more = enumerated(right)
        budget.spend(size=8 * (len(items) + len(more)))
        return [*items, *more]
    value = scalar(left)
    if value is None:
        return right
    if isinstance(value, str):
        added = text(right)
        budget.spend(size=weight((value, added)))
        return value + added
    if isinstance(value, dict):
        return _joined_tables(value, scalar(right), budget)
    return _calculated(plain_operators.add, left, right)


def _joined_tables(left: dict[Any, Any], right: Any, budget: Budget) -> Any:
    if not isinstance(right, dict):
        raise ScriptFailed("only a table can be added to a table")
    if any(caseless(str(key)) in left for key in right):
        raise ScriptFailed("tables that share a key cannot be added")
    budget.spend(size=64 * (len(left) + len(right)))
    return Hashtable({**left, **{caseless(str(key)): value for key, value in right.items()}})


def _multiply(left: Any, right: Any, budget: Budget) -> Any:
    items, value = items_of(left), scalar(left)
    if items is None and not isinstance(value, str):
        return _calculated(plain_operators.mul, left, right) if value is not None else None
    times = integer(right)
    if times < 0:
        raise ScriptFailed("a value cannot be repeated a negative number of times")
    repeated: Any = value if items is None else items
    budget.spend(size=(4 if items is None else 8) * len(repeated) * times)
    return repeated * times


def _quotient(top: int | float, bottom: int | float) -> int | float:
    if isinstance(top, int) and isinstance(bottom, int):
        if not bottom:
            raise ScriptFailed("division by zero")
        return top // bottom if top % bottom == 0 else top / bottom
    if not bottom:
        return math.nan if not top or math.isnan(top) else math.copysign(math.inf, top)
    return top / bottom


def _remainder(top: int | float, bottom: int | float) -> int | float:
    if isinstance(top, int) and isinstance(bottom, int):
        if not bottom:
            raise ScriptFailed("division by zero")
        return int(math.copysign(1, top)) * (abs(top) % abs(bottom))
    return math.fmod(top, bottom) if bottom and math.isfinite(top) else math.nan


def _calculated(
    operation: Callable[[Any, Any], Any], left: Any, right: Any, *, of_decimals: Callable[[Any, Any], Any] | None = None
) -> Any:
    """The result of an operation on numbers, as the narrowest type that holds it."""
    mine, other = number(left), number(right)
    if isinstance(mine, WrittenDecimal) or isinstance(other, WrittenDecimal):
        first, second = exact(mine), exact(other)
        if first is not None and second is not None:
            return _in_decimals(of_decimals or operation, first, second)
    try:
        found = operation(mine, other)
    except OverflowError:
        raise ScriptFailed("the number is too large") from None
    if type(found) is int:
        limit = _INT if -_INT <= mine < _INT and -_INT <= other < _INT else _LONG
        return found if -limit <= found < limit else float(found)
    return found


def _in_decimals(operation: Callable[[Any, Any], Any], left: Decimal, right: Decimal) -> Any:
    try:
        return WrittenDecimal(operation(left, right))
    except DecimalException:
        raise ScriptFailed("division by zero") from None


def negated(value: Any) -> Any:
    """`-x`."""
    return _calculated(plain_operators.sub, 0, value)


def joined(value: Any, between: str, budget: Budget) -> str:
    """The items of a list as one text."""
    parts = [text(item) for item in enumerated(value)]
    budget.spend(size=weight(parts) + 4 * len(between) * len(parts))
    return between.join(parts)


def _span(left: Any, right: Any, budget: Budget) -> list[Any]:
    """`1..3`: the numbers from one to another, upwards or downwards."""
    first, last = integer(left), integer(right)
    size = abs(last - first)
    if size > _INT:
        raise ExpressionTooLarge("it builds too much data")
    budget.spend(size + 1)
    budget.spend(size=32 * (size + 1))
    return list(range(first, last + 1)) if first <= last else list(range(first, last - 1, -1))


ARITHMETIC: Final[dict[str, Callable[[Any, Any, Budget], Any]]] = {
    "+": _add,
    "-": lambda left, right, _: _calculated(plain_operators.sub, left, right),
    "*": _multiply,
    "/": lambda left, right, _: _calculated(_quotient, left, right, of_decimals=plain_operators.truediv),
    "%": lambda left, right, _: _calculated(_remainder, left, right, of_decimals=plain_operators.mod),
    "join": lambda left, right, budget: joined(left, text(right), budget),
    "f": lambda left, right, budget: formatted(text(left), enumerated(right), budget),
    "..": _span,
}


# Comparisons


def equal(left: Any, right: Any, exactly: bool, budget: Budget) -> bool:
    """Whether the right side equals the left one, by the left one's type."""
    budget.spend(1)
    mine, other = scalar(left), scalar(right)
    if mine is None or other is None:
        return mine is other
    if isinstance(mine, str):
        return text(right) == mine if exactly else folded(text(right)) == folded(mine)
    if isinstance(mine, bool):
        return truth(right) == mine
    if isinstance(mine, (int, float)):
        return equality.number_of(other) == mine
    return mine is other


def _order(left: Any, right: Any, exactly: bool) -> int:
    """Negative, 0 or positive if the left side is less than, equal to or greater than the right one."""
    mine, other = scalar(left), scalar(right)
    if isinstance(mine, str) or (mine is None and isinstance(other, str)):
        one, two = text(mine), text(right)
        one, two = (one, two) if exactly else (folded(one), folded(two))
        return (one > two) - (one < two)
    if isinstance(mine, (dict, list)):
        raise ScriptFailed("a table or list cannot be compared with this operator")
    first, second = number(mine), number(right)
    return (first > second) - (first < second)


def _ordered(passes: Callable[[int, int], bool]) -> _Test:
    return lambda left, right, exactly, _: passes(_order(left, right, exactly), 0)


def _like(left: Any, right: Any, exactly: bool, budget: Budget) -> bool:
    value, wildcards = text(left), text(right)
    parts: list[str] = []
    for token in re.findall(r"`.|\[[^\]]*\]|.", wildcards, re.DOTALL):
        if token in ("*", "?"):
            parts.append(".*" if token == "*" else ".")
        elif token[0] == "[" and len(token) > 2:
            parts.append("[" + re.sub(r"([\\^\[])", r"\\\1", token[1:-1]) + "]")
        else:
            parts.append(re.escape(token[-1] if token[0] == "`" else token))
    return _searched(f"^(?s:{''.join(parts)})\\z", exactly, value, budget)


def _match(left: Any, right: Any, exactly: bool, budget: Budget) -> bool:
    return _searched(text(right), exactly, text(left), budget)


def _searched(pattern: str, exactly: bool, value: str, budget: Budget) -> bool:
    return _run(pattern, exactly, value, budget, lambda ready, limit: ready.search(value, timeout=limit) is not None)


def _run(pattern: str, exactly: bool, value: str, budget: Budget, use: Callable[[Any, float], Found]) -> Found:
    """Use a pattern on a string; all patterns of one evaluation together have so many seconds."""
    budget.spend(_SLOW * (1 + len(value) // 1000))
    started = perf_counter()
    try:
        return use(powershell_regex.compiled(f"(?-i:{pattern})" if exactly else pattern), max(budget.seconds, 0.001))
    except powershell_regex.BadPowerShellPattern as bad:
        problem = f"invalid pattern {pattern[:60]!r}: {bad}"
        raise (OutsideSubset if bad.foreign else ScriptFailed)(problem) from None
    except TimeoutError:
        raise ExpressionTooLarge(f"matching the pattern {pattern[:60]!r} takes too long") from None
    finally:
        budget.seconds -= perf_counter() - started


def _contains(left: Any, right: Any, exactly: bool, budget: Budget) -> bool:
    return any(equal(item, right, exactly, budget) for item in enumerated(left))


def _in(left: Any, right: Any, exactly: bool, budget: Budget) -> bool:
    return any(equal(left, item, exactly, budget) for item in enumerated(right))


def _replace(left: Any, right: Any, exactly: bool, budget: Budget) -> Any:
    given = enumerated(right)
    if len(given) > 2:
        raise ScriptFailed("-replace takes a pattern and a replacement")
    pattern, replacement = text(given[0]) if given else "", text(given[1]) if len(given) == 2 else ""

    def fill(match: Any) -> str:
        made = _REFERENCE.sub(lambda reference: _group_text(reference, match), replacement)
        budget.spend(size=4 * len(made))
        return made

    def replaced(value: str) -> str:
        budget.spend(size=4 * len(value))
        return _run(pattern, exactly, value, budget, lambda ready, limit: str(ready.sub(fill, value, timeout=limit)))

    items = items_of(left)
    return replaced(text(left)) if items is None else [replaced(text(item)) for item in items]


_REFERENCE = re.compile(r"\$(?:(?P<number>\d+)|\{(?P<name>\w+)\}|(?P<sign>[$&]))")


def _group_text(reference: re.Match[str], match: Any) -> str:
    if reference["sign"]:
        return "$" if reference["sign"] == "$" else str(match[0])
    name = reference["number"] or reference["name"]
    try:
        return match[int(name) if name.isdecimal() else name] or ""
    except IndexError:
        return reference[0]


def _split(left: Any, right: Any, exactly: bool, budget: Budget) -> list[Any]:
    """Strings split at the matches of a pattern; groups of the pattern are included."""
    given = enumerated(right)
    if len(given) > 2:
        raise OutsideSubset("the options of -split are not supported")
    most = integer(given[1]) if len(given) == 2 else 0
    if most < 0:
        raise OutsideSubset("-split from the end is not supported")

    def split(value: str) -> list[Any]:
        pattern = text(given[0]) if given else r"\s+"
        budget.spend(size=4 * len(value))

        def split_at(ready: Any, limit: float) -> list[Any]:
            return _split_at(ready.finditer(value, timeout=limit), value, most, budget)

        return _run(pattern, exactly, value, budget, split_at)

    return [part for item in enumerated(left) for part in split(text(item))]


def _split_at(matches: Iterable[Any], value: str, most: int, budget: Budget) -> list[Any]:
    parts: list[Any] = []
    at = 0
    for match in matches:
        if most and len(parts) + 1 >= most:
            break
        budget.spend(1)
        parts.append(value[at : match.start()])
        parts.extend(group for group in match.groups() if group is not None)
        at = match.end()
    parts.append(value[at:])
    return parts


_Test = Callable[[Any, Any, bool, "Budget"], bool]


def _not(test: _Test) -> _Test:
    return lambda left, right, exactly, budget: not test(left, right, exactly, budget)


def _of_each_item(test: _Test) -> Callable[[Any, Any, bool, Budget], Any]:
    """A test of a value, or the items of a list that pass it."""

    def tested(left: Any, right: Any, exactly: bool, budget: Budget) -> bool:
        budget.spend(1)
        return test(left, right, exactly, budget)

    def result(left: Any, right: Any, exactly: bool, budget: Budget) -> Any:
        items = items_of(left)
        if items is None:
            return tested(left, right, exactly, budget)
        return [item for item in items if tested(item, right, exactly, budget)]

    return result


_TESTS: Final[dict[str, _Test]] = {
    "eq": equal,
    "ne": _not(equal),
    "gt": _ordered(plain_operators.gt),
    "ge": _ordered(plain_operators.ge),
    "lt": _ordered(plain_operators.lt),
    "le": _ordered(plain_operators.le),
    "like": _like,
    "notlike": _not(_like),
    "match": _match,
    "notmatch": _not(_match),
}
COMPARISONS: Final[dict[str, Callable[[Any, Any, bool, Budget], Any]]] = {
    **{name: _of_each_item(test) for name, test in _TESTS.items()},
    "in": _in,
    "notin": _not(_in),
    "contains": _contains,
    "notcontains": _not(_contains),
    "replace": _replace,
    "split": _split,
}
COMPARISON_NAMES: Final = frozenset(prefix + name for name in COMPARISONS for prefix in ("", "c", "i"))
