"""The syntax tree of an expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, or a string without anything to expand."""

    value: Any


@dataclass(frozen=True, slots=True)
class Expandable:
    """A string in double quotes: literal text and expressions."""

    parts: tuple[str | Expression, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """`target.name`; the name may be an expression."""

    target: Expression
    name: Expression


@dataclass(frozen=True, slots=True)
class Subscript:
    """`target[index]`."""

    target: Expression
    at: Expression


@dataclass(frozen=True, slots=True)
class MethodCall:
    """`target.name(arguments)`."""

    target: Expression
    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """`{ ... }`: statements to be run for every item."""

    body: Statements


@dataclass(frozen=True, slots=True)
class Items:
    """`a, b`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Brackets:
    """The output of statements: `$( ... )`, `( ... )` around a pipeline, and `@( ... )`, which is always a list."""

    body: Statements
    as_list: bool = False


@dataclass(frozen=True, slots=True)
class TableLiteral:
    """`@{ ... }`."""

    pairs: tuple[tuple[Expression, Statement], ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class Unary:
    """`-not x`, `-x`, `-join x`, and casts: `[int]x` has the operator `[int]`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """`x -eq y`, `x + y`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Ternary:
    """`x ? y : z`."""

    condition: Expression
    then: Expression
    other: Expression


@dataclass(frozen=True, slots=True)
class Command:
    """A command with its positional arguments, and the named ones; a switch has no value."""

    name: str
    arguments: tuple[Expression, ...]
    named: tuple[tuple[str, Expression | None], ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The output of the first element, passed through the commands that follow."""

    first: Expression | Command
    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Assign:
    """`$name = ...`."""

    name: str
    value: Statement


@dataclass(frozen=True, slots=True)
class If:
    """`if ... elseif ... else ...`."""

    branches: tuple[tuple[Statement, Statements], ...]
    other: Statements


@dataclass(frozen=True, slots=True)
class Leave:
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
