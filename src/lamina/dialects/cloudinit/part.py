"""Parts: the pieces of user-data, each with a name, a content type and headers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.origins import Origin
    from lamina.sources.source import Source


@dataclass(frozen=True, slots=True, eq=False)
class Header:
    """A header of a part, and where it was written."""

    text: str
    origin: Origin | None = None


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
