"""Converting Deckhand documents into layers of another system: one target per document, one layer per parent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand.actions import DATA
from lamina.dialects.deckhand.compile import Site
from lamina.dialects.sequence_conversion import SequenceConversion, SequenceLayer

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.dialects.conversion import LayeredSet
    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.dialects.deckhand.options import DeckhandOptions
    from lamina.engine.node import Node
    from lamina.sources.inputs import Inputs
    from lamina.views.result import Result


def convert_from(inputs: Inputs, options: DeckhandOptions, name: str) -> LayeredSet:
    """The data of every rendered document; schema and metadata are not layers."""
    from lamina.dialects.deckhand.dialect import DIALECT
    from lamina.views.render import render_with

    result = render_with(DIALECT, inputs, options)
    site = next(stage.facts for stage in result.plan.stages if isinstance(stage.facts, Site))
    documents = {document.title: document for document in site.documents}
    conversion = SequenceConversion("Deckhand documents")
    for folded in result.outputs:
        document = documents.get(folded.output.name)
        if document is None or document.control:
            continue
        layers = [_layer(each) for each in _chain(site, document)]
        title = f"{document.schema}/{document.name}"
        conversion.add(f"{name}/{title}" if name else title, layers, result, _data_of(document.title))
    return conversion.layers()


def _chain(site: Site, document: SiteDocument) -> list[SiteDocument]:
    """A document and those it is layered on, the lowest first."""
    chain: list[SiteDocument] = []
    current: SiteDocument | None = document
    while current is not None and current not in chain:
        chain.append(current)
        current = site.parent(current) if current.actions else None
    return chain[::-1]


def _layer(document: SiteDocument) -> SequenceLayer:
    parts = (document.schema, f"{document.name}-{document.layer}" if document.layer else document.name)
    stem = "/".join(re.sub(r"[^\w./-]", "_", part).strip("/.") for part in parts)
    value: Any = document.data.value
    return SequenceLayer(f"{stem}.yaml", value, document.data.origin() or document.origin())


def _data_of(title: str) -> Callable[[Result], Node]:
    def node(result: Result) -> Node:
        return next(each.node for each in result.outputs if each.output.name == title).at(DATA)

    return node
