"""What Hiera has for an item that is to go: the knockout_prefix of a deep merge, in a higher level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.plugin import extensions as lpx
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator


def offers(rendered: lpx.Rendered, wanted: lpx.Wanted) -> Iterator[lpx.Offer]:
    """Markers for items of lists; Hiera knocks out keys by giving them the prefix alone, which few data expect."""
    return lph.offer_knockouts(rendered, wanted)


MEANS = lpx.OwnMeans(offers)
