"""The shape of a site: its relations by position, reused if only the data of documents changed.

Parents, replacements and the render order depend on schemas, metadata and the order of the layers. So a session caches
them by these, for sites without errors; errors are always computed again, since they have positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina.dialects.deckhand.parents import ParentChoice, is_sortable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.plugin import Run

_EACH = 512
"""The approximate size in bytes of the relations of one document, besides the text of the key."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteShape:
    """The relations in a list of documents, by position."""

    choices: tuple[tuple[int, tuple[int, ...], int | None], ...]
    """A document with a selector, the candidates for its parent, and the parent."""
    replaced: tuple[tuple[int, int], ...]
    """A document and the one that replaces it."""
    order: tuple[int, ...]
    layers: tuple[str, ...]

    def choices_in(self, documents: Sequence[SiteDocument]) -> dict[int, ParentChoice]:
        """The choices of parents, by the identity of the documents."""
        return {
            id(documents[one]): ParentChoice(
                documents[one], [documents[each] for each in candidates], None if parent is None else documents[parent]
            )
            for one, candidates, parent in self.choices
        }

    def fits(self, documents: Sequence[SiteDocument]) -> bool:
        """Whether the choices are valid for other data: a document that cannot be sorted is an error."""
        return all(is_sortable(documents[one]) for one, _, _ in self.choices)


ShapeKey = tuple[str, bool, tuple[str, ...], tuple[str, ...]]


def shape_key(documents: Sequence[SiteDocument], layers: tuple[str, ...], documented: bool) -> ShapeKey | None:
    """The key of the shape of a site; None if it cannot be cached."""
    relations = tuple([document.relations() for document in documents])
    return None if "" in relations else ("site shape", documented, layers, relations)


def cached_shape(run: Run, key: ShapeKey | None, documents: Sequence[SiteDocument]) -> SiteShape | None:
    """The cached shape of documents, if there is one."""
    known: SiteShape | None = run.find(key) if key is not None else None
    return known if known is not None and known.fits(documents) else None


def cache_shape(run: Run, key: ShapeKey | None, shape: SiteShape | None) -> None:
    """Cache a shape for sites that differ only in their data."""
    if key is not None and shape is not None:
        relations = key[-1]
        run.keep(key, shape, sum(map(len, relations)) + _EACH * len(relations))
