"""Moving from Deckhand: all its revisions, read through its API, as revisions of a store with the same numbers.

The content of a revision is what the source shows for it, so what its own rollbacks and moves got wrong is carried over
as it is. Deckhand does not show what is stored encrypted except in rendered documents; such a document is imported if
nothing is layered or substituted into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.errors import Diagnostic, InputError
from lamina.service.client import ServerError
from lamina.service.faults import ApiFault
from lamina.service.submission import Submitted, submitted

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.service.client import Client
    from lamina.service.store import Store

_Identity: TypeAlias = "tuple[str, str | None, str]"


def import_revisions(source: Client, store: Store, report: Callable[[str], None]) -> int:
    """Copy all revisions with their tags into an empty store; how many there were."""
    if store.state().revision:
        raise InputError(
            Diagnostic(
                code="store-not-empty",
                message="the store has revisions already",
                hint="import into a new store, so that revisions keep their numbers",
            )
        )
    found = [(each["id"], [str(name) for name in each["buckets"]]) for each in source.revisions()]
    try:
        for number, written in found:
            _fill_gap(store, number, report)
            report(f"revision {number}")
            _import_one(source, store, number, written)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ServerError(
            Diagnostic(
                code="unexpected-response",
                message=f"{source.url} answered with something that Deckhand does not",
                hint="check that the address is that of a Deckhand",
            )
        ) from None
    return len(found)


def _fill_gap(store: Store, number: int, report: Callable[[str], None]) -> None:
    """Make revisions in place of numbers that Deckhand left out, as it does when it rejects some writes."""
    for missing in range(store.state().revision + 1, number):
        report(f"revision {missing} is not in the Deckhand: the same as revision {missing - 1}")
        store.repeat_revision()


def _import_one(source: Client, store: Store, number: int, written: list[str]) -> None:
    documents = source.documents(f"/revisions/{number}/documents")
    content: dict[str, list[Submitted]] = {}
    opened: dict[_Identity, Any] | None = None
    for document in documents:
        if "schema" not in document:  # nothing but ValidationPolicy documents, which are never shown
            continue
        if document["metadata"].get("storagePolicy") == "encrypted":
            opened = _secrets(source, number) if opened is None else opened
            document["data"] = _opened(document, opened)
        try:
            content.setdefault(document["status"]["bucket"], []).append(submitted(document))
        except ApiFault as fault:
            raise _unusable(number, document, fault.message or fault.kind) from None
    store.import_revision(number, content, written, source.mapping("GET", f"/revisions/{number}/tags"))


def _secrets(source: Client, number: int) -> dict[_Identity, Any]:
    """The data of rendered documents."""
    rendered = source.documents(f"/revisions/{number}/rendered-documents", **{"cleartext-secrets": "true"})
    return {_identity(each): each["data"] for each in rendered if "schema" in each}


def _identity(document: dict[str, Any]) -> _Identity:
    """Schema, layer and name: documents of one name may be in several layers."""
    metadata = document["metadata"]
    return document["schema"], (metadata.get("layeringDefinition") or {}).get("layer"), metadata["name"]


def _opened(document: dict[str, Any], opened: dict[_Identity, Any]) -> Any:
    metadata = document["metadata"]
    changed = metadata.get("substitutions") or metadata.get("layeringDefinition", {}).get("actions")
    key = _identity(document)
    if changed or key not in opened:
        raise _unusable(
            document["status"]["revision"],
            document,
            "it is encrypted, and the source shows it only after layering and substitution",
        )
    return opened[key]


def _unusable(number: int, document: dict[str, Any], why: str) -> InputError:
    name = document.get("metadata", {}).get("name")
    return InputError(
        Diagnostic(
            code="cannot-import",
            message=f"revision {number}: {document.get('schema')}/{name} cannot be imported: {why}",
            hint="push the newest documents from their files instead; history is then not kept",
        )
    )
