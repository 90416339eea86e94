"""Inventories in Ansible's INI form, read line by line into an inventory.

What a file had set before a fault stays: so a fault is raised where it is met, and everything before it counts.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.ansible.faults import fault
from lamina.dialects.ansible.host_names import expanded, without_port
from lamina.dialects.ansible.inventory import UNGROUPED
from lamina.plugin import SourceNode
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina import plugin as lp
    from lamina.dialects.ansible.inventory import Inventory

_SECTION: Final = re.compile(r"\[([^:\]\s]+)(?::(\w+))?\]\s*(?:#.*)?")
_CHILD: Final = re.compile(r"([^:\]\s]+)\s*(?:#.*)?")
_KINDS: Final = ("hosts", "children", "vars")
_COMMENTS: Final = ("#", ";")
_QUOTED: Final = re.compile(r"[\\\"'#]")
_WORD: Final = re.compile(r"[^ \t\r\n]+")
_DEEPEST_LITERAL: Final = 50
_PLAIN_TEXT: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_./:@-]*")
"""What is no literal of Python, if it is none of its words."""
_LITERALS: Final = ("True", "False", "None")
_SINGLE: Final = (str, int, float, bool, type(None))


class IniReading:
    """One traversal of the lines of a file."""

    def __init__(self, source: lp.Source, inventory: Inventory, group_name: Callable[[str], str]) -> None:
        self._source = source
        self._inventory = inventory
        self._group_name = group_name
        self._positions = lpf.PositionMap(source.locate)
        self._line = 0
        self._group, self._kind = UNGROUPED, "hosts"
        self._undeclared: dict[str, tuple[int, str]] = {}
        """Groups that only a section of variables or a list of children names: where, and of what kind it is."""
        self._parents: dict[str, list[str]] = {}
        """The parents of groups that were named as children and are not declared yet."""

    def read(self) -> None:
        """Fill the inventory."""
        text = self._source.data.decode("utf-8", "surrogateescape")
        for self._line, written in enumerate(text.splitlines()):
            line = written.strip()
            if line and not line.startswith(_COMMENTS):
                if not _is_text(line):
                    fault("unparsed-inventory", "the line is not valid UTF-8", self._at(0), "save the file as UTF-8")
                self._read(line, written.index(line))
        for name, (number, kind) in self._undeclared.items():
            what = "has variables" if kind == "vars" else f"is a child of {self._parents[name][-1]}"
            hint = f"declare it with [{name}], in this file or an earlier source"
            at = self._source.locate(number, 0)
            fault("unparsed-inventory", f"the group {name} {what}, and nothing declares it", at, hint)

    def _at(self, column: int) -> lp.Origin:
        return self._source.locate(self._line, column)

    def _read(self, line: str, column: int) -> None:
        section = _SECTION.fullmatch(line)
        if section is not None:
            self._open(section, column)
        elif line.startswith("[") and line.endswith("]"):
            fault(
                "unparsed-inventory",
                f"{line} is no section",
                self._at(column),
                "write [group] or [group:vars], without blanks",
            )
        elif self._kind == "hosts":
            self._hosts(line, column)
        elif self._kind == "vars":
            self._variable(line, column)
        else:
            self._child(line, column)

    def _open(self, section: re.Match[str], column: int) -> None:
        name, kind = self._group_name(section[1]), section[2] or "hosts"
        if kind not in _KINDS:
            hint = "a section is [group], [group:children] or [group:vars]"
            fault("unparsed-inventory", f"a section of the kind {kind!r} is not known", self._at(column), hint)
        self._group, self._kind = name, kind
        if name not in self._inventory.groups:
            if kind == "vars":
                self._undeclared.setdefault(name, (self._line, kind))
            self._inventory.add_group(name, self._at(column))
        if kind != "vars" and self._undeclared.pop(name, None):
            for parent in self._parents.pop(name, ()):
                self._inventory.add_child(parent, name, self._at(column))

    def _child(self, line: str, column: int) -> None:
        match = _CHILD.fullmatch(line)
        if match is None:
            fault(
                "unparsed-inventory",
                f"{line!r} is no name of a group",
                self._at(column),
                "write one group on each line",
            )
        name = match[1]
        if name in self._inventory.groups:
            self._inventory.add_child(self._group, name, self._at(column))
        else:
            self._undeclared.setdefault(name, (self._line, "children"))
            self._parents.setdefault(name, []).append(self._group)

    def _variable(self, line: str, column: int) -> None:
        name, equals, value = line.partition("=")
        if not equals:
            hint = f"write NAME=VALUE, or open a section such as [{self._group}] for hosts"
            fault("unparsed-inventory", f"{line!r} sets no variable", self._at(column), hint)
        start = column + len(line) - len(value.lstrip())
        self._inventory.set_variables(self._group, self._mapping([(name.strip(), column, value.strip(), start)]))

    def _hosts(self, line: str, column: int) -> None:
        try:
            (pattern, start), *words = _words(line, column)
        except ValueError as error:
            fault(
                "unparsed-inventory",
                f"the line cannot be split into words: {error}",
                self._at(column),
                "check the quotes",
            )
        at = self._at(start)
        name, port = without_port(pattern)
        if (name.strip().endswith(":") and port is None) or name.strip() == "---":
            hint = "a colon is followed by a port; if the file is YAML, its name must end in .yml"
            fault("unparsed-inventory", f"{name!r} is no name of a host", at, hint)
        variables = [self._assignment(word, begins, line, column) for word, begins in words]
        names = expanded(name, at)
        port_node = self._mapping([("ansible_port", start, str(port), start)]) if port else None
        node = self._mapping(variables)
        for host in names:
            self._inventory.add_host(host, self._group, at, port_node)
            if variables:
                self._inventory.set_variables(host, node)

    def _assignment(self, word: str, begins: int, line: str, column: int) -> tuple[str, int, str, int]:
        name, equals, value = word.partition("=")
        if not equals:
            hint = "write NAME=VALUE, and quotes around values with blanks"
            fault("unparsed-inventory", f"{word!r} sets no variable of the host", self._at(begins), hint)
        return name, begins, value, column + line.index("=", begins - column) + 1

    def _mapping(self, members: list[tuple[str, int, str, int]]) -> SourceNode:
        """Variables with the columns of their names and values; of a name that stands twice the last one counts."""
        value: dict[str, Any] = {}
        index = self._positions.add(self._line, members[0][1] if members else 0)
        records: dict[Any, tuple[int, int]] = {}
        for name, at, text, start in members:
            try:
                value[name] = literal(text)
            except TypeError as error:
                hint = "put quotes around the value if it is a text"
                fault("unparsed-inventory", f"the value of {name} cannot be used: {error}", self._at(start), hint)
            records[name] = self._positions.add(self._line, at), self._record(value[name], start)
        self._positions.close(index)
        self._positions.members[index] = records
        return SourceNode(value, (), self._positions, index, self._source.name)

    def _record(self, value: Any, column: int) -> int:
        """The record of a value; everything in it has the same place."""
        index = self._positions.add(self._line, column)
        for key, each in (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        ):
            if isinstance(value, dict):
                self._record(key, column)
            self._record(each, column)
        if isinstance(value, (dict, list)):
            self._positions.close(index)
        return index


def _is_text(line: str) -> bool:
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


def _words(line: str, column: int) -> Iterator[tuple[str, int]]:
    """The words of a line as a shell splits it, with the column of each; `#` outside of quotes ends it."""
    if not _QUOTED.search(line):
        yield from ((match[0], column + match.start()) for match in _WORD.finditer(line))
        return
    import io  # most lines have no quotes
    import shlex

    text = io.StringIO(line)
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split = True
    while True:
        start = text.tell()
        word = lexer.get_token()
        if word is None:
            return
        begin = _WORD.search(line, start)
        yield word, column + (start if begin is None else begin.start())


def literal(text: str) -> Any:
    """A value as Python writes it; anything else is the text itself. A TypeError says what no variable can be."""
    if _PLAIN_TEXT.fullmatch(text) and text not in _LITERALS:
        return text
    if _depth(text) > _DEEPEST_LITERAL:
        raise TypeError(f"brackets are nested more than {_DEEPEST_LITERAL} deep")
    import ast

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return _plain(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return text


def _depth(text: str) -> int:
    depth = deepest = 0
    for each in text:
        depth += (each in "[({") - (each in "])}")
        deepest = max(deepest, depth)
    return deepest


def _plain(value: Any) -> Any:
    """A value of Python as a variable: tuples and sets are lists, bytes and complex numbers are texts."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, (set, frozenset)):
        return [_plain(each) for each in (sorted(value, key=repr) if any(map(_is_str, value)) else value)]
    if isinstance(value, dict):
        if not all(isinstance(key, _SINGLE) for key in value):
            raise TypeError("a key is neither text nor number")
        return {key: _plain(each) for key, each in value.items()}
    if value is ...:
        return "..."
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value) if isinstance(value, complex) else value


def _is_str(value: Any) -> bool:
    return isinstance(value, str)
