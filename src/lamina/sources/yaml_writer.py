"""Writing YAML: block text byte for byte as PyYAML's safe dumper writes it, without its anchors.

PyYAML's emitter decides how each distinct scalar is written, once; we remember its answer and lay out the blocks. Long
and multi-line scalars, whose text depends on where they stand, go to the emitter every time. Two liberties: tuples are
written as lists, and sets are always sorted, since their own order changes from run to run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import date, datetime
from functools import cache
from io import StringIO
from operator import is_
from typing import TYPE_CHECKING, Any

import yaml
from yaml.emitter import Emitter
from yaml.events import ScalarEvent
from yaml.nodes import ScalarNode
from yaml.representer import SafeRepresenter
from yaml.resolver import Resolver

from lamina.errors import Diagnostic, UsageError
from lamina.expressions import expression

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.paths import Path, Step

_WIDTH = 80
_REMEMBERED = 1 << 16
_MOST_CHARACTERS = 1 << 24
"""How much text of collections is remembered, in each of two generations."""
_MET = 1 << 13
"""How many places are known to have been met once."""
_LAST = 1 << 10
_EACH = 250
"""What a remembered text costs besides its characters, about."""
_SIMPLE_KEY = 128 - len("!!str")
_BREAKS = expression("[\n\x85\u2028\u2029]")
# What the emitter would find after looking at every character; anything else it decides itself.
_SIMPLY_PLAIN = re.compile(r"[A-Za-z_/][!-9;-~]*")
_SURELY_PLAIN = expression(r"[A-Za-z_/](?:[!-9;-~]|:(?! |\Z))*(?: (?!#)(?:[!-9;-~]|:(?! |\Z))+)*")
_SURELY_SINGLE_QUOTED = expression(r"(?!\ )[ -~\n]*\n[ -~\n]*(?<!\ )")
_SPACE_AT_BREAK = expression(r"\ \n|\n\ ")
_MARGINED = 60
_MARGINS = ["\n" + " " * indent for indent in range(_MARGINED + 2)]
_MAYBE_NOT_TEXT = frozenset("yYnNtTfFoO")
_LONGEST_WORD = len("false")
"""Plain words that are no text (yes, null, false) are not longer."""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


class _Scalars:
    """The text of scalars, as PyYAML's emitter writes them."""

    def __init__(self, allow_unicode: bool) -> None:
        self._allow_unicode = allow_unicode
        self._representer = SafeRepresenter()
        self._resolver: Any = Resolver()
        self._texts: dict[str, str] = {}
        self._placed: dict[tuple[str, int, int], str] = {}

    def text(self, value: str) -> str:
        """Text as it is written where nothing forces it onto several lines; empty where it always takes several."""
        known = self._texts.get(value)
        if known is None:
            known = self._decide(value)
            _keep(self._texts, value, known)
        return known

    def _decide(self, value: str) -> str:
        if "\n" in value and _SURELY_SINGLE_QUOTED.fullmatch(value):
            return ""
        if (_SIMPLY_PLAIN.fullmatch(value) or _SURELY_PLAIN.fullmatch(value)) and self._is_text(value):
            return value
        written = self._emit(value, 0, 0, width=1 << 30)
        return "" if _BREAKS.search(written) else written

    def _is_text(self, value: str) -> bool:
        if len(value) > _LONGEST_WORD or value[0] not in _MAYBE_NOT_TEXT:
            return True
        return bool(self._resolver.resolve(ScalarNode, value, (True, False)) == Resolver.DEFAULT_SCALAR_TAG)

    def placed(self, value: str, indent: int, column: int) -> str:
        """Text as it is written from a column on, in a block of that indent."""
        text = self.text(value)
        if text and (column + len(text) <= _WIDTH or (" " not in text and text[0] != '"')):
            return text
        place = (value, indent, column)
        known = self._placed.get(place)
        if known is None:
            known = _quoted_lines(value, indent, column) or self._emit(value, indent, column)
            _keep(self._placed, place, known)
        return known

    def other(self, value: Any, indent: int, column: int) -> str:
        """Any other scalar."""
        if value is None:
            return "null"
        if value is True or value is False:
            return "true" if value else "false"
        if type(value) is int:
            return _digits(value)
        return self._emit(value, indent, column)

    def _emit(self, value: Any, indent: int, column: int, width: int = _WIDTH) -> str:
        node = self._node(value)
        detected = self._resolver.resolve(ScalarNode, node.value, (True, False))
        default = self._resolver.resolve(ScalarNode, node.value, (False, True))
        out = StringIO()
        emitter: Any = Emitter(out, width=width, allow_unicode=self._allow_unicode)
        emitter.indent, emitter.column = indent, column
        emitter.tag_prefixes = Emitter.DEFAULT_TAG_PREFIXES
        emitter.event = ScalarEvent(
            None, node.tag, (node.tag == detected, node.tag == default), node.value, style=node.style
        )
        emitter.increase_indent(flow=True)
        emitter.process_tag()
        emitter.process_scalar()
        return out.getvalue().removesuffix("\n")

    def _node(self, value: Any) -> Any:
        represent = self._representer.yaml_representers.get(type(value))
        if represent is not None:
            return represent(self._representer, value)
        for kind in (str, bool, int, float, datetime, date, bytes):
            if isinstance(value, kind):
                return self._representer.yaml_representers[kind](self._representer, value)
        raise UsageError(
            Diagnostic(
                code="not-yaml",
                message=f"a value of type {type(value).__name__} cannot be written as YAML",
                hint="use mappings, lists, text, numbers, booleans, null, dates, bytes and sets",
            )
        )


def _quoted_lines(value: str, indent: int, column: int) -> str | None:
    """Text of several lines in single quotes; none where it is not that simple."""
    if not _SURELY_SINGLE_QUOTED.fullmatch(value) or _SPACE_AT_BREAK.search(value):
        return None
    value = value.replace("'", "''")
    first, *rest = value.split("\n")
    margin = indent + 2
    if column + len(first) >= _WIDTH or any(margin + len(line) >= _WIDTH for line in rest):
        return None
    # A break inside the quotes reads as a space, so each run of them is written with one more.
    pad = " " * margin
    return "'" + re.sub("\n+", lambda match: match[0] + "\n" + pad, value) + "'"


def _keep(memo: dict[Any, str], key: Any, text: str) -> None:
    if len(memo) >= _REMEMBERED:
        memo.clear()
    memo[key] = text


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:
        raise UsageError(
            Diagnostic(
                code="number-too-long", message="a number is too long to be written out", hint="write it as text"
            )
        ) from None


@cache
def _scalars(allow_unicode: bool) -> _Scalars:
    return _Scalars(allow_unicode)


class _Texts:
    """The texts of entries and blocks written before, as many as may be kept; those used last are kept longest.

    A text is known by its indent and by the identities of key and value, which are held so that they stay theirs; of a
    block without a key by zero and the identity of the value. Only what is met a second time is kept.
    """

    def __init__(self, most: int) -> None:
        self.recent: defaultdict[int, dict[tuple[int, int], str]] = defaultdict(dict)
        self._held: list[Any] = []
        self._earlier: dict[int, dict[tuple[int, int], str]] = {}
        self._held_earlier: list[Any] = []
        self._most = most
        self._room = most
        self._met: set[tuple[int, int]] = set()
        self.last: dict[tuple[int, Any], tuple[list[Any], list[Any], list[Any]]] = {}
        """The mapping written last at an indent and under a key: its keys, its values and their lines."""

    def find(self, indent: int, place: tuple[int, int], *held: Any) -> str | None:
        """The text at a place that is not among the recent ones, from when it was written before that."""
        earlier = self._earlier.get(indent)
        if earlier is None:
            return None
        text = earlier.get(place)
        if text is not None:
            self._keep(indent, place, text, *held)
        return text

    def offer(self, indent: int, place: tuple[int, int], text: str, *held: Any) -> None:
        """Keep a text if its place was met before; places may be mistaken for one another here, at no harm."""
        if place in self._met:
            self._keep(indent, place, text, *held)
        else:
            if len(self._met) >= _MET:
                self._met.clear()
            self._met.add(place)

    def _keep(self, indent: int, place: tuple[int, int], text: str, *held: Any) -> None:
        self._room -= len(text) + _EACH
        if self._room < 0:
            self._earlier, self._held_earlier = self.recent, self._held
            self.recent, self._held = defaultdict(dict), []
            self._room = self._most
        self.recent[indent][place] = text
        self._held.extend(held)


class Writer:
    """A writer of block YAML; with `remember`, it keeps the texts of what it has written, collections by identity.

    Remembered collections are kept alive and must not be changed while the writer is in use.
    """

    def __init__(self, *, sort_keys: bool = False, allow_unicode: bool = False, remember: bool = False) -> None:
        self._sort_keys = sort_keys
        self._allow_unicode = allow_unicode
        self._texts: _Texts | None = _Texts(_MOST_CHARACTERS) if remember else None
        self._scalars = _scalars(allow_unicode)
        self._keys: dict[str, str] = {}

    def dump(self, value: Any, header: str = "") -> str:
        """One document."""
        return self.dump_all([value], header)

    def dump_all(self, values: Iterable[Any], header: str = "") -> str:
        """One document after another, with `---` between them."""
        if header and not header.endswith("\n"):
            header += "\n"
        try:
            texts = [self._document(value, index > 0) for index, value in enumerate(values)]
        except RecursionError:
            raise UsageError(
                Diagnostic(code="too-deep", message="the value is nested too deep to be written", hint="flatten it")
            ) from None
        # PyYAML ends a bare scalar with dots only where no document follows to end it.
        texts[:-1] = [re.sub(r"\n\.\.\.\n\Z", "\n", text) for text in texts[:-1]]
        return header + "---".join(texts)

    def _document(self, value: Any, follows: bool) -> str:
        if not isinstance(value, (dict, list, tuple, set, frozenset)):
            return self._root_scalar(value, follows)
        if not value or isinstance(value, (set, frozenset)):
            return " " * follows + self._value(value, 0, 0, -2) + "\n"
        # The document as a whole is nobody's part and need not be remembered.
        return "\n" * follows + self._lines(value, 0) + "\n"

    def _root_scalar(self, value: Any, follows: bool) -> str:
        self._scalars.other(value, 0, 0)
        dumped: str = yaml.dump(value, Dumper=_Dumper, allow_unicode=self._allow_unicode, explicit_start=follows)
        return dumped.removeprefix("---")

    def _block(self, value: Any, indent: int) -> str:
        """A collection that is not empty; its first line without the indent, its last without an end."""
        texts = self._texts
        if texts is None:
            return self._lines(value, indent)
        place = (0, id(value))
        text = texts.recent[indent].get(place) or texts.find(indent, place, value)
        if text is None:
            text = self._lines(value, indent)
            texts.offer(indent, place, text, value)
        return text

    def _lines(self, value: Any, indent: int) -> str:
        margin = "\n" + " " * indent
        if isinstance(value, dict):
            entries = self._entries if self._texts is None else self._remembered_entries
            return margin.join(entries(value, indent))
        return margin.join([self._item(at, item, indent) for at, item in enumerate(value)])

    def _entries(self, value: dict[Any, Any], indent: int) -> list[str]:
        return [self._entry(key, value[key], indent) for key in self._ordered(value)]

    def _remembered_entries(self, value: dict[Any, Any], indent: int, under: Any = None) -> list[str]:
        """The entries of a mapping; most are those of the mapping that stood under the same key last."""
        texts = self._texts
        assert texts is not None
        keys = in_order(value) if self._sort_keys else list(value)
        children = list(map(value.__getitem__, keys))
        last = texts.last.get((indent, under))
        if last is not None and len(last[0]) == len(keys) and all(map(is_, keys, last[0])):
            lines = last[2].copy()
            same = list(map(is_, children, last[1]))
            if False in same:
                self._renew(texts, indent, keys, children, lines, same)
        else:
            found = zip(map(id, keys), map(id, children), strict=True)
            lines = list(map(texts.recent[indent].get, found))
            if None in lines:
                self._renew(texts, indent, keys, children, lines, [line is not None for line in lines])
        if len(texts.last) >= _LAST:
            texts.last.clear()
        texts.last[indent, under] = (keys, children, lines)
        return lines

    def _renew(
        self, texts: _Texts, indent: int, keys: list[Any], children: list[Any], lines: list[Any], same: list[bool]
    ) -> None:
        """Write the lines anew that are not the same."""
        for at, is_same in enumerate(same):
            if not is_same:
                key, child = keys[at], children[at]
                place = (id(key), id(child))
                lines[at] = texts.recent[indent].get(place) or self._fresh_entry(texts, place, key, child, indent)

    def _fresh_entry(self, texts: _Texts, place: tuple[int, int], key: Any, child: Any, indent: int) -> str:
        text = texts.find(indent, place, key, child)
        if text is None:
            known = self._keys.get(key) if type(key) is str else None
            text = self._short_entry(known, child, indent) if known else None
            if text is None:
                text = self._entry(key, child, indent)
            texts.offer(indent, place, text, key, child)
        return text

    def _short_entry(self, key: str, child: Any, indent: int) -> str | None:
        """What stands under a key that is known to be written like this, where that is simple."""
        kind = type(child)
        if kind is str:
            text = self._scalars.text(child)
            return f"{key}: {text}" if text and indent + len(key) + len(text) + 2 <= _WIDTH else None
        if kind is dict and child:
            margin = _MARGINS[indent + 2] if indent < _MARGINED else "\n" + " " * (indent + 2)
            return f"{key}:{margin}{margin.join(self._remembered_entries(child, indent + 2, key))}"
        return None

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
        """A key on its line; none if it has to be written in the long way, after a question mark."""
        if type(key) is str:
            known = self._keys.get(key)
            if known is None and key and len(key) < _SIMPLE_KEY and not _BREAKS.search(key):
                known = self._scalars.text(key)
                _keep(self._keys, key, known)
            return known
        if isinstance(key, (tuple, bytes, frozenset, str)):
            return "[]" if key == () else None
        text = self._scalars.other(key, 0, 0)
        return text if len(text) < _SIMPLE_KEY - 10 else None

    def _after_key(self, child: Any, indent: int, width: int) -> str:
        kind = type(child)
        if kind is str:
            return " " + self._scalars.placed(child, indent, indent + width + 2)
        if (kind is dict or isinstance(child, dict)) and child:
            pad = " " * (indent + 2)
            return f"\n{pad}{self._lines(child, indent + 2)}"
        if isinstance(child, (list, tuple)) and child:
            pad = " " * indent
            return f"\n{pad}{self._lines(child, indent)}"
        return " " + self._value(child, indent, indent + width + 2, indent)

    def _item(self, at: int, item: Any, indent: int) -> str:  # noqa: ARG002 - `at` is for those who want the path
        if type(item) is str:
            return "- " + self._scalars.placed(item, indent, indent + 2)
        return "- " + self._value(item, indent, indent + 2, indent)

    def _value(self, value: Any, indent: int, column: int, outer: int) -> str:
        """Anything, from a column on; a collection takes the indent after `outer`."""
        if isinstance(value, (set, frozenset)):
            return self._set(value, outer + 2)
        if isinstance(value, (dict, list, tuple)):
            if not value:
                return "{}" if isinstance(value, dict) else "[]"
            return self._block(value, outer + 2)
        if type(value) is str:
            return self._scalars.placed(value, indent, column)
        return self._scalars.other(value, indent, column)

    def _set(self, value: set[Any] | frozenset[Any], indent: int) -> str:
        if not value:
            return "!!set {}"
        members = dict.fromkeys(in_order(value))
        return "!!set\n" + " " * indent + Writer._lines(self._plain(), members, indent)

    def _plain(self) -> Writer:
        return self


def in_order(keys: Iterable[Any]) -> list[Any]:
    """The keys in order where they have one, as they come where they have none."""
    keys = list(keys)
    try:
        return sorted(keys)
    except TypeError:
        return keys


class _Annotating(Writer):
    """A writer that follows the path and puts a comment after each scalar and each empty collection."""

    def __init__(self, comment: Callable[[Path], str | None], sort_keys: bool, allow_unicode: bool) -> None:
        super().__init__(sort_keys=sort_keys, allow_unicode=allow_unicode)
        self._comment = comment
        self._path: list[Step] = []

    def _document(self, value: Any, follows: bool) -> str:
        text = super()._document(value, follows)
        if _is_full(value):
            return text
        body, dots, _ = text.partition("\n...\n")
        return self._commented(body.removesuffix("\n"), ()) + (dots or "\n")

    def _entry(self, key: Any, child: Any, indent: int) -> str:
        return self._with(key, child, super()._entry, key, child, indent)

    def _item(self, at: int, item: Any, indent: int) -> str:
        return self._with(at, item, super()._item, at, item, indent)

    def _with(self, step: Step, child: Any, write: Callable[..., str], *arguments: Any) -> str:
        self._path.append(step)
        text = write(*arguments)
        if not _is_full(child):
            text = self._commented(text, tuple(self._path))
        self._path.pop()
        return text

    def _commented(self, text: str, path: Path) -> str:
        comment = self._comment(path)
        if not comment:
            return text
        comment = "  # " + " ".join(comment.split())
        # A literal block takes everything below its first line as its own.
        literal = re.search(r"!!(?:binary \||set)(?=\n)", text)
        if literal:
            return text[: literal.end()] + comment + text[literal.end() :]
        return text + comment

    def _plain(self) -> Writer:
        return Writer(sort_keys=self._sort_keys, allow_unicode=self._allow_unicode)


def _is_full(value: Any) -> bool:
    return isinstance(value, (dict, list, tuple)) and bool(value)


def dump(value: Any, *, sort_keys: bool = False, header: str = "", allow_unicode: bool = False) -> str:
    """The value as one YAML document."""
    return Writer(sort_keys=sort_keys, allow_unicode=allow_unicode).dump(value, header)


def dump_all(values: Iterable[Any], *, sort_keys: bool = False, header: str = "", allow_unicode: bool = False) -> str:
    """The values as a stream of YAML documents."""
    return Writer(sort_keys=sort_keys, allow_unicode=allow_unicode).dump_all(values, header)


def annotated(
    value: Any,
    comment: Callable[[Path], str | None],
    *,
    sort_keys: bool = False,
    header: str = "",
    allow_unicode: bool = False,
) -> str:
    """The value as YAML, with a comment after each scalar and empty collection; it reads back as the same value."""
    return _Annotating(comment, sort_keys, allow_unicode).dump(value, header)
