"""What Hiera has for an item that is to go: the knockout_prefix of a deep merge, in a higher level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.plugin.extensions import OwnMeans
from lamina.plugin.hierarchy.knockouts import offer_knockouts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.plugin.extensions import Offer, Rendered, Wanted


def offers(rendered: Rendered, wanted: Wanted) -> Iterator[Offer]:
    """Markers for items of lists; Hiera knocks out keys by giving them the prefix alone, which few data expect."""
    return offer_knockouts(rendered, wanted)


MEANS = OwnMeans(offers)
