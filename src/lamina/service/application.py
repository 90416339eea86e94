"""The application: the routes of a site, and how whatever goes wrong is answered.

Errors have Deckhand's form, and say nothing about the inside of the store.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match

from lamina.errors import LaminaError
from lamina.service import status
from lamina.service.dependencies import check_request
from lamina.service.errors import StoreError
from lamina.service.exchange import LOG, Exchange, Exchanges, log_failure
from lamina.service.explorer import page
from lamina.service.explorer import routes as explorer
from lamina.service.faults import ApiFault, Status, StoreUnavailable, bad_request, fault_of, route_not_found, version_of
from lamina.service.json_forms import with_schemas
from lamina.service.wire import YamlResponse
from lamina.service.workers import WorkerFailed
from lamina.version import VERSION

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from fastapi import APIRouter
    from starlette.responses import Response

    from lamina.service.site import ServedSite

_METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")


def application_of(site: ServedSite, about: str, routers: Sequence[APIRouter] = ()) -> FastAPI:
    """The application over a site: the explorer, and other routes."""

    @asynccontextmanager
    async def lifespan(_application: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = site.settings.threads
        yield

    application = FastAPI(
        title="Lamina service",
        version=VERSION,
        description=about,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(check_request)],
        responses={"default": {"model": Status, "description": "An error."}},
        generate_unique_id_function=lambda route: route.name,
        lifespan=lifespan,
    )
    application.state.site = site
    for router in (*routers, explorer.router, status.probes, page.router):
        application.include_router(router)
    application.add_middleware(Exchanges, metrics=site.metrics, failed=_internal)
    application.openapi = with_schemas(application.openapi)  # type: ignore[method-assign]
    for kind, answer in _ANSWERS.items():
        application.add_exception_handler(kind, answer)
    return application


def _answer(request: Request, fault: ApiFault) -> Response:
    exchange = Exchange.of(request)
    exchange.rejected = fault.kind
    path = request.url.path
    form = JSONResponse if path.startswith(explorer.PREFIX) else YamlResponse
    return form(fault.body(version_of(path)), fault.status, fault.headers)


def _internal(request: Request) -> Response:
    number = Exchange.of(request).number
    return _answer(request, ApiFault(500, "InternalError", f"Internal error; see {number} in the log."))


async def _rejected(request: Request, error: ApiFault) -> Response:
    return _answer(request, error)


async def _cannot(request: Request, error: StoreError) -> Response:
    return _answer(request, fault_of(error, Exchange.of(request).not_found))


async def _not_available(request: Request, error: StoreUnavailable) -> Response:
    fields = {"request": Exchange.of(request).number, "error": str(error)}
    LOG.error("the store is unavailable", extra={"fields": fields})
    message = "The store is not available; nothing was changed."
    return _answer(request, ApiFault(503, "StoreUnavailable", message, headers={"Retry-After": "5"}))


async def _worker_failed(request: Request, error: WorkerFailed) -> Response:
    log_failure(Exchange.of(request), error.place)
    return _internal(request)


async def _not_read(request: Request, error: LaminaError) -> Response:
    return _answer(request, bad_request(error.diagnostic.message, "InputTooLarge"))


async def _invalid(request: Request, error: RequestValidationError) -> Response:
    found = error.errors()[0]
    name = found["loc"][-1]
    if found["type"] == "missing":
        return _answer(request, bad_request(f'The "{name}" parameter is needed.', "HTTPInvalidParam"))
    why = str(found["msg"]).removeprefix("Value error, ").rstrip(".")
    return _answer(request, bad_request(f'The "{name}" parameter is invalid. {why}.', "HTTPInvalidParam"))


async def _not_routed(request: Request, error: HTTPException) -> Response:
    """No route has the path, or none of its routes the method."""
    if error.status_code != 405:
        return _answer(request, route_not_found())
    headers = {"Allow": ", ".join(sorted((*_allowed(request), "OPTIONS")))}
    if request.method == "OPTIONS":
        return YamlResponse(b"", headers=headers)
    return _answer(request, ApiFault(405, "HTTPMethodNotAllowed", None, headers=headers))


def _allowed(request: Request) -> list[str]:
    """The methods that the routes of a path have."""
    scope = dict(request.scope)
    routes = request.app.router.routes
    return [
        method
        for method in _METHODS
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in routes)
    ]


_ANSWERS: dict[type[Exception], Any] = {
    ApiFault: _rejected,
    StoreError: _cannot,
    StoreUnavailable: _not_available,
    WorkerFailed: _worker_failed,
    LaminaError: _not_read,
    RequestValidationError: _invalid,
    HTTPException: _not_routed,
}
"""How each kind of error is answered."""
