"""What can be wrong with what is asked of a store, in its own terms; `faults` says how each is answered over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamina.errors import Diagnostic


class StoreError(Exception):
    """Something that a store cannot do as it is asked."""


class RevisionNotFound(StoreError):
    """There is no revision of a number, or no longer."""

    def __init__(self, revision: object) -> None:
        super().__init__(revision)
        self.revision = revision


class TagNotFound(StoreError):
    """A revision does not have a tag."""

    def __init__(self, revision: int, name: str) -> None:
        super().__init__(revision, name)
        self.revision = revision
        self.name = name


class DocumentExists(StoreError):
    """A document belongs to a bucket already; to the one that is written if it is there twice."""

    def __init__(self, schema: str, layer: str | None, name: str, bucket: str) -> None:
        super().__init__(schema, layer, name, bucket)
        self.title = f"[{schema}, {layer}] {name}"
        self.bucket = bucket


class SecondPolicy(StoreError):
    """There may be one LayeringPolicy only."""

    def __init__(self, held: str, new: str) -> None:
        super().__init__(held, new)
        self.held = held
        self.new = new


class InvalidInput(StoreError):
    """A body that cannot be read, or holds what cannot be stored."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidDocuments(StoreError):
    """Documents that break a schema, each with what is wrong."""

    def __init__(self, findings: list[dict[str, Any]]) -> None:
        super().__init__(findings)
        self.findings = findings


class CannotRender(StoreError):
    """Documents that the engine cannot render."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic
