"""What Datum has for a value that is to go: a knockout in a more specific layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.plugin.extensions import OwnMeans
from lamina.plugin.hierarchy import offer_knockouts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.plugin.extensions import Offer, Rendered, Wanted


def offers(rendered: Rendered, wanted: Wanted) -> Iterator[Offer]:
    """Markers for items of lists and for keys of tables."""
    return offer_knockouts(rendered, wanted, keys=True)


MEANS = OwnMeans(offers)
