"""The shape of a site: its relations by position, which serve again where only the data of documents changed.

Parents, replacements and the order to render in follow from schemas and metadata, and from the order of the layers. So
a session keeps them by these, for sites without errors; errors are always looked for again, since they name positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina.dialects.deckhand.parents import ParentChoice, is_sortable
from lamina.session import current_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.dialects.deckhand.document import SiteDocument

_EACH = 512
"""What the relations of one document take besides the text they are known by, in bytes, about."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteShape:
    """Who is who in a list of documents."""

    choices: tuple[tuple[int, tuple[int, ...], int | None], ...]
    """A document with a selector, the candidates for its parent, and the parent."""
    replaced: tuple[tuple[int, int], ...]
    """A document and the one that replaces it."""
    order: tuple[int, ...]
    layers: tuple[str, ...]
    compat_sensitive: bool

    def choices_in(self, documents: Sequence[SiteDocument]) -> dict[int, ParentChoice]:
        """The choices of parents, by the identity of the documents."""
        return {
            id(documents[one]): ParentChoice(
                documents[one], [documents[each] for each in candidates], None if parent is None else documents[parent]
            )
            for one, candidates, parent in self.choices
        }

    def fits(self, documents: Sequence[SiteDocument]) -> bool:
        """Whether the data lets the choices stay: one that cannot be sorted prevents one."""
        return all(is_sortable(documents[one]) for one, _, _ in self.choices)


ShapeKey = tuple[str, bool, tuple[str, ...], tuple[str, ...]]


def shape_key(documents: Sequence[SiteDocument], layers: tuple[str, ...], documented: bool) -> ShapeKey | None:
    """What the shape of a site follows from; None if that cannot be said."""
    texts = tuple([document.relations() for document in documents])
    return None if "" in texts else ("site shape", documented, layers, texts)


def kept_shape(key: ShapeKey | None, documents: Sequence[SiteDocument]) -> SiteShape | None:
    """The shape that documents have, if the session knows it."""
    known: SiteShape | None = current_call().find(key) if key is not None else None
    return known if known is not None and known.fits(documents) else None


def keep_shape(key: ShapeKey | None, shape: SiteShape | None) -> None:
    """Keep a shape for sites that differ in their data only."""
    if key is not None and shape is not None:
        texts = key[-1]
        current_call().keep(key, shape, sum(map(len, texts)) + _EACH * len(texts))
