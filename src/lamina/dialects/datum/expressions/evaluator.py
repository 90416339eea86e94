"""The evaluator: the value of a syntax tree, with variables that the caller looks up."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum.expressions import commands, methods, operators
from lamina.dialects.datum.expressions.errors import OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.syntax import (
    Assign,
    Binary,
    Block,
    Brackets,
    Command,
    Expandable,
    If,
    Items,
    Leave,
    Literal,
    Member,
    MethodCall,
    Pipeline,
    Subscript,
    TableLiteral,
    Ternary,
    Unary,
    Variable,
    expression_of,
)
from lamina.dialects.datum.expressions.values import (
    NO_MEMBER,
    FileItem,
    FolderItem,
    Hashtable,
    collected,
    enumerated,
    integer,
    is_located,
    is_null,
    items_of,
    scalar,
    text,
    truth,
)
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.budget import Budget
    from lamina.dialects.datum.expressions.syntax import Expression, Statement, Statements

_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_AUTOMATIC: Final = frozenset(
    {
        *("args", "error", "executioncontext", "foreach", "home", "host", "input", "iscoreclr", "islinux", "ismacos"),
        *("iswindows", "lastexitcode", "matches", "myinvocation", "nestedpromptlevel", "pid", "profile", "switch"),
        *("psboundparameters", "pscmdlet", "pscommandpath", "psculture", "psscriptroot", "psuiculture", "psedition"),
        *("psversiontable", "pwd", "sender", "shellid", "stacktrace", "this", "configurationdata"),
    }
)
"""Variables PowerShell itself sets, whose values are not known here."""
_DEFECTS: Final = (RecursionError, ValueError, TypeError, ArithmeticError, LookupError, MemoryError)
_PLACEHOLDER: Final = "_"


class _Returned(Exception):
    """Raised by a return statement."""


class Evaluator:
    """One evaluation: its budget, and how variables are looked up."""

    def __init__(self, budget: Budget, lookup: Callable[[str], Any]) -> None:
        self.budget = budget
        self._lookup = lookup
        self._locals: dict[str, Any] = {}

    # Entry points; everything that goes wrong in them is an ExpressionError.

    def script(self, body: Statements) -> list[Any]:
        """The output of a script."""
        try:
            return self._outputs(body)
        except _DEFECTS as error:
            raise OutsideSubset(f"it cannot be evaluated here ({type(error).__name__})") from error

    def expanded(self, string: Expandable) -> str:
        """An expandable string with everything filled in."""
        try:
            return self._string(string)
        except _DEFECTS as error:
            raise OutsideSubset(f"it cannot be evaluated here ({type(error).__name__})") from error

    # Statements

    def _outputs(self, body: Statements) -> list[Any]:
        """The output of all statements of a body, up to a return."""
        found: list[Any] = []
        with suppress(_Returned):
            self._run(body, found)
        return found

    def _run(self, body: Statements, found: list[Any]) -> None:
        for statement in body:
            self._statement(statement, found)

    def _statement(self, statement: Statement, found: list[Any]) -> None:
        self.budget.spend(1)
        match statement:
            case Pipeline():
                more = self._pipeline(statement)
                self.budget.spend(size=8 * len(more))
                found.extend(more)
            case Assign(name, value):
                self._locals[name] = self._value_of(value)
            case If(branches, other):
                self._run(next((body for test, body in branches if truth(self._value_of(test))), other), found)
            case Leave("return", value):
                if value is not None:
                    self._statement(value, found)
                raise _Returned
            case Leave(_, value):
                message = "" if value is None else text(self._value_of(value))
                raise ScriptFailed(f"it throws {message[:80]!r}")

    def _value_of(self, statement: Statement) -> Any:
        """The value of a statement: that of an expression, else its output."""
        expression = expression_of(statement)
        return collected(self._outputs_inside((statement,))) if expression is None else self.value(expression)

    def _outputs_inside(self, body: Statements) -> list[Any]:
        """The output of statements in brackets; a return in them leaves what is around them."""
        found: list[Any] = []
        self._run(body, found)
        return found

    def _pipeline(self, pipeline: Pipeline) -> list[Any]:
        first = pipeline.first
        items = commands.started(first, self) if isinstance(first, Command) else enumerated(self.value(first))
        for command in pipeline.commands:
            items = commands.piped(command, items, self)
        return items

    def mapped(self, block: Block, items: list[Any]) -> list[Any]:
        """The output of a block for every item."""
        return [output for item in items for output in self._with_item(item, block)]

    def filtered(self, block: Block, items: list[Any]) -> list[Any]:
        """The items for which the output of a block is true."""
        return [item for item in items if truth(collected(self._with_item(item, block)))]

    def _with_item(self, item: Any, block: Block) -> list[Any]:
        outside = self._locals.get(_PLACEHOLDER)
        self._locals[_PLACEHOLDER] = item
        self.budget.enter()
        try:
            return self._outputs(block.body)
        finally:
            self.budget.leave()
            self._locals[_PLACEHOLDER] = outside

    # Expressions

    def value(self, expression: Expression) -> Any:  # noqa: PLR0912 - one case for each form
        """The value of an expression."""
        self.budget.spend(1)
        match expression:
            case Literal(value):
                return value
            case Variable(name):
                return self.variable(name)
            case Member(target, name):
                return self.member(self.value(target), text(self.value(name)))
            case Expandable():
                return self._string(expression)
            case Binary():
                return self._binary(expression)
            case Unary(operator, operand):
                return _UNARY[operator](self.value(operand), self.budget)
            case Subscript(target, at):
                return self._indexed(self.value(target), self.value(at))
            case MethodCall():
                return self._call(expression)
            case Items(items):
                return [self.value(item) for item in items]
            case Brackets(body, as_list):
                found = self._outputs_inside(body)
                return found if as_list else collected(found)
            case TableLiteral():
                return self._table(expression)
            case Ternary(condition, then, other):
                return self.value(then if truth(self.value(condition)) else other)
            case Block():
                return expression

    def variable(self, written: str) -> Any:
        """The value of a variable: a local one, a constant, or one that is looked up."""
        name = written.lower()
        if name in self._locals:
            return self._locals[name]
        if name in (_PLACEHOLDER, "psitem"):
            return self._locals.get(_PLACEHOLDER)
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name in _AUTOMATIC:
            raise OutsideSubset(f"unknown variable ${written}")
        return self._lookup(written)

    def member(self, target: Any, name: str) -> Any:
        """A member of a value: of a table by name, of a list that of every item; null if there is none."""
        self.budget.spend(1)
        if isinstance(target, (FileItem, FolderItem)):
            return target.member(name)
        if is_located(target):
            found = target.member(name)
            if found is not NO_MEMBER:
                return found
        elif isinstance(target, dict) and (key := caseless(name)) in target:
            return target[key]
        items = items_of(target)
        return _property(target, name) if items is None else self._member_of_items(items, name)

    def _member_of_items(self, items: list[Any], name: str) -> Any:
        if name.lower() in ("count", "length"):
            return len(items)
        found = [self.member(item, name) for item in items if _has_members(item)]
        return collected([inner for value in found if not is_null(value) for inner in enumerated(value)])

    def _indexed(self, target: Any, at: Any) -> Any:
        wanted = items_of(at)
        if wanted is not None:
            found = [self._indexed(target, each) for each in wanted]
            return [each for each in found if not is_null(each)]
        items = items_of(target)
        if items is None and is_located(target):
            member = target.member(text(at))
            if member is not NO_MEMBER:
                return member
        row = scalar(target) if items is None else items
        if isinstance(row, dict):
            return row.get(caseless(text(at)))
        if not isinstance(row, (str, list)):
            raise ScriptFailed("null cannot be indexed" if row is None else "this value cannot be indexed")
        number = integer(at)
        return row[number] if -len(row) <= number < len(row) else None

    def _call(self, call: MethodCall) -> Any:
        target = self.value(call.target)
        arguments = [self.value(item) for item in call.arguments]
        if call.name in ("where", "foreach"):
            if len(arguments) != 1 or not isinstance(arguments[0], Block):
                raise OutsideSubset(f".{call.name} with these arguments is not supported")
            items = [] if is_null(target) else enumerated(target)
            self.budget.spend(len(items))
            return (self.filtered if call.name == "where" else self.mapped)(arguments[0], items)
        if isinstance(target, (FileItem, FolderItem)):
            raise OutsideSubset("methods of files are not supported")
        if call.name in ("contains", "containskey") and len(arguments) == 1 and _is_located_table(target):
            return target.member(text(arguments[0])) is not NO_MEMBER
        return methods.call(target, call.name, arguments, self.budget)

    def _binary(self, expression: Binary) -> Any:
        first, right = self.value(expression.left), expression.right
        match expression.operator:
            case "and":
                return truth(first) and truth(self.value(right))
            case "or":
                return truth(first) or truth(self.value(right))
            case "??":
                return self.value(right) if is_null(first) else first
        return operators.binary(expression.operator, first, self.value(right), self.budget)

    def _table(self, table: TableLiteral) -> Any:
        made: dict[Any, Any] = {}
        for key, statement in table.pairs:
            name = caseless(text(self.value(key)))
            if name in made:
                raise ScriptFailed(f"a table contains the key {name} twice")
            made[name] = self._value_of(statement)
        self.budget.spend(size=64 * len(made))
        return made if table.ordered else Hashtable(made)

    def _string(self, string: Expandable) -> str:
        parts: list[str] = []
        self.budget.enter()
        for part in string.parts:
            made = part if isinstance(part, str) else text(self._filled_in(part))
            self.budget.spend(size=4 * len(made))
            parts.append(made)
        self.budget.leave()
        return "".join(parts)

    def _filled_in(self, part: Expression) -> Any:
        return collected(self._outputs_inside(part.body)) if isinstance(part, Brackets) else self.value(part)


def _integer(value: Any) -> int:
    number = integer(value)
    if not -(1 << 31) <= number < 1 << 31:
        raise ScriptFailed("the number is too large for an integer")
    return number


def _words(value: Any, _: Budget) -> list[Any]:
    return [word for item in enumerated(value) for word in text(item).split()]


_UNARY: Final[dict[str, Callable[[Any, Budget], Any]]] = {
    "not": lambda value, _: not truth(value),
    "-": lambda value, _: operators.negated(value),
    "+": lambda value, budget: operators.binary("+", 0, value, budget),
    "join": lambda value, budget: operators.joined(value, "", budget),
    **dict.fromkeys(("split", "isplit", "csplit"), _words),
    "[string]": lambda value, _: text(value),
    "[int]": lambda value, _: _integer(value),
    "[bool]": lambda value, _: truth(value),
    "[array]": lambda value, _: [] if is_null(value) else enumerated(value),
}


def _is_located_table(value: Any) -> bool:
    return is_located(value) and items_of(value) is None and isinstance(value.plain(), dict)


def _has_members(item: Any) -> bool:
    return is_located(item) or isinstance(item, (dict, list, str, FileItem, FolderItem))


_PROPERTIES: Final = frozenset({"count", "keys", "values", "length", "psobject", "pstypenames", "chars"})


def _property(target: Any, name: str) -> Any:
    """A property that is not a member of a table."""
    lowered = name.lower()
    if lowered not in _PROPERTIES:
        return None
    value = scalar(target)
    if isinstance(value, dict):
        match lowered:
            case "count":
                return len(value)
            case "keys":
                return [str(key) for key in value]
            case "values":
                return list(value.values())
        return None
    if lowered == "length" and isinstance(value, str):
        return len(value)
    if lowered in ("count", "length"):
        return 0 if value is None else 1
    if lowered in ("psobject", "pstypenames", "chars"):
        raise OutsideSubset(f"the property {name} is not supported")
    return None
