r"""The arguments of `--set` and its kin: `a.b[0].c=value`, several of them between commas.

A backslash takes the next character as it is, anywhere. `--set` knows `true`, `false`, `null` and integers, everything
else is text; `--set-string` knows text only. `--set-json` takes one JSON value after the sign, `--set-file` the name of
a file, `--set-literal` the rest of the argument, without escapes, and one path only. An empty key drops its value.

What an argument sets is found without looking at what is there; whether it can be set is found by the steps.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn

from lamina import plugin as lp
from lamina.dialects.helm import messages
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Flag = Literal["--set-json", "--set", "--set-string", "--set-file", "--set-literal"]
How = Literal["set", "in-item", "list", "mapping", "filled"]

_DEEPEST: Final = 30
_LARGEST_INDEX: Final = 65536
_LONGEST: Final = 1_000_000
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,19}")
_INDEX: Final = re.compile(r"\+?[0-9]{1,18}")
_LEAST: Final = -(2**63)
_WORDS: Final = {"true": True, "false": False, "null": None}
_EXAMPLES: Final[dict[str, str]] = {
    "--set-json": """--set-json 'ports=[80, 443]'""",
    "--set": "--set image.tag=v2,replicas=3",
    "--set-string": "--set-string image.tag=2",
    "--set-file": "--set-file motd=banner.txt",
    "--set-literal": "--set-literal motd=a,b",
}


@dataclass(frozen=True, slots=True)
class SetArgument:
    """A value and the path it is set at.

    `in-item` sets it only if the items on the way exist: a value that is missing at the end of an argument makes no
    items. `list` and `mapping` only make sure that there is one; `filled` that a mapping is there and not empty, since
    a key without a name is dropped.
    """

    path: lp.Path
    node: lp.Node
    how: How
    origin: lp.Origin


ReadFile = "Callable[[str, lp.Origin], lp.SourceNode]"
"""Reads the text of a file that an argument names."""


def assignments(
    flag: Flag, argument: str, name: str, read_file: Callable[[str, lp.Origin], lp.SourceNode], run: lp.Run
) -> Iterator[SetArgument]:
    """What an argument sets, in order; `name` is what it is called in origins."""
    if len(argument) > _LONGEST:
        raise lp.Reject(_finding(flag, lp.Origin(name, 1, 1), f"the argument has more than {_LONGEST} characters"))
    return _Argument(flag, argument, name, read_file, run).assignments()


class _Argument:
    """One argument, read from the left."""

    def __init__(
        self, flag: Flag, text: str, name: str, read_file: Callable[[str, lp.Origin], lp.SourceNode], run: lp.Run
    ) -> None:
        self._flag, self._text, self._name = flag, text, name
        self._read_file, self._run = read_file, run
        self._source = lp.Source(name, text.encode("utf-8", "surrogatepass"))
        self._at = 0
        self._escapes = flag != "--set-literal"

    def assignments(self) -> Iterator[SetArgument]:
        while self._at < len(self._text):
            yield from self._assignment()

    def _assignment(self) -> Iterator[SetArgument]:
        """One path with its value; nothing where the argument ends before there is one."""
        path: list[Any] = []
        begin, depth = self._at, 0
        stops = "=[,." if self._escapes else "=[."
        while True:
            key, stop = self._until(stops)
            if stop == "" and not key:
                return
            if stop in ("", ","):
                self._fail(f"{key!r} has no value")
            path.append(key)
            while stop == "[":
                path.append(self._index())
                between, stop = self._until("=[.")
                if between:
                    self._fail(f"{between!r} is behind a bracket")
                if stop == "":  # the list is made, and no item
                    first = next(at for at, step in enumerate(path) if isinstance(step, int))
                    yield from self._made(path[:first], [], "list", begin)
                    return
            if stop == "=":
                yield from self._valued(path, begin)
                return
            depth += 1
            if depth > _DEEPEST:
                self._fail(f"a path has more than {_DEEPEST} dots")

    def _valued(self, path: list[Any], begin: int) -> Iterator[SetArgument]:
        """The value behind a path."""
        at = self._at
        is_empty = at == len(self._text) and self._flag not in ("--set-json", "--set-literal")
        node = self._value()
        nameless = next((number for number, step in enumerate(path) if step == ""), None)
        if nameless is None:
            in_item = is_empty and isinstance(path[-1], str) and any(isinstance(step, int) for step in path)
            yield SetArgument(tuple(path), node, "in-item" if in_item else "set", self._origin(at))
        elif nameless and not is_empty:
            how: How = "mapping" if isinstance(path[nameless - 1], int) else "filled"
            yield from self._made(path[:nameless], {}, how, begin)

    def _made(self, path: list[Any], value: Any, how: How, begin: int) -> Iterator[SetArgument]:
        if "" not in path:
            yield SetArgument(tuple(path), self._node(value, begin), how, self._origin(begin))

    def _value(self) -> lp.Node:
        if self._flag == "--set-json":
            return self._json()
        if self._flag == "--set-literal":
            begin, self._at = self._at, len(self._text)
            return self._node(self._text[begin:], begin)
        begin = self._at
        if not self._text.startswith("{", begin):
            text, _ = self._until(",")
            return self._typed(text, begin)
        self._at += 1
        items: list[lp.Node] = []
        while True:
            begin = self._at
            text, stop = self._until(",}")
            if stop == "":
                self._fail("a list has no closing brace")
            items.append(self._typed(text, begin))
            if stop == "}":
                break
        self._at += self._text.startswith(",", self._at)
        return lp.gathered(dict(enumerate(items)), lp.items_of)

    def _typed(self, text: str, begin: int) -> lp.Node:
        if self._flag == "--set-file":
            return self._read_file(text, self._origin(begin))
        return self._node(text if self._flag == "--set-string" else _typed(text), begin)

    def _json(self) -> lp.Node:
        """One JSON value; nothing is null. Spaces and a comma behind it are passed over."""
        begin = self._at
        if self._is_over():
            return self._node(None, begin)
        begin = self._at
        try:
            _, self._at = _DECODER.raw_decode(self._text, begin)
            padded = " " * begin + self._text[begin : self._at]
            document = lp.read_json(lp.Source.of_text(self._name, padded), self._run)
            value = _with_floats(document.value)
        except (ValueError, RecursionError, lp.InputError):
            self._at = begin
            self._fail("what is behind the sign is no JSON value")
        self._is_over()
        return lp.SourceNode(value, (), document.document.positions, 0, self._name)

    def _is_over(self) -> bool:
        """Pass over spaces and one comma; whether that or the end came before anything else."""
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1
        if self._at == len(self._text):
            return True
        is_comma = self._text[self._at] == ","
        self._at += is_comma
        return is_comma

    def _index(self) -> int:
        begin = self._at
        text, stop = self._until("]")
        if stop == "" or _INDEX.fullmatch(text) is None or int(text) > _LARGEST_INDEX:
            self._at = begin
            self._fail(f"{text!r} is no position of a list (0 to {_LARGEST_INDEX})")
        return int(text)

    def _until(self, stops: str) -> tuple[str, str]:
        """The text up to one of some characters, and which; at the end of the argument it is empty."""
        taken: list[str] = []
        text, end = self._text, len(self._text)
        while self._at < end:
            each = text[self._at]
            self._at += 1
            if each in stops:
                return "".join(taken), each
            if each == "\\" and self._escapes:
                each = text[self._at : self._at + 1]
                self._at += 1
            taken.append(each)
        self._at = end
        return "".join(taken), ""

    def _node(self, value: Any, column: int) -> lp.SourceNode:
        positions = lpf.PositionMap(self._source.locate)
        positions.add(0, column)
        return lp.SourceNode(value, (), positions, 0, self._name)

    def _origin(self, column: int) -> lp.Origin:
        return self._source.locate(0, column)

    def _fail(self, why: str) -> NoReturn:
        raise lp.Reject(_finding(self._flag, self._origin(min(self._at, len(self._text))), why))


def _typed(text: str) -> Any:
    """The value of a text of `--set`."""
    folded = text.casefold()
    if folded in _WORDS:
        return _WORDS[folded]
    if text == "0":
        return 0
    if text[:1] != "0" and _INTEGER.fullmatch(text) and _LEAST <= int(text) < -_LEAST:
        return int(text)
    return text


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant)


def _with_floats(value: Any) -> Any:
    """A JSON value with its numbers as floats have them; whole ones that a float has exactly are integers."""
    if isinstance(value, dict):
        return {key: _with_floats(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_floats(each) for each in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return lpf.go_number(value)
    return value


def _finding(flag: str, at: lp.Origin, why: str) -> lp.Diagnostic:
    return messages.SET_SYNTAX.at(at, flag=flag, why=why, example=_EXAMPLES[flag])
