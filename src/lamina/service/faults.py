"""Faults: requests that cannot be answered as asked, in the words and the form that Deckhand's clients know."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import TypedDict

from lamina.service.errors import (
    CannotRender,
    DocumentExists,
    InvalidDocuments,
    InvalidInput,
    RevisionNotFound,
    SecondPolicy,
    StoreError,
    TagNotFound,
)

if TYPE_CHECKING:
    from lamina.errors import Diagnostic

_CONFLICTS = {"layering-policy-not-found", "substitution-source-not-found"}
_VERSION = re.compile(r"v\d+\.\d+")
_WITH_REASON = {"invalid-document-parent", "invalid-document-replacement"}


class StoreUnavailable(Exception):
    """The database does not answer, or cannot take what is written; nothing was changed."""


class Details(TypedDict):
    errorCount: int
    errorType: str
    messageList: list[dict[str, Any]]


class Status(TypedDict):
    """The body of an answer that is an error; Deckhand's clients fail on any other key at the top."""

    apiVersion: str
    code: str
    details: Details
    kind: Literal["Status"]
    message: str | None
    metadata: dict[str, Any]
    reason: str
    retry: bool
    status: Literal["Failure"]


class ApiFault(Exception):
    """An answer that is an error."""

    def __init__(
        self,
        status: int,
        kind: str,
        message: str | None,
        *,
        findings: list[dict[str, Any]] | None = None,
        reason: str = "Unspecified",
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.findings = [{"error": True, "message": message}] if findings is None else findings
        self.reason = reason
        self.headers = headers or {}

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.status, self.kind, self.message, self.findings, self.reason, self.headers)
        return _rebuilt, fields

    def body(self, version: str) -> Status:
        """The body of the answer."""
        return {
            "apiVersion": version,
            "code": f"{self.status} {HTTPStatus(self.status).phrase}",
            "details": {
                "errorCount": len(self.findings),
                "errorType": self.kind,
                "messageList": self.findings,
            },
            "kind": "Status",
            "message": self.message,
            "metadata": {},
            "reason": self.reason,
            "retry": self.status >= HTTPStatus.INTERNAL_SERVER_ERROR,
            "status": "Failure",
        }


def _rebuilt(
    status: int, kind: str, message: str | None, findings: list[dict[str, Any]], reason: str, headers: dict[str, str]
) -> ApiFault:
    """A fault that was sent from one process to another."""
    return ApiFault(status, kind, message, findings=findings, reason=reason, headers=headers)


def bad_request(message: str, kind: str = "HTTPBadRequest") -> ApiFault:
    return ApiFault(400, kind, message)


def version_of(path: str) -> str:
    """The version of the API that a path names."""
    return next((part for part in path.split("/") if _VERSION.fullmatch(part)), "N/A")


def route_not_found() -> ApiFault:
    return ApiFault(404, "HTTPRouteNotFound", None)


def finding(
    name: str, message: str, diagnostic: Any, schema: str = "", layer: Any = "", document: Any = ""
) -> dict[str, Any]:
    """One entry of the list of messages about documents that break a schema, with layer and name as written."""
    return {
        "diagnostic": diagnostic,
        "documents": [{"layer": layer, "name": document, "schema": schema}],
        "error": True,
        "kind": "ValidationMessage",
        "level": "Error",
        "message": message,
        "name": name,
    }


def fault_of(error: StoreError, not_found: str = "RevisionNotFound") -> ApiFault:
    """How an error of the store is answered; `not_found` is what Deckhand calls a missing revision on that route."""
    match error:
        case RevisionNotFound():
            return ApiFault(404, not_found, f"The requested revision={error.revision} was not found.")
        case TagNotFound():
            message = f"The requested tag '{error.name}' for revision {error.revision} was not found."
            return ApiFault(404, "RevisionTagNotFound", message)
        case DocumentExists():
            message = f"Document {error.title} already exists in bucket: {error.bucket}"
            return ApiFault(409, "DuplicateDocumentExists", message)
        case SecondPolicy():
            message = (
                f"A singleton document {error.held} already exists in the system. The new document(s) {error.new}"
                " cannot be created. To create a document with a new name, delete the current one first."
            )
            return ApiFault(409, "SingletonDocumentConflict", message)
        case InvalidDocuments():
            message = "The provided documents failed schema validation."
            return ApiFault(400, "InvalidDocumentFormat", message, findings=error.findings, reason="Validation")
        case InvalidInput():
            return bad_request(error.message)
        case CannotRender():
            return _not_rendered(error.diagnostic)
    raise AssertionError(f"no answer for {type(error).__name__}")


def _not_rendered(found: Diagnostic) -> ApiFault:
    """An error of the engine as Deckhand words it: by its class."""
    kind = "".join(word.capitalize() for word in found.code.split("-"))
    status = 409 if found.code in _CONFLICTS else 400
    reason = found.message if found.code in _WITH_REASON else "Unspecified"
    return ApiFault(status, kind, found.message, reason=reason)
