"""Writing YAML: block text byte for byte as PyYAML's safe dumper writes it, without its anchors.

The text of each scalar comes from `scalar_texts`; here the blocks are laid out. Two differences: tuples are written as
lists, and sets are always sorted, since their own order changes from run to run.

This module is the reference. The C extension, where it was built, writes the same text for whole documents; what it
does not handle (too large, too deep, not YAML) is decided here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lamina._support.native import compiled
from lamina.budget import text_size, to_write
from lamina.errors import Diagnostic, UsageError
from lamina.sources.yaml.scalar_texts import BREAKS, COMMAND, double_quoted, scalar_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.sources.yaml.scalar_texts import ScalarTexts

    Write = Callable[[Any, bool, bool, ScalarTexts, int], tuple[str, int] | None]

_SHORT = 80
"""Strings with at most this many characters are only counted as a line."""
_LINE = 32
"""The approximate size of a line besides its indent and a long string."""
_SIMPLE_KEY = 128 - len("!!str")
_MAX_CACHED_INDENT = 60
_INDENTS = ["\n" + " " * indent for indent in range(_MAX_CACHED_INDENT)]


def _indentation(indent: int) -> str:
    return _INDENTS[indent] if indent < _MAX_CACHED_INDENT else "\n" + " " * indent


def _too_deep() -> UsageError:
    return UsageError(Diagnostic(code="too-deep", message="the value is nested too deeply to write", hint="flatten it"))


_compiled = compiled("lamina.sources.yaml._yaml")
WRITE: Write | None = None if _compiled is None else _compiled.write_yaml
"""The C extension; None if it was not built or is disabled."""


class Writer:
    """A writer of block YAML.

    A `guarded` one differs from PyYAML where a line would be taken for a command by a build service that reads the
    output.
    """

    def __init__(self, *, sort_keys: bool = False, allow_unicode: bool = False, guarded: bool = False) -> None:
        self._sort_keys = sort_keys
        self._guarded = guarded
        self._allow_unicode = allow_unicode
        self._scalars = scalar_texts(allow_unicode, guarded)
        self._written = to_write()
        self._write = None if guarded else WRITE

    def dump(self, value: Any, header: str = "") -> str:
        """One document."""
        return self.dump_all([value], header)

    def dump_all(self, values: Iterable[Any], header: str = "") -> str:
        """One document after another, with `---` between them."""
        self._written = to_write()
        if header and not header.endswith("\n"):
            header += "\n"
        try:
            texts = [self._document(value, index > 0) for index, value in enumerate(values)]
        except RecursionError:
            raise _too_deep() from None
        # PyYAML ends a bare scalar with dots only where no document follows to end it.
        texts[:-1] = [re.sub(r"\n\.\.\.\n\Z", "\n", text) for text in texts[:-1]]
        return header + "---".join(texts)

    def _document(self, value: Any, follows: bool) -> str:
        if not isinstance(value, (dict, list, tuple, set, frozenset)):
            return self._root_scalar(value, follows)
        if not value or isinstance(value, (set, frozenset)):
            return " " * follows + self._value(value, 0, 0, -2) + "\n"
        return "\n" * follows + self._collection(value) + "\n"

    def _collection(self, value: Any) -> str:
        """A document that is a collection and not empty."""
        budget = self._written
        written = self._write and self._write(value, self._sort_keys, self._allow_unicode, self._scalars, budget.size)
        if not written:
            return self._lines(value, 0)
        text, left = written
        budget.spend(size=budget.size - left)
        return text

    def _root_scalar(self, value: Any, follows: bool) -> str:
        self._scalars.other(value, 0, 0)
        if self._guarded and type(value) is str and COMMAND.search(value):
            return " " * follows + double_quoted(value) + "\n"
        from lamina.sources.yaml.scalar_style import dumped

        written = dumped(value, allow_unicode=self._allow_unicode, explicit_start=follows)
        return written.removeprefix("---")

    def _lines(self, value: Any, indent: int) -> str:
        """A collection that is not empty; its first line without the indent, its last without an end."""
        indentation = _indentation(indent)
        if isinstance(value, dict):
            return indentation.join(self._checked(self._entries(value, indent), indent))
        return indentation.join(self._checked([self._item(at, item, indent) for at, item in enumerate(value)], indent))

    def _checked(self, lines: list[str], indent: int) -> list[str]:
        """The lines of a block, checked against the budget before they are joined."""
        self._written.spend(size=len(lines) * (indent + _LINE))
        return lines

    def _entries(self, value: dict[Any, Any], indent: int) -> list[str]:
        return [self._entry(key, value[key], indent) for key in self._ordered(value)]

    def _ordered(self, value: dict[Any, Any]) -> Iterable[Any]:
        return in_order(value) if self._sort_keys else value

    def _entry(self, key: Any, child: Any, indent: int) -> str:
        text = self._key(key)
        if text is not None:
            return f"{text}:{self._after_key(child, indent, len(text))}"
        pad = " " * indent
        return (
            f"? {self._value(key, indent, indent + 2, indent)}\n{pad}: {self._value(child, indent, indent + 2, indent)}"
        )

    def _key(self, key: Any) -> str | None:
        """A key on its line; None if it must be written in the long form, after a question mark."""
        if type(key) is str:
            simple = key and len(key) < _SIMPLE_KEY and not BREAKS.search(key)
            return self._scalars.text(key) if simple else None
        if isinstance(key, (tuple, bytes, frozenset, str)):
            return "[]" if key == () else None
        text = self._scalars.other(key, 0, 0)
        return text if len(text) < _SIMPLE_KEY - 10 else None

    def _after_key(self, child: Any, indent: int, width: int) -> str:
        kind = type(child)
        if kind is str:
            text = self._scalars.placed(child, indent, indent + width + 2)
            return " " + (text if len(text) <= _SHORT else self._counted(text))
        if (kind is dict or isinstance(child, dict)) and child:
            pad = " " * (indent + 2)
            return f"\n{pad}{self._lines(child, indent + 2)}"
        if isinstance(child, (list, tuple)) and child:
            pad = " " * indent
            return f"\n{pad}{self._lines(child, indent)}"
        return " " + self._value(child, indent, indent + width + 2, indent)

    def _item(self, at: int, item: Any, indent: int) -> str:  # noqa: ARG002 - `at` is for those who want the path
        if type(item) is str:
            text = self._scalars.placed(item, indent, indent + 2)
            return "- " + (text if len(text) <= _SHORT else self._counted(text))
        return "- " + self._value(item, indent, indent + 2, indent)

    def _value(self, value: Any, indent: int, column: int, outer: int) -> str:
        """Any value, starting at a column; a collection gets the indent after `outer`."""
        if isinstance(value, (set, frozenset)):
            return self._set(value, outer + 2)
        if isinstance(value, (dict, list, tuple)):
            if not value:
                return "{}" if isinstance(value, dict) else "[]"
            return self._lines(value, outer + 2)
        if type(value) is str:
            return self._counted(self._scalars.placed(value, indent, column))
        return self._scalars.other(value, indent, column)

    def _counted(self, text: str) -> str:
        """A long string, counted before its block is assembled; short ones are harmless by themselves."""
        self._written.spend(size=text_size(text))
        return text

    def _set(self, value: set[Any] | frozenset[Any], indent: int) -> str:
        if not value:
            return "!!set {}"
        members = dict.fromkeys(in_order(value))
        return "!!set\n" + " " * indent + Writer._lines(self._plain(), members, indent)

    def _plain(self) -> Writer:
        return self


def in_order(keys: Iterable[Any]) -> list[Any]:
    """The keys sorted if they can be compared, otherwise in their order."""
    keys = list(keys)
    try:
        return sorted(keys)
    except TypeError:
        return keys


def dump(value: Any, *, sort_keys: bool = False, header: str = "", allow_unicode: bool = False) -> str:
    """The value as one YAML document."""
    return Writer(sort_keys=sort_keys, allow_unicode=allow_unicode).dump(value, header)


def dump_all(values: Iterable[Any], *, sort_keys: bool = False, header: str = "", allow_unicode: bool = False) -> str:
    """The values as a stream of YAML documents."""
    return Writer(sort_keys=sort_keys, allow_unicode=allow_unicode).dump_all(values, header)
