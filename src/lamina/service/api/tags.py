"""Tags of revisions."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from lamina.service.api.parameters import API, KnownName, NewName, RevisionNumber, StoreService
from lamina.service.dependencies import BodyValue, OwnAuthor, requires, takes
from lamina.service.faults import bad_request
from lamina.service.wire import YamlResponse

router = APIRouter(prefix=f"{API}/revisions/{{revision}}/tags", default_response_class=YamlResponse)


@router.get("", dependencies=[requires("read", "list_tags")])
def list_tags(revision: RevisionNumber, service: StoreService) -> dict[str, Any]:
    """The tags of a revision."""
    return service.store.tags(revision)


@router.delete("", status_code=204, dependencies=[requires("write", "delete_tags")])
def delete_tags(revision: RevisionNumber, service: StoreService, author: OwnAuthor) -> Response:
    """Remove all tags of a revision."""
    service.store.delete_tags(revision, author)
    return Response(status_code=204)


@router.get("/{tag}", dependencies=[requires("read", "show_tag")])
def show_tag(revision: RevisionNumber, tag: KnownName, service: StoreService) -> dict[str, Any]:
    """One tag with its data."""
    return {tag: service.store.tag(revision, tag)}


@router.post(
    "/{tag}", status_code=201, openapi_extra=takes(dict[str, Any]), dependencies=[requires("write", "create_tag")]
)
def create_tag(
    revision: RevisionNumber, tag: NewName, value: BodyValue, service: StoreService, author: OwnAuthor
) -> dict[str, Any]:
    """Tag a revision."""
    data = {} if value is None else value
    if data and not isinstance(data, dict):
        message = f"The requested tag data {data!r} must either be null or a mapping."
        raise bad_request(message, "RevisionTagBadFormat")
    service.store.set_tag(revision, tag, data, author)
    return {tag: data}


@router.delete("/{tag}", status_code=204, dependencies=[requires("write", "delete_tag")])
def delete_tag(revision: RevisionNumber, tag: KnownName, service: StoreService, author: OwnAuthor) -> Response:
    """Remove a tag."""
    service.store.delete_tag(revision, tag, author)
    return Response(status_code=204)
