"""The definition of a site of a Pegleg repository: its type, and the repositories it is made from as well.

data:
  site_type: NAME              the documents in type/NAME belong to the site
  revision: NAME               of older repositories: only those in global/common, global/NAME and so on
  repositories:
    global: {url: URL, revision: v1.7}
"""

from __future__ import annotations

from posixpath import basename
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.sources import document_cache

if TYPE_CHECKING:
    from lamina.plugin import Run
    from lamina.plugin.formats import Files

FILE: Final = "site-definition.yaml"


class FurtherRepository(NamedTuple):
    """A further repository that a site is made from."""

    name: str
    url: str
    revision: str

    @property
    def folders(self) -> tuple[str, ...]:
        """What a checkout of it may be called."""
        named = basename(self.url.rstrip("/")).removesuffix(".git")
        return tuple(name for name in (named, self.name) if name)

    def __str__(self) -> str:
        return f"{self.name} ({self.url or 'no URL'}, revision {self.revision or 'not given'})"


class SiteDefinition(NamedTuple):
    """What the definition of a site says."""

    kind: str | None = None
    revision: str | None = None
    repositories: tuple[FurtherRepository, ...] = ()


def read_definition(files: Files, path: str, run: Run) -> SiteDefinition:
    """The definition of a site; an empty one if there is none."""
    source = files.read(path)
    for document in document_cache.yaml_documents(source, run) if source is not None else ():
        data: Any = document.value.get("data") if isinstance(document.value, dict) else None
        if isinstance(data, dict):
            return SiteDefinition(_text(data, "site_type"), _text(data, "revision"), (*_repositories(data),))
    return SiteDefinition()


def _text(data: dict[Any, Any], key: str) -> str | None:
    value = data.get(key)
    return value if isinstance(value, str) and value else None


def _repositories(data: dict[Any, Any]) -> list[FurtherRepository]:
    listed = data.get("repositories")
    found = []
    for name, about in listed.items() if isinstance(listed, dict) else ():
        where = about if isinstance(about, dict) else {}
        found.append(FurtherRepository(str(name), str(where.get("url") or ""), str(where.get("revision") or "")))
    return found
