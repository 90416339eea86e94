"""Expressions of a script, from their text to syntax trees: operators, casts, members, literals and strings.

Statements are read by the parser that extends this one.
"""

from __future__ import annotations

import re
from typing import Final

from lamina.dialects.datum.expressions.budget import DEPTH
from lamina.dialects.datum.expressions.errors import ExpressionTooLarge, OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.scanner import (
    BLANKS,
    BREAKS,
    DOUBLE,
    ESCAPE,
    HERE_STRING,
    NUMBER,
    SINGLE,
    VARIABLE,
    escaped,
    number,
    unquoted,
)
from lamina.dialects.datum.expressions.syntax import (
    Array,
    Binary,
    Block,
    Command,
    Expandable,
    Expression,
    Items,
    Literal,
    Member,
    MethodCall,
    Pipeline,
    Statement,
    Statements,
    Sub,
    Subscript,
    TableLiteral,
    Ternary,
    TypeCast,
    Unary,
    Variable,
)

LONGEST: Final = 64 * 1024
"""How long a script may be."""
_OPERATOR = re.compile(r"-(?P<name>[A-Za-z]+)(?![\w-])")
_SYMBOL = re.compile(r"\?\?(?!=)|\.\.|[+\-*/%]")
_LOGICAL: Final = ("and", "or")
_COMPARISONS: Final = frozenset(
    prefix + name
    for name in (
        *("eq", "ne", "gt", "ge", "lt", "le", "like", "notlike", "match", "notmatch", "in", "notin"),
        *("contains", "notcontains", "replace", "split"),
    )
    for prefix in ("", "c", "i")
) | {"join"}
_LEVELS: Final[tuple[frozenset[str], ...]] = (
    frozenset(_LOGICAL),
    _COMPARISONS,
    frozenset({"??"}),
    frozenset({"+", "-"}),
    frozenset({"*", "/", "%"}),
    frozenset({"f"}),
    frozenset({".."}),
)
"""The binary operators, the loosest first."""
_UNSUPPORTED: Final = frozenset(["xor", "band", "bor", "bxor", "bnot", "shl", "shr", "is", "isnot", "as"])
_UNARY: Final = re.compile(
    r"(?:-(?P<word>not|join|split|csplit|isplit)(?![\w-])|(?P<sign>!|-(?!-)|\+(?!\+)))", re.IGNORECASE
)
_TYPE = re.compile(r"\[[ \t]*(?P<name>[\w.]+)(?P<more>[^\]\s]*)[ \t]*\](?P<static>::)?")
_CASTS: Final = {
    "string": "string",
    "system.string": "string",
    "int": "int",
    "int32": "int",
    "system.int32": "int",
    "bool": "bool",
    "boolean": "bool",
    "system.boolean": "bool",
    "array": "array",
    "system.array": "array",
}
_MEMBER_NAME = re.compile(r"[A-Za-z_\u00c0-\uffff]\w*")
_DIGITS = re.compile(r"\d+")
_KEY = re.compile(r"[A-Za-z_][\w-]*")
_SINGLE_QUOTED = re.compile(f"[{SINGLE}]((?:[^{SINGLE}]|[{SINGLE}]{{2}})*)[{SINGLE}]")


class ExpressionParser:
    """Traverses a string once; `at` is the current position. Brackets and blocks may contain statements."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise ExpressionTooLarge("the script is too long")
        self.text = text
        self.at = 0
        self._depth = 0

    @property
    def at_end(self) -> bool:
        return self.at >= len(self.text)

    def shown(self) -> str:
        """What comes next, for a message."""
        line = self.text[self.at : self.at + 30].splitlines()
        return repr(line[0]) if line and line[0] else "the end"

    def skip(self, pattern: re.Pattern[str] = BLANKS) -> None:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def peek_any(self, characters: str) -> bool:
        return self.text[self.at : self.at + 1] in tuple(characters)

    def take(self, text: str) -> bool:
        if not self.peek(text):
            return False
        self.at += len(text)
        return True

    def close(self, bracket: str) -> None:
        self.skip(BREAKS)
        if not self.take(bracket):
            if self.at_end:
                raise ScriptFailed(f"{bracket} is missing")
            raise ScriptFailed(f"expected {bracket}, found {self.shown()}")

    def deeper(self) -> None:
        self._depth += 1
        if self._depth > DEPTH:
            raise ExpressionTooLarge("it is nested too deeply")

    def statements(self, end: str) -> Statements:
        """All statements up to a closing bracket, which is left, or to the end of the text."""
        raise NotImplementedError

    def statement(self) -> Statement:
        raise NotImplementedError

    def block(self) -> Block:
        raise NotImplementedError

    def unexpected(self) -> Exception:
        if self.peek_any(")}]"):
            return ScriptFailed(f"unexpected {self.shown()}")
        return OutsideSubset(f"{self.shown()} is not supported")

    # Expressions

    def expression(self) -> Expression:
        self.deeper()
        found = self.binary(0)
        self.skip()
        if self.peek("?") and not self.peek("??") and not self.peek("?."):
            self.at += 1
            self.skip(BREAKS)
            then = self.expression()
            self.skip(BREAKS)
            if not self.take(":"):
                raise ScriptFailed("? has no :")
            self.skip(BREAKS)
            found = Ternary(found, then, self.expression())
        self._depth -= 1
        return found

    def binary(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self.items()
        left = self.binary(level + 1)
        while operator := self.operator(_LEVELS[level]):
            self.skip(BREAKS)
            left = Binary(operator, left, self.binary(level + 1))
        return left

    def operator(self, known: frozenset[str]) -> str | None:
        """The operator that comes next, if it is one of these."""
        start = self.at
        self.skip()
        word = _OPERATOR.match(self.text, self.at)
        if word is not None:
            name = word["name"].lower()
            if name in _UNSUPPORTED:
                raise OutsideSubset(f"the operator -{name} is not supported")
            if name in known:
                self.at = word.end()
                return name
        else:
            symbol = _SYMBOL.match(self.text, self.at)
            if symbol is not None and symbol[0] in known:
                self.at = symbol.end()
                return symbol[0]
        self.at = start
        return None

    def items(self) -> Expression:
        """`a, b`, or a single operand."""
        self.skip()
        if self.take(","):
            self.skip(BREAKS)
            return Items((self.unary(),))
        found = [self.unary()]
        while True:
            start = self.at
            self.skip()
            if not self.take(","):
                self.at = start
                break
            self.skip(BREAKS)
            found.append(self.unary())
        return found[0] if len(found) == 1 else Items(tuple(found))

    def unary(self) -> Expression:
        self.skip()
        self.deeper()
        try:
            match = _UNARY.match(self.text, self.at)
            if match is not None:
                self.at = match.end()
                self.skip(BREAKS)
                operator = (match["word"] or match["sign"]).lower()
                return Unary("not" if operator == "!" else operator, self.unary())
            if self.peek("--") or self.peek("++"):
                raise OutsideSubset("-- and ++ are not supported")
            if self.peek("["):
                return self.cast()
            return self.postfixed()
        finally:
            self._depth -= 1

    def cast(self) -> Expression:
        match = _TYPE.match(self.text, self.at)
        if match is None:
            raise OutsideSubset(f"{self.shown()} is not supported")
        name = match["name"].lower()
        if match["static"] or match["more"]:
            raise OutsideSubset(f"the type {match[0]} is not supported")
        self.at = match.end()
        self.skip(BREAKS)
        if name == "ordered" and self.peek("@{"):
            return self.continued(self.table(ordered=True))
        if name not in _CASTS:
            raise OutsideSubset(f"the type [{match['name']}] is not supported")
        return TypeCast(_CASTS[name], self.unary())

    def postfixed(self) -> Expression:
        return self.continued(self.primary())

    def continued(self, found: Expression) -> Expression:
        """The suffixes of a value: members, indexes and calls."""
        while True:
            if self.peek("::"):
                raise OutsideSubset("static members of types are not supported")
            if self.peek("?.") or self.peek("?["):
                raise OutsideSubset("?. and ?[ are not supported")
            if self.peek("["):
                self.at += 1
                self.skip(BREAKS)
                index = self.expression()
                self.close("]")
                found = Subscript(found, index)
            elif self.peek(".") and not self.peek(".."):
                self.at += 1
                found = self.member(found)
            else:
                return found

    def member(self, target: Expression) -> Expression:
        self.skip(BREAKS)
        if name := _MEMBER_NAME.match(self.text, self.at):
            self.at = name.end()
            if self.peek("("):
                return MethodCall(target, name[0].lower(), self.arguments())
            if self.peek("{"):
                return MethodCall(target, name[0].lower(), (self.block(),))
            return Member(target, Literal(name[0]))
        if self.peek_any(SINGLE + DOUBLE) or self.peek("$") or self.peek("("):
            return Member(target, self.primary())
        if digits := _DIGITS.match(self.text, self.at):
            self.at = digits.end()
            return Member(target, Literal(digits[0]))
        raise ScriptFailed("a member name is missing after .")

    def arguments(self) -> tuple[Expression, ...]:
        """The arguments of a call; commas separate them."""
        self.at += 1
        found: list[Expression] = []
        self.skip(BREAKS)
        while not self.peek(")"):
            found.append(self.argument_expression())
            self.skip(BREAKS)
            if self.take(","):
                self.skip(BREAKS)
                continue
            break
        self.close(")")
        return tuple(found)

    def argument_expression(self) -> Expression:
        """An expression in which a comma ends the argument."""
        self.deeper()
        found = self.binary_without_commas(0)
        self._depth -= 1
        return found

    def binary_without_commas(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary_without_commas(level + 1)
        while operator := self.operator(_LEVELS[level]):
            self.skip(BREAKS)
            left = Binary(operator, left, self.binary_without_commas(level + 1))
        return left

    def primary(self) -> Expression:
        if self.peek("$("):
            self.at += 1
            return Sub(self.in_brackets())
        if self.peek("$"):
            return self.variable()
        if self.peek("@("):
            self.at += 1
            return Array(self.in_brackets())
        if self.peek("@{"):
            return self.table(ordered=False)
        if self.peek("("):
            return self.parenthesised()
        if self.peek("{"):
            return self.block()
        if HERE_STRING.match(self.text, self.at):
            return self.here_string()
        if self.peek_any(SINGLE):
            return self.single_quoted()
        if self.peek_any(DOUBLE):
            self.at += 1
            return self.expandable(DOUBLE)
        if digits := NUMBER.match(self.text, self.at):
            self.at = digits.end()
            return Literal(number(digits))
        if self.at_end or self.peek_any(")}]"):
            raise ScriptFailed(f"a value is missing before {self.shown()}")
        raise OutsideSubset(f"{self.shown()} is not supported")

    def in_brackets(self) -> Statements:
        self.at += 1
        body = self.statements(")")
        self.close(")")
        return body

    def parenthesised(self) -> Expression:
        self.at += 1
        self.skip(BREAKS)
        if self.peek(")"):
            raise ScriptFailed("( ) is empty")
        self.deeper()
        body = self.statement()
        self._depth -= 1
        self.close(")")
        if isinstance(body, Pipeline) and not body.commands and not isinstance(body.first, Command):
            return body.first
        return Sub((body,))

    def variable(self) -> Expression:
        match = VARIABLE.match(self.text, self.at)
        if match is None:
            raise ScriptFailed(f"{self.shown()} is not a variable")
        self.at = match.end()
        return _variable(match)

    def table(self, *, ordered: bool) -> TableLiteral:
        self.at += 2
        self.deeper()
        pairs: list[tuple[Expression, Statement]] = []
        while True:
            self.skip(BREAKS)
            if self.take(";"):
                continue
            if self.take("}"):
                self._depth -= 1
                return TableLiteral(tuple(pairs), ordered)
            key = self.key()
            self.skip()
            if not self.take("="):
                raise ScriptFailed(f"= is missing between a key and {self.shown()}")
            self.skip(BREAKS)
            pairs.append((key, self.statement()))
            self.skip()
            if not (self.peek_any("\r\n;}") or self.at_end):
                raise self.unexpected()

    def key(self) -> Expression:
        word = _KEY.match(self.text, self.at)
        if word is None:
            return self.postfixed()
        self.at = word.end()
        return Literal(word[0])

    # Strings

    def single_quoted(self) -> Literal:
        match = _SINGLE_QUOTED.match(self.text, self.at)
        if match is None:
            raise ScriptFailed("a string has no closing quote")
        self.at = match.end()
        return Literal(unquoted(match[1]))

    def here_string(self) -> Expression:
        match = HERE_STRING.match(self.text, self.at)
        assert match is not None
        same = SINGLE if match["quote"] in SINGLE else DOUBLE
        end = re.compile(rf"\r?\n[{same}]@").search(self.text, match.end() - 1)
        if end is None:
            raise ScriptFailed("a here-string is not closed")
        body = self.text[match.end() : max(match.end(), end.start())]
        self.at = end.end()
        return Literal(body) if same is SINGLE else type(self)(body).expandable(None)

    def expandable(self, quotes: str | None) -> Expandable:
        return Expandable(_joined([filled for _, filled in self.expandable_parts(quotes)]))

    def expandable_parts(self, quotes: str | None) -> list[tuple[str, str | Expression]]:
        """The parts of a string from here to its closing quote: each as written (escapes resolved) and as parsed."""
        parts: list[tuple[str, str | Expression]] = []
        while True:
            if self.at_end:
                if quotes is None:
                    return parts
                raise ScriptFailed("a string has no closing quote")
            found = self.text[self.at]
            if quotes is not None and found in quotes:
                self.at += 1
                if not self.peek_any(quotes):
                    return parts
                self.at += 1
                parts.append((found, found))
            elif found == "`":
                escape = ESCAPE.match(self.text, self.at)
                self.at = escape.end() if escape else len(self.text)
                made = escaped(escape) if escape else ""
                parts.append((made, made))
            elif found == "$":
                parts.append(self.filled_in())
            else:
                text = _PLAIN.match(self.text, self.at)
                assert text is not None
                self.at = text.end()
                parts.append((text[0], text[0]))

    def filled_in(self) -> tuple[str, str | Expression]:
        """`$name` or `$( )` in a string; a dollar sign before anything else is one."""
        start = self.at
        found: str | Expression
        if self.peek("$("):
            self.at += 1
            found = Sub(self.in_brackets())
        elif match := VARIABLE.match(self.text, self.at):
            self.at = match.end()
            found = _variable(match, in_string=True)
        elif self.peek("${"):
            raise ScriptFailed("a variable has no closing brace")
        else:
            self.at += 1
            found = "$"
        return self.text[start : self.at], found


_PLAIN = re.compile(f"[^`$][^`${DOUBLE}]*", re.DOTALL)


def _joined(parts: list[str | Expression]) -> tuple[str | Expression, ...]:
    """The parts with adjacent strings joined."""
    found: list[str | Expression] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        else:
            found.append(part)
    return tuple(found)


def _variable(match: re.Match[str], *, in_string: bool = False) -> Variable:
    name = match["braced"] if match["braced"] is not None else match["name"]
    if not name:
        raise ScriptFailed("a variable has no name")
    if match["braced"] is None and name == "?":
        raise OutsideSubset("the variable $? is not supported")
    scope, colon, rest = name.partition(":")
    if colon:
        if not rest:
            if in_string:
                raise ScriptFailed(f"${name} is not a valid variable in a string; write ${{{scope}}}")
            raise ScriptFailed(f"${name} is not a variable")
        if scope.lower() not in ("global", "script", "local", "private", "variable"):
            raise OutsideSubset(f"the variable ${name} is not supported")
        name = rest
    return Variable(name)
