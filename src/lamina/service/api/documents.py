"""Documents: writing those of a bucket, and listing those of a revision as they are stored or rendered."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from lamina.service import filters, wire
from lamina.service.api.parameters import API, NewName, RevisionNumber, StoreService
from lamina.service.author import Author
from lamina.service.dependencies import LARGE, Body, Known, OwnAuthor, Worker, documents_are_asked, requires
from lamina.service.filters import Listing, OwnListing
from lamina.service.records import Placed
from lamina.service.rendition import RenderedDocument
from lamina.service.service import Service
from lamina.service.wire import MEDIA_TYPE, DocumentTexts, YamlResponse

WRITE = "create_cleartext_documents"
READ = "list_cleartext_documents"
TEXT = {"requestBody": {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}}
_DOCUMENTS: dict[int | str, dict[str, Any]] = {
    200: {"description": "A stream of YAML documents, each with id, schema, metadata, data and status."}
}

router = APIRouter(prefix=API, default_response_class=YamlResponse)


async def _check_writer(bucket: NewName, caller: Known) -> str:
    caller.require("write", WRITE)
    caller.require_bucket(bucket, WRITE)
    return bucket


@router.put("/buckets/{bucket}/documents", openapi_extra=TEXT, responses=_DOCUMENTS)
async def put_documents(
    bucket: Annotated[str, Depends(_check_writer)],
    author: OwnAuthor,
    body: Body,
    service: StoreService,
    worker: Worker,
) -> Response:
    """Make documents the whole content of a bucket."""
    if len(body) > LARGE:
        return await worker.run(_put, bucket, body, author, writes=True)
    return await run_in_threadpool(_put, service, bucket, body, author)


def _put(service: Service, bucket: str, body: bytes, author: Author) -> Response:
    made = service.store.put(bucket, service.submitted(body), author)
    if made is None:
        return YamlResponse(b"")
    revision, placed = made
    if not placed:
        return wire.status_only(bucket, revision)
    return wire.documents(DocumentTexts(revision).raw(placed, redact=False), revision)


@router.get(
    "/revisions/{revision}/documents",
    responses=_DOCUMENTS,
    dependencies=[requires("read", READ), Depends(documents_are_asked)],
)
def list_documents(revision: RevisionNumber, listing: OwnListing, service: StoreService) -> Response:
    """The documents of a revision as they are stored."""
    keys = filters.sort_keys_of(listing, rendered=False)
    placed = service.store.documents(revision)
    wanted = filters.DocumentFilter(listing, rendered=False)
    if wanted:
        placed = [each for each in placed if wanted(_view(each))]
    if keys:
        placed.sort(key=lambda each: each.content.identity)
        placed = filters.ordered(placed, _view, keys, descending=listing.descending)
    elif listing.descending:
        placed.reverse()
    redact = not (service.cleartext if listing.cleartext is None else listing.cleartext)
    return wire.documents(DocumentTexts().raw(placed[: listing.limit], redact=redact))


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


@router.get(
    "/revisions/{revision}/rendered-documents",
    responses=_DOCUMENTS,
    dependencies=[requires("read", READ), Depends(documents_are_asked)],
)
async def list_rendered_documents(
    revision: RevisionNumber, listing: OwnListing, caller: Known, worker: Worker
) -> Response:
    """The documents of a revision, rendered."""
    return await worker.run(_rendered, revision, listing, caller.may("secrets"))


def _rendered(service: Service, revision: int, listing: Listing, secrets: bool) -> Response:
    keys = filters.sort_keys_of(listing, rendered=True)
    placed = service.to_render(revision)
    pairs = paired(placed, service.renderer.validated(placed, secrets=secrets).documents)
    wanted = filters.DocumentFilter(listing, rendered=True)
    if wanted:
        pairs = [pair for pair in pairs if wanted(_rendered_view(pair))]
    pairs = filters.ordered(pairs, _rendered_view, keys, descending=listing.descending)
    cleartext = service.cleartext if listing.cleartext is None else listing.cleartext
    return wire.documents(DocumentTexts().rendered(pairs[: listing.limit], redact=secrets and not cleartext))


def _rendered_view(pair: tuple[Placed, RenderedDocument]) -> dict[str, Any]:
    return _view(pair[0], pair[1].metadata, pair[1].data)


def paired(placed: Iterable[Placed], rendered: Mapping[int, RenderedDocument]) -> list[tuple[Placed, RenderedDocument]]:
    """Rendered documents with their places."""
    return [(each, rendered[each.content.number]) for each in placed if each.content.number in rendered]
