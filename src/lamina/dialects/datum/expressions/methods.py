"""Methods of strings, lists and tables, as far as they only compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.dialects.datum.expressions.errors import OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.formats import number_text
from lamina.dialects.datum.expressions.values import enumerated, integer, items_of, scalar, text
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from lamina.budget import Budget

    _Result: TypeAlias = Callable[[str, list[Any], Budget], Any]

_BLANK: Final = " \t\n\r\v\f\u00a0\u0085"
_UNSUPPORTED: Final = frozenset(
    [
        *("add", "addrange", "clear", "clone", "compareto", "containsvalue", "copyto", "enumeraterunes", "equals"),
        *("exists", "find", "findall", "getenumerator", "gethashcode", "getlength", "gettype", "gettypecode"),
        *("getvalue", "indexofany", "insert", "isnormalized", "lastindexofany", "normalize", "remove"),
        *("replacelineendings", "resolve", "reverse", "setvalue", "sort", "toarray", "toboolean", "tochar"),
        *("tochararray", "todatetime", "toint32", "tolist", "tolowerinvariant", "toupperinvariant"),
    ]
)
"""Methods of .NET that are not supported here; any other name fails in PowerShell as well."""


def call(target: Any, name: str, arguments: list[Any], budget: Budget) -> Any:
    """The result of a method."""
    budget.spend(1)
    items = items_of(target)
    if items is not None:
        return _of_list(items, name, arguments, budget)
    value = scalar(target)
    if value is None:
        raise ScriptFailed(f"the method {name} was called on null")
    if isinstance(value, dict) and name in ("contains", "containskey") and len(arguments) == 1:
        return caseless(text(arguments[0])) in value
    if name == "tostring":
        return text(value) if isinstance(value, dict) else _as_text(value, arguments)
    if isinstance(value, str) and name in _TEXTS:
        return _of_text(value, name, arguments, budget)
    if name in _UNSUPPORTED or name.startswith("get"):
        raise OutsideSubset(f"the method {name} is not supported")
    raise ScriptFailed(f"unknown method {name}")


def _of_list(items: list[Any], name: str, arguments: list[Any], budget: Budget) -> Any:
    if name in ("contains", "indexof") and len(arguments) == 1:
        at = next((at for at, item in enumerate(items) if _identical(item, arguments[0])), -1)
        budget.spend(len(items))
        return at if name == "indexof" else at >= 0
    if name in _UNSUPPORTED:
        raise OutsideSubset(f"the method {name} is not supported")
    found = [part for item in items for part in enumerated(call(item, name, arguments, budget))]
    return found[0] if len(found) == 1 else found


def _identical(left: Any, right: Any) -> bool:
    """Equality as .NET has it: of one type, and with case."""
    mine, other = scalar(left), scalar(right)
    return type(mine) is type(other) and bool(mine == other)


def _as_text(value: Any, arguments: list[Any]) -> str:
    if not arguments:
        return text(value)
    if len(arguments) == 1 and not isinstance(value, (str, bool)):
        return number_text(value, text(arguments[0]))
    raise OutsideSubset("ToString with these arguments is not supported")


def _of_text(value: str, name: str, arguments: list[Any], budget: Budget) -> Any:
    method = _TEXTS[name]
    if not method.fewest <= len(arguments) <= method.most:
        raise OutsideSubset(f"the method {name} with {len(arguments)} arguments is not supported")
    budget.spend(size=4 * len(value))
    return method.result(value, arguments, budget)


def _substring(value: str, arguments: list[Any], _: Budget) -> str:
    start = integer(arguments[0])
    length = integer(arguments[1]) if len(arguments) == 2 else len(value) - start
    if start < 0 or length < 0 or start + length > len(value):
        raise ScriptFailed("Substring goes beyond the end of the string")
    return value[start : start + length]


def _replace(value: str, arguments: list[Any], budget: Budget) -> str:
    old, new = text(arguments[0]), text(arguments[1])
    if not old:
        raise ScriptFailed("Replace needs a string to search for")
    budget.spend(size=4 * value.count(old) * len(new))
    return value.replace(old, new)


def _split(value: str, arguments: list[Any], budget: Budget) -> list[Any]:
    """Cut at every one of the characters, or at a string of several; without any at blanks."""
    given = [text(item) for item in enumerated(arguments[0])] if arguments else []
    if any(not each for each in given):
        raise OutsideSubset("Split at an empty string is not supported")
    separators = given or list(_BLANK)
    parts, at, start = [], 0, 0
    while at < len(value):
        found = next((each for each in separators if value.startswith(each, at)), None)
        budget.spend(1)
        if found is None:
            at += 1
            continue
        parts.append(value[start:at])
        at += len(found)
        start = at
    parts.append(value[start:])
    return parts


def _trim(trimmed: Callable[[str, str], str]) -> _Result:
    def result(value: str, arguments: list[Any], _: Budget) -> str:
        return trimmed(value, "".join(text(item) for given in arguments for item in enumerated(given)) or _BLANK)

    return result


def _pad(padded: Callable[[str, int, str], str]) -> _Result:
    def result(value: str, arguments: list[Any], budget: Budget) -> str:
        width = integer(arguments[0])
        padding = text(arguments[1]) if len(arguments) == 2 else " "
        if width < 0 or len(padding) != 1:
            raise ScriptFailed("padding needs a width and at most one character")
        budget.spend(size=4 * width)
        return padded(value, width, padding)

    return result


def _on_text(result: Callable[[str, str], Any]) -> _Result:
    return lambda value, arguments, _: result(value, text(arguments[0]))


class _TextMethod(NamedTuple):
    """A method of strings: how many arguments it takes, and its result."""

    fewest: int
    most: int
    result: _Result


_TEXTS: Final = {
    "toupper": _TextMethod(0, 0, lambda value, *_: value.upper()),
    "tolower": _TextMethod(0, 0, lambda value, *_: value.lower()),
    "trim": _TextMethod(0, 8, _trim(str.strip)),
    "trimstart": _TextMethod(0, 8, _trim(str.lstrip)),
    "trimend": _TextMethod(0, 8, _trim(str.rstrip)),
    "substring": _TextMethod(1, 2, _substring),
    "replace": _TextMethod(2, 2, _replace),
    "split": _TextMethod(0, 1, _split),
    "startswith": _TextMethod(1, 1, _on_text(str.startswith)),
    "endswith": _TextMethod(1, 1, _on_text(str.endswith)),
    "contains": _TextMethod(1, 1, _on_text(str.__contains__)),
    "indexof": _TextMethod(1, 1, _on_text(str.find)),
    "lastindexof": _TextMethod(1, 1, _on_text(str.rfind)),
    "padleft": _TextMethod(1, 2, _pad(str.rjust)),
    "padright": _TextMethod(1, 2, _pad(str.ljust)),
}
