"""The application: requests of HTTP in, answers out.

It checks what holds for all requests (host, size, content type, rate, who calls), finds the operation, runs it in a
thread, and turns whatever goes wrong into an error in Deckhand's form that says nothing about the inside of the store.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl
from uuid import uuid4

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from lamina.errors import LaminaError
from lamina.service import openapi, route
from lamina.service.access import ANYBODY, NOBODY, Caller, caller_of_headers
from lamina.service.author import Author
from lamina.service.errors import StoreError
from lamina.service.explorer import assets
from lamina.service.explorer.announcements import EVENTS
from lamina.service.explorer.routes import PREFIX as EXPLORER
from lamina.service.faults import ApiFault, StoreUnavailable, bad_request, fault_of
from lamina.service.origin_check import check_host, check_site
from lamina.service.rate_limit import RateLimit
from lamina.service.request import Request as Asked
from lamina.service.request import message_in
from lamina.service.wire import MEDIA_TYPE, Answer, written
from lamina.service.workers import Task, WorkerFailed
from lamina.sources.json.writer import dump

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import Receive, Scope, Send

    from lamina.service.access import KnownTokens
    from lamina.service.settings import Settings
    from lamina.service.site import ServedSite
    from lamina.service.workers import Workers

LOG = logging.getLogger("lamina.service")
_WITH_BODY = ("PUT", "POST", "PATCH")
_ECHOED = ("x-context-marker", "x-end-user")
_PARAMETERS = 1000
_PRIVATE = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""What is asked of browsers and proxies about every answer: it may hold secrets, and is for who asked."""
_LARGE = 1024 * 1024
"""How many bytes the body of a request may have that is read in a thread: a larger one keeps others waiting."""
_STALLED = 30.0
"""After how many seconds a body is given up of which nothing comes."""
_SLOWEST = 16 * 1024
"""How many bytes of a body must come in a second, on average."""
_RECEIVED = 4
"""How much more than the largest body all bodies that are being received may take."""
_DISCARDED = 4
"""How much more than the largest body is received and dropped: who is cut off while sending sees no answer."""


class Application:
    """An ASGI application over one site: a store, or the files of a project."""

    def __init__(
        self, site: ServedSite, tokens: KnownTokens | None, settings: Settings, workers: Workers | None = None
    ) -> None:
        """Without workers, everything is answered in threads."""
        self._site = site
        self._tokens = tokens
        self._settings = settings
        self._threads = ThreadPoolExecutor(settings.threads, "lamina-service")
        self._health_thread = ThreadPoolExecutor(1, "health")
        self._workers = workers
        self._running = 0
        self._receiving = 0
        """How many bytes of bodies are being received."""
        self._rate = RateLimit(settings.rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            await self._respond(Request(scope, receive), scope, receive, send)

    def end_streams(self) -> None:
        """End the answers that would go on for ever."""
        self._site.announcements.close()

    def close(self) -> None:
        """Wait for running requests."""
        self._threads.shutdown()
        self._health_thread.shutdown()

    async def _respond(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        began, exchange, rejected = perf_counter(), _Exchange(request), None
        try:
            answer = await self._answer(request, exchange)
        except ClientDisconnect:
            return
        except (ApiFault, StoreError) as error:
            fault = error if isinstance(error, ApiFault) else fault_of(error, exchange.not_found)
            answer, rejected = _failure(fault, request), fault.kind
        except StoreUnavailable as error:
            LOG.error("the store is unavailable", extra={"fields": {"request": exchange.number, "error": str(error)}})
            answer = _failure(_unavailable(), request)
        except WorkerFailed as error:
            LOG.error("internal error", extra={"fields": {"request": exchange.number, **error.place}})
            answer = _failure(_internal(exchange), request)
        except Exception as error:  # whatever it is, the caller gets an answer, and the log the place
            LOG.error("internal error", extra={"fields": {"request": exchange.number, **_location(error)}})
            answer = _failure(_internal(exchange), request)
        seconds = perf_counter() - began
        response = _response(answer, request, exchange)
        if self._site.metrics is not None:
            self._site.metrics.count(request.method, exchange.route, answer.status, seconds)
            if rejected is not None:
                self._site.metrics.count_rejected(rejected)
        LOG.info("request", extra={"fields": _logged(request, exchange, answer, seconds)})
        await response(scope, receive, send)

    async def _answer(self, request: Request, exchange: _Exchange) -> Answer:
        raw_path = request.scope.get("raw_path") or request.url.path.encode()
        check_host(request.headers, self._settings.hosts)
        check_site(request.method, request.headers, strict=self._settings.auth == "none")
        _check_content_type(request)
        extra = _EXTRA.get(request.url.path)
        # Clients of Deckhand find nothing at /; browsers, which say that they want HTML, find the page.
        if extra is not None and (extra is not Application.page or "text/html" in request.headers.get("accept", "")):
            exchange.route = request.url.path
            return await self._extra(request, exchange, extra)
        found, parts = route.find(raw_path.split(b"?")[0], self._site.routes)
        exchange.route = found.path
        if request.method == "OPTIONS":
            return Answer(200, b"", headers={"Allow": route.allowed(found)})
        operation = found.operations.get(request.method)
        if operation is None:
            raise route.not_allowed(found)
        exchange.not_found = operation.not_found
        caller = await self._caller(request, exchange, open_to_all=operation.role is None)
        if operation.role is not None:
            caller.require(operation.role, operation.action)
            if operation.role == "write" and "{bucket}" not in found.path:
                caller.require_all_buckets(operation.action)
        query = _query(request)
        author = Author(None if caller is ANYBODY else caller.name, exchange.address, exchange.number)
        if operation.role in ("write", "admin"):
            author = replace(author, message=message_in(query))
        body = await self._body(request) if request.method in _WITH_BODY else b""
        asked = Asked(caller, parts, query, body, author)
        if self._workers is not None and (operation.takes_long or len(body) > _LARGE):
            task = Task(found.path, request.method, asked)
            return await self._workers.answer(task, exchange.address if caller is ANYBODY else caller.name)
        # Whether the store answers is asked most urgently when all threads are busy.
        threads = self._health_thread if operation.role is None else None
        try:
            return await self._in_thread(operation.run, self._site.served, asked, threads=threads)
        finally:
            if self._workers is not None and request.method == "DELETE":
                self._workers.forget()

    async def _extra(self, request: Request, exchange: _Exchange, run: Callable[[Application], Answer]) -> Answer:
        """What is not part of Deckhand's API."""
        if request.method != "GET":
            raise ApiFault(405, "HTTPMethodNotAllowed", None, headers={"Allow": "GET"})
        if request.url.path in _FOR_READERS:
            (await self._caller(request, exchange)).require("read", "show_metrics")
        if run is Application.events:
            return self.events()
        return await self._in_thread(run, self, threads=self._health_thread if run in _ABOUT_HEALTH else None)

    async def _in_thread(
        self, run: Callable[..., Answer], *arguments: Any, threads: ThreadPoolExecutor | None = None
    ) -> Answer:
        settings = self._settings
        if self._running >= settings.threads + settings.waiting and threads is None:
            raise ApiFault(503, "ServiceUnavailable", "Too many requests wait already.", headers={"Retry-After": "5"})
        self._running += 1
        try:
            work = asyncio.get_running_loop().run_in_executor(threads or self._threads, run, *arguments)
            return await asyncio.wait_for(work, settings.seconds)
        except TimeoutError:
            message = f"The request took longer than {settings.seconds:g} s; what it writes may still be written."
            raise ApiFault(503, "RequestTimeout", message) from None
        except LaminaError as error:
            raise bad_request(error.diagnostic.message, "InputTooLarge") from None
        finally:
            self._running -= 1

    async def _body(self, request: Request) -> bytes:
        most = self._settings.body_size
        too_large = ApiFault(413, "HTTPContentTooLarge", f"The body may have {most} bytes at most.")
        if int(request.headers.get("content-length", "0")) > _DISCARDED * most:
            raise too_large
        parts, size, began = [], 0, asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(began + _STALLED) as limit:
                async for part in request.stream():
                    size += len(part)
                    limit.reschedule(began + _STALLED + size / _SLOWEST)
                    if size > _DISCARDED * most:
                        raise too_large
                    if size <= most:
                        parts.append(part)
                        self._receive(len(part))
        except TimeoutError:
            message = f"The body of the request stalled, or came slower than {_SLOWEST} bytes a second."
            raise ApiFault(408, "RequestTimeout", message, headers={"Connection": "close"}) from None
        finally:
            self._receiving -= sum(map(len, parts))
        if size > most:
            raise too_large
        return b"".join(parts)

    def _receive(self, size: int) -> None:
        """Count bytes that are kept until the body is whole; reject the request if there are too many in all."""
        self._receiving += size
        if self._receiving > _RECEIVED * self._settings.body_size:
            message = "Too many large bodies are being received already."
            raise ApiFault(503, "ServiceUnavailable", message, headers={"Retry-After": "5"})

    async def _caller(self, request: Request, exchange: _Exchange, *, open_to_all: bool = False) -> Caller:
        address = exchange.address
        try:
            caller = NOBODY if open_to_all else await self._known_caller(request)
        except ApiFault:
            self._count(address)  # whoever tries one token after the other is limited, too
            raise
        exchange.caller = caller.name
        self._count(address if caller in (ANYBODY, NOBODY) else caller.name)
        return caller

    def _count(self, sender: str) -> None:
        """Count a request; reject it if the sender has to wait."""
        wait = self._rate.wait(sender)
        if wait:
            message = f"More than {self._settings.rate:g} requests a second; try again later."
            raise ApiFault(429, "TooManyRequests", message, headers={"Retry-After": str(int(wait) + 1)})

    async def _known_caller(self, request: Request) -> Caller:
        if self._settings.auth == "none":
            return ANYBODY
        found = _by_proxy(request, self._settings.proxies) if self._settings.auth == "proxy" else None
        if self._tokens is not None and self._settings.auth in ("token", "keystone"):
            token = _token(request)
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(self._threads, self._tokens.caller, token) if token else None
        if found is None:
            raise ApiFault(401, "HTTPUnauthorized", "A valid token is needed.", headers={"WWW-Authenticate": "Bearer"})
        return found

    def health(self) -> Answer:
        """Whether the store answers."""
        self._site.served.check()
        return Answer(204)

    def live(self) -> Answer:
        """Whether the server answers at all, whatever the store does."""
        return Answer(204)

    def metrics(self) -> Answer:
        """What was counted, for Prometheus."""
        metrics = self._site.metrics
        if metrics is None:
            raise ApiFault(404, "HTTPNotFound", None)
        return Answer(200, metrics.text(), metrics.media_type)

    def description(self) -> Answer:
        """The OpenAPI document."""
        return Answer(200, openapi.text(self._site).encode(), "application/json")

    def page(self) -> Answer:
        """The page of the explorer, which holds no data."""
        return Answer(200, assets.page(), "text/html; charset=utf-8", assets.HEADERS)

    def script(self) -> Answer:
        return Answer(200, assets.script(), "text/javascript; charset=utf-8", assets.HEADERS)

    def style(self) -> Answer:
        return Answer(200, assets.style(), "text/css; charset=utf-8", assets.HEADERS)

    def icon(self) -> Answer:
        return Answer(200, assets.icon(), "image/svg+xml", assets.HEADERS)

    def events(self) -> Answer:
        """What changes, as it happens."""
        announcements = self._site.announcements
        announcements.check_capacity()
        return Answer(200, None, "text/event-stream", stream=announcements.stream())


_EXTRA: dict[str, Callable[[Application], Answer]] = {
    "/health": Application.health,
    "/live": Application.live,
    "/metrics": Application.metrics,
    "/openapi.json": Application.description,
    "/": Application.page,
    assets.SCRIPT: Application.script,
    assets.STYLE: Application.style,
    assets.ICON: Application.icon,
    EVENTS: Application.events,
}
_ABOUT_HEALTH = (Application.health, Application.live)
_FOR_READERS = ("/metrics", EVENTS)


class _Exchange:
    """What is known of a request by now."""

    def __init__(self, request: Request) -> None:
        self.number = f"req-{uuid4()}"
        self.address = request.client.host if request.client else ""
        self.route = ""
        self.caller = ""
        self.not_found = "RevisionNotFound"


def _check_content_type(request: Request) -> None:
    """A body must be YAML, whatever is asked for."""
    if request.method not in _WITH_BODY:
        return
    length = request.headers.get("content-length", "0")
    if not length.isdigit():
        raise bad_request("The Content-Length is not a number.", "HTTPInvalidHeader")
    if not int(length) and "transfer-encoding" not in request.headers:
        return
    given = request.headers.get("content-type")
    if given is None:
        raise bad_request('The "Content-Type" header is required.', "HTTPMissingHeader")
    if given.split(";")[0].strip() != MEDIA_TYPE:
        message = f"Unexpected content type: {given}. Expected content type: {MEDIA_TYPE}."
        raise ApiFault(415, "HTTPUnsupportedMediaType", message)


def _query(request: Request) -> dict[str, list[str]]:
    text = request.scope.get("query_string", b"").decode("latin-1")
    found: dict[str, list[str]] = {}
    try:
        for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=_PARAMETERS):
            found.setdefault(name, []).append(value)
    except ValueError:
        raise bad_request(f"More than {_PARAMETERS} parameters.", "HTTPInvalidParam") from None
    return found


def _token(request: Request) -> str:
    """The token of a request: as a bearer, or where Keystone's clients put it."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else request.headers.get("x-auth-token", "")


def _by_proxy(request: Request, proxies: tuple[str, ...]) -> Caller | None:
    """Who a proxy with Keystone's middleware says the caller is; headers of anybody else mean nothing."""
    if request.client is None or request.client.host not in proxies:
        return None
    return caller_of_headers(request.headers)


def _failure(fault: ApiFault, request: Request) -> Answer:
    body = fault.body(route.version_of(request.url.path))
    if request.url.path.startswith(EXPLORER):
        return Answer(fault.status, dump(body).encode(), "application/json", fault.headers)
    return Answer(fault.status, written(body).encode(), headers=fault.headers)


def _internal(exchange: _Exchange) -> ApiFault:
    return ApiFault(500, "InternalError", f"Internal error; see {exchange.number} in the log.")


def _unavailable() -> ApiFault:
    message = "The store is not available; nothing was changed."
    return ApiFault(503, "StoreUnavailable", message, headers={"Retry-After": "5"})


def _response(answer: Answer, request: Request, exchange: _Exchange) -> Response:
    headers = {"X-Deckhand-Req": exchange.number, **_PRIVATE, **answer.headers}
    for name in _ECHOED:
        if name in request.headers:
            headers[name.title()] = request.headers[name]
    if answer.stream is not None:
        return StreamingResponse(answer.stream, answer.status, headers, answer.media_type)
    if answer.body is None:
        return Response(status_code=answer.status, headers=headers)
    response = Response(answer.body, answer.status, headers)
    response.headers["content-type"] = answer.media_type
    return response


def _logged(request: Request, exchange: _Exchange, answer: Answer, seconds: float) -> dict[str, Any]:
    """What the log says of a request; neither parameters nor bodies."""
    return {
        "request": exchange.number,
        "method": request.method,
        "path": request.url.path,
        "status": answer.status,
        "seconds": round(seconds, 6),
        "bytes": len(answer.body or b""),
        "caller": exchange.caller,
        "address": exchange.address,
    }


def _location(error: BaseException) -> dict[str, str]:
    """The kind of an error and where it happened; not its text, which may hold values."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return {"error": type(error).__name__, "at": f"{last[0].filename}:{last[0].lineno}" if last else ""}


async def _live(receive: Receive, send: Send) -> None:
    """Answer the server that starts and stops the application."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await send({"type": "lifespan.shutdown.complete"})
            return
