"""The parser of scripts and expandable strings: from text to syntax trees.

Binary operators are read by precedence climbing, from the table `PRECEDENCE`. Where two readings are possible,
PowerShell's own rules decide: a word at the start of a pipeline is a command, and its arguments are read in another way
than expressions are. Brackets and quotes that do not close are a failure in PowerShell, too; anything else that is not
known here is outside the subset.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

from lamina.dialects.datum.expressions.errors import ExpressionTooLarge, OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.limits import DEPTH
from lamina.dialects.datum.expressions.operators import COMPARISON_NAMES
from lamina.dialects.datum.expressions.scanner import (
    BLANKS,
    BREAKS,
    DOUBLE,
    ESCAPE,
    HERE_STRING,
    NAME,
    NUMBER,
    SINGLE,
    VARIABLE,
    escaped,
    number,
    unquoted,
)
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

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.dialects.datum.expressions.syntax import Expression, Statement, Statements

Parameters = ParamSpec("Parameters")
Parsed = TypeVar("Parsed")

LONGEST: Final = 64 * 1024
"""How long a script may be."""
PRECEDENCE: Final[dict[str, int]] = {
    **dict.fromkeys(("and", "or"), 0),
    **dict.fromkeys((*COMPARISON_NAMES, "join"), 1),
    "??": 2,
    **dict.fromkeys("+-", 3),
    **dict.fromkeys("*/%", 4),
    "f": 5,
    "..": 6,
}
"""How tightly a binary operator binds; a comma binds more tightly than all of them."""
_UNSUPPORTED: Final = frozenset(["xor", "band", "bor", "bxor", "bnot", "shl", "shr", "is", "isnot", "as"])
_OPERATOR: Final = re.compile(r"-(?P<word>[A-Za-z]+)(?![\w-])|\?\?(?!=)|\.\.|[+\-*/%]")
_UNARY: Final = re.compile(
    r"(?:-(?P<word>not|join|split|csplit|isplit)(?![\w-])|(?P<sign>!|-(?!-)|\+(?!\+)))", re.IGNORECASE
)
_TYPE: Final = re.compile(r"\[[ \t]*(?P<name>[\w.]+)(?P<more>[^\]\s]*)[ \t]*\](?P<static>::)?")
_CASTS: Final = {
    **dict.fromkeys(("string", "system.string"), "[string]"),
    **dict.fromkeys(("int", "int32", "system.int32"), "[int]"),
    **dict.fromkeys(("bool", "boolean", "system.boolean"), "[bool]"),
    **dict.fromkeys(("array", "system.array"), "[array]"),
}
_KEYWORDS: Final = frozenset(
    [
        *("foreach", "for", "while", "do", "until", "switch", "function", "filter", "class", "enum", "try", "trap"),
        *("break", "continue", "param", "begin", "process", "end", "dynamicparam", "data", "exit", "using"),
        *("workflow", "parallel", "sequence", "inlinescript", "hidden", "static", "configuration", "clean"),
    ]
)
"""Statements that are not supported."""
_MEMBER_NAME: Final = re.compile(r"[A-Za-z_\u00c0-\uffff]\w*")
_DIGITS: Final = re.compile(r"\d+")
_KEY: Final = re.compile(r"[A-Za-z_][\w-]*")
_SINGLE_QUOTED: Final = re.compile(f"[{SINGLE}]((?:[^{SINGLE}]|[{SINGLE}]{{2}})*)[{SINGLE}]")
_PLAIN: Final = re.compile(f"[^`$][^`${DOUBLE}]*", re.DOTALL)
_BAREWORD: Final = re.compile(r"[^\s|;(){}'\"`,&<>$@#\u2018\u2019\u201c\u201d][^\s|;(){}'\"`,&<>$]*")
_PARAMETER: Final = re.compile(r"-(?P<name>[A-Za-z][\w-]*)(?P<colon>:)?")
_DOT_CALL: Final = re.compile(r"\.(?=[\s\w$\"'({])(?!\.?\d)")
_ASSIGNMENT: Final = re.compile(r"\$(?P<name>\w+)[ \t]*=(?!=)")
_COMPOUND: Final = re.compile(r"\$\w+(?:[ \t]*(?:\+|-|\*|/|%|\?\?)=|\+\+|--)")
_SCOPES: Final = ("global", "script", "local", "private", "variable")
_AFTER_COMMAND: Final = "\r\n;|)}"
_AFTER_ARGUMENT: Final = " \t\r\n;|)},"


@lru_cache(maxsize=1024)
def script_block(text: str) -> Statements:
    """The content of `{ ... }`, which must be the whole text."""
    parser = _Parser(text)
    parser.skip(BREAKS)
    block = parser.block()
    parser.skip(BREAKS)
    if not parser.at_end:
        raise ScriptFailed("unexpected content after the script")
    return block.body


def script(text: str) -> Statements:
    """A script without brackets around it."""
    parser = _Parser(text)
    body = parser.statements("")
    if not parser.at_end:
        raise ScriptFailed(f"unexpected {parser.shown()}")
    return body


def expandable(text: str) -> Expandable:
    """A string as PowerShell expands it; quotes have no special meaning."""
    return _Parser(text).expandable(None)


def one_expandable_string(text: str) -> str | None:
    """The content of a single double-quoted string, escapes resolved; None if the text is something else."""
    parser = _Parser(text)
    parser.at = 1
    parts = parser.expandable_parts(DOUBLE)
    return "".join(raw for raw, _ in parts) if parser.at_end else None


def one_literal_string(text: str) -> str | None:
    """The content of a single single-quoted string; None if the text is something else."""
    parser = _Parser(text)
    value = parser.single_quoted()
    return value.value if parser.at_end else None


def _nested(
    method: Callable[Concatenate[_Parser, Parameters], Parsed],
) -> Callable[Concatenate[_Parser, Parameters], Parsed]:
    """A method that reads something that may contain itself, within the limit on depth."""

    def nested(parser: _Parser, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Parsed:
        parser.depth += 1
        if parser.depth > DEPTH:
            raise ExpressionTooLarge("it is nested too deeply")
        found = method(parser, *args, **kwargs)
        parser.depth -= 1
        return found

    return nested


class _Parser:
    """Traverses a text once; `at` is the current position."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise ExpressionTooLarge("the script is too long")
        self.text = text
        self.at = 0
        self.depth = 0

    @property
    def at_end(self) -> bool:
        return self.at >= len(self.text)

    def shown(self) -> str:
        """What comes next, for a message."""
        line = self.text[self.at : self.at + 30].splitlines()
        return repr(line[0]) if line and line[0] else "the end"

    def take_match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match

    def skip(self, pattern: re.Pattern[str] = BLANKS) -> None:
        self.take_match(pattern)

    def peek(self, *texts: str) -> bool:
        return self.text.startswith(texts, self.at)

    def peek_any(self, characters: str) -> bool:
        return not self.at_end and self.text[self.at] in characters

    def take(self, text: str) -> bool:
        found = self.peek(text)
        self.at += len(text) if found else 0
        return found

    def take_comma(self) -> bool:
        """Whether a comma comes next; it is taken with the blanks around it."""
        start = self.at
        self.skip()
        if not self.take(","):
            self.at = start
            return False
        self.skip(BREAKS)
        return True

    def close(self, bracket: str) -> None:
        self.skip(BREAKS)
        if not self.take(bracket):
            raise ScriptFailed(f"{bracket} is missing" if self.at_end else f"expected {bracket}, found {self.shown()}")

    def check_end_of_statement(self, end: str) -> None:
        """Reject what follows a statement without a separator or the closing bracket."""
        self.skip()
        if self.at_end or self.peek_any("\r\n;") or (end and self.peek(end)):
            return
        if self.peek_any(")}]"):
            raise ScriptFailed(f"unexpected {self.shown()}")
        raise OutsideSubset(f"{self.shown()} is not supported")

    # Statements

    @_nested
    def statements(self, end: str) -> Statements:
        """All statements up to a closing bracket, which is left, or to the end of the text."""
        found: list[Statement] = []
        while True:
            self.skip(BREAKS)
            if self.take(";"):
                continue
            if self.at_end or (end and self.peek(end)):
                return tuple(found)
            found.append(self.statement())
            self.check_end_of_statement(end)

    def statement(self) -> Statement:
        word = NAME.match(self.text, self.at)
        name = word[0].lower() if word is not None and not self.text.startswith("-", word.end()) else ""
        if name in ("if", "return", "throw"):
            self.at += len(name)
            return self.condition() if name == "if" else self.leave(name)
        if name in _KEYWORDS:
            raise OutsideSubset(f"the statement {name} is not supported")
        if assignment := self.take_match(_ASSIGNMENT):
            self.skip(BREAKS)
            return Assign(assignment["name"].lower(), self.statement())
        if _COMPOUND.match(self.text, self.at):
            raise OutsideSubset("only assignments of the form $name = VALUE are supported")
        return self.pipeline()

    def leave(self, keyword: str) -> Leave:
        self.skip()
        without_value = self.at_end or self.peek_any("\r\n;}")
        return Leave(keyword, None if without_value else self.statement())

    def condition(self) -> If:
        branches: list[tuple[Statement, Statements]] = []
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
            word = self.take_match(NAME)
            keyword = word[0].lower() if word else ""
            if keyword == "else":
                return If(tuple(branches), self.body())
            if keyword != "elseif":
                self.at = start
                return If(tuple(branches), ())

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
            if self.peek("||", "&&", "<", ">", "&"):
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
        return self.peek("?", "%") or NAME.match(self.text, self.at) is not None

    def command(self) -> Command:
        word = self.take_match(_BAREWORD)
        assert word is not None
        arguments: list[Expression] = []
        named: list[tuple[str, Expression | None]] = []
        while True:
            self.skip()
            if self.at_end or self.peek_any(_AFTER_COMMAND):
                return Command(word[0].lower(), tuple(arguments), tuple(named))
            if parameter := self.take_match(_PARAMETER):
                named.append((parameter["name"].lower(), self.parameter_value(colon=bool(parameter["colon"]))))
            else:
                arguments.append(self.argument())

    def parameter_value(self, *, colon: bool) -> Expression | None:
        """What follows a parameter's name: its value, unless it is a switch; commands know which."""
        self.skip()
        is_switch = not colon and _PARAMETER.match(self.text, self.at)
        return None if self.at_end or self.peek_any(_AFTER_COMMAND) or is_switch else self.argument()

    def argument(self) -> Expression:
        items = [self.one_argument()]
        while self.take_comma():
            items.append(self.one_argument())
        return items[0] if len(items) == 1 else Items(tuple(items))

    def one_argument(self) -> Expression:
        if self.peek("@{", "@("):
            return self.postfixed()
        if self.peek_any("$({" + SINGLE + DOUBLE):
            found = self.postfixed()
            if not (self.at_end or self.peek_any(_AFTER_ARGUMENT)):
                raise OutsideSubset("an argument made of several parts is not supported")
            return found
        digits = NUMBER.match(self.text, self.at)
        if digits and self.text[digits.end() :][:1] in ("", *_AFTER_ARGUMENT):
            self.at = digits.end()
            return Literal(number(digits))
        word = self.take_match(_BAREWORD)
        if word is None:
            raise OutsideSubset(f"the argument {self.shown()} is not supported")
        if self.peek_any("$(`" + SINGLE + DOUBLE):
            raise OutsideSubset("an argument made of several parts is not supported")
        return Literal(word[0])

    # Expressions

    @_nested
    def expression(self) -> Expression:
        found = self.operation(0, self.items)
        self.skip()
        if not self.peek("?") or self.peek("??", "?."):
            return found
        self.at += 1
        self.skip(BREAKS)
        then = self.expression()
        self.skip(BREAKS)
        if not self.take(":"):
            raise ScriptFailed("? has no :")
        self.skip(BREAKS)
        return Ternary(found, then, self.expression())

    @_nested
    def method_argument(self) -> Expression:
        """An expression in which a comma ends the argument."""
        return self.operation(0, self.unary)

    def operation(self, loosest: int, operand: Callable[[], Expression]) -> Expression:
        """Operands with the operators between them that bind at least so tightly."""
        left = operand()
        while operator := self.operator(loosest):
            self.skip(BREAKS)
            left = Binary(operator, left, self.operation(PRECEDENCE[operator] + 1, operand))
        return left

    def operator(self, loosest: int) -> str | None:
        """The operator that comes next, if it binds at least so tightly."""
        start = self.at
        self.skip()
        match = self.take_match(_OPERATOR)
        name = (match["word"] or match[0]).lower() if match else ""
        if match and match["word"] and name in _UNSUPPORTED:
            raise OutsideSubset(f"the operator -{name} is not supported")
        if PRECEDENCE.get(name, -1) >= loosest:
            return name
        self.at = start
        return None

    def items(self) -> Expression:
        """`a, b`, or a single operand."""
        self.skip()
        if self.take_comma():
            return Items((self.unary(),))
        found = [self.unary()]
        while self.take_comma():
            found.append(self.unary())
        return found[0] if len(found) == 1 else Items(tuple(found))

    @_nested
    def unary(self) -> Expression:
        self.skip()
        if match := self.take_match(_UNARY):
            self.skip(BREAKS)
            operator = (match["word"] or match["sign"]).lower()
            return Unary("not" if operator == "!" else operator, self.unary())
        if self.peek("--", "++"):
            raise OutsideSubset("-- and ++ are not supported")
        return self.cast() if self.peek("[") else self.postfixed()

    def cast(self) -> Expression:
        match = self.take_match(_TYPE)
        if match is None:
            raise OutsideSubset(f"{self.shown()} is not supported")
        if match["static"] or match["more"]:
            raise OutsideSubset(f"the type {match[0]} is not supported")
        name = match["name"].lower()
        self.skip(BREAKS)
        if name == "ordered" and self.peek("@{"):
            return self.continued(self.table(ordered=True))
        if name not in _CASTS:
            raise OutsideSubset(f"the type [{match['name']}] is not supported")
        return Unary(_CASTS[name], self.unary())

    def postfixed(self) -> Expression:
        return self.continued(self.primary())

    def continued(self, found: Expression) -> Expression:
        """The suffixes of a value: members, indexes and calls."""
        while True:
            if self.peek("::"):
                raise OutsideSubset("static members of types are not supported")
            if self.peek("?.", "?["):
                raise OutsideSubset("?. and ?[ are not supported")
            if self.take("["):
                self.skip(BREAKS)
                at = self.expression()
                self.close("]")
                found = Subscript(found, at)
            elif self.peek(".") and not self.peek(".."):
                self.at += 1
                found = self.member(found)
            else:
                return found

    def member(self, target: Expression) -> Expression:
        self.skip(BREAKS)
        if name := self.take_match(_MEMBER_NAME):
            if self.take("("):
                return MethodCall(target, name[0].lower(), self.method_arguments())
            if self.peek("{"):
                return MethodCall(target, name[0].lower(), (self.block(),))
            return Member(target, Literal(name[0]))
        if self.peek_any("$(" + SINGLE + DOUBLE):
            return Member(target, self.primary())
        if digits := self.take_match(_DIGITS):
            return Member(target, Literal(digits[0]))
        raise ScriptFailed("a member name is missing after .")

    def method_arguments(self) -> tuple[Expression, ...]:
        found: list[Expression] = []
        self.skip(BREAKS)
        while not self.peek(")"):
            found.append(self.method_argument())
            self.skip(BREAKS)
            if not self.take_comma():
                break
        self.close(")")
        return tuple(found)

    def primary(self) -> Expression:
        if self.take("$("):
            return Brackets(self.rest_of_brackets())
        if self.take("@("):
            return Brackets(self.rest_of_brackets(), as_list=True)
        if self.take("("):
            return self.parenthesised()
        if self.peek("$"):
            return self.variable()
        if self.peek("@{"):
            return self.table(ordered=False)
        if self.peek("{"):
            return self.block()
        if here := self.take_match(HERE_STRING):
            return self.here_string(here["quote"])
        if self.peek_any(SINGLE):
            return self.single_quoted()
        if self.peek_any(DOUBLE):
            self.at += 1
            return self.expandable(DOUBLE)
        if digits := self.take_match(NUMBER):
            return Literal(number(digits))
        if self.at_end or self.peek_any(")}]"):
            raise ScriptFailed(f"a value is missing before {self.shown()}")
        raise OutsideSubset(f"{self.shown()} is not supported")

    def rest_of_brackets(self) -> Statements:
        body = self.statements(")")
        self.close(")")
        return body

    @_nested
    def parenthesised(self) -> Expression:
        self.skip(BREAKS)
        if self.peek(")"):
            raise ScriptFailed("( ) is empty")
        body = self.statement()
        self.close(")")
        return expression_of(body) or Brackets((body,))

    def variable(self) -> Expression:
        match = self.take_match(VARIABLE)
        if match is None:
            raise ScriptFailed(f"{self.shown()} is not a variable")
        return _variable(match)

    @_nested
    def table(self, *, ordered: bool) -> TableLiteral:
        self.at += len("@{")
        pairs: list[tuple[Expression, Statement]] = []
        while True:
            self.skip(BREAKS)
            if self.take(";"):
                continue
            if self.take("}"):
                return TableLiteral(tuple(pairs), ordered)
            word = self.take_match(_KEY)
            key = Literal(word[0]) if word else self.postfixed()
            self.skip()
            if not self.take("="):
                raise ScriptFailed(f"= is missing between a key and {self.shown()}")
            self.skip(BREAKS)
            pairs.append((key, self.statement()))
            self.check_end_of_statement("}")

    # Strings

    def single_quoted(self) -> Literal:
        match = self.take_match(_SINGLE_QUOTED)
        if match is None:
            raise ScriptFailed("a string has no closing quote")
        return Literal(unquoted(match[1]))

    def here_string(self, quote: str) -> Expression:
        """The rest of a here-string, which ends at a line that begins with the same kind of quote."""
        same = SINGLE if quote in SINGLE else DOUBLE
        end = re.compile(rf"\r?\n[{same}]@").search(self.text, self.at - 1)
        if end is None:
            raise ScriptFailed("a here-string is not closed")
        body = self.text[self.at : max(self.at, end.start())]
        self.at = end.end()
        return Literal(body) if same is SINGLE else _Parser(body).expandable(None)

    def expandable(self, quotes: str | None) -> Expandable:
        parts: list[str | Expression] = []
        for _, part in self.expandable_parts(quotes):
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                parts[-1] += part
            else:
                parts.append(part)
        return Expandable(tuple(parts))

    def expandable_parts(self, quotes: str | None) -> list[tuple[str, str | Expression]]:
        """The parts of a string from here to its closing quote: each as written (escapes resolved) and as parsed."""
        parts: list[tuple[str, str | Expression]] = []
        while not self.at_end:
            if quotes is not None and self.peek_any(quotes):
                text = self.text[self.at]
                self.at += 1
                if not self.peek_any(quotes):
                    return parts
                self.at += 1  # two quotes are one
            elif self.peek("$"):
                parts.append(self.filled_in())
                continue
            elif self.peek("`"):
                escape = self.take_match(ESCAPE)
                self.at = self.at if escape else len(self.text)
                text = escaped(escape) if escape else ""
            else:
                plain = self.take_match(_PLAIN)
                assert plain is not None
                text = plain[0]
            parts.append((text, text))
        if quotes is None:
            return parts
        raise ScriptFailed("a string has no closing quote")

    def filled_in(self) -> tuple[str, str | Expression]:
        """`$name` or `$( )` in a string; a dollar sign before anything else is one."""
        start = self.at
        found: str | Expression = "$"
        if self.take("$("):
            found = Brackets(self.rest_of_brackets())
        elif match := self.take_match(VARIABLE):
            found = _variable(match, in_string=True)
        elif self.peek("${"):
            raise ScriptFailed("a variable has no closing brace")
        else:
            self.at += 1
        return self.text[start : self.at], found


def _variable(match: re.Match[str], *, in_string: bool = False) -> Variable:
    name = match["braced"] if match["braced"] is not None else match["name"]
    if not name:
        raise ScriptFailed("a variable has no name")
    if match["braced"] is None and name == "?":
        raise OutsideSubset("the variable $? is not supported")
    scope, colon, rest = name.partition(":")
    if not colon:
        return Variable(name)
    if not rest:
        hint = f" valid variable in a string; write ${{{scope}}}" if in_string else " variable"
        raise ScriptFailed(f"${name} is not a{hint}")
    if scope.lower() not in _SCOPES:
        raise OutsideSubset(f"the variable ${name} is not supported")
    return Variable(rest)
