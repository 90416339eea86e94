"""The page itself, which holds no data."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from lamina.service.dependencies import Site
from lamina.service.explorer import assets
from lamina.service.faults import route_not_found

router = APIRouter(include_in_schema=False)


@router.get("/")
async def page(request: Request, site: Site) -> Response:
    # Clients of Deckhand find nothing here; browsers say that they want HTML.
    if "text/html" not in request.headers.get("accept", ""):
        raise route_not_found()
    headers = assets.EMBEDDED_HEADERS if site.settings.embedded else assets.HEADERS
    return Response(assets.page(), media_type="text/html", headers=headers)


@router.get(assets.SCRIPT)
async def script() -> Response:
    return Response(assets.script(), media_type="text/javascript", headers=assets.HEADERS)


@router.get(assets.STYLE)
async def style() -> Response:
    return Response(assets.style(), media_type="text/css", headers=assets.HEADERS)


@router.get(assets.ICON)
async def icon() -> Response:
    return Response(assets.icon(), media_type="image/svg+xml", headers=assets.HEADERS)
