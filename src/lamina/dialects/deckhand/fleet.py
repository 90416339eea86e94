"""The fleet of a folder of documents: one node per site.

A repository of sites has common documents in `global`, those of a type of sites in `type/NAME`, and one folder per site
in `site`. A site is rendered from all three; its type is `site_type` in the data of its definition,
`site-definition.yaml`. A folder without `site` is one site, and so are files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.extensions import Fleet, FleetNode
from lamina.errors import Diagnostic, InputError
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.deckhand.options import DeckhandOptions
    from lamina.sources.inputs import Files, Inputs

DEFINITION = "site-definition.yaml"


def fleet(inputs: Inputs, options: DeckhandOptions) -> Iterator[FleetNode]:  # noqa: ARG001 - the hook's signature
    """The sites of a folder."""
    if not inputs.folders:
        yield FleetNode(name="site", inputs=tuple(source.name for source in inputs.sources))
        return
    folder = inputs.folders[0]
    names = folder.files.names()
    folders = {"/".join(name.split("/")[:2]) for name in names if name.count("/") >= 2}
    sites = sorted(name for name in folders if name.startswith("site/"))
    if not sites:
        yield FleetNode(name=folder.name.rstrip("/").rpartition("/")[2] or "site")
        return
    common = ("global",) if any(name.startswith("global/") for name in names) else ()
    for site in sites:
        kind = _type_of(site, folder.files)
        if kind is not None and f"type/{kind}" not in folders:
            raise InputError(_no_such_type(site, kind))
        shared = (*common, *((f"type/{kind}",) if kind is not None else ()))
        yield FleetNode(name=site.partition("/")[2], inputs=(*shared, site), prefix=shared)


def _type_of(site: str, files: Files) -> str | None:
    """The type in the definition of a site."""
    source = files.read(f"{site}/{DEFINITION}")
    if source is None:
        return None
    for document in document_cache.yaml_documents(source):
        data: Any = document.value.get("data") if isinstance(document.value, dict) else None
        kind = data.get("site_type") if isinstance(data, dict) else None
        if isinstance(kind, str) and kind:
            return kind
    return None


def _no_such_type(site: str, kind: str) -> Diagnostic:
    return Diagnostic(
        code="no-such-type",
        message=f"{site} has the site type {kind}, but the folder type/{kind} does not exist",
        hint=f"correct site_type in {site}/{DEFINITION}, or create the folder",
        subject=site,
    )


FLEET = Fleet(nodes=fleet)
