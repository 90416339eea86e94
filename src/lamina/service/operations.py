"""The operations of the API: one function for each, from a request to an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.service import filters, validation_results, wire
from lamina.service.deep_difference import deep_difference, difference
from lamina.service.errors import RevisionNotFound
from lamina.service.faults import ApiFault, bad_request, fault_of
from lamina.service.submission import LAYERING_POLICY, documents_of, json_hash, one_value
from lamina.service.wire import Answer, DocumentTexts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lamina.service.explorer.revisions import ExploredStore
    from lamina.service.inspection import Inspector
    from lamina.service.records import Placed, Revision
    from lamina.service.rendition import Rendered, Renderer
    from lamina.service.request import Request
    from lamina.service.store import Store
    from lamina.service.submission import Submitted
    from lamina.service.tokens import TokenStore
    from lamina.session import Session, WeighedCache

LONGEST_NAME = 500
"""How many characters the name of a bucket or a tag may have; PostgreSQL cannot index much longer ones."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
HOST = "https://deckhand/api/v1.0"
"""What addresses in answers begin with; Deckhand names no other host."""


@dataclass(frozen=True, slots=True)
class Service:
    """What the operations work with."""

    store: Store
    renderer: Renderer
    session: Session
    inspector: Inspector
    submissions: WeighedCache
    """Bodies that were read, by their hashes; none with secrets."""
    comparisons: WeighedCache
    """What was found to differ."""
    tokens: TokenStore
    cleartext: bool = True
    """Whether secrets are shown to those who may see them and do not say whether they want to."""

    def explored(self) -> ExploredStore:
        """The store as the explorer shows it."""
        from lamina.service.explorer.revisions import ExploredStore

        return ExploredStore(self)

    def check(self) -> None:
        """See that the store answers."""
        self.store.state()

    def submitted(self, body: bytes) -> Sequence[Submitted]:
        """The documents in a body, which is often the same as before."""
        from hashlib import sha256

        key = sha256(body).digest()
        found: Sequence[Submitted] | None = self.submissions.find(key)
        if found is None:
            found = documents_of(body, self.session)
            if not any(document.encrypted for document in found):
                self.submissions.keep(key, found, 4096 + 16 * len(body))
        return found

    def to_render(self, revision: int) -> list[Placed]:
        """The documents that are rendered for a revision."""
        return self.with_policy(self.store.documents(revision))

    def with_policy(self, placed: list[Placed]) -> list[Placed]:
        """Documents to render: with the newest LayeringPolicy of all if they have none."""
        if any(each.content.schema.startswith(LAYERING_POLICY) for each in placed):
            return placed
        policy = self.store.newest_policy()
        return placed if policy is None else [*placed, policy]


def number_of(text: str) -> int:
    """The revision that a part of a path names."""
    found = int(text) if _INTEGER.fullmatch(text) else 0
    if found < 1:
        raise RevisionNotFound(text)
    return found


def _number_or_none(text: str) -> int:
    """A revision to compare, which may be 0."""
    if not _INTEGER.fullmatch(text):
        raise bad_request(f"Failed to process request: {text!r} is not a revision.", "InvalidInputException")
    if int(text) < 0:
        raise fault_of(RevisionNotFound(text))  # Deckhand says it in these words on every route
    return int(text)


def _new_name(name: str) -> str:
    """The name of a bucket or a tag that may be new."""
    if len(name) > LONGEST_NAME:
        raise bad_request(f"The name has {len(name)} characters; {LONGEST_NAME} is the limit.")
    return name


def versions(_service: Service, _request: Request) -> Answer:
    return wire.mapping({"v1.0": {"path": "/api/v1.0", "status": "stable"}})


def health(service: Service, _request: Request) -> Answer:
    service.check()
    return Answer(204)


def put_documents(service: Service, request: Request) -> Answer:
    bucket = _new_name(request.parts[0])
    request.caller.require_bucket(bucket, "create_cleartext_documents")
    submitted = service.submitted(request.body)
    made = service.store.put(bucket, submitted, request.author)
    if made is None:
        return Answer(200, b"")
    revision, placed = made
    if not placed:
        return wire.status_only(bucket, revision)
    return wire.documents(DocumentTexts(revision).raw(placed, redact=False), revision)


def list_documents(service: Service, request: Request) -> Answer:
    query = request.query
    revision = number_of(request.parts[0])
    redact = not filters.boolean_of(query, "cleartext-secrets", service.cleartext)
    limit = filters.limit_of(query)
    keys, descending = filters.sort_keys_of(query, rendered=False), filters.is_descending(query)
    placed = service.store.documents(revision)
    wanted = filters.DocumentFilter(query, rendered=False)
    if wanted:
        placed = [each for each in placed if wanted(_view(each))]
    if keys:
        placed.sort(key=lambda each: each.content.identity)
        placed = filters.ordered(placed, _view, keys, descending=descending)
    elif descending:
        placed.reverse()
    return wire.documents(DocumentTexts().raw(placed[:limit], redact=redact))


def _view(placed: Placed, metadata: Any = None, data: Any = None) -> dict[str, Any]:
    """A document as filters and sort keys see it."""
    content = placed.content
    return {
        "id": placed.number,
        "schema": content.schema,
        "name": content.name,
        "layer": content.layer,
        "metadata": content.metadata if metadata is None else metadata,
        "data": content.data if metadata is None else data,
        "bucket_name": placed.bucket,
        "revision_id": placed.written,
        "created_at": placed.number,
    }


def list_rendered_documents(service: Service, request: Request) -> Answer:
    query = request.query
    revision = number_of(request.parts[0])
    secrets = request.caller.may("secrets")
    redact = not filters.boolean_of(query, "cleartext-secrets", service.cleartext) and secrets
    limit = filters.limit_of(query)
    keys = filters.sort_keys_of(query, rendered=True)
    placed = service.to_render(revision)
    pairs = paired(placed, service.renderer.validated(placed, secrets=secrets).documents)
    wanted = filters.DocumentFilter(query, rendered=True)
    if wanted:
        pairs = [pair for pair in pairs if wanted(_rendered_view(pair))]
    pairs = filters.ordered(pairs, _rendered_view, keys, descending=filters.is_descending(query))
    return wire.documents(DocumentTexts().rendered(pairs[:limit], redact=redact))


def _rendered_view(pair: tuple[Placed, Rendered]) -> dict[str, Any]:
    return _view(pair[0], pair[1].metadata, pair[1].data)


def paired(placed: Iterable[Placed], rendered: Mapping[int, Rendered]) -> list[tuple[Placed, Rendered]]:
    """Rendered documents with their places."""
    return [(each, rendered[each.content.number]) for each in placed if each.content.number in rendered]


def list_revisions(service: Service, request: Request) -> Answer:
    query = request.query
    filters.limit_of(query)
    found = service.store.revisions(
        newest=filters.number_of(query, "newest"), before=filters.number_of(query, "before")
    )
    if "tag" in query:
        wanted = set(query["tag"])
        found = [each for each in found if wanted & each.tags.keys()]
    keys = [(key,) for given in query.get("sort", ()) if (key := given.lstrip("$.")) in ("id", "created_at")]
    found = filters.ordered(found, lambda each: {"id": each.number, "created_at": each.created}, keys,
                            descending=filters.is_descending(query))  # fmt: skip
    results = [
        {
            "buckets": each.buckets,
            "createdAt": each.created,
            "id": each.number,
            "tags": sorted(each.tags),
            **_said(each),
        }
        for each in found
    ]
    return wire.mapping({"count": len(results), "results": results})


def _said(revision: Revision) -> dict[str, str]:
    """Who made a revision and what they said about it, as far as that is known; Deckhand knows neither."""
    told = {"author": revision.author, "message": revision.message}
    return {name: text for name, text in told.items() if text is not None}


def show_revision(service: Service, request: Request) -> Answer:
    return _revision_view(service.store.revision(number_of(request.parts[0])))


def _revision_view(found: Revision, status: int = 200) -> Answer:
    policies = [
        {"name": policy.name, "status": "unknown", "url": f"{HOST}/revisions/{found.number}/validations/{policy.name}"}
        for policy in found.validation_policies
    ]
    return wire.mapping(
        {
            "buckets": list(found.buckets),
            "createdAt": found.created,
            "id": found.number,
            "status": "failed" if policies else "success",
            "tags": found.tags,
            "url": f"{HOST}/revisions/{found.number}",
            "validationPolicies": policies,
            **_said(found),
        },
        status,
    )


def delete_revisions(service: Service, request: Request) -> Answer:
    service.store.purge(request.author)
    return Answer(204)


def list_tags(service: Service, request: Request) -> Answer:
    return wire.mapping(service.store.tags(number_of(request.parts[0])))


def delete_tags(service: Service, request: Request) -> Answer:
    service.store.delete_tags(number_of(request.parts[0]), request.author)
    return Answer(204)


def show_tag(service: Service, request: Request) -> Answer:
    revision, name = request.parts
    return wire.mapping({name: service.store.tag(number_of(revision), name)})


def create_tag(service: Service, request: Request) -> Answer:
    revision, name = request.parts
    data = one_value(request.body, service.session)
    data = {} if data is None else data
    if data and not isinstance(data, dict):
        message = f"The requested tag data {data!r} must either be null or a mapping."
        raise bad_request(message, "RevisionTagBadFormat")
    service.store.set_tag(number_of(revision), _new_name(name), data, request.author)
    return wire.mapping({name: data}, 201)


def delete_tag(service: Service, request: Request) -> Answer:
    revision, name = request.parts
    service.store.delete_tag(number_of(revision), name, request.author)
    return Answer(204)


def list_validations(service: Service, request: Request) -> Answer:
    revision = number_of(request.parts[0])
    posted = service.store.validations(revision)
    results = validation_results.listed(posted, service.store.revision(revision).validation_policies)
    return wire.mapping(validation_results.summary(results, [each.name for each in posted]))


def list_validation_details(service: Service, request: Request) -> Answer:
    revision = number_of(request.parts[0])
    posted = service.store.validations(revision)
    results = validation_results.listed(posted, service.store.revision(revision).validation_policies)
    entries = [{"id": number, **each.entry()} for number, each in enumerate(results)]
    return wire.mapping({"count": len(entries), "results": entries})


def _results_called(service: Service, revision: int, name: str) -> list[validation_results.ListedResult]:
    policies = service.store.revision(revision).validation_policies
    results = validation_results.listed(service.store.validations(revision), policies)
    return [each for each in results if each.name == name]


def list_validation(service: Service, request: Request) -> Answer:
    results = _results_called(service, number_of(request.parts[0]), request.parts[1])
    found = [{"id": number, "status": each.status} for number, each in enumerate(results)]
    return wire.mapping({"count": len(found), "results": found})


def create_validation(service: Service, request: Request) -> Answer:
    revision = number_of(request.parts[0])
    found = validation_results.posted(request.parts[1], one_value(request.body, service.session))
    service.store.add_validation(revision, found, request.author)
    return wire.mapping({"status": found.status, "validator": found.validator}, 201)


def show_validation(service: Service, request: Request) -> Answer:
    revision, name, entry = request.parts
    number = number_of(revision)
    if not _INTEGER.fullmatch(entry):
        raise bad_request("The number of the entry must be a whole number.")
    results = _results_called(service, number, name)
    if not 0 <= int(entry) < len(results):
        message = f"The requested validation entry {entry} was not found for {name} and revision {number}."
        raise ApiFault(404, "ValidationNotFound", message)
    return wire.mapping(results[int(entry)].entry())


def show_difference(service: Service, request: Request) -> Answer:
    first, second = map(_number_or_none, request.parts)
    return wire.mapping(
        difference(
            service.store.documents(first),
            service.store.documents(second),
            reverse=first > second,
        )
    )


def show_deep_difference(service: Service, request: Request) -> Answer:
    first, second = map(_number_or_none, request.parts)
    (old, seen), (new, seen_after) = (_to_compare(service, each) for each in (first, second))
    question = (seen, seen_after, first > second)
    known: Answer | None = service.comparisons.find(question)
    if known is None:
        known = wire.mapping(deep_difference(old, new, reverse=first > second))
        service.comparisons.keep(question, known, 1024 + len(known.body or b""))
    return known


def _to_compare(service: Service, revision: int) -> tuple[list[tuple[Placed, Rendered]], bytes]:
    """The documents of a revision, rendered, and a hash of what they are rendered from."""
    own = service.store.documents(revision)
    placed = service.with_policy(own) if own else []
    rendered = paired(own, service.renderer.rendition(placed).documents) if own else []
    return rendered, json_hash([(each.bucket, each.content.epoch, each.content.number) for each in placed])


def rollback(service: Service, request: Request) -> Answer:
    target = int(request.parts[0])
    revision = service.store.rollback(target, request.author)
    return _revision_view(service.store.revision(revision), 201)
