"""The walk from files of user-data to parts, in the order of cloud-init.

A file is unpacked if it is gzip. If `mime-version:` is in its first 4096 bytes it is a message, whose parts are visited
depth first; otherwise it is one part. Gzip content types are unpacked, and lose all headers except the file name and
the launch index. Plain text and scripts get their type from the first line; other types are used as declared. Includes
are fetched and processed like files; archives are unpacked; everything else is a part, named by its file name or
`part-NNN`, counting every part. See From bytes to parts in docs/reference/cloud-init.md; golden cases in pipeline.json.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from lamina.dialects.cloudinit import content_types, messages
from lamina.dialects.cloudinit.cloud_config import HEADERS
from lamina.errors import MergeError
from lamina.sources.source import FixedLocation, Shift

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lamina.dialects.cloudinit.gunzip import Unzipper
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.run import Run
    from lamina.sources.source import Source, Within

MAX_FETCHES: Final = 500
MAX_DEPTH: Final = 50
MAX_PARTS: Final = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Header:
    """A header of a part, and where it was written."""

    text: str
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entity:
    """One part of a message that is not a container, or a whole file: a body with its headers."""

    content_type: str = content_types.NOT_MULTIPART
    data: bytes = b""
    within: Within = field(default_factory=Shift)
    headers: Mapping[str, Header] = field(default_factory=dict)
    filename: str | None = None
    named: str | None = None
    """A name given with the content type, which is lost when that header is replaced."""
    at: tuple[int, int] = (0, 0)
    has_lost_characters: bool = False
    """Whether characters outside ASCII were lost."""
    is_empty_container: bool = False
    """A container without parts: its content is never read."""
    inner: int = 0
    """How many of the following entities are inside this one, which is a message."""

    @property
    def own_name(self) -> str | None:
        """The name in its headers; with an empty file name it has none, even if the type has a name."""
        return self.named if self.filename is None else self.filename


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """One piece of user-data. Header names keep their case, since cloud-init looks them up with it."""

    name: str
    source: Source
    content_type: str
    headers: Mapping[str, Header] = field(default_factory=dict)

    def header(self, name: str) -> Header | None:
        """The header of that name, whatever its case; cloud-init looks up some this way."""
        return next((header for known, header in self.headers.items() if known.lower() == name.lower()), None)

    def with_source(self, source: Source) -> Part:
        """The same part with another body: what a template was rendered to."""
        return Part(name=self.name, source=source, content_type=self.content_type, headers=self.headers)


class Unpacking:
    """Collects the parts of files, and notes."""

    def __init__(self, fetch: Callable[[str], Source], run: Run) -> None:
        self.parts: list[Part] = []
        self.notes: list[Note] = []
        self._fetch = fetch
        self._run = run
        self._fetches = 0
        self._chain: list[str] = []
        self._attached = 0
        """How many parts were found, for the names of those that have none."""

    def add_file(self, source: Source) -> None:
        """Unpack one file."""
        if source.data.startswith(content_types.GZIP_MAGIC):
            source = self._unzipped(source)
        if content_types.is_message(source.data):
            from lamina.dialects.cloudinit import mime

            self._message(source, mime.entities(source, self._run))
        else:
            self._entity(source, Entity(data=source.data))

    @cached_property
    def _unzipper(self) -> Unzipper:
        from lamina.dialects.cloudinit.gunzip import Unzipper

        return Unzipper()

    def _message(self, source: Source, entities: Sequence[Entity]) -> None:
        """The parts of a message. The content of a nested message is handled twice: with it, and on its own."""
        first = len(self.parts)
        found = [(self._entity(source, entity), len(self.parts)) for entity in entities]
        if not any(entity.inner for entity in entities):
            return
        attached = self.parts[first:]
        del self.parts[first:]
        done = first
        for number, (entity, (_, end)) in enumerate(zip(entities, found, strict=True)):
            for part in attached[done - first : end - first]:
                self._add(part, source, entity)
            done = end
            for inside in range(number + 1, number + 1 + entity.inner):
                within = found[inside][0] or self._unhandled_copy(source, entities[inside])
                if within is not None:
                    self._add(within, source, entity)

    def _unhandled_copy(self, source: Source, entity: Entity) -> Part | None:
        """The second copy of an entity that was already unpacked, inside its message: nothing handles it there."""
        if entity.is_empty_container:
            return None
        name = entity.own_name or f"part-{len(self.parts):03}"
        return Part(
            name=name,
            source=_part_source(source, entity, name),
            content_type=_kind_of(entity),
            headers=entity.headers,
        )

    def _unzipped(self, source: Source) -> Source:
        """The unpacked file; damaged gzip is used as it is, as the program does. Lines count in the unpacked text."""
        from lamina.dialects.cloudinit.gunzip import DamagedGzip

        try:
            return replace(source, data=self._unzipper.unpack(source.data, source.locate(0, 0)))
        except DamagedGzip as damaged:
            self.notes.append(messages.DAMAGED_GZIP.at(source.locate(0, 0), damage=damaged))
            return source

    def _entity(self, source: Source, entity: Entity) -> Part | None:
        """Unpack one entity; returns the part it is, unless it is a container or empty."""
        at = source.locate(*entity.at)
        if entity.is_empty_container:
            self.notes.append(_empty_container_note(at))
            return None
        self.notes.extend(_header_notes(entity))
        packed = entity.content_type in content_types.GZIP
        if packed:
            self.notes.extend(_dropped_headers(entity, "on a gzip"))
            entity = self._opened(entity, at)
        kind = _kind_of(entity)
        if entity.at == (0, 0) or kind != entity.content_type:
            # The header is written again, without the name it may hold.
            entity = replace(entity, content_type=kind, named=None)
        if kind in content_types.INCLUDES:
            self.notes.extend(_dropped_headers(entity, "on an include"))
            self._include(_part_source(source, entity, entity.filename))
        elif kind == content_types.ARCHIVE:
            self._archive(_part_source(source, entity, entity.filename))
        else:
            part = self._attach(source, entity)
            return None if packed else part
        return None

    def _opened(self, entity: Entity, at: Origin) -> Entity:
        """A gzip part unpacked; only its file name and launch index stay with it."""
        from lamina.dialects.cloudinit.gunzip import DamagedGzip

        try:
            text = self._unzipper.unpack(entity.data, at).decode("utf-8") if entity.data else ""
        except (DamagedGzip, UnicodeDecodeError) as error:
            raise MergeError(messages.DECOMPRESS_FAILED.at(at, content_type=entity.content_type, error=error)) from None
        kept_headers = {name: header for name, header in entity.headers.items() if name.lower() == "launch-index"}
        # Unpacked text is forwarded as ASCII with escapes, which spoils other characters.
        data = text.encode("ascii" if text.isascii() else "raw-unicode-escape")
        return replace(
            entity,
            content_type=content_types.PLAIN,
            data=data,
            within=FixedLocation(entity.within.outer_position(0, 0)[0]),
            headers=kept_headers,
            filename=entity.own_name or None,
            named=None,
            has_lost_characters=not text.isascii(),
        )

    def _attach(self, source: Source, entity: Entity) -> Part:
        self._attached += 1
        name = entity.own_name or f"part-{self._attached:03}"
        part = Part(
            name=name,
            source=_part_source(source, entity, name),
            content_type=entity.content_type,
            headers=entity.headers,
        )
        if entity.has_lost_characters:
            self.notes.append(_lost_characters_note(part))
        self._add(part, source, entity)
        return part

    def _add(self, part: Part, source: Source, entity: Entity) -> None:
        if len(self.parts) >= MAX_PARTS:
            raise MergeError(messages.TOO_MANY_PARTS.at(source.locate(*entity.at), max_parts=MAX_PARTS))
        self.parts.append(part)

    def _archive(self, source: Source) -> None:
        from lamina.dialects.cloudinit import archive

        entries, notes = archive.entries(source, self._run)
        self.notes.extend(notes)
        for entry in entries:
            self.notes.extend(_header_notes(entry))
            self._attach(source, entry)

    def _include(self, source: Source) -> None:
        from lamina.dialects.cloudinit.includes import Unfetched

        for url, at in _urls(source):
            self._fetches += 1
            if url in self._chain:
                raise _failed(url, at, "it includes itself", f"remove one of {' -> '.join([*self._chain, url])}")
            if self._fetches > MAX_FETCHES or len(self._chain) >= MAX_DEPTH:
                raise _too_many_includes(url, at)
            try:
                fetched = self._fetch(url)
            except Unfetched as unfetched:
                if unfetched.tried:
                    raise _failed(url, at, unfetched.why, unfetched.hint) from None
                self.notes.append(_not_fetched(url, at, unfetched.why, unfetched.hint))
                continue
            self._chain.append(url)
            self.add_file(fetched)
            self._chain.pop()


def _kind_of(entity: Entity) -> str:
    """The content type of an entity: as declared, or by its first line if that is not trusted."""
    kind = entity.content_type
    return (content_types.sniff_data(entity.data) or kind) if kind in content_types.SNIFFED else kind


def _urls(source: Source) -> Iterator[tuple[str, Origin]]:
    """The URLs of an include, one per line; `#include URL` has one too; other comments are ignored."""
    for number, line in enumerate(source.data.decode("utf-8", "surrogateescape").splitlines()):
        rest = line
        for directive in ("#include-once", "#include"):
            if line.lower().startswith(directive):
                rest = line[len(directive) :].lstrip()
                break
        url = rest.strip()
        if url and not rest.startswith("#"):
            yield url, source.locate(number, line.find(url))


def _failed(url: str, at: Origin, why: str, hint: str) -> MergeError:
    return MergeError(messages.INCLUDE_FAILED.at(at, hint=hint, url=url, why=why))


def _not_fetched(url: str, at: Origin, why: str, hint: str) -> Note:
    """What is said of a URL that cloud-init might be able to fetch."""
    return messages.NOT_FETCHED.at(at, hint=hint, url=url, why=why)


def _too_many_includes(url: str, at: Origin) -> MergeError:
    return MergeError(messages.TOO_MANY_INCLUDES.at(at, url=url, max_fetches=MAX_FETCHES, max_depth=MAX_DEPTH))


def _part_source(source: Source, entity: Entity, name: str | None) -> Source:
    """The body of an entity as a source; a file that is one part is its own source."""
    if entity.data is source.data and entity.within == Shift():
        return source
    return source.inner_source(name, entity.data, entity.within)


def _empty_container_note(at: Origin) -> Note:
    return messages.EMPTY_MULTIPART.at(at)


def _lost_characters_note(part: Part) -> Note:
    return messages.GARBLED_CHARACTERS.at(part.source.locate(0, 0), subject=part.name)


def _header_notes(entity: Entity) -> Iterable[Note]:
    """Notes on headers that look like a merge rule but are not read."""
    for name, header in entity.headers.items():
        intended_header = name.title()
        if intended_header in HEADERS and name not in HEADERS:
            yield messages.HEADER_CASE.at(header.origin, name=name, intended=intended_header, text=header.text)


def _dropped_headers(entity: Entity, where: str) -> Iterable[Note]:
    for name, header in entity.headers.items():
        if name in HEADERS and header.text:
            yield messages.HEADER_IGNORED.at(header.origin, name=name, where=where)
