"""Escapes: the one place where text from inputs becomes text for people.

Keys, values and file names are written by others. Printed as they are, they could steer a terminal (control
characters), reorder what is read (bidirectional marks), hide something (zero-width characters) or start a command of
a build service that reads the log. Whatever is printed for people goes through `visible` or through `text_of`, which
takes it line by line. JSON has its own escapes (`escaped_json`). YAML is written as PyYAML writes it,
which is in ASCII; the writer quotes what `has_commands` finds where it is asked to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CHUNK = 4096
"""Characters, or texts, that are assembled at a time."""
_HASHES = "##"
_COLONS = "::"


def visible(text: str, keep: str = "", *, as_json: bool = False) -> str:
    """The text with every character escaped that cannot be seen: control and format characters, separators other than
    the space, lone surrogates and characters Unicode does not define; those in `keep` stay.

    With `as_json` the escapes are those of JSON, for text beside values that JSON wrote.
    """
    if text.isprintable():
        return text
    escape = _json_escape if as_json else _escape
    return "".join(_visible(chunk, keep, escape) for chunk in _chunks(text))


def _chunks(text: str) -> Iterator[str]:
    """The text in pieces: one character takes as much memory as dozens of them in a piece."""
    return (text[at : at + _CHUNK] for at in range(0, len(text), _CHUNK))


def _visible(chunk: str, keep: str, escape: Callable[[str], str]) -> str:
    if chunk.isprintable():
        return chunk
    return "".join(one if one.isprintable() or one in keep else escape(one) for one in chunk)


def _json_escape(one: str) -> str:
    import json

    return json.dumps(one)[1:-1]


def _escape(one: str) -> str:
    number = ord(one)
    if number < 0x100:
        return _SHORT.get(one) or f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def one_line(text: str) -> str:
    """The text as one line of output, without anything that a build service would take for a command."""
    text = visible(text)
    return without_commands(text) if _COLONS in text or _HASHES in text else text


def without_commands(line: str) -> str:
    """The line with its commands for a build service escaped.

    GitHub takes `::name::` at the start of a line, spaces before it ignored, and `##[name]` anywhere; other services
    take `##service[name]`.
    """
    body = line.lstrip()
    if body.startswith(_COLONS):
        line = f"{line[: len(line) - len(body)]}\\x3a{body[1:]}"
    return _without_hashes(line, "\\x23")


def has_commands(text: str) -> bool:
    """Whether any line of a text would be taken for a command."""
    if _COLONS not in text and _HASHES not in text:
        return False
    import re

    # Names with colons in them are many in some results: a line is looked at only if it may begin with colons.
    if re.search(r"::(?<!\S::)", text) and re.search(r"^[^\S\n]*::", text, re.MULTILINE):
        return True
    return _HASHES in text and re.search(r"##\w*\[", text) is not None


def _without_hashes(text: str, escape: str) -> str:
    if _HASHES not in text:
        return text
    import re

    done: list[str] = []
    pieces: list[str] = []
    at = 0
    for found in re.finditer(r"##(?=\w*\[)", text):
        pieces += (text[at : found.start()], "#", escape)
        at = found.end()
        if len(pieces) > _CHUNK:
            done.append("".join(pieces))
            pieces.clear()
    return "".join([*done, *pieces, text[at:]])


def escaped_json(text: str) -> str:
    """JSON text with the same escaped inside of its strings, by JSON's own escapes: it reads as the same data."""
    text = _without_hashes(text, "\\u0023")
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(_visible(chunk, "\n", _json_escape) for chunk in _chunks(text))


def text_of(lines: Iterable[str]) -> str:
    """Lines for people as one text, each of them escaped."""
    return "".join(f"{one_line(line)}\n" for line in lines)
