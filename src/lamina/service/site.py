"""A site: what an application serves, and what its requests share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from lamina.service.bodies import Bodies
from lamina.service.rate_limit import RateLimit

if TYPE_CHECKING:
    from lamina.service.access import KnownTokens
    from lamina.service.explorer.announcements import Announcements
    from lamina.service.explorer.model import Explored
    from lamina.service.metrics import Metrics
    from lamina.service.settings import ServerSettings
    from lamina.service.workers import Workers
    from lamina.session import Session


class Served(Protocol):
    """A store, or the files of a project."""

    @property
    def session(self) -> Session: ...

    def explored(self) -> Explored:
        """What there is to look at."""

    def check(self) -> None:
        """See that it can be served."""


@dataclass(frozen=True, slots=True, eq=False)
class ServedSite:
    """What is served, and how."""

    served: Served
    announcements: Announcements
    """Where changes are reported."""
    settings: ServerSettings
    workers: Workers
    """Where what takes long is done."""
    tokens: KnownTokens | None = None
    metrics: Metrics | None = None
    """What was counted, where that is kept."""
    rate: RateLimit = field(init=False)
    bodies: Bodies = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", RateLimit(self.settings.rate))
        object.__setattr__(self, "bodies", Bodies(self.settings.body_size))
