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

_NAMES: Final = {
    "where": "where-object",
    "?": "where-object",
    "foreach": "foreach-object",
    "%": "foreach-object",
    "select": "select-object",
    "sort": "sort-object",
}
_TESTS: Final = frozenset(
    prefix + name
    for name in ("eq", "ne", "gt", "ge", "lt", "le", "like", "notlike", "match", "notmatch", "in", "notin", "contains")
    for prefix in ("", "c", "i")
) | {"notcontains"}


class Arguments:
    """The arguments of a command, taken one by one; those that are left at the end are unknown."""

    def __init__(self, command: Command, evaluator: Evaluator, switches: Sequence[str] = ()) -> None:
        self.command = command.name
        self.positional = [evaluator.value(item) for item in command.arguments]
        self.named: dict[str, Any] = {}
        for name, value in command.named:
            if name in switches:
                self.named[name] = True
                if value is not None:  # a switch takes no value: this is the next argument
                    self.positional.append(evaluator.value(value))
            else:
                self.named[name] = None if value is None else evaluator.value(value)

    def take(self, name: str, *, positional: bool = True, default: Any = None) -> Any:
        """The value of a parameter, given by name or by position."""
        if name in self.named:
            return self.named.pop(name)
        return self.positional.pop(0) if positional and self.positional else default

    def done(self) -> None:
        """Reject arguments that were not used."""
        if self.named or self.positional:
            left = next(iter(self.named), None)
            what = f"-{left}" if left else "that many arguments"
            raise OutsideSubset(f"{self.command} with {what} is not supported")


def started(command: Command, evaluator: Evaluator) -> list[Any]:
    """The output of a command at the start of a pipeline."""
    known = _FIRST.get(command.name)
    if command.name == "get-relativefilename":
        raise ScriptFailed("the command Get-RelativeFileName was removed; use Get-DatumSourceFile")
    if known is None:
        raise OutsideSubset(f"the command {command.name} is not supported")
    return known(command, evaluator)


def piped(command: Command, items: list[Any], evaluator: Evaluator) -> list[Any]:
    """The output of a command with items as its input."""
    known = _FILTERS.get(_NAMES.get(command.name, command.name))
    if known is None:
        raise OutsideSubset(f"the command {command.name} is not supported after |")
    evaluator.budget.spend(len(items))
    return known(command, items, evaluator)


def _where(command: Command, items: list[Any], evaluator: Evaluator) -> list[Any]:
    if len(command.arguments) == 1 and isinstance(command.arguments[0], Block) and not command.named:
        return evaluator.filtered(command.arguments[0], items)
    tests = [name for name, _ in command.named if name != "property"]
    if len(tests) > 1 or (tests and tests[0] not in _TESTS):
        raise OutsideSubset(f"Where-Object with -{tests[-1]} is not supported")
    arguments = Arguments(command, evaluator)
    name = text(arguments.take("property"))
    wanted = arguments.take(tests[0], positional=False) if tests else None
    arguments.done()

    def fits(item: Any) -> bool:
        value = evaluator.member(item, name)
        return truth(operators.binary(tests[0], value, wanted, evaluator.budget) if tests else value)

    return [item for item in items if fits(item)]


def _foreach(command: Command, items: list[Any], evaluator: Evaluator) -> list[Any]:
    if len(command.arguments) == 1 and isinstance(command.arguments[0], Block) and not command.named:
        return evaluator.mapped(command.arguments[0], items)
    arguments = Arguments(command, evaluator)
    name = arguments.take("membername")
    arguments.done()
    if not isinstance(name, str):
        raise OutsideSubset("ForEach-Object with these arguments is not supported")
    return [evaluator.member(item, name) for item in items]


def _select(command: Command, items: list[Any], evaluator: Evaluator) -> list[Any]:
    arguments = Arguments(command, evaluator)
    first = arguments.take("first", positional=False)
    arguments.done()
    if first is None:
        raise OutsideSubset("Select-Object without -First is not supported")
    return items[: max(integer(first), 0)]


def _sort(command: Command, items: list[Any], evaluator: Evaluator) -> list[Any]:
    arguments = Arguments(command, evaluator, switches=("descending", "unique"))
    descending = bool(arguments.take("descending", positional=False, default=False))
    unique = bool(arguments.take("unique", positional=False, default=False))
    name = arguments.take("property")
    arguments.done()
    if name is not None and not isinstance(name, str):
        raise OutsideSubset("Sort-Object by more than one property is not supported")
    keys = [(item if name is None else evaluator.member(item, name), item) for item in items]
    evaluator.budget.spend(len(items) * max(len(items), 1).bit_length())

    def compare(one: tuple[Any, Any], two: tuple[Any, Any]) -> int:
        return _order(one[0], two[0])

    ordered = sorted(keys, key=cmp_to_key(compare), reverse=descending)
    found: list[tuple[Any, Any]] = []
    for key, item in ordered:
        if not (unique and found and _order(found[-1][0], key) == 0):
            found.append((key, item))
    return [item for _, item in found]


def _order(left: Any, right: Any) -> int:
    """The order of two items: numbers by value, anything else by its string."""
    mine, other = scalar(left), scalar(right)
    if isinstance(mine, (int, float)) and isinstance(other, (int, float)):
        return (mine > other) - (mine < other)
    one, two = folded(text(left)), folded(text(right))
    return (one > two) - (one < two)


def _source_file(command: Command, evaluator: Evaluator) -> list[Any]:
    arguments = Arguments(command, evaluator)
    path = arguments.take("path", default=evaluator.variable("file"))
    arguments.done()
    if isinstance(path, FileItem):
        return [path.source_name()]
    if path is None or not text(path):
        return [""]
    raise OutsideSubset("Get-DatumSourceFile is supported only for $File")


def _split_path(command: Command, evaluator: Evaluator) -> list[Any]:
    arguments = Arguments(command, evaluator, switches=("leaf", "parent"))
    leaf = arguments.take("leaf", positional=False, default=False)
    arguments.take("parent", positional=False, default=False)
    path = text(arguments.take("path"))
    arguments.done()
    if not path:
        raise ScriptFailed("Split-Path needs a path")
    trimmed = path.replace("/", "\\").rstrip("\\")
    parent, separator, name = trimmed.rpartition("\\")
    if leaf:
        return [name if separator else trimmed]
    return [parent + "\\" if parent.endswith(":") else parent]


def _join_path(command: Command, evaluator: Evaluator) -> list[Any]:
    arguments = Arguments(command, evaluator)
    parent, child = text(arguments.take("path")), text(arguments.take("childpath"))
    arguments.done()
    parent, child = parent.replace("/", "\\"), child.replace("/", "\\")
    evaluator.budget.hold(4 * (len(parent) + len(child)))
    return [f"{parent.rstrip(chr(92))}\\{child.lstrip(chr(92))}"]


_FIRST: Final[dict[str, Callable[[Command, Evaluator], list[Any]]]] = {
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
