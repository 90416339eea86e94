"""MIME messages: their parts with headers, decoded bodies, and where both are in the file.

Python's own parser does the reading, since cloud-init uses it and its quirks are part of the result: a header keeps its
line breaks, an unknown transfer encoding is left alone, and characters outside ASCII in a body that is not encoded are
written as Latin-1 bytes or as escapes, which corrupts them. The positions are found by following the parsed parts
through the text again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from lamina._support.derived import expression
from lamina.dialects.cloudinit import messages
from lamina.dialects.cloudinit.part_walker import Entity, Header
from lamina.errors import InputError
from lamina.sources.document_cache import cached_read
from lamina.sources.source import FixedLocation, Shift, Source, Starts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

    from lamina.origins import Origin
    from lamina.run import Run
    from lamina.sources.limits import Limits
    from lamina.sources.source import Within

_EACH: Final = 2048
"""The approximate size in bytes of an entity besides its body."""
_HEADER: Final = expression(r"From |[!-9;-~]*:|[\t ]")
_BREAK: Final = expression(r"\r\n|\r|\n")
_UNUSUAL_HEADER: Final = expression("From |:|[^\n]*[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def entities(source: Source, run: Run) -> list[Entity]:
    """The pieces of a message, depth first."""
    return cached_read("mime", source, run, _entities, lambda found: sum(_EACH + len(entity.data) for entity in found))


def _entities(source: Source, limits: Limits) -> list[Entity]:
    from email import message_from_string

    limits.check_size(source)

    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.data.count(b"\n", 0, error.start)
        raise _unreadable(source.locate(line, 0), "it is not UTF-8") from None
    try:
        flat = _MimeReading(source, text).flat()
        return flat or list(_MimeReading(source, text).entities_in(message_from_string(text)))
    except RecursionError:
        raise _unreadable(source.locate(0, 0), "its parts are nested too deeply") from None
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError) as error:
        raise _unreadable(source.locate(0, 0), str(error) or type(error).__name__) from error


def _unreadable(at: Origin, why: str) -> InputError:
    return InputError(messages.BAD_MIME.at(at, why=why))


def _line_starts(text: str) -> list[int]:
    """The offsets at which lines start, including one after a final line break."""
    return [0, *(match.end() for match in _BREAK.finditer(text))]


class _Lines:
    """Converts offsets of a string to positions; fast for ascending offsets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.has_bare_returns = "\r" in text and text.count("\r") != text.count("\r\n")
        """Whether some lines end with only a carriage return."""
        self._starts = _line_starts(text) if self.has_bare_returns else []
        self._line = 0
        self._start = 0
        """Where the line begins in which the last place was."""

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        if self._starts:
            line = bisect_right(self._starts, offset) - 1
            return line, offset - self._starts[line]
        if offset < self._start:
            self._line -= self._text.count("\n", offset, self._start)
            self._start = self._text.rfind("\n", 0, offset) + 1
        elif passed := self._text.count("\n", self._start, offset):
            self._line += passed
            self._start = self._text.rindex("\n", self._start, offset) + 1
        return self._line, offset - self._start


class _MimeReading:
    """Follows the parts of a message through its text."""

    def __init__(self, source: Source, text: str) -> None:
        self.source = source
        self.text = text
        self.lines = _Lines(text)
        self.position = self.lines.position
        self.at = 0

    def flat(self) -> list[Entity] | None:
        """The entities of a simple multipart message, split at the boundary; None for anything else.

        The parser reads bodies line by line, which takes as long as everything else; here it gets only headers.
        """
        if self.lines.has_bare_returns:
            return None
        message = self._head()
        if message is None or message.get_content_maintype() != "multipart" or not message.get_boundary():
            return None
        if message.get_content_subtype() == "digest":
            return None  # parts without a type are messages there
        boundaries = self._boundaries(message)
        last = next((number for number, boundary in enumerate(boundaries) if boundary["end"]), None)
        if not last:
            return None
        found: list[Entity] = []
        for boundary, following in pairwise(boundaries[: last + 1]):
            entity = self._entity_between(boundary.end(), following.start())
            if entity is None:
                return None
            found.append(entity)
        return found

    def _boundaries(self, message: Message[str, str]) -> list[re.Match[str]]:
        """All boundaries from the current position on."""
        pattern, mark = _boundary(message, closing=True), f"--{message.get_boundary()}"
        boundaries = []
        at = self.text.find(mark, self.at)
        while at >= 0:
            boundary = pattern.match(self.text, at)
            if boundary:
                boundaries.append(boundary)
            at = self.text.find(mark, boundary.end() if boundary else at + 1)
        return boundaries

    def _head(self) -> Message[str, str] | None:
        """The headers at the current position as a message without a body; None if they are unusual."""
        from email.message import Message
        from email.policy import compat32

        start = self.at
        end = self._end_of_headers(start)
        blank_line = _BREAK.match(self.text, end)
        lines = self.text[start:end].splitlines(keepends=True)
        if blank_line is None or any(_UNUSUAL_HEADER.match(line) for line in lines):
            return None
        self.at = blank_line.end()
        message: Message[str, str] = Message()
        at = 0
        while at < len(lines):
            following_at = at + 1
            while following_at < len(lines) and lines[following_at][0] in " \t":
                following_at += 1
            if lines[at][0] in " \t":
                return None
            message.set_raw(*compat32.header_source_parse(lines[at:following_at]))
            at = following_at
        return message

    def _entity_between(self, start: int, stop: int) -> Entity | None:
        """The entity between two boundaries; the line break before the second belongs to the boundary."""
        self.at = start
        message = self._head()
        if message is None or self.at > stop or message.get_content_maintype() in ("multipart", "message"):
            return None
        body = self.text[self.at : stop]
        message.set_payload(body[:-2] if body.endswith("\r\n") else body[: len(body) - body.endswith(("\n", "\r"))])
        headers = self._headers_with_origins(message, start)
        return self._leaf(message, headers, self.position(start))

    def entities_in(self, message: Message[str, str]) -> Iterator[Entity]:
        start = self.at
        headers = self._headers(message)
        if message.is_multipart():
            children: Any = message.get_payload()
            if message.get_content_maintype() == "multipart":
                for child in children:
                    self._pass_boundary(message)
                    yield from self.entities_in(child)
                return
            inner = [entity for child in children for entity in self.entities_in(child)]
            yield Entity(
                content_type=message.get_content_type(),
                headers=headers,
                filename=_disposition_name(message),
                named=named(message),
                at=self.position(start),
                inner=len(inner),
            )
            yield from inner
        else:
            yield self._leaf(message, headers, self.position(start))

    def _headers(self, message: Message[str, str]) -> dict[str, Header]:
        """The headers by name; of those that differ in case only, each has the text of the first."""
        start = self.at
        at = self._end_of_headers(start)
        blank_line = _BREAK.match(self.text, at)
        self.at = blank_line.end() if blank_line else at
        return self._headers_with_origins(message, start)

    def _headers_with_origins(self, message: Message[str, str], start: int) -> dict[str, Header]:
        return {name: Header(str(message[name]), self._origin(name, start)) for name in dict.fromkeys(message.keys())}

    def _origin(self, name: str, start: int) -> Origin | None:
        named = f"{name}:"
        if not self.text.startswith(named, start) or (start and self.text[start - 1] != "\n"):
            start = self.text.find(f"\n{named}", max(start - 1, 0)) + 1
            if not start:
                return None
        return self.source.locate(*self.position(start))

    def _end_of_headers(self, at: int) -> int:
        while at < len(self.text) and _HEADER.match(self.text, at):
            match = _BREAK.search(self.text, at)
            at = match.end() if match else len(self.text)
        return at

    def _pass_boundary(self, message: Message[str, str]) -> None:
        match = _boundary(message).search(self.text, self.at)
        self.at = match.end() if match else self.at

    def _leaf(self, message: Message[str, str], headers: dict[str, Header], at: tuple[int, int]) -> Entity:
        raw: Any = message.get_payload()
        data: Any = message.get_payload(decode=True)
        found = self.at if self.text.startswith(raw, self.at) else self.text.find(raw, self.at)
        self.at = found if found >= 0 else self.at
        body = self.position(self.at)[0]
        within = self._within(message, raw, data, body)
        self.at += len(raw) if found >= 0 else 0
        return Entity(
            content_type=message.get_content_type(),
            data=data,
            within=within,
            headers=headers,
            filename=_disposition_name(message),
            named=named(message),
            at=at,
            has_lost_characters=not raw.isascii(),
            is_empty_container=message.get_content_maintype() == "multipart",
        )

    def _within(self, message: Message[str, str], raw: str, data: bytes, line: int) -> Within:
        encoding = str(message.get("content-transfer-encoding", "")).lower()
        if encoding == "quoted-printable":
            return Starts(_quoted_starts(raw, line))
        if raw.isascii() and len(raw) == len(data):
            return Shift(line)
        return FixedLocation(line) if raw.isascii() else Shift(line)


def _boundary(message: Message[str, str], *, closing: bool = False) -> re.Pattern[str]:
    """A pattern for the boundary between parts, with `closing` also for the final one."""
    end = "(?P<end>--)?" if closing else ""
    return re.compile(rf"^--{re.escape(message.get_boundary() or '')}{end}[ \t]*(?:\r\n|\r|\n|\Z)", re.MULTILINE)


def _quoted_starts(raw: str, line: int) -> tuple[tuple[int, int], ...]:
    """The line each decoded line starts on; a line that ends in `=` continues on the next."""
    from quopri import decodestring

    starts = [(line, 0)]
    for number, text in enumerate(raw.encode("ascii", "replace").splitlines(keepends=True), start=line):
        breaks = decodestring(text).count(b"\n")
        ends = not text.rstrip(b"\r\n\t ").endswith(b"=") and text.endswith((b"\n", b"\r"))
        starts.extend((number, 0) for _ in range(breaks - ends))
        if ends:
            starts.append((number + 1, 0))
    return tuple(starts)


def _disposition_name(message: Message[str, str]) -> str | None:
    """The file name in the header Content-Disposition."""
    return _text(message.get_param("filename", None, "content-disposition"))


def named(message: Message[str, str]) -> str | None:
    """The name given with the content type."""
    return _text(message.get_param("name", None, "content-type"))


def _text(value: Any) -> str | None:
    from email.utils import collapse_rfc2231_value

    return None if value is None else collapse_rfc2231_value(value).strip()
