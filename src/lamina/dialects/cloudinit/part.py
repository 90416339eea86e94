"""The pieces of user-data: entities as they are in a file, and parts, which have a name and one of the known types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lamina.dialects.cloudinit.content_types import NOT_MULTIPART
from lamina.sources.source import Shift

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.origins import Origin
    from lamina.sources.source import Source, Within


@dataclass(frozen=True, slots=True, eq=False)
class Header:
    """A header of a part, and where it was written."""

    text: str
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entity:
    """One part of a message that is not a container, or a whole file: a body with its headers."""

    content_type: str = NOT_MULTIPART
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
