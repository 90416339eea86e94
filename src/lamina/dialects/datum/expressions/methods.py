"""Methods of strings, lists and tables, as far as they only compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum.expressions.errors import OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.formats import number_text
from lamina.dialects.datum.expressions.values import (
    enumerated,
    integer,
    items_of,
    scalar,
    text,
)
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.dialects.datum.expressions.budget import EvaluationBudget

_BLANK: Final = " \t\n\r\v\f\u00a0\u0085"
_UNSUPPORTED: Final = frozenset(
    [
        "insert",
        "remove",
        "compareto",
        "equals",
        "gettype",
        "gethashcode",
        "tochararray",
        "normalize",
        "copyto",
        "indexofany",
        "lastindexofany",
        "clone",
        "getenumerator",
        "toarray",
        "add",
        "addrange",
        "clear",
        "reverse",
        "sort",
        "getlength",
        "getvalue",
        "setvalue",
        "findall",
        "find",
        "exists",
        "tolist",
        "tolowerinvariant",
        "toupperinvariant",
        "isnormalized",
        "enumeraterunes",
        "gettypecode",
        "replacelineendings",
        "containsvalue",
        "tochar",
        "todatetime",
        "toint32",
        "toboolean",
        "resolve",
        "exists",
    ]
)
"""Methods of .NET that are not supported here; any other name fails in PowerShell as well."""


def call(target: Any, name: str, arguments: list[Any], budget: EvaluationBudget) -> Any:
    """The result of a method."""
    budget.spend()
    items = items_of(target)
    if items is not None:
        return _of_list(items, name, arguments, budget)
    value = scalar(target)
    if value is None:
        raise ScriptFailed(f"the method {name} was called on null")
    if isinstance(value, dict):
        return _of_table(value, name, arguments)
    if name == "tostring":
        return _as_text(value, arguments)
    if isinstance(value, str):
        return _of_text(value, name, arguments, budget)
    raise _no_method(name)


def _no_method(name: str) -> Exception:
    if name in _UNSUPPORTED or name.startswith("get"):
        return OutsideSubset(f"the method {name} is not supported")
    return ScriptFailed(f"unknown method {name}")


def _of_list(items: list[Any], name: str, arguments: list[Any], budget: EvaluationBudget) -> Any:
    if name in ("contains", "indexof") and len(arguments) == 1:
        at = next((at for at, item in enumerate(items) if _identical(item, arguments[0])), -1)
        budget.spend(len(items))
        return at if name == "indexof" else at >= 0
    if name in _UNSUPPORTED:
        raise OutsideSubset(f"the method {name} is not supported")
    found: list[Any] = []
    for item in items:
        found.extend(enumerated(call(item, name, arguments, budget)))
    return found[0] if len(found) == 1 else found


def _identical(left: Any, right: Any) -> bool:
    """Equality as .NET has it: of one type, and with case."""
    mine, other = scalar(left), scalar(right)
    return type(mine) is type(other) and bool(mine == other)


def _of_table(value: dict[Any, Any], name: str, arguments: list[Any]) -> Any:
    if name in ("contains", "containskey") and len(arguments) == 1:
        return caseless(text(arguments[0])) in value
    if name == "tostring":
        return text(value)
    raise _no_method(name)


def _as_text(value: Any, arguments: list[Any]) -> str:
    if not arguments:
        return text(value)
    if len(arguments) == 1 and not isinstance(value, (str, bool)):
        return number_text(value, text(arguments[0]))
    raise OutsideSubset("ToString with these arguments is not supported")


def _of_text(value: str, name: str, arguments: list[Any], budget: EvaluationBudget) -> Any:
    if name not in _TEXTS:
        raise _no_method(name)
    method, fewest, most = _TEXTS[name]
    if not fewest <= len(arguments) <= most:
        raise OutsideSubset(f"the method {name} with {len(arguments)} arguments is not supported")
    budget.hold(4 * len(value))
    return method(value, arguments, budget)


def _substring(value: str, arguments: list[Any], budget: EvaluationBudget) -> str:  # noqa: ARG001 - all have the same shape
    start = integer(arguments[0])
    length = integer(arguments[1]) if len(arguments) == 2 else len(value) - start
    if start < 0 or length < 0 or start + length > len(value):
        raise ScriptFailed("Substring goes beyond the end of the string")
    return value[start : start + length]


def _replace(value: str, arguments: list[Any], budget: EvaluationBudget) -> str:
    old, new = text(arguments[0]), text(arguments[1])
    if not old:
        raise ScriptFailed("Replace needs a string to search for")
    budget.hold(4 * value.count(old) * len(new))
    return value.replace(old, new)


def _split(value: str, arguments: list[Any], budget: EvaluationBudget) -> list[Any]:
    """Cut at every one of the characters, or at a string of several; without any at blanks."""
    given = [text(item) for item in enumerated(arguments[0])] if arguments else []
    if any(not each for each in given):
        raise OutsideSubset("Split at an empty string is not supported")
    separators = given or list(_BLANK)
    parts, at, start = [], 0, 0
    while at < len(value):
        found = next((each for each in separators if value.startswith(each, at)), None)
        budget.spend()
        if found is None:
            at += 1
            continue
        parts.append(value[start:at])
        at += len(found)
        start = at
    parts.append(value[start:])
    return parts


def _trim(side: str) -> Callable[[str, list[Any], EvaluationBudget], str]:
    def trimmed(value: str, arguments: list[Any], budget: EvaluationBudget) -> str:  # noqa: ARG001 - likewise
        characters = "".join(text(item) for given in arguments for item in enumerated(given)) or _BLANK
        if side == "start":
            return value.lstrip(characters)
        return value.rstrip(characters) if side == "end" else value.strip(characters)

    return trimmed


def _pad(side: str) -> Callable[[str, list[Any], EvaluationBudget], str]:
    def padded(value: str, arguments: list[Any], budget: EvaluationBudget) -> str:
        width = integer(arguments[0])
        padding = text(arguments[1]) if len(arguments) == 2 else " "
        if width < 0 or len(padding) != 1:
            raise ScriptFailed("padding needs a width and at most one character")
        budget.hold(4 * width)
        return value.rjust(width, padding) if side == "left" else value.ljust(width, padding)

    return padded


def _found(value: str, arguments: list[Any], budget: EvaluationBudget) -> int:  # noqa: ARG001 - likewise
    return value.find(text(arguments[0]))


def _found_last(value: str, arguments: list[Any], budget: EvaluationBudget) -> int:  # noqa: ARG001 - likewise
    return value.rfind(text(arguments[0]))


_TEXTS: Final[dict[str, tuple[Callable[[str, list[Any], EvaluationBudget], Any], int, int]]] = {
    "toupper": (lambda value, arguments, budget: value.upper(), 0, 0),  # noqa: ARG005 - likewise
    "tolower": (lambda value, arguments, budget: value.lower(), 0, 0),  # noqa: ARG005 - likewise
    "trim": (_trim("both"), 0, 8),
    "trimstart": (_trim("start"), 0, 8),
    "trimend": (_trim("end"), 0, 8),
    "substring": (_substring, 1, 2),
    "replace": (_replace, 2, 2),
    "split": (_split, 0, 1),
    "startswith": (lambda value, arguments, budget: value.startswith(text(arguments[0])), 1, 1),  # noqa: ARG005
    "endswith": (lambda value, arguments, budget: value.endswith(text(arguments[0])), 1, 1),  # noqa: ARG005
    "contains": (lambda value, arguments, budget: text(arguments[0]) in value, 1, 1),  # noqa: ARG005 - likewise
    "indexof": (_found, 1, 1),
    "lastindexof": (_found_last, 1, 1),
    "padleft": (_pad("left"), 1, 2),
    "padright": (_pad("right"), 1, 2),
}
