"""Moving from Deckhand: all its revisions, read through its API, as revisions of a store with the same numbers.

The content of a revision is what the source shows for it, so what its own rollbacks and moves got wrong is carried over
as it is. Deckhand does not show what is stored encrypted except in rendered documents; such a document is imported if
nothing is layered or substituted into it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from lamina.errors import Diagnostic, InputError
from lamina.service.author import Author
from lamina.service.client import ServerError
from lamina.service.errors import StoreError
from lamina.service.faults import fault_of
from lamina.service.store import IMPORT
from lamina.service.submission import Submitted, submitted

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.service.client import Client
    from lamina.service.store import Store

_BETWEEN = re.compile(rb"^---[ \t]*\r?\n", re.MULTILINE)
_ID = re.compile(rb"^id: \d+\r?\n", re.MULTILINE)
"""The id of a document, which is another one in each revision that writes its bucket."""
_Identity: TypeAlias = "tuple[str, str | None, str]"


def import_revisions(source: Client, store: Store, report: Callable[[str], None]) -> int:
    """Copy all revisions with their tags into an empty store, or go on where an earlier copy ended; how many there
    were."""
    done = _copied_before(source, store)
    if done:
        report(f"the revisions up to {done} were imported before")
    found = [_SourceRevision.of(each) for each in source.revisions()]
    texts = _ImportedTexts(source)
    try:
        for listed in found:
            if listed.number > done:
                _fill_gap(source, store, listed.number, report)
                report(f"revision {listed.number}")
                _import_one(source, store, listed, texts)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ServerError(
            Diagnostic(
                code="unexpected-response",
                message=f"{source.url} answered with something that Deckhand does not",
                hint="check that the address is that of a Deckhand",
            )
        ) from None
    return len(found)


@dataclass(frozen=True, slots=True)
class _SourceRevision:
    """A revision in the list of the source."""

    number: int
    buckets: list[str]
    tagged: bool
    author: Author
    """Who made it, which only Lamina's service tells."""

    @classmethod
    def of(cls, entry: dict[str, Any]) -> _SourceRevision:
        told = {name: entry[name] for name in ("author", "message") if isinstance(entry.get(name), str)}
        author = Author(told.get("author"), message=told.get("message"))
        return cls(entry["id"], [str(name) for name in entry["buckets"]], bool(entry["tags"]), author)


def _copied_before(source: Client, store: Store) -> int:
    """The last revision that was copied from this source, if nothing else was ever done to the store."""
    newest = store.state().revision
    if not newest:
        return 0
    entry = next((each for each in store.audit(1)), None)
    if entry is None or (entry["action"], entry.get("revision"), entry.get("subject")) != (IMPORT, newest, source.url):
        raise InputError(
            Diagnostic(
                code="store-not-empty",
                message="the store has revisions already, and the last of them was not imported from there",
                hint="import into a new store, so that revisions keep their numbers",
            )
        )
    return newest


def _fill_gap(source: Client, store: Store, number: int, report: Callable[[str], None]) -> None:
    """Make revisions in place of numbers that Deckhand left out, as it does when it rejects some writes."""
    for missing in range(store.state().revision + 1, number):
        report(f"revision {missing} is not in the Deckhand: the same as revision {missing - 1}")
        store.repeat_revision(source.url)


def _import_one(source: Client, store: Store, listed: _SourceRevision, texts: _ImportedTexts) -> None:
    content: dict[str, list[Submitted]] = {}
    for bucket, document in texts.of(listed.number):
        content.setdefault(bucket, []).append(document)
    tagged = source.mapping("GET", f"/revisions/{listed.number}/tags") if listed.tagged else {}
    store.import_revision(listed.number, content, listed.buckets, tagged, source.url, listed.author)


class _ImportedTexts:
    """Reads the documents of one revision after the other; what is written as in the one before is not read again."""

    def __init__(self, source: Client) -> None:
        self._source = source
        self._known: dict[bytes, list[tuple[str, Submitted]]] = {}

    def of(self, number: int) -> list[tuple[str, Submitted]]:
        """The documents of a revision, with their buckets."""
        body = self._source.body(f"/revisions/{number}/documents")
        found: dict[bytes, list[tuple[str, Submitted]]] = {}
        opened: dict[_Identity, Any] | None = None
        listed = []
        # Nothing but the end of a document is a line of three dashes in YAML.
        for text in _BETWEEN.split(body):
            key = _ID.sub(b"", text, count=1)
            read = self._known.get(key)
            if read is None:
                documents = self._source.read(text)
                if opened is None and any(_is_encrypted(each) for each in documents):
                    opened = _secrets(self._source, number)
                read = [_read(number, each, opened or {}) for each in documents if "schema" in each]
            found[key] = read
            listed += read
        self._known = found
        return listed


def _is_encrypted(document: dict[str, Any]) -> bool:
    return "schema" in document and document["metadata"].get("storagePolicy") == "encrypted"


def _read(number: int, document: dict[str, Any], opened: dict[_Identity, Any]) -> tuple[str, Submitted]:
    """A document and its bucket; without ValidationPolicy documents, which are never shown."""
    if _is_encrypted(document):
        document["data"] = _opened(document, opened)
    try:
        return document["status"]["bucket"], submitted(document)
    except StoreError as error:
        raise _unusable(number, document, fault_of(error).message or "it is not valid") from None


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
