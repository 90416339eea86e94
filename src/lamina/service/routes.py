"""The routes of the API of a store, and of the explorer over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.service import administration, inspection, operations
from lamina.service.explorer.routes import ROUTES as EXPLORER_ROUTES
from lamina.service.route import API, NO_DOCUMENTS, Operation, Route

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.service.operations import Service
    from lamina.service.request import Request
    from lamina.service.wire import Answer

PREFIX = API


def _get(run: Callable[[Service, Request], Answer], action: str, about: str) -> dict[str, Operation]:
    return {"GET": Operation(run, "read", action, about)}


def _rendering(
    run: Callable[[Service, Request], Answer], action: str, about: str, schema: str | None = None
) -> Operation:
    return Operation(run, "read", action, about, schema, takes_long=True, not_found=NO_DOCUMENTS)


def _for_admins(run: Callable[[Service, Request], Answer], action: str, about: str) -> Operation:
    return Operation(run, "admin", action, about)


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
        {
            "GET": Operation(
                operations.list_documents,
                "read",
                "list_cleartext_documents",
                "The documents of a revision as they are stored.",
                not_found=NO_DOCUMENTS,
            )
        },
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/rendered-documents",
        {
            "GET": _rendering(
                operations.list_rendered_documents, "list_cleartext_documents", "The documents of a revision, rendered."
            )
        },
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
        {
            "GET": Operation(
                operations.list_validation_details,
                "read",
                "list_validations",
                "All results of validations with their errors.",
                not_found=NO_DOCUMENTS,
            )
        },
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
        {
            "GET": _rendering(
                operations.show_deep_difference,
                "show_revision_deepdiff",
                "What differs between two rendered revisions.",
            )
        },
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/explain",
        {
            "GET": _rendering(
                inspection.explain,
                "list_cleartext_documents",
                "Where a value of a rendered document came from.",
                "explain",
            )
        },
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/where",
        {
            "GET": _rendering(
                inspection.where, "list_cleartext_documents", "What a line of a document decides.", "where"
            )
        },
    ),
    Route(
        f"{PREFIX}/revisions/{{revision}}/impact/{{bucket}}",
        {
            "POST": _rendering(
                inspection.impact,
                "list_cleartext_documents",
                "What would change if a bucket had the documents in the body; nothing is written.",
                "store-impact",
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
    Route(f"{PREFIX}/tokens", {"GET": _for_admins(administration.list_tokens, "list_tokens", "All tokens.")}),
    Route(
        f"{PREFIX}/tokens/{{token}}",
        {
            "POST": _for_admins(administration.create_token, "create_token", "Make a token, which is shown once."),
            "DELETE": _for_admins(administration.revoke_token, "revoke_token", "Revoke a token."),
        },
    ),
    Route(
        f"{PREFIX}/audit",
        {"GET": _for_admins(administration.show_audit, "show_audit", "What was done to the store, the newest first.")},
    ),
    *EXPLORER_ROUTES,
)
