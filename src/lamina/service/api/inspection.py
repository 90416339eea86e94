"""What Deckhand's API does not have: explanations, and what a change would change; errors alone are YAML."""

from fastapi import APIRouter, Depends
from starlette.responses import Response

from lamina.service import inspection
from lamina.service.api.documents import READ, TEXT
from lamina.service.api.parameters import API, NewName, RevisionNumber
from lamina.service.dependencies import Body, Place, Text, Worker, documents_are_asked, requires
from lamina.service.json_forms import answers
from lamina.service.wire import YamlResponse

router = APIRouter(
    prefix=f"{API}/revisions/{{revision}}",
    default_response_class=YamlResponse,
    dependencies=[requires("read", READ), Depends(documents_are_asked)],
)


@router.get("/explain", responses=answers("explain"))
async def explain(revision: RevisionNumber, document: Text, path: Text, worker: Worker) -> Response:
    """Where a value of a rendered document came from."""
    return await worker.run(inspection.explain, revision, document, path)


@router.get("/where", responses=answers("where"))
async def where(revision: RevisionNumber, place: Place, worker: Worker) -> Response:
    """What a line of a document decides."""
    return await worker.run(inspection.where, revision, *place)


@router.post("/impact/{bucket}", openapi_extra=TEXT, responses=answers("store-impact"))
async def impact(revision: RevisionNumber, bucket: NewName, body: Body, worker: Worker) -> Response:
    """What would change if a bucket had the documents in the body; nothing is written."""
    return await worker.run(inspection.impact, revision, bucket, body)
