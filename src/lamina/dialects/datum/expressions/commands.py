"""The supported commands: those that only compute (pipeline filters, path functions)."""

from __future__ import annotations

from functools import cmp_to_key
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum.expressions import operators
from lamina.dialects.datum.expressions.errors import OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.syntax import Block
from lamina.dialects.datum.expressions.values import FileItem, integer, scalar, text, truth
from lamina.sources.caseless_keys import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.dialects.datum.expressions.evaluator import Evaluator
    from lamina.dialects.datum.expressions.syntax import Command

_ALIASES: Final = {
    "where": "where-object",
    "?": "where-object",
    "foreach": "foreach-object",
    "%": "foreach-object",
    "select": "select-object",
    "sort": "sort-object",
}
_TESTS: Final = operators.COMPARISON_NAMES - {
    prefix + name for name in ("replace", "split") for prefix in ("", "c", "i")
}


class Arguments:
    """The arguments of a command, taken one by one; those that are left at the end are unknown."""

    def __init__(self, command: Command, evaluator: Evaluator, switches: Sequence[str] = ()) -> None:
        self._command = command.name
        self._positional = [evaluator.value(item) for item in command.arguments]
        self._named: dict[str, Any] = {}
        for name, value in command.named:
            self._named[name] = True if name in switches else None if value is None else evaluator.value(value)
            if name in switches and value is not None:  # a switch takes no value: this is the next argument
                self._positional.append(evaluator.value(value))

    def named(self, name: str) -> Any:
        """The value of a parameter that is given by name only; null if it is not."""
        return self._named.pop(name, None)

    def take(self, name: str, default: Any = None) -> Any:
        """The value of a parameter, given by name or by position."""
        if name in self._named:
            return self._named.pop(name)
        return self._positional.pop(0) if self._positional else default

    def done(self) -> None:
        """Reject arguments that were not used."""
        if self._named or self._positional:
            left = next(iter(self._named), None)
            what = f"-{left}" if left else "that many arguments"
            raise OutsideSubset(f"{self._command} with {what} is not supported")


def started(command: Command, evaluator: Evaluator) -> list[Any]:
    """The output of a command at the start of a pipeline."""
    if command.name == "get-relativefilename":
        raise ScriptFailed("the command Get-RelativeFileName was removed; use Get-DatumSourceFile")
    if command.name not in _FIRST:
        raise OutsideSubset(f"the command {command.name} is not supported")
    return [_FIRST[command.name](command, evaluator)]


def piped(command: Command, items: list[Any], evaluator: Evaluator) -> list[Any]:
    """The output of a command with items as its input."""
    name = _ALIASES.get(command.name, command.name)
    if name not in _FILTERS:
        raise OutsideSubset(f"the command {command.name} is not supported after |")
    evaluator.budget.spend(len(items))
    return _FILTERS[name](command, items, evaluator)


# Filters


def _only_block(command: Command) -> Block | None:
    """The block that is the only argument of a command."""
    only = command.arguments[0] if len(command.arguments) == 1 and not command.named else None
    return only if isinstance(only, Block) else None


def _where(command: Command, items: list[Any], evaluator: Evaluator) -> list[Any]:
    if block := _only_block(command):
        return evaluator.filtered(block, items)
    tests = [name for name, _ in command.named if name != "property"]
    if len(tests) > 1 or (tests and tests[0] not in _TESTS):
        raise OutsideSubset(f"Where-Object with -{tests[-1]} is not supported")
    arguments = Arguments(command, evaluator)
    name = text(arguments.take("property"))
    wanted = arguments.named(tests[0]) if tests else None
    arguments.done()

    def fits(item: Any) -> bool:
        value = evaluator.member(item, name)
        return truth(operators.binary(tests[0], value, wanted, evaluator.budget) if tests else value)

    return [item for item in items if fits(item)]


def _foreach(command: Command, items: list[Any], evaluator: Evaluator) -> list[Any]:
    if block := _only_block(command):
        return evaluator.mapped(block, items)
    arguments = Arguments(command, evaluator)
    name = arguments.take("membername")
    arguments.done()
    if not isinstance(name, str):
        raise OutsideSubset("ForEach-Object with these arguments is not supported")
    return [evaluator.member(item, name) for item in items]


def _select(command: Command, items: list[Any], evaluator: Evaluator) -> list[Any]:
    arguments = Arguments(command, evaluator)
    first = arguments.named("first")
    arguments.done()
    if first is None:
        raise OutsideSubset("Select-Object without -First is not supported")
    return items[: max(integer(first), 0)]


def _sort(command: Command, items: list[Any], evaluator: Evaluator) -> list[Any]:
    arguments = Arguments(command, evaluator, switches=("descending", "unique"))
    descending, unique = bool(arguments.named("descending")), bool(arguments.named("unique"))
    name = arguments.take("property")
    arguments.done()
    if name is not None and not isinstance(name, str):
        raise OutsideSubset("Sort-Object by more than one property is not supported")
    keyed = [(item if name is None else evaluator.member(item, name), item) for item in items]
    evaluator.budget.spend(len(items) * max(len(items), 1).bit_length())
    keyed.sort(key=cmp_to_key(_order_of_keys), reverse=descending)
    return [item for at, (key, item) in enumerate(keyed) if not (unique and at and _order(keyed[at - 1][0], key) == 0)]


def _order_of_keys(left: tuple[Any, Any], right: tuple[Any, Any]) -> int:
    return _order(left[0], right[0])


def _order(left: Any, right: Any) -> int:
    """The order of two items: numbers by value, anything else by its string."""
    mine, other = scalar(left), scalar(right)
    if isinstance(mine, (int, float)) and isinstance(other, (int, float)):
        return (mine > other) - (mine < other)
    one, two = folded(text(left)), folded(text(right))
    return (one > two) - (one < two)


# Paths


def _source_file(command: Command, evaluator: Evaluator) -> str:
    arguments = Arguments(command, evaluator)
    path = arguments.take("path", default=evaluator.variable("file"))
    arguments.done()
    if isinstance(path, FileItem):
        return path.source_name()
    if path is None or not text(path):
        return ""
    raise OutsideSubset("Get-DatumSourceFile is supported only for $File")


def _split_path(command: Command, evaluator: Evaluator) -> str:
    arguments = Arguments(command, evaluator, switches=("leaf", "parent"))
    leaf, _ = arguments.named("leaf"), arguments.named("parent")
    path = text(arguments.take("path"))
    arguments.done()
    if not path:
        raise ScriptFailed("Split-Path needs a path")
    parent, _, name = _windows(path).rstrip("\\").rpartition("\\")
    if leaf:
        return name
    return parent + "\\" if parent.endswith(":") else parent


def _join_path(command: Command, evaluator: Evaluator) -> str:
    arguments = Arguments(command, evaluator)
    parent, child = text(arguments.take("path")), text(arguments.take("childpath"))
    arguments.done()
    evaluator.budget.spend(size=4 * (len(parent) + len(child)))
    parent, child = _windows(parent).rstrip("\\"), _windows(child).lstrip("\\")
    return f"{parent}\\{child}"


def _windows(path: str) -> str:
    return path.replace("/", "\\")


_FIRST: Final[dict[str, Callable[[Command, Evaluator], str]]] = {
    "get-datumsourcefile": _source_file,
    "split-path": _split_path,
    "join-path": _join_path,
}
_FILTERS: Final[dict[str, Callable[[Command, list[Any], Evaluator], list[Any]]]] = {
    "where-object": _where,
    "foreach-object": _foreach,
    "select-object": _select,
    "sort-object": _sort,
}
