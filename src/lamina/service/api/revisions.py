"""Revisions: listing them, what differs between two, going back to one, and emptying the store."""

from typing import Any, NotRequired

from fastapi import APIRouter, Depends
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response
from typing_extensions import TypedDict

from lamina.service import filters
from lamina.service.api.documents import WRITE, paired
from lamina.service.api.parameters import API, HOST, ComparedRevision, EarlierRevision, RevisionNumber, StoreService
from lamina.service.deep_difference import deep_difference, difference
from lamina.service.dependencies import OwnAuthor, Site, Worker, documents_are_asked, requires
from lamina.service.filters import FromOne, Limit, Texts
from lamina.service.records import Placed, Revision
from lamina.service.rendition import RenderedDocument
from lamina.service.service import Service
from lamina.service.submission import json_hash
from lamina.service.wire import YamlResponse

router = APIRouter(prefix=API, default_response_class=YamlResponse)


class ListedRevision(TypedDict):
    """A revision in a list; who made it and what they said is there where it is known."""

    id: int
    createdAt: str
    buckets: list[str]
    tags: list[str]
    author: NotRequired[str]
    message: NotRequired[str]


class Revisions(TypedDict):
    """A list of revisions."""

    count: int
    results: list[ListedRevision]


class ExpectedValidation(TypedDict):
    """A result that a ValidationPolicy expects."""

    name: str
    status: str
    url: str


class ShownRevision(TypedDict):
    """A revision by itself."""

    id: int
    url: str
    createdAt: str
    buckets: list[str]
    tags: dict[str, Any]
    status: str
    validationPolicies: list[ExpectedValidation]
    author: NotRequired[str]
    message: NotRequired[str]


class _Said(TypedDict):
    author: NotRequired[str]
    message: NotRequired[str]


@router.get("/revisions/", include_in_schema=False, dependencies=[requires("read", "list_revisions")])
@router.get("/revisions", dependencies=[requires("read", "list_revisions")])
def list_revisions(
    service: StoreService,
    limit: Limit = None,  # noqa: ARG001 - Deckhand checks it here, and does nothing with it
    tag: Texts = None,
    sort: Texts = None,
    order: str = "asc",
    newest: FromOne = None,
    before: FromOne = None,
) -> Revisions:
    """All revisions, the oldest first."""
    found = service.store.revisions(newest=newest, before=before)
    if tag is not None:
        found = [each for each in found if each.tags.keys() & tag]
    keys = [(key,) for given in sort or () if (key := given.lstrip("$.")) in ("id", "created_at")]
    found = filters.ordered(found, _sorted_by, keys, descending=order == "desc")
    results: list[ListedRevision] = [
        {
            "id": each.number,
            "createdAt": each.created,
            "buckets": list(each.buckets),
            "tags": sorted(each.tags),
            **_said(each),
        }
        for each in found
    ]
    return {"count": len(results), "results": results}


def _sorted_by(revision: Revision) -> dict[str, Any]:
    return {"id": revision.number, "created_at": revision.created}


def _said(revision: Revision) -> _Said:
    """Who made a revision and what they said about it, as far as that is known; Deckhand knows neither."""
    said: _Said = {}
    if revision.author is not None:
        said["author"] = revision.author
    if revision.message is not None:
        said["message"] = revision.message
    return said


@router.delete("/revisions", status_code=204, dependencies=[requires("admin", "delete_revisions")])
async def delete_revisions(service: StoreService, author: OwnAuthor, site: Site) -> Response:
    """Empty the store."""
    await run_in_threadpool(service.store.purge, author)
    site.workers.forget()
    return Response(status_code=204)


@router.get("/revisions/{revision}", dependencies=[requires("read", "show_revision")])
def show_revision(revision: RevisionNumber, service: StoreService) -> ShownRevision:
    """One revision."""
    return _shown(service.store.revision(revision))


def _shown(found: Revision) -> ShownRevision:
    url = f"{HOST}/revisions/{found.number}"
    expected: list[ExpectedValidation] = [
        {"name": policy.name, "status": "unknown", "url": f"{url}/validations/{policy.name}"}
        for policy in found.validation_policies
    ]
    return {
        "id": found.number,
        "url": url,
        "createdAt": found.created,
        "buckets": list(found.buckets),
        "tags": found.tags,
        "status": "failed" if expected else "success",
        "validationPolicies": expected,
        **_said(found),
    }


@router.post("/rollback/{revision}", status_code=201, dependencies=[requires("write", WRITE)])
def rollback(revision: EarlierRevision, service: StoreService, author: OwnAuthor) -> ShownRevision:
    """Make a new revision with the content of an older one."""
    return _shown(service.store.revision(service.store.rollback(revision, author)))


@router.get("/revisions/{revision}/diff/{other}", dependencies=[requires("read", "show_revision_diff")])
def show_difference(revision: ComparedRevision, other: ComparedRevision, service: StoreService) -> dict[str, str]:
    """Which buckets differ between two revisions."""
    old, new = service.store.documents(revision), service.store.documents(other)
    return difference(old, new, reverse=revision > other)


@router.get(
    "/revisions/{revision}/deepdiff/{other}",
    dependencies=[requires("read", "show_revision_deepdiff"), Depends(documents_are_asked)],
)
async def show_deep_difference(revision: ComparedRevision, other: ComparedRevision, worker: Worker) -> Response:
    """What differs between two rendered revisions."""
    return await worker.run(_deep_difference, revision, other)


def _deep_difference(service: Service, first: int, second: int) -> Response:
    (old, seen), (new, seen_after) = (_to_compare(service, each) for each in (first, second))
    question = (seen, seen_after, first > second)
    known: Response | None = service.comparisons.find(question)
    if known is None:
        known = YamlResponse(deep_difference(old, new, reverse=first > second))
        service.comparisons.keep(question, known, 1024 + len(known.body))
    return known


def _to_compare(service: Service, revision: int) -> tuple[list[tuple[Placed, RenderedDocument]], bytes]:
    """The documents of a revision, rendered, and a hash of what they are rendered from."""
    own = service.store.documents(revision)
    placed = service.with_policy(own) if own else []
    rendered = paired(own, service.renderer.rendition(placed).documents) if own else []
    return rendered, json_hash([(each.bucket, each.content.epoch, each.content.number) for each in placed])
