"""Routes that say how a server is: for probes, for Prometheus, and for clients that look for the API."""

from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Depends
from starlette.responses import Response

from lamina.service.dependencies import Site, anybody, requires
from lamina.service.faults import ApiFault
from lamina.service.wire import YamlResponse

probes = APIRouter(include_in_schema=False)
api = APIRouter(default_response_class=YamlResponse, dependencies=[Depends(anybody)])
_HEALTH = CapacityLimiter(1)
"""Whether the store answers is asked most urgently when all threads are busy, so it has one of its own."""


@probes.get("/health")
@api.get("/api/v1.0/health", status_code=204)
async def show_health(site: Site) -> Response:
    """Whether the store answers."""
    await to_thread.run_sync(site.served.check, limiter=_HEALTH)
    return Response(status_code=204)


@probes.get("/live")
async def live() -> Response:
    """Whether the server answers at all, whatever the store does."""
    return Response(status_code=204)


@probes.get("/metrics", dependencies=[requires("read", "show_metrics")])
async def metrics(site: Site) -> Response:
    """What was counted, for Prometheus."""
    if site.metrics is None:
        raise ApiFault(404, "HTTPNotFound", None)
    text = await to_thread.run_sync(site.metrics.text)
    return Response(text, media_type=site.metrics.media_type)


@api.get("/versions")
async def versions() -> dict[str, Any]:
    """The versions of the API."""
    return {"v1.0": {"path": "/api/v1.0", "status": "stable"}}
