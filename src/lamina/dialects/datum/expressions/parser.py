"""The parser of scripts and expandable strings.

Where two readings are possible, PowerShell's own rules decide: a word at the start of a pipeline is a command, and
its arguments are read in another way than expressions are. Brackets and quotes that do not close are a failure in
PowerShell, too; anything else that is not known here is outside the subset.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from lamina.dialects.datum.expressions.errors import OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.expression_parser import ExpressionParser
from lamina.dialects.datum.expressions.scanner import (
    BREAKS,
    DOUBLE,
    NAME,
    NUMBER,
    SINGLE,
    number,
)
from lamina.dialects.datum.expressions.syntax import (
    Assign,
    Block,
    Command,
    Expandable,
    Expression,
    If,
    Items,
    Literal,
    Pipeline,
    Return,
    Statement,
    Statements,
    Throw,
)

_KEYWORDS: Final = frozenset(
    [
        "foreach",
        "for",
        "while",
        "do",
        "until",
        "switch",
        "function",
        "filter",
        "class",
        "enum",
        "try",
        "trap",
        "break",
        "continue",
        "param",
        "begin",
        "process",
        "end",
        "dynamicparam",
        "data",
        "exit",
        "using",
        "workflow",
        "parallel",
        "sequence",
        "inlinescript",
        "hidden",
        "static",
        "configuration",
        "clean",
    ]
)
_BAREWORD = re.compile(r"[^\s|;(){}'\"`,&<>$@#\u2018\u2019\u201c\u201d][^\s|;(){}'\"`,&<>$]*")
_PARAMETER = re.compile(r"-(?P<name>[A-Za-z][\w-]*)(?P<colon>:)?")
_DOT_CALL = re.compile(r"\.(?=[\s\w$\"'({])(?!\.?\d)")
_ASSIGNMENT = re.compile(r"\$(?P<name>\w+)[ \t]*=(?!=)")
_COMPOUND = re.compile(r"\$\w+(?:[ \t]*(?:\+|-|\*|/|%|\?\?)=|\+\+|--)")


@lru_cache(maxsize=1024)
def script_block(text: str) -> Statements:
    """The content of `{ ... }`, which must be the whole text."""
    parser = _ScriptParser(text)
    parser.skip(BREAKS)
    block = parser.block()
    parser.skip(BREAKS)
    if not parser.at_end:
        raise ScriptFailed("unexpected content after the script")
    return block.body


def script(text: str) -> Statements:
    """A script without brackets around it."""
    parser = _ScriptParser(text)
    body = parser.statements("")
    if not parser.at_end:
        raise ScriptFailed(f"unexpected {parser.shown()}")
    return body


def expandable(text: str) -> Expandable:
    """A string as PowerShell expands it; quotes have no special meaning."""
    return _ScriptParser(text).expandable(None)


def one_expandable_string(text: str) -> str | None:
    """The content of a single double-quoted string, escapes resolved; None if the text is something else."""
    parser = _ScriptParser(text)
    parser.at = 1
    parts = parser.expandable_parts(DOUBLE)
    return "".join(raw for raw, _ in parts) if parser.at_end else None


def one_literal_string(text: str) -> str | None:
    """The content of a single single-quoted string; None if the text is something else."""
    parser = _ScriptParser(text)
    value = parser.single_quoted()
    return value.value if parser.at_end else None


class _ScriptParser(ExpressionParser):
    """Statements, pipelines and commands, with the expressions in them."""

    # Statements

    def statements(self, end: str) -> Statements:
        """All statements up to a closing bracket, which is left, or to the end of the text."""
        self.deeper()
        found: list[Statement] = []
        while True:
            self.skip(BREAKS)
            if self.take(";"):
                continue
            if self.at_end or (end and self.peek(end)):
                break
            found.append(self.statement())
            self.skip()
            if not (self.at_end or self.peek_any("\r\n;") or (end and self.peek(end))):
                raise self.unexpected()
        self._depth -= 1
        return tuple(found)

    def statement(self) -> Statement:
        word = NAME.match(self.text, self.at)
        if word is not None and not self.text[word.end() :].startswith("-"):
            name = word[0].lower()
            if name == "if":
                self.at = word.end()
                return self.condition()
            if name in ("return", "throw"):
                self.at = word.end()
                self.skip()
                base_name = self.at_end or self.peek_any("\r\n;}")
                value = None if base_name else self.statement()
                return Return(value) if name == "return" else Throw(value)
            if name in _KEYWORDS:
                raise OutsideSubset(f"the statement {name} is not supported")
        if assignment := _ASSIGNMENT.match(self.text, self.at):
            self.at = assignment.end()
            self.skip(BREAKS)
            return Assign(assignment["name"].lower(), self.statement())
        if _COMPOUND.match(self.text, self.at):
            raise OutsideSubset("only assignments of the form $name = VALUE are supported")
        return self.pipeline()

    def condition(self) -> If:
        branches: list[tuple[Statement, Statements]] = []
        other: Statements = ()
        while True:
            self.skip(BREAKS)
            if not self.take("("):
                raise ScriptFailed("( is missing after if")
            self.skip(BREAKS)
            test = self.statement()
            self.close(")")
            branches.append((test, self.body()))
            start = self.at
            self.skip(BREAKS)
            word = NAME.match(self.text, self.at)
            if word is not None and word[0].lower() == "elseif":
                self.at = word.end()
                continue
            if word is not None and word[0].lower() == "else":
                self.at = word.end()
                other = self.body()
            else:
                self.at = start
            return If(tuple(branches), other)

    def body(self) -> Statements:
        self.skip(BREAKS)
        return self.block().body

    def block(self) -> Block:
        if not self.take("{"):
            raise ScriptFailed("{ is missing")
        body = self.statements("}")
        self.close("}")
        return Block(body)

    # Pipelines and commands

    def pipeline(self) -> Pipeline:
        first: Expression | Command = self.command() if self.begins_command() else self.expression()
        commands: list[Command] = []
        while True:
            self.skip()
            if self.peek("||") or self.peek("&&") or self.peek_any("<>&"):
                raise OutsideSubset(f"{self.shown()} is not supported")
            if not self.take("|"):
                return Pipeline(first, tuple(commands))
            self.skip(BREAKS)
            if not self.begins_command():
                raise OutsideSubset("only commands are supported after |")
            commands.append(self.command())

    def begins_command(self) -> bool:
        if self.peek("&") or _DOT_CALL.match(self.text, self.at):
            raise OutsideSubset("calling commands with & or . is not supported")
        if self.peek("?") or self.peek("%"):
            return True
        return NAME.match(self.text, self.at) is not None

    def command(self) -> Command:
        word = _BAREWORD.match(self.text, self.at)
        assert word is not None
        self.at = word.end()
        arguments: list[Expression] = []
        named: list[tuple[str, Expression | None]] = []
        while True:
            self.skip()
            if self.at_end or self.peek_any("\r\n;|)}"):
                return Command(word[0].lower(), tuple(arguments), tuple(named))
            parameter = _PARAMETER.match(self.text, self.at)
            if parameter:
                self.at = parameter.end()
                named.append((parameter["name"].lower(), self.parameter_value(colon=bool(parameter["colon"]))))
            else:
                arguments.append(self.argument())

    def parameter_value(self, *, colon: bool) -> Expression | None:
        """What follows a parameter's name: its value, unless it is a switch; commands know which."""
        self.skip()
        if self.at_end or self.peek_any("\r\n;|)}") or (not colon and _PARAMETER.match(self.text, self.at)):
            return None
        return self.argument()

    def argument(self) -> Expression:
        items = [self.one_argument()]
        while True:
            start = self.at
            self.skip()
            if not self.take(","):
                self.at = start
                break
            self.skip(BREAKS)
            items.append(self.one_argument())
        return items[0] if len(items) == 1 else Items(tuple(items))

    def one_argument(self) -> Expression:
        if self.peek("@{") or self.peek("@("):
            return self.postfixed()
        if self.peek_any("$({" + SINGLE + DOUBLE):
            found = self.postfixed()
            if not (self.at_end or self.peek_any(" \t\r\n;|)},")):
                raise OutsideSubset("an argument made of several parts is not supported")
            return found
        if (digits := NUMBER.match(self.text, self.at)) and self.text[digits.end() :][:1] in ("", *" \t\r\n;|)},"):
            self.at = digits.end()
            return Literal(number(digits))
        word = _BAREWORD.match(self.text, self.at)
        if word is None:
            raise OutsideSubset(f"the argument {self.shown()} is not supported")
        self.at = word.end()
        if self.peek_any("$('\"`" + SINGLE + DOUBLE):
            raise OutsideSubset("an argument made of several parts is not supported")
        return Literal(word[0])
