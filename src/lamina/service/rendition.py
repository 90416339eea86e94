"""Renditions: the documents of a revision, rendered by the Deckhand dialect, found again by their contents.

There are two renditions of each set: one with its secrets, and one for callers who may not see them, in which what came
from an encrypted document is withheld, wherever it got to. So nothing that one caller may see reaches another one
through the cache.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand import validation
from lamina.dialects.deckhand.compile import Site, compile_documents
from lamina.dialects.deckhand.document import SiteDocument
from lamina.dialects.deckhand.options import DeckhandOptions
from lamina.engine import fold
from lamina.engine.provenance import FirstSourceNode
from lamina.engine.secret_keys import Secrecy
from lamina.errors import LaminaError
from lamina.run import Run
from lamina.service.errors import CannotRender, InvalidDocuments, StoreError
from lamina.service.positions import NO_POSITIONS
from lamina.service.validation_report import report
from lamina.session import Session, WeighedCache
from lamina.sources.source import Source
from lamina.views.redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lamina.engine.node import Node
    from lamina.engine.step_context import Ledger
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.service.records import Content, Placed
    from lamina.service.store import Store

_OPTIONS = DeckhandOptions(validate="off", cleartext_secrets=True)
_NO_SOURCE = Source("", b"")
_ORIGIN = NO_POSITIONS.origin(0)


def _every(_path: Path) -> bool:
    return True


def _none(_path: Path) -> bool:
    return False


@dataclass(slots=True, eq=False)
class RenderedDocument:
    """A rendered document."""

    content: Content
    metadata: dict[str, Any]
    data: Any
    encrypted: bool
    """Whether it is stored encrypted, or took anything from a document that is."""
    from_secrets: frozenset[int] = frozenset()
    """Which of its substitutions take from a document that is encrypted itself, or took from one."""
    text: tuple[str, str] | None = None
    """The text of its data and of its metadata and schema, once it was written."""


@dataclass(slots=True, eq=False)
class Rendition:
    """The documents of one set, rendered; by the numbers of their contents."""

    documents: dict[int, RenderedDocument] = field(default_factory=dict)
    broken: StoreError | None = None
    """What they break."""


class Renderer:
    """Renders documents of a store, and keeps what was rendered."""

    def __init__(self, store: Store, session: Session, *, memory: int = 128 * 1024 * 1024) -> None:
        self._store = store
        self._session = session
        self._known = WeighedCache(memory)
        self._lock = Lock()
        self._running: dict[Hashable, Lock] = {}

    def rendition(self, placed: Sequence[Placed], *, secrets: bool = True) -> Rendition:
        """The documents rendered, not validated; `secrets` are withheld unless they are asked for."""
        contents = [each.content for each in placed]
        secrets = secrets or all(content.secret is None for content in contents)
        key = (secrets, *((content.epoch, content.number) for content in contents))
        found = self._known.find(key)
        if found is None:
            # Of requests for the same content that come together, one renders.
            with self._lock_of(key):
                found = self._known.find(key)
                if found is None:
                    found = self._rendered(contents, secrets)
                    self._known.keep(key, found, sum(content.weight for content in contents) * 2)
        if isinstance(found, StoreError):
            raise found.with_traceback(None)
        assert isinstance(found, Rendition)
        return found

    def validated(self, placed: Sequence[Placed], *, secrets: bool = True) -> Rendition:
        """The documents rendered and validated."""
        found = self.rendition(placed, secrets=secrets)
        if found.broken is not None:
            raise found.broken.with_traceback(None)
        return found

    def _lock_of(self, key: Hashable) -> Lock:
        with self._lock:
            if len(self._running) > 1000:
                self._running = {name: lock for name, lock in self._running.items() if lock.locked()}
            return self._running.setdefault(key, Lock())

    def _rendered(self, contents: Sequence[Content], secrets: bool) -> Rendition | StoreError:
        opened = self._store.secrets_of(contents)
        sources = [_site_document(content, opened) for content in contents]
        try:
            return _folded(contents, sources, Run(self._session).with_budget(), secrets=secrets)
        except LaminaError as error:
            return CannotRender(error.diagnostic)


def _site_document(content: Content, opened: dict[int, Any]) -> SiteDocument:
    data = opened.get(content.number, content.data)
    return StoredDocument(content, data)


class StoredDocument(SiteDocument):
    """A document from a store: it is at no place in a text, and JSON has strings for keys."""

    __slots__ = ("_content",)

    def __init__(self, content: Content, data: Any = None) -> None:
        value = {"schema": content.schema, "metadata": content.metadata, "data": data}
        super().__init__(value, NO_POSITIONS, _NO_SOURCE, plain_keys=True)
        self._content = content

    def relations(self) -> str:
        # The text that the metadata was read from; equal metadata may be written in two ways, which costs little.
        return f"{self.schema}\n{self._content.metadata_json}"

    def origin(self, *path: Any) -> Origin:  # noqa: ARG002 - everything is at the same place
        return _ORIGIN


def _folded(
    contents: Sequence[Content], sources: Sequence[SiteDocument], run: Run, *, secrets: bool
) -> Rendition | StoreError:
    ledger = fold.run(compile_documents(lambda: sources, _OPTIONS, run), run)
    for folded in ledger.results.values():
        if folded.faults:
            return CannotRender(folded.faults[0])
    encrypted_sources = FirstSourceNode(lambda written: written.secret is Secrecy.ENCRYPTED)
    secret_by_output = _secret_by_output(ledger, encrypted_sources)
    redactor = Redactor(encrypted_sources)
    rendition_made = Rendition()
    results: list[validation.ValidatedDocument] = []
    for content, source in zip(contents, sources, strict=True):
        folded = ledger.results[source.title]
        if folded.output.hidden:
            continue
        value = folded.node.value
        secret, taken = source.title in secret_by_output, secret_by_output.get(source.title, frozenset())
        metadata, data = value["metadata"], value.get("data")
        if secret and not secrets:
            metadata, data = {**metadata, "storagePolicy": "encrypted"}, _withheld(folded.node, redactor)
        rendition_made.documents[content.number] = RenderedDocument(content, metadata, data, secret, taken)
        results.append(validation.ValidatedDocument(source, value.get("data"), _every if secret else _none))
    broken, unusable = validation.schema_violations(results)
    withheld = {
        title: _withheld(ledger.results[title].node, redactor)
        for title in {each.result.document.title for each in broken} & secret_by_output.keys()
    }
    findings = report(broken, unusable, withheld)
    rendition_made.broken = InvalidDocuments(findings) if findings else None
    return rendition_made


def _withheld(document: Node, redactor: Redactor) -> Any:
    """The data of a rendered document without what came from secrets."""
    return redactor.redacted(document.child("data")) if "data" in document.value else None


def _secret_by_output(ledger: Ledger, encrypted_sources: FirstSourceNode) -> dict[str, frozenset[int]]:
    """The documents that are stored encrypted or took anything from one that is, with the substitutions that did."""
    site = next(stage.facts for stage in ledger.plan.stages if isinstance(stage.facts, Site))
    found: dict[str, frozenset[int]] = {}
    if not any(document.encrypted for document in site.documents):
        return found
    for document in site.order:
        sources = [site.source(each) for each in document.substitutions]
        taken = frozenset(at for at, source in enumerate(sources) if source is not None and source.title in found)
        if document.encrypted or taken or encrypted_sources.of(ledger.results[document.title].node):
            found[document.title] = taken
    return found


def redacted(value: Any) -> str:
    """What is shown in place of a secret: a hash of its JSON text."""
    return sha256(json.dumps(value).encode()).hexdigest()


def redacted_metadata(metadata: dict[str, Any], from_secrets: frozenset[int] = frozenset()) -> dict[str, Any]:
    """The metadata of a document that is redacted: where it takes secrets from and to is not shown either.

    Deckhand hashes the paths of what is taken from secrets when it is taken, and all paths when they are shown.
    """
    shown = {**metadata, "storagePolicy": "encrypted"}
    if isinstance(metadata.get("substitutions"), list):
        shown["substitutions"] = [
            _redacted_substitution(each, 2 if at in from_secrets else 1)
            for at, each in enumerate(metadata["substitutions"])
        ]
    return shown


def _redacted_substitution(substitution: Any, times: int) -> Any:
    if not isinstance(substitution, dict):
        return substitution
    shown = dict(substitution)
    for side in ("src", "dest"):
        found = shown.get(side)
        if isinstance(found, dict):
            shown[side] = _redacted_path(found, times)
        elif isinstance(found, list):
            shown[side] = [_redacted_path(each, times) if isinstance(each, dict) else each for each in found]
    return shown


def _redacted_path(side: dict[str, Any], times: int) -> dict[str, Any]:
    path = side.get("path")
    for _ in range(times):
        path = redacted(path)
    return {**side, "path": path} if "path" in side else side
