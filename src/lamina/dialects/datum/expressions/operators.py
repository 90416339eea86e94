"""PowerShell's operators: the type of the left side decides how the right side is converted."""

from __future__ import annotations

import math
import operator as plain_operators
import re
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
    from collections.abc import Callable, Iterable

    from lamina.dialects.datum.expressions.budget import EvaluationBudget

Found = TypeVar("Found")

_INT: Final = 1 << 31
_LONG: Final = 1 << 63
_COMPARED: Final = {
    "gt": plain_operators.gt,
    "ge": plain_operators.ge,
    "lt": plain_operators.lt,
    "le": plain_operators.le,
}
_SLOW: Final = 20
"""The operations that one search with a pattern counts for, per thousand characters."""


def binary(name: str, left: Any, right: Any, budget: EvaluationBudget) -> Any:
    """The result of a binary operator."""
    budget.spend()
    if name in _ARITHMETIC:
        return _ARITHMETIC[name](left, right, budget)
    base_name, exactly = (
        (name[1:], name[0] == "c") if name[1:] in _COMPARING and name not in _COMPARING else (name, False)
    )
    if base_name in _COMPARING:
        return _comparison(base_name, left, right, exactly, budget)
    match base_name:
        case "join":
            return joined(left, text(right), budget)
        case "f":
            return formatted(text(left), enumerated(right), budget)
        case "..":
            return span(left, right, budget)
    raise OutsideSubset(f"the operator -{name} is not supported")


# Arithmetic


def _add(left: Any, right: Any, budget: EvaluationBudget) -> Any:
    items = items_of(left)
    if items is not None:
        more = enumerated(right)
        budget.hold(8 * (len(items) + len(more)))
        return [*items, *more]
    value = scalar(left)
    if value is None:
        return right
    if isinstance(value, str):
        added = text(right)
        budget.hold(weight((value, added)))
        return value + added
    if isinstance(value, dict):
        return _joined_tables(value, scalar(right), budget)
    return _calculated(plain_operators.add, left, right)


def _joined_tables(left: dict[Any, Any], right: Any, budget: EvaluationBudget) -> Any:
    if not isinstance(right, dict):
        raise ScriptFailed("only a table can be added to a table")
    if any(caseless(str(key)) in left for key in right):
        raise ScriptFailed("tables that share a key cannot be added")
    budget.hold(64 * (len(left) + len(right)))
    return Hashtable({**left, **{caseless(str(key)): value for key, value in right.items()}})


def _subtract(left: Any, right: Any, budget: EvaluationBudget) -> Any:  # noqa: ARG001 - all have the same shape
    return _calculated(plain_operators.sub, left, right)


def _multiply(left: Any, right: Any, budget: EvaluationBudget) -> Any:
    items, value = items_of(left), scalar(left)
    if items is None and not isinstance(value, str):
        return _calculated(plain_operators.mul, left, right) if value is not None else None
    times = integer(right)
    if times < 0:
        raise ScriptFailed("a value cannot be repeated a negative number of times")
    if items is not None:
        budget.hold(8 * len(items) * times)
        return items * times
    budget.hold(4 * len(value) * times)
    return value * times


def _divide(left: Any, right: Any, budget: EvaluationBudget) -> Any:  # noqa: ARG001 - likewise
    top, bottom = number(left), number(right)
    decimals = _decimals(top, bottom)
    if decimals is not None:
        return _in_decimals(plain_operators.truediv, *decimals)
    if isinstance(top, int) and isinstance(bottom, int):
        if not bottom:
            raise ScriptFailed("division by zero")
        return top // bottom if top % bottom == 0 else top / bottom
    if not bottom:
        return math.nan if not top or math.isnan(top) else math.copysign(math.inf, top)
    return top / bottom


def _remainder(left: Any, right: Any, budget: EvaluationBudget) -> Any:  # noqa: ARG001 - likewise
    top, bottom = number(left), number(right)
    decimals = _decimals(top, bottom)
    if decimals is not None:
        return _in_decimals(plain_operators.mod, *decimals)
    if isinstance(top, int) and isinstance(bottom, int):
        if not bottom:
            raise ScriptFailed("division by zero")
        return int(math.copysign(1, top)) * (abs(top) % abs(bottom))
    return math.fmod(top, bottom) if bottom and math.isfinite(top) else math.nan


def _calculated(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    mine, other = number(left), number(right)
    decimals = _decimals(mine, other)
    if decimals is not None:
        return _in_decimals(operation, *decimals)
    try:
        found = operation(mine, other)
    except OverflowError:
        raise ScriptFailed("the number is too large") from None
    if type(found) is int:
        limit = _INT if -_INT <= mine < _INT and -_INT <= other < _INT else _LONG
        return found if -limit <= found < limit else float(found)
    return found


def _decimals(left: int | float, right: int | float) -> tuple[Decimal, Decimal] | None:
    if not isinstance(left, WrittenDecimal) and not isinstance(right, WrittenDecimal):
        return None
    mine, other = exact(left), exact(right)
    return None if mine is None or other is None else (mine, other)


def _in_decimals(operation: Callable[[Any, Any], Any], left: Decimal, right: Decimal) -> Any:
    try:
        return WrittenDecimal(operation(left, right))
    except DecimalException:
        raise ScriptFailed("division by zero") from None


_ARITHMETIC: Final[dict[str, Callable[[Any, Any, EvaluationBudget], Any]]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _remainder,
}


# Comparisons


def _comparison(name: str, left: Any, right: Any, exactly: bool, budget: EvaluationBudget) -> Any:
    if name in ("replace", "split"):
        return _CHANGES[name](left, right, exactly, budget)
    if name in ("in", "notin"):
        found = any(equal(left, item, exactly, budget) for item in enumerated(right))
        return found == (name == "in")
    if name in ("contains", "notcontains"):
        found = any(equal(item, right, exactly, budget) for item in enumerated(left))
        return found == (name == "contains")
    items = items_of(left)
    if items is not None:
        return [item for item in items if _test(name, item, right, exactly, budget)]
    return _test(name, left, right, exactly, budget)


def _test(name: str, left: Any, right: Any, exactly: bool, budget: EvaluationBudget) -> bool:
    budget.spend()
    match name:
        case "eq" | "ne":
            return equal(left, right, exactly, budget) == (name == "eq")
        case "like" | "notlike":
            return _like(text(left), text(right), exactly, budget) == (name == "like")
        case "match" | "notmatch":
            found = _searched(text(right), exactly, text(left), budget)
            return found == (name == "match")
    return bool(_COMPARED[name](order(left, right, exactly), 0))


def equal(left: Any, right: Any, exactly: bool, budget: EvaluationBudget) -> bool:
    """Whether the right side equals the left one, by the left one's type."""
    budget.spend()
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


def order(left: Any, right: Any, exactly: bool = False) -> int:
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


def _like(value: str, pattern: str, exactly: bool, budget: EvaluationBudget) -> bool:
    parts: list[str] = []
    for token in re.findall(r"`.|\[[^\]]*\]|.", pattern, re.DOTALL):
        if token in ("*", "?"):
            parts.append(".*" if token == "*" else ".")
        elif token[0] == "[" and len(token) > 2:
            parts.append("[" + re.sub(r"([\\^\[])", r"\\\1", token[1:-1]) + "]")
        else:
            parts.append(re.escape(token[-1] if token[0] == "`" else token))
    return _searched(f"^(?s:{''.join(parts)})\\z", exactly, value, budget)


def _searched(pattern: str, exactly: bool, value: str, budget: EvaluationBudget) -> bool:
    return _run(pattern, exactly, value, budget, lambda ready, limit: ready.search(value, timeout=limit) is not None)


def _run(
    pattern: str, exactly: bool, value: str, budget: EvaluationBudget, use: Callable[[Any, float], Found]
) -> Found:
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


def _replace(left: Any, right: Any, exactly: bool, budget: EvaluationBudget) -> Any:
    given = enumerated(right)
    if len(given) > 2:
        raise ScriptFailed("-replace takes a pattern and a replacement")
    pattern, replacement = text(given[0]) if given else "", text(given[1]) if len(given) == 2 else ""
    items = items_of(left)
    if items is not None:
        return [_replaced(text(item), pattern, replacement, exactly, budget) for item in items]
    return _replaced(text(left), pattern, replacement, exactly, budget)


def _replaced(value: str, pattern: str, replacement: str, exactly: bool, budget: EvaluationBudget) -> str:

    def fill(match: Any) -> str:
        made = _REFERENCE.sub(lambda reference: _group_text(reference, match), replacement)
        budget.hold(4 * len(made))
        return made

    budget.hold(4 * len(value))
    return _run(pattern, exactly, value, budget, lambda ready, limit: str(ready.sub(fill, value, timeout=limit)))


_REFERENCE = re.compile(r"\$(?:(?P<number>\d+)|\{(?P<name>\w+)\}|(?P<sign>[$&]))")


def _group_text(reference: re.Match[str], match: Any) -> str:
    if reference["sign"]:
        return "$" if reference["sign"] == "$" else str(match[0])
    name = reference["number"] or reference["name"]
    try:
        return match[int(name) if name.isdecimal() else name] or ""
    except IndexError:
        return reference[0]


def _split(left: Any, right: Any, exactly: bool, budget: EvaluationBudget) -> list[Any]:
    given = enumerated(right)
    if len(given) > 2:
        raise OutsideSubset("the options of -split are not supported")
    most = integer(given[1]) if len(given) == 2 else 0
    if most < 0:
        raise OutsideSubset("-split from the end is not supported")
    parts: list[Any] = []
    for item in enumerated(left):
        parts.extend(split(text(item), text(given[0]) if given else r"\s+", most, exactly, budget))
    return parts


def split(value: str, pattern: str, most: int, exactly: bool, budget: EvaluationBudget) -> list[Any]:
    """A string split at the matches of a pattern; groups of the pattern are included."""
    budget.hold(4 * len(value))

    def split_at(ready: Any, limit: float) -> list[Any]:
        return _split_matches(ready.finditer(value, timeout=limit), value, most, budget)

    return _run(pattern, exactly, value, budget, split_at)


def _split_matches(matches: Iterable[Any], value: str, most: int, budget: EvaluationBudget) -> list[Any]:
    parts: list[Any] = []
    at = 0
    for match in matches:
        if most and len(parts) + 1 >= most:
            break
        budget.spend()
        parts.append(value[at : match.start()])
        parts.extend(group for group in match.groups() if group is not None)
        at = match.end()
    parts.append(value[at:])
    return parts


_CHANGES: Final = {"replace": _replace, "split": _split}
_COMPARING: Final = frozenset(
    [
        "eq",
        "ne",
        "gt",
        "ge",
        "lt",
        "le",
        "like",
        "notlike",
        "match",
        "notmatch",
        "in",
        "notin",
        "contains",
        "notcontains",
        "replace",
        "split",
    ]
)


# Lists


def joined(value: Any, between: str, budget: EvaluationBudget) -> str:
    """The items of a list as one text."""
    parts = [text(item) for item in enumerated(value)]
    budget.hold(weight(parts) + 4 * len(between) * len(parts))
    return between.join(parts)


def span(left: Any, right: Any, budget: EvaluationBudget) -> list[Any]:
    """`1..3`: the numbers from one to another, upwards or downwards."""
    first, last = integer(left), integer(right)
    if abs(last - first) > _INT:
        raise ExpressionTooLarge("it builds too much data")
    budget.spend(abs(last - first) + 1)
    budget.hold(32 * (abs(last - first) + 1))
    return list(range(first, last + 1)) if first <= last else list(range(first, last - 1, -1))


def negated(value: Any) -> Any:
    """`-x`."""
    return _calculated(plain_operators.sub, 0, value)
