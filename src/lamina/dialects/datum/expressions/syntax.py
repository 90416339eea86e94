"""The syntax tree of an expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """A number, or a string without anything to expand."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Expandable:
    """A string in double quotes: literal text and expressions."""

    parts: tuple[str | Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """`$name`."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """`target.name`; the name may be an expression."""

    target: Expression
    name: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Subscript:
    """`target[index]`."""

    target: Expression
    index: Expression


@dataclass(frozen=True, slots=True, eq=False)
class MethodCall:
    """`target.name(arguments)`."""

    target: Expression
    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """`{ ... }`: statements to be run for every item."""

    body: Statements


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """`a, b`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """`@( ... )`."""

    body: Statements


@dataclass(frozen=True, slots=True, eq=False)
class Sub:
    """`$( ... )`, and `( ... )` around a pipeline."""

    body: Statements


@dataclass(frozen=True, slots=True, eq=False)
class TableLiteral:
    """`@{ ... }`."""

    pairs: tuple[tuple[Expression, Statement], ...]
    ordered: bool


@dataclass(frozen=True, slots=True, eq=False)
class Unary:
    """`-not x`, `-x`, `-join x`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Binary:
    """`x -eq y`, `x + y`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Ternary:
    """`x ? y : z`."""

    condition: Expression
    then: Expression
    other: Expression


@dataclass(frozen=True, slots=True, eq=False)
class TypeCast:
    """`[int]x`."""

    kind: str
    operand: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Command:
    """A command with its positional arguments, and the named ones; a switch has no value."""

    name: str
    arguments: tuple[Expression, ...]
    named: tuple[tuple[str, Expression | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Pipeline:
    """The output of the first element, passed through the commands that follow."""

    first: Expression | Command
    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    """`$name = ...`."""

    name: str
    value: Statement


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """`if ... elseif ... else ...`."""

    branches: tuple[tuple[Statement, Statements], ...]
    other: Statements


@dataclass(frozen=True, slots=True, eq=False)
class Return:
    """`return`, with or without a value."""

    value: Statement | None


@dataclass(frozen=True, slots=True, eq=False)
class Throw:
    """`throw`."""

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
    | Array
    | Sub
    | TableLiteral
    | Unary
    | Binary
    | Ternary
    | TypeCast
)
Statement: TypeAlias = Pipeline | Assign | If | Return | Throw
Statements: TypeAlias = tuple[Statement, ...]
