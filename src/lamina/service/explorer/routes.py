"""The routes the page asks; all answer in JSON, by schemas that `lamina schema` prints."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.responses import Response, StreamingResponse

from lamina.errors import LaminaError
from lamina.service.dependencies import (
    Place,
    Site,
    Text,
    Worker,
    body_of,
    documents_are_asked,
    requires,
    takes,
)
from lamina.service.explorer import model
from lamina.service.explorer.announcements import EVENTS
from lamina.service.explorer.files import rejected
from lamina.service.explorer.model import Explored
from lamina.service.json_forms import answers
from lamina.service.site import Served
from lamina.sources.json.writer import dump
from lamina.views.schemas.explorer import ExploreChangesData
from lamina.views.schemas.places import WhereData

PREFIX = "/explore"
LONGEST_VALUE = 64 * 1024
"""How many characters a what-if may have."""

router = APIRouter(
    default_response_class=JSONResponse,
    dependencies=[requires("read", "list_cleartext_documents"), Depends(documents_are_asked)],
)


def _shown(served: Served, data_of: Callable[..., Mapping[str, Any]], *arguments: Any) -> Response:
    """What there is to say about what is explored."""
    try:
        data = data_of(served.explored(), *arguments)
    except LaminaError as error:
        raise rejected(error) from None
    return Response(dump(data, indent=None), media_type="application/json")


@router.get("/explore/targets", responses=answers("explore-targets"))
async def explore_targets(worker: Worker) -> Response:
    """What there is to look at."""
    return await worker.run(_shown, model.targets_data)


@router.get("/explore/outputs", responses=answers("explore-outputs"))
async def explore_outputs(worker: Worker, target: Text) -> Response:
    """The outputs of a target."""
    return await worker.run(_shown, model.outputs_data, target)


@router.get("/explore/tree", responses=answers("explore-tree"))
async def explore_tree(worker: Worker, target: Text, output: Text) -> Response:
    """An output as a tree of values with their places."""
    return await worker.run(_shown, model.output_data, target, output)


@router.get("/explore/stack", responses=answers("explore-stack"))
async def explore_stack(worker: Worker, target: Text, output: Text, path: Text) -> Response:
    """A value with every layer that sets it."""
    return await worker.run(_shown, model.value_data, target, output, path)


@router.get("/explore/search", responses=answers("explore-search"))
async def explore_search(worker: Worker, words: Text, target: Text | None = None) -> Response:
    """Values by words in their path or text."""
    return await worker.run(_shown, model.found_data, target, words)


@router.get("/explore/compare", responses=answers("explore-changes"))
async def explore_compare(worker: Worker, before: Text, after: Text) -> Response:
    """What differs between two targets."""
    return await worker.run(_shown, model.compared_data, before, after)


@router.get("/explore/where", responses=answers("where"))
async def explore_where(worker: Worker, place: Place, target: Text | None = None) -> Response:
    """What a line of a file or a stored document decides."""
    return await worker.run(_shown, _where, target, *place)


def _where(explored: Explored, target: str | None, source: str, line: int, column: int | None) -> WhereData:
    return explored.where(target, source, line, column)


class TriedValue(BaseModel):
    """Another value at a place, as YAML; the target is the revision, where a store is explored."""

    source: str
    line: Annotated[int, Field(ge=1)]
    column: Annotated[int, Field(ge=1)]
    value: Annotated[str, Field(max_length=LONGEST_VALUE)]
    target: str | None = None


@router.post(
    "/explore/what-if",
    responses=answers("explore-changes"),
    openapi_extra=takes(TriedValue),
)
async def what_if(worker: Worker, trial: Annotated[TriedValue, Depends(body_of(TriedValue))]) -> Response:
    """What another value at a place would change; nothing is written."""
    place = trial.source, trial.line, trial.column
    return await worker.run(_shown, _tried, trial.target, place, trial.value)


def _tried(explored: Explored, target: str | None, place: tuple[str, int, int], value: str) -> ExploreChangesData:
    return explored.what_if(target, place, value)


@router.get(
    EVENTS,
    response_class=StreamingResponse,
    responses={200: {"description": "Server-sent events.", "content": {"text/event-stream": {}}}},
)
async def explore_events(site: Site) -> Response:
    """What changes, as it happens: events called change, with a generation and targets, or an error."""
    site.announcements.check_capacity()
    return StreamingResponse(site.announcements.stream(), media_type="text/event-stream")
