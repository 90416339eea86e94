"""The syntax tree of an expression."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias


class Literal(NamedTuple):
    """A number, or a string without anything to expand."""

    value: Any


class Expandable(NamedTuple):
    """A string in double quotes: literal text and expressions."""

    parts: tuple[str | Expression, ...]


class Variable(NamedTuple):
    """`$name`."""

    name: str


class Member(NamedTuple):
    """`target.name`; the name may be an expression."""

    target: Expression
    name: Expression


class Subscript(NamedTuple):
    """`target[index]`."""

    target: Expression
    at: Expression


class MethodCall(NamedTuple):
    """`target.name(arguments)`."""

    target: Expression
    name: str
    arguments: tuple[Expression, ...]


class Block(NamedTuple):
    """`{ ... }`: statements to be run for every item."""

    body: Statements


class Items(NamedTuple):
    """`a, b`."""

    items: tuple[Expression, ...]


class Brackets(NamedTuple):
    """The output of statements: `$( ... )`, `( ... )` around a pipeline, and `@( ... )`, which is always a list."""

    body: Statements
    as_list: bool = False


class TableLiteral(NamedTuple):
    """`@{ ... }`."""

    pairs: tuple[tuple[Expression, Statement], ...]
    ordered: bool


class Unary(NamedTuple):
    """`-not x`, `-x`, `-join x`, and casts: `[int]x` has the operator `[int]`."""

    operator: str
    operand: Expression


class Binary(NamedTuple):
    """`x -eq y`, `x + y`."""

    operator: str
    left: Expression
    right: Expression


class Ternary(NamedTuple):
    """`x ? y : z`."""

    condition: Expression
    then: Expression
    other: Expression


class Command(NamedTuple):
    """A command with its positional arguments, and the named ones; a switch has no value."""

    name: str
    arguments: tuple[Expression, ...]
    named: tuple[tuple[str, Expression | None], ...]


class Pipeline(NamedTuple):
    """The output of the first element, passed through the commands that follow."""

    first: Expression | Command
    commands: tuple[Command, ...]


class Assign(NamedTuple):
    """`$name = ...`."""

    name: str
    value: Statement


class If(NamedTuple):
    """`if ... elseif ... else ...`."""

    branches: tuple[tuple[Statement, Statements], ...]
    other: Statements


class Leave(NamedTuple):
    """`return` or `throw`, with or without a value."""

    keyword: str
    value: Statement | None


Expression: TypeAlias = (
    Literal
    | Expandable
    | Variable
    | Member
    | Subscript
    | MethodCall
    | Block
    | Items
    | Brackets
    | TableLiteral
    | Unary
    | Binary
    | Ternary
)
Statement: TypeAlias = Pipeline | Assign | If | Leave
Statements: TypeAlias = tuple[Statement, ...]


def expression_of(statement: Statement) -> Expression | None:
    """The expression that is all of a statement."""
    if not isinstance(statement, Pipeline) or statement.commands or isinstance(statement.first, Command):
        return None
    return statement.first
