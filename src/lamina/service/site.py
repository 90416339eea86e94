"""A site: what an application serves, and by which routes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lamina.service.explorer.announcements import Announcements
    from lamina.service.metrics import Metrics
    from lamina.service.route import Route


class Served(Protocol):
    """What the operations of a site work with."""

    def check(self) -> None:
        """See that it can be served."""


@dataclass(frozen=True, slots=True, eq=False)
class ServedSite:
    """What is served."""

    served: Served
    routes: tuple[Route, ...]
    about: str
    """What the OpenAPI document says of it."""
    announcements: Announcements
    """Where changes are reported."""
    metrics: Metrics | None = None
    """What was counted, where that is kept."""
