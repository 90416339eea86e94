"""Writing YAML: block text byte for byte as PyYAML's safe dumper writes it, without its anchors.

The text of each scalar comes from `scalar_texts`; here the blocks are laid out. Two differences: tuples are written as
lists, and sets are always sorted, since their own order changes from run to run.

This module is the reference. The C extension, where it was built, writes the same text for whole collections; what it
does not handle (too large, too deep, not YAML) is decided here.
"""

from __future__ import annotations

import re
from itertools import compress
from operator import is_not
from typing import TYPE_CHECKING, Any

from lamina._support.lazy_regex import expression
from lamina._support.native import compiled
from lamina.budget import text_size, to_write
from lamina.errors import Diagnostic, UsageError
from lamina.sources.yaml.scalar_texts import (
    BREAKS,
    COMMAND,
    LONGEST_PLAIN_WORD,
    PLAIN_WORD,
    WIDTH,
    TextCache,
    double_quoted,
    scalar_texts,
)
from lamina.sources.yaml.writer_cache import MOST_CHARACTERS, CollectionTexts, LastLines, WrittenMapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.sources.yaml.scalar_texts import ScalarTexts

    Lines = Callable[[Any, int, bool, bool, ScalarTexts, int], tuple[str, int] | None]

_SHORT_LIST = 8
"""Lists with at most this many strings are written as fast as looked up."""
_SHORT = 80
"""Strings with at most this many characters are only counted as a line."""
_LINE = 32
"""The approximate size of a line besides its indent and a long string."""
_SIMPLE_KEY = 128 - len("!!str")
_is_simple = PLAIN_WORD.fullmatch
_SHORT_STRINGS = expression(r"[A-Za-z_/][!-9;-~]{5,37}(?:\n[A-Za-z_/][!-9;-~]{5,37})*")
_MAX_CACHED_INDENT = 60
_INDENTS = ["\n" + " " * indent for indent in range(_MAX_CACHED_INDENT)]


def _short_strings(items: list[Any] | tuple[Any, ...], indentation: str) -> str | None:
    """The items of a list, if each is a string that is written as it is, on one line, in any position."""
    try:
        lines = "\n".join(items)
    except TypeError:
        return None
    if _SHORT_STRINGS.fullmatch(lines) is None or lines.count("\n") != len(items) - 1:
        return None
    return "- " + lines.replace("\n", f"{indentation}- ")


def _indentation(indent: int) -> str:
    return _INDENTS[indent] if indent < _MAX_CACHED_INDENT else "\n" + " " * indent


def _too_deep() -> UsageError:
    return UsageError(Diagnostic(code="too-deep", message="the value is nested too deeply to write", hint="flatten it"))


class _Memory:
    """The caches of a writer."""

    __slots__ = ("last", "texts")

    def __init__(self) -> None:
        self.texts = CollectionTexts()
        self.last = LastLines()


_EXTENSION = compiled("lamina.sources.yaml._writer")
LINES: Lines | None = None if _EXTENSION is None else _EXTENSION.lines


class Writer:
    """A writer of block YAML; with `use_cache`, it caches the text of what it has written, collections by identity.

    Remembered collections are kept alive and must not be changed while the writer is in use. A `guarded` one remembers
    nothing and differs from PyYAML where a line would be taken for a command by a build service that reads the output.
    """

    def __init__(
        self,
        *,
        sort_keys: bool = False,
        allow_unicode: bool = False,
        use_cache: bool = False,
        guarded: bool = False,
    ) -> None:
        self._sort_keys = sort_keys
        self._guarded = guarded
        self._allow_unicode = allow_unicode
        remembers = use_cache and not guarded
        self._cache: Any = None
        """The cache of the C extension, which takes the place of the memory."""
        if remembers and _EXTENSION is not None:
            self._cache = _EXTENSION.Cache(sort_keys, allow_unicode, MOST_CHARACTERS)
        self._memory = _Memory() if remembers and self._cache is None else None
        self._scalars = scalar_texts(allow_unicode, guarded)
        self._keys = TextCache()
        self._written = to_write()
        self._compiled = self._compiled_lines()

    def _compiled_lines(self) -> Lines | None:
        """The function that writes whole collections, if this writer can use it."""
        return LINES if self._memory is None and not self._guarded else None

    def dump(self, value: Any, header: str = "") -> str:
        """One document."""
        if type(value) is not dict or not value or (header and not header.endswith("\n")):
            return self.dump_all([value], header)
        self._written = to_write()
        if self._cache is not None and (text := self._cached_text(value, header)) is not None:
            return text
        self._compiled = self._compiled_lines()
        try:
            if self._memory is None:
                return f"{header}{self._lines(value, 0)}\n"
            first, *rest = self._checked(self._cached_entries(self._memory, value, 0), 0)
            return "\n".join([header + first, *rest, ""])
        except RecursionError:
            raise _too_deep() from None

    def dump_all(self, values: Iterable[Any], header: str = "") -> str:
        """One document after another, with `---` between them."""
        self._written = to_write()
        self._compiled = self._compiled_lines()
        if header and not header.endswith("\n"):
            header += "\n"
        try:
            texts = [self._document(value, index > 0) for index, value in enumerate(values)]
        except RecursionError:
            raise _too_deep() from None
        # PyYAML ends a bare scalar with dots only where no document follows to end it.
        texts[:-1] = [re.sub(r"\n\.\.\.\n\Z", "\n", text) for text in texts[:-1]]
        return header + "---".join(texts)

    def _cached_text(self, value: Any, header: str) -> str | None:
        """The text of a document that is a collection; None if the C extension leaves it to Python."""
        budget = self._written
        written: tuple[str, int] | None = self._cache.document(value, header, self._scalars, budget.size)
        if written is None:
            return None
        text, left = written
        if left < 0:
            budget.spend(size=budget.size - left)
        budget.size = left
        return text

    def _document(self, value: Any, follows: bool) -> str:
        if not isinstance(value, (dict, list, tuple, set, frozenset)):
            return self._root_scalar(value, follows)
        if not value or isinstance(value, (set, frozenset)):
            return " " * follows + self._value(value, 0, 0, -2) + "\n"
        if self._cache is not None and (text := self._cached_text(value, "")) is not None:
            return "\n" * follows + text
        # The whole document is never a part of another and need not be cached.
        return "\n" * follows + self._lines(value, 0) + "\n"

    def _root_scalar(self, value: Any, follows: bool) -> str:
        self._scalars.other(value, 0, 0)
        if self._guarded and type(value) is str and COMMAND.search(value):
            return " " * follows + double_quoted(value) + "\n"
        from lamina.sources.yaml.scalar_style import dumped

        written = dumped(value, allow_unicode=self._allow_unicode, explicit_start=follows)
        return written.removeprefix("---")

    def _block(self, value: Any, indent: int) -> str:
        """A collection that is not empty; its first line without the indent, its last without an end."""
        if self._memory is None:
            return self._lines(value, indent)
        texts = self._memory.texts
        text = texts.find(indent, value, after_key=False)
        if text is None:
            was_seen = texts.was_seen(indent, value)
            text = self._lines(value, indent)
            if was_seen:
                texts.keep(indent, value, text, after_key=False)
        return text

    def _lines(self, value: Any, indent: int) -> str:
        if self._compiled is not None:
            written = self._compiled(
                value, indent, self._sort_keys, self._allow_unicode, self._scalars, self._written.size
            )
            if written is not None:
                text, left = written
                self._written.spend(size=self._written.size - left)
                return text
            # The C extension would leave its content to us again.
            self._compiled = None
        indentation = _indentation(indent)
        if isinstance(value, dict):
            memory = self._memory
            entries = self._entries(value, indent) if memory is None else self._cached_entries(memory, value, indent)
            return indentation.join(self._checked(entries, indent))
        if (
            self._memory is not None
            and indent < WIDTH // 2
            and (short := _short_strings(value, indentation)) is not None
        ):
            return short
        return indentation.join(self._checked([self._item(at, item, indent) for at, item in enumerate(value)], indent))

    def _checked(self, lines: list[str], indent: int) -> list[str]:
        """The lines of a block, checked against the budget before they are joined."""
        self._written.spend(size=len(lines) * (indent + _LINE))
        if self._memory is not None:
            # Cached text was not written just now, and is not counted elsewhere.
            self._written.check(sum(map(len, lines)))
        return lines

    def _entries(self, value: dict[Any, Any], indent: int) -> list[str]:
        return [self._entry(key, value[key], indent) for key in self._ordered(value)]

    def _cached_entries(
        self, memory: _Memory, value: dict[Any, Any], indent: int, under: Any = None, *, alone: bool = False
    ) -> list[str]:
        """The entries of a mapping; most are the same as in the last mapping under the same key.

        One that is `alone`, so that no other will be similar, does not replace the one that others are similar to.
        """
        names, children = list(value), list(value.values())
        last = memory.last.at[indent].get(under)
        if last is None or last.names != names:
            last, alone = self._new_mapping(memory, names, indent, under), False
        others = list(compress(range(len(names)), map(is_not, children, last.children)))
        lines = last.lines.copy()
        heads, places = last.heads, last.places
        longest = WIDTH - indent
        for at in others:
            child = children[at]
            head = heads[at]
            if type(child) is str and head and len(child) > LONGEST_PLAIN_WORD and _is_simple(child):
                line = f"{head} {child}"
                if len(line) <= longest:
                    lines[places[at]] = line
                    continue
            lines[places[at]] = self._line(memory, names[at], head, child, indent)
        if not alone or 2 * len(others) >= len(names):
            last.children, last.lines = children, lines
        return lines

    def _new_mapping(self, memory: _Memory, names: list[Any], indent: int, under: Any) -> WrittenMapping:
        """The entry for a mapping with other keys than the last one: nothing is cached yet."""
        places = list(range(len(names)))
        if self._sort_keys:
            ordered = in_order(names)
            at = {id(name): key for key, name in enumerate(ordered)}
            places = [at[id(name)] for name in names]
        heads = [f"{text}:" if type(name) is str and (text := self._key(name)) else "" for name in names]
        lines = WrittenMapping(names, places, heads)
        if lines.comparable:
            memory.last.put(indent, under, lines)
        return lines

    def _line(self, memory: _Memory, key: Any, head: str, child: Any, indent: int) -> str:
        """One entry, in the simplest way possible."""
        kind = type(child)
        if not head or not child or (kind is not dict and kind is not list):
            return self._entry(key, child, indent)
        if kind is list and len(child) <= _SHORT_LIST and indent < WIDTH // 2:
            indentation = _indentation(indent)
            short = _short_strings(child, indentation)
            if short is not None:
                return f"{head}{indentation}{short}"
        texts = memory.texts
        text = texts.recent[indent].get(id(child))
        if text is None and texts.earlier:
            text = texts.find(indent, child, after_key=True)
        if text is None:
            was_seen = texts.was_seen(indent, child)
            if kind is dict:
                indentation = _indentation(indent + 2)
                text = indentation + indentation.join(
                    self._cached_entries(memory, child, indent + 2, key, alone=not was_seen)
                )
            else:
                text = self._after_key(child, indent, len(head))
            if was_seen:
                texts.keep(indent, child, text, after_key=True)
        return head + text

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
            known = self._keys.get(key)
            if known is None and key and len(key) < _SIMPLE_KEY and not BREAKS.search(key):
                known = self._scalars.text(key)
                self._keys.keep(key, known, len(key))
            return known
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
            return self._block(value, outer + 2)
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
