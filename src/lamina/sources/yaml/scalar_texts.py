"""How YAML writes scalars: the text that PyYAML's emitter gives for each, decided once and cached.

Text that depends on where it is (long strings, and strings of several lines) is cached with its place.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from lamina._support.derived import expression
from lamina.errors import Diagnostic, UsageError
from lamina.sources.yaml.scalars import WORDS

if TYPE_CHECKING:
    from lamina.sources.yaml.scalar_style import ScalarEmitter

WIDTH: Final = 80
"""The column at which long strings are folded."""
_MAX_CACHED = 1 << 13
_MAX_CACHED_CHARACTERS = 1 << 21
BREAKS = expression("[\n\x85\u2028\u2029]")
# What the emitter would find after looking at every character; anything else it decides itself.
PLAIN_WORD = re.compile(r"[A-Za-z_/][!-9;-~]*")
_LIKE_NUMBER = expression(r"[0-9][!-9;-~]*")
_PLAIN_STRING = expression(r"[A-Za-z_/](?:[!-9;-~]|:(?! |\Z))*(?: (?!#)(?:[!-9;-~]|:(?! |\Z))+)*")
_SINGLE_QUOTED_LINES = expression(r"(?!\ )[ -~\n]*\n[ -~\n]*(?<!\ )")
_SPACE_AT_BREAK = expression(r"\ \n|\n\ ")
_MAYBE_NOT_TEXT = frozenset("yYnNtTfFoO")
_DIGITS = frozenset("0123456789")
# A long string may be folded at any space, so a command after a space counts too.
COMMAND = expression(r"(?:^|\s)::|##\w*\[")
_HARMLESS = frozenset(" !$%&'()*+,-./0123456789;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~")
LONGEST_PLAIN_WORD = len("false")
"""Plain words that are not strings (yes, null, false) are not longer."""


class ScalarTexts:
    """The text of scalars, as PyYAML's emitter writes them."""

    def __init__(self, allow_unicode: bool) -> None:
        self._allow_unicode = allow_unicode
        self._texts = TextCache()
        self._placed = TextCache()

    @cached_property
    def _emitter(self) -> ScalarEmitter:
        from lamina.sources.yaml.scalar_style import ScalarEmitter

        return ScalarEmitter(self._allow_unicode)

    def text(self, value: str) -> str:
        """A string as written on one line; empty if it always takes several lines."""
        known = self._texts.get(value)
        if known is None:
            known = self._decide(value)
            self._texts.keep(value, known, len(value))
        return known

    def _decide(self, value: str) -> str:
        if PLAIN_WORD.fullmatch(value) and (len(value) > LONGEST_PLAIN_WORD or self._is_text(value)):
            return value
        if "\n" in value and _SINGLE_QUOTED_LINES.fullmatch(value):
            return ""
        if (_PLAIN_STRING.fullmatch(value) or _LIKE_NUMBER.fullmatch(value)) and self._is_text(value):
            return value
        written = self._emitter.emit(value, 0, 0, 1 << 30)
        return "" if BREAKS.search(written) else written

    def _is_text(self, value: str) -> bool:
        if value[0] not in _DIGITS and (value[0] not in _MAYBE_NOT_TEXT or len(value) > LONGEST_PLAIN_WORD):
            return True
        if value.count(".") > 1:  # an address or a version: numbers and dates never have two dots
            return True
        return value not in WORDS if value[0] in _MAYBE_NOT_TEXT else self._emitter.is_text(value)

    def placed(self, value: str, indent: int, column: int) -> str:
        """A string as written starting at a column, in a block with that indent."""
        text = self.text(value)
        if text and (column + len(text) <= WIDTH or (" " not in text and text[0] != '"')):
            return text
        place = (value, indent, column)
        known = self._placed.get(place)
        if known is None:
            known = _quoted_lines(value, indent, column) or self._emitter.emit(value, indent, column, WIDTH)
            self._placed.keep(place, known, len(value))
        return known

    def other(self, value: Any, indent: int, column: int) -> str:
        """Any other scalar."""
        if value is None:
            return "null"
        if value is True or value is False:
            return "true" if value else "false"
        if type(value) is int:
            return _digits(value)
        return self._emitter.emit(value, indent, column, WIDTH)


class _GuardedTexts(ScalarTexts):
    """Scalars none of which starts a line that a build service would take for a command."""

    def text(self, value: str) -> str:
        return double_quoted(value) if COMMAND.search(value) else super().text(value)

    def placed(self, value: str, indent: int, column: int) -> str:
        return double_quoted(value) if COMMAND.search(value) else super().placed(value, indent, column)


def double_quoted(value: str) -> str:
    """A string on one line, whatever it contains, with colons and number signs escaped."""
    return '"' + "".join(one if one in _HARMLESS else _escape(ord(one)) for one in value) + '"'


def _escape(number: int) -> str:
    if number < 0x100:
        return f"\\x{number:02X}"
    return f"\\u{number:04X}" if number < 0x10000 else f"\\U{number:08X}"


def _quoted_lines(value: str, indent: int, column: int) -> str | None:
    """A string of several lines in single quotes; None if it is not that simple."""
    if not _SINGLE_QUOTED_LINES.fullmatch(value) or _SPACE_AT_BREAK.search(value):
        return None
    value = value.replace("'", "''")
    first, *rest = value.split("\n")
    margin = indent + 2
    if column + len(first) >= WIDTH or any(margin + len(line) >= WIDTH for line in rest):
        return None
    # A break inside the quotes reads as a space, so each run of them is written with one more.
    pad = " " * margin
    return "'" + re.sub("\n+", lambda match: match[0] + "\n" + pad, value) + "'"


class TextCache(dict[Any, str]):
    """The written forms of strings; bounded in number and in characters."""

    def __init__(self) -> None:
        super().__init__()
        self._room = _MAX_CACHED_CHARACTERS

    def keep(self, key: Any, text: str, length: int) -> None:
        length += len(text)
        if length > _MAX_CACHED_CHARACTERS:
            return
        self._room -= length
        if self._room < 0 or len(self) >= _MAX_CACHED:
            self.clear()
            self._room = _MAX_CACHED_CHARACTERS - length
        self[key] = text


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:
        raise UsageError(
            Diagnostic(
                code="number-too-long", message="a number has too many digits to write", hint="write it as a string"
            )
        ) from None


def scalar_texts(allow_unicode: bool, guarded: bool) -> ScalarTexts:
    """The texts of scalars, which writers of one session share; `guarded` as in `Writer`."""
    return _GuardedTexts(allow_unicode) if guarded else ScalarTexts(allow_unicode)
