"""Routes: which operation a method and a path lead to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from lamina.service import inspection, operations
from lamina.service.faults import ApiFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.service.operations import Request, Service
    from lamina.service.wire import Answer

PREFIX = "/api/v1.0"
_VERSION = re.compile(r"v\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Operation:
    """What a method does, who may do it, and what Deckhand's policies call it."""

    run: Callable[[Service, Request], Answer]
    role: str | None
    action: str
    about: str


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


def _get(run: Callable[[Service, Request], Answer], action: str, about: str) -> dict[str, Operation]:
    return {"GET": Operation(run, "read", action, about)}


ROUTES = (
    Route("/versions", {"GET": Operation(operations.versions, None, "", "The versions of the API.")}),
    Route(f"{PREFIX}/health", {"GET": Operation(operations.health, None, "", "Whether the store answers.")}),
    Route(
        f"{PREFIX}/buckets/{{bucket}}/documents",
        {
            "PUT": Operation(
                operations.put_documents,
                "write",
                "create_cleartext_documents",
                "Make documents the whole content of a bucket.",
            )
        },
    ),
    Route(
        f"{PREFIX}/revisions",
        {
            "GET": Operation(operations.list_revisions, "read", "list_revisions", "All revisions, the oldest first."),
            "DELETE": Operation(operations.delete_revisions, "admin", "delete_revisions", "Empty the store."),
        },
    ),
    Route(f"{PREFIX}/revisions/{{revision}}", _get(operations.show_revision, "show_revision", "One revision.")),
    Route(
        f"{PREFIX}/revisions/{{revision}}/documents",
        _get(operations.list_documents, "list_cleartext_documents", "The documents of a revision as they are stored."),
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/rendered-documents",
        _get(operations.list_rendered_documents, "list_cleartext_documents", "The documents of a revision, rendered."),
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/tags",
        {
            "GET": Operation(operations.list_tags, "read", "list_tags", "The tags of a revision."),
            "DELETE": Operation(operations.delete_tags, "write", "delete_tags", "Remove all tags of a revision."),
        },
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/tags/{{tag}}",
        {
            "GET": Operation(operations.show_tag, "read", "show_tag", "One tag with its data."),
            "POST": Operation(operations.create_tag, "write", "create_tag", "Tag a revision."),
            "DELETE": Operation(operations.delete_tag, "write", "delete_tag", "Remove a tag."),
        },
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/validations",
        _get(operations.list_validations, "list_validations", "The results of validations, one for each name."),
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/validations/detail",
        _get(operations.list_validation_details, "list_validations", "All results of validations with their errors."),
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/validations/{{validation}}",
        {
            "GET": Operation(operations.list_validation, "read", "list_validations", "The results of one name."),
            "POST": Operation(operations.create_validation, "write", "create_validation", "Add a result."),
        },
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/validations/{{validation}}/entries/{{entry}}",
        _get(operations.show_validation, "show_validation", "One result."),
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/diff/{{other}}",
        _get(operations.show_difference, "show_revision_diff", "Which buckets differ between two revisions."),
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/deepdiff/{{other}}",
        _get(operations.show_deep_difference, "show_revision_deepdiff", "What differs between two rendered revisions."),
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/explain",
        _get(inspection.explain, "list_cleartext_documents", "Where a value of a rendered document came from."),
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/impact/{{bucket}}",
        {
            "POST": Operation(
                inspection.impact,
                "read",
                "list_cleartext_documents",
                "What would change if a bucket had the documents in the body; nothing is written.",
            )
        },
    ),
    Route(
        f"{PREFIX}/rollback/{{number}}",
        {
            "POST": Operation(
                operations.rollback,
                "write",
                "create_cleartext_documents",
                "Make a new revision with the content of an older one.",
            )
        },
    ),
)


def find(raw_path: bytes) -> tuple[Route, list[str]]:
    """The route of a path as it was sent, and the parts it leaves open."""
    try:
        # Decoded part by part: an escaped slash does not part anything.
        segments = [unquote_to_bytes(part).decode() for part in raw_path.split(b"/")[1:]]
    except UnicodeDecodeError:
        raise not_found() from None
    if segments == [*PREFIX.split("/")[1:], "revisions", ""]:
        segments.pop()
    if any("/" in segment or "\0" in segment for segment in segments):
        raise not_found()
    for route in ROUTES:
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
