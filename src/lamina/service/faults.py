"""Faults: requests that cannot be answered as asked, in the words and the form that Deckhand's clients know."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any


class StoreUnavailable(Exception):
    """The database does not answer, or cannot take what is written; nothing was changed."""


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

    def again(self) -> ApiFault:
        """The same fault, to be raised again."""
        return ApiFault(
            self.status, self.kind, self.message, findings=self.findings, reason=self.reason, headers=self.headers
        )

    def body(self, version: str) -> dict[str, Any]:
        """The body of the answer; clients fail on any other key at the top."""
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


def revision_not_found(revision: object, kind: str = "RevisionNotFound") -> ApiFault:
    return ApiFault(404, kind, f"The requested revision={revision} was not found.")


def duplicate_document(schema: str, layer: str | None, name: str, bucket: str) -> ApiFault:
    """The document belongs to a bucket already; to the one that is written if it is there twice."""
    message = f"Document [{schema}, {layer}] {name} already exists in bucket: {bucket}"
    return ApiFault(409, "DuplicateDocumentExists", message)


def second_policy(held: str, new: str) -> ApiFault:
    """There may be one LayeringPolicy only."""
    message = (
        f"A singleton document {held} already exists in the system. The new document(s) {new} cannot be created. To"
        " create a document with a new name, delete the current one first."
    )
    return ApiFault(409, "SingletonDocumentConflict", message)


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


def invalid_documents(findings: list[dict[str, Any]]) -> ApiFault:
    """Documents that break a schema."""
    message = "The provided documents failed schema validation."
    return ApiFault(400, "InvalidDocumentFormat", message, findings=findings, reason="Validation")
