"""The evaluator: the value of a syntax tree, with variables that the caller looks up."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum.expressions import commands, methods, operators
from lamina.dialects.datum.expressions.errors import ExpressionError, OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.syntax import (
    Array,
    Assign,
    Binary,
    Block,
    Command,
    Expandable,
    If,
    Items,
    Literal,
    Member,
    MethodCall,
    Pipeline,
    Return,
    Sub,
    Subscript,
    TableLiteral,
    Ternary,
    Throw,
    TypeCast,
    Unary,
    Variable,
)
from lamina.dialects.datum.expressions.values import (
    NO_MEMBER,
    FileItem,
    FolderItem,
    Hashtable,
    collected,
    enumerated,
    integer,
    is_held,
    items_of,
    scalar,
    text,
    truth,
)
from lamina.sources.caseless_keys import caseless

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.dialects.datum.expressions.budget import EvaluationBudget
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


class _Returned(Exception):
    """Raised by a return statement."""


class Evaluator:
    """One evaluation: its budget, and how variables are looked up."""

    def __init__(self, budget: EvaluationBudget, lookup: Callable[[str], Any]) -> None:
        self.budget = budget
        self._lookup = lookup
        self._locals: dict[str, Any] = {}

    # Entry points; everything that goes wrong in them is an ExpressionError.

    def script(self, body: Statements) -> list[Any]:
        """The output of a script."""
        try:
            return self._outputs(body)
        except ExpressionError:
            raise
        except (RecursionError, ValueError, TypeError, ArithmeticError, LookupError, MemoryError) as error:
            raise OutsideSubset(f"it cannot be evaluated here ({type(error).__name__})") from error

    def expanded(self, string: Expandable) -> str:
        """An expandable string with everything filled in."""
        try:
            return self._string(string)
        except ExpressionError:
            raise
        except (RecursionError, ValueError, TypeError, ArithmeticError, LookupError, MemoryError) as error:
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
        self.budget.spend()
        match statement:
            case Pipeline():
                more = self._pipeline(statement)
                self.budget.hold(8 * len(more))
                found.extend(more)
            case Assign():
                self._locals[statement.name] = self._value_of(statement.value)
            case If():
                self._run(self._branch(statement), found)
            case Return():
                if statement.value is not None:
                    self._statement(statement.value, found)
                raise _Returned
            case Throw():
                message = "" if statement.value is None else text(self._value_of(statement.value))
                raise ScriptFailed(f"it throws {message[:80]!r}")

    def _branch(self, statement: If) -> Statements:
        for test, body in statement.branches:
            if truth(self._value_of(test)):
                return body
        return statement.other

    def _value_of(self, statement: Statement) -> Any:
        """The value of a statement: that of an expression, else its output."""
        if isinstance(statement, Pipeline) and not statement.commands and not isinstance(statement.first, Command):
            return self.value(statement.first)
        found: list[Any] = []
        self._statement(statement, found)
        return collected(found)

    def _pipeline(self, pipeline: Pipeline) -> list[Any]:
        first = pipeline.first
        items = commands.started(first, self) if isinstance(first, Command) else enumerated(self.value(first))
        for command in pipeline.commands:
            items = commands.piped(command, items, self)
        return items

    def mapped(self, block: Block, items: list[Any]) -> list[Any]:
        """The output of a block for every item."""
        found: list[Any] = []
        for item in items:
            found.extend(self._with_item(item, block))
        return found

    def filtered(self, block: Block, items: list[Any]) -> list[Any]:
        """The items for which the output of a block is true."""
        return [item for item in items if truth(collected(self._with_item(item, block)))]

    def _with_item(self, item: Any, block: Block) -> list[Any]:
        before = self._locals.get("_", NO_MEMBER)
        self._locals["_"] = item
        self.budget.enter()
        try:
            return self._outputs(block.body)
        finally:
            self.budget.leave()
            if before is NO_MEMBER:
                del self._locals["_"]
            else:
                self._locals["_"] = before

    # Expressions

    def value(self, expression: Expression) -> Any:  # noqa: PLR0912 - one line for each form
        """The value of an expression."""
        self.budget.spend()
        match expression:
            case Literal():
                return expression.value
            case Variable():
                return self.variable(expression.name)
            case Member():
                return self.member(self.value(expression.target), text(self.value(expression.name)))
            case Expandable():
                return self._string(expression)
            case Binary():
                return self._binary(expression)
            case Unary():
                return self._unary(expression.operator, self.value(expression.operand))
            case Subscript():
                return self._indexed(self.value(expression.target), self.value(expression.index))
            case MethodCall():
                return self._call(expression)
            case Items():
                return [self.value(item) for item in expression.items]
            case Array():
                return self._outputs_inside(expression.body)
            case Sub():
                return collected(self._outputs_inside(expression.body))
            case TableLiteral():
                return self._table(expression)
            case Ternary():
                return self.value(expression.then if truth(self.value(expression.condition)) else expression.other)
            case TypeCast():
                return self._cast(expression.kind, self.value(expression.operand))
            case Block():
                return expression

    def _outputs_inside(self, body: Statements) -> list[Any]:
        found: list[Any] = []
        self._run(body, found)
        return found

    def variable(self, written: str) -> Any:
        """The value of a variable: a local one, a constant, or one that is looked up."""
        name = written.lower()
        if name in self._locals:
            return self._locals[name]
        if name in ("_", "psitem"):
            return self._locals.get("_")
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name in _AUTOMATIC:
            raise OutsideSubset(f"unknown variable ${written}")
        return self._lookup(written)

    def member(self, target: Any, name: str) -> Any:
        """A member of a value: of a table by name, of a list that of every item; null if there is none."""
        self.budget.spend()
        if isinstance(target, (FileItem, FolderItem)):
            return target.member(name)
        if is_held(target):
            found = target.member(name)
            if found is not NO_MEMBER:
                return found
        elif isinstance(target, dict) and (key := caseless(name)) in target:
            return target[key]
        items = items_of(target)
        if items is not None:
            return self._member_of_items(items, name)
        return _property(target, name)

    def _member_of_items(self, items: list[Any], name: str) -> Any:
        if name.lower() in ("count", "length"):
            return len(items)
        found: list[Any] = []
        for item in items:
            value = self.member(item, name) if _has_members(item) else None
            if scalar_null(value):
                continue
            found.extend(enumerated(value))
        return collected(found)

    def _indexed(self, target: Any, index: Any) -> Any:
        wanted = items_of(index)
        if wanted is not None:
            found = [self._indexed(target, each) for each in wanted]
            return [each for each in found if not scalar_null(each)]
        if is_held(target) and items_of(target) is None:
            value = target.member(text(index))
            if value is not NO_MEMBER:
                return value
        items, value = items_of(target), scalar(target) if items_of(target) is None else target
        if items is None and isinstance(value, dict):
            return value.get(caseless(text(index)))
        if items is None and not isinstance(value, str):
            raise ScriptFailed("null cannot be indexed" if value is None else "this value cannot be indexed")
        row: Any = value if items is None else items
        at = integer(index)
        return row[at] if -len(row) <= at < len(row) else None

    def _call(self, call: MethodCall) -> Any:
        target = self.value(call.target)
        arguments = [self.value(item) for item in call.arguments]
        if call.name in ("where", "foreach"):
            if len(arguments) != 1 or not isinstance(arguments[0], Block):
                raise OutsideSubset(f".{call.name} with these arguments is not supported")
            items = [] if scalar_null(target) else enumerated(target)
            self.budget.spend(len(items))
            return (self.filtered if call.name == "where" else self.mapped)(arguments[0], items)
        if isinstance(target, (FileItem, FolderItem)):
            raise OutsideSubset("methods of files are not supported")
        if call.name in ("contains", "containskey") and len(arguments) == 1 and _is_table(target):
            return target.member(text(arguments[0])) is not NO_MEMBER
        return methods.call(target, call.name, arguments, self.budget)

    def _binary(self, expression: Binary) -> Any:
        match expression.operator:
            case "and":
                return truth(self.value(expression.left)) and truth(self.value(expression.right))
            case "or":
                return truth(self.value(expression.left)) or truth(self.value(expression.right))
            case "??":
                left = self.value(expression.left)
                return self.value(expression.right) if scalar_null(left) else left
        return operators.binary(
            expression.operator, self.value(expression.left), self.value(expression.right), self.budget
        )

    def _unary(self, operator: str, value: Any) -> Any:
        match operator:
            case "not":
                return not truth(value)
            case "join":
                return operators.joined(value, "", self.budget)
            case "split" | "isplit" | "csplit":
                parts = [text(item).split() for item in enumerated(value)]
                return [part for each in parts for part in each]
            case "+":
                return operators.binary("+", 0, value, self.budget)
        return operators.negated(value)

    def _table(self, table: TableLiteral) -> Any:
        made: dict[Any, Any] = {}
        for key, statement in table.pairs:
            name = caseless(text(self.value(key)))
            if name in made:
                raise ScriptFailed(f"a table contains the key {name} twice")
            made[name] = self._value_of(statement)
        self.budget.hold(64 * len(made))
        return made if table.ordered else Hashtable(made)

    def _cast(self, kind: str, value: Any) -> Any:
        match kind:
            case "string":
                return text(value)
            case "bool":
                return truth(value)
            case "array":
                return [] if scalar_null(value) else enumerated(value)
        number = integer(value)
        if not -(1 << 31) <= number < 1 << 31:
            raise ScriptFailed("the number is too large for an integer")
        return number

    def _string(self, string: Expandable) -> str:
        parts: list[str] = []
        self.budget.enter()
        for part in string.parts:
            if isinstance(part, str):
                made = part
            elif isinstance(part, Sub):
                made = text(collected(self._outputs_inside(part.body)))
            else:
                made = text(self.value(part))
            self.budget.hold(4 * len(made))
            parts.append(made)
        self.budget.leave()
        return "".join(parts)


def scalar_null(value: Any) -> bool:
    """Whether a value is null, wherever it is."""
    if is_held(value):
        return items_of(value) is None and value.plain() is None
    return value is None


def _is_table(value: Any) -> bool:
    return is_held(value) and items_of(value) is None and isinstance(value.plain(), dict)


def _has_members(item: Any) -> bool:
    return is_held(item) or isinstance(item, (dict, list, str, FileItem, FolderItem))


def _property(target: Any, name: str) -> Any:
    """A property that is not a member of a table."""
    value = scalar(target)
    lowered = name.lower()
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
