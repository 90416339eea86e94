"""A route: which operation a method and a path lead to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from lamina.service.faults import ApiFault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.service.request import Request
    from lamina.service.wire import Answer

API = "/api/v1.0"
NO_DOCUMENTS = "HTTPNotFound"
"""What Deckhand calls a missing revision where documents are asked for."""
_VERSION = re.compile(r"v\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Operation:
    """What a method does, who may do it, and what Deckhand's policies call it."""

    run: Callable[[Any, Request], Answer]
    role: str | None
    action: str
    about: str
    schema: str | None = None
    """The schema of the answer, where that is JSON."""
    takes_long: bool = False
    """Whether it renders or compares, and is left to a worker."""
    not_found: str = "RevisionNotFound"
    """What Deckhand calls it here when there is no such revision."""


@dataclass(frozen=True, slots=True)
class Route:
    """A path with open parts in braces; `{number}` is open only to whole numbers."""

    path: str
    operations: dict[str, Operation]

    def match(self, segments: list[str]) -> list[str] | None:
        """The open parts of a path, if it is this one."""
        own = self.path.split("/")[1:]
        if len(own) != len(segments):
            return None
        parts = []
        for pattern, segment in zip(own, segments, strict=True):
            if pattern == "{number}":
                if not re.fullmatch(r"\+?[0-9]{1,18}", segment):
                    return None
                parts.append(segment)
            elif pattern.startswith("{"):
                if not segment:
                    return None
                parts.append(segment)
            elif pattern != segment:
                return None
        return parts


def find(raw_path: bytes, routes: Sequence[Route]) -> tuple[Route, list[str]]:
    """Which of the routes a path is, as it was sent, and the parts it leaves open."""
    try:
        # Decoded part by part: an escaped slash does not part anything.
        segments = [unquote_to_bytes(part).decode() for part in raw_path.split(b"/")[1:]]
    except UnicodeDecodeError:
        raise not_found() from None
    if segments == [*API.split("/")[1:], "revisions", ""]:
        segments.pop()
    if any("/" in segment or "\0" in segment for segment in segments):
        raise not_found()
    for route in routes:
        parts = route.match(segments)
        if parts is not None:
            return route, parts
    raise not_found()


def not_found() -> ApiFault:
    return ApiFault(404, "HTTPRouteNotFound", None)


def not_allowed(route: Route) -> ApiFault:
    return ApiFault(405, "HTTPMethodNotAllowed", None, headers={"Allow": allowed(route)})


def allowed(route: Route) -> str:
    """The methods of a route, as the header lists them."""
    return ", ".join(sorted({*route.operations, "OPTIONS"}))


def version_of(path: str) -> str:
    """The version of the API that a path names."""
    return next((part for part in path.split("/") if _VERSION.fullmatch(part)), "N/A")
