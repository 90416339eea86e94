"""The links between documents: parents, replacements and substitutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.deckhand.compile import Site
from lamina.dialects.deckhand.document import substitution_path
from lamina.plugin.extensions import Link

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.plugin.extensions import Rendered


def links(rendered: Rendered) -> Iterator[Link]:
    """Every parent, replacement and substitution of the documents that were rendered."""
    for stage in rendered.plan.stages:
        if isinstance(stage.facts, Site):
            for document in stage.facts.documents:
                yield from _links_to(document, stage.facts)


def _links_to(document: SiteDocument, site: Site) -> Iterator[Link]:
    parent = site.parent(document)
    if parent is not None:
        kind, key = ("replacement", "replacement") if document.replacement else ("parent", "layeringDefinition")
        yield Link(parent.title, document.title, kind, document.origin("metadata", key))
    for number, substitution in enumerate(document.substitutions):
        source = site.source(substitution)
        if source is not None:
            at = document.origin(*substitution_path(number))
            yield Link(source.title, document.title, "substitution", at)
