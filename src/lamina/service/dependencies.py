"""Dependencies: what the functions of routes are given, each by its type, and what holds for all requests."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from anyio import to_thread
from fastapi import Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import AfterValidator, TypeAdapter, ValidationError
from starlette.responses import Response

from lamina.service.access import ANYBODY, NOBODY, Caller, caller_of_headers
from lamina.service.author import Author
from lamina.service.exchange import Exchange
from lamina.service.faults import ApiFault, bad_request, route_not_found
from lamina.service.origin_check import check_host, check_site
from lamina.service.site import ServedSite
from lamina.service.submission import one_value
from lamina.service.wire import MEDIA_TYPE
from lamina.service.workers import WorkerTask

Value = TypeVar("Value")

LARGE = 1024 * 1024
"""How many bytes a body may have that is read in a thread: a larger one keeps others waiting."""
LONGEST_MESSAGE = 1000
"""How many characters may be said about a change."""
_ONCE = frozenset(
    ("after", "before", "column", "document", "limit", "line", "message", "newest", "output", "path", "source",
     "target", "words")
)  # fmt: skip
"""Parameters that mean nothing if they are there twice; of others, Deckhand takes the last or all."""
_WITH_BODY = ("PUT", "POST", "PATCH")


async def _site(request: Request) -> ServedSite:
    found: ServedSite = request.app.state.site
    return found


async def _exchange(request: Request) -> Exchange:
    return Exchange.of(request)


Site = Annotated[ServedSite, Depends(_site)]
OwnExchange = Annotated[Exchange, Depends(_exchange)]


async def documents_are_asked(exchange: OwnExchange) -> None:
    """On routes for documents, Deckhand has another name for a missing revision."""
    exchange.not_found = "HTTPNotFound"


async def check_request(request: Request, site: Site) -> None:
    """Reject what no route may be asked: by another name, from the page of another site, in another form."""
    if to_thread.current_default_thread_limiter().statistics().tasks_waiting > site.settings.waiting:
        raise ApiFault(503, "ServiceUnavailable", "Too many requests wait already.", headers={"Retry-After": "5"})
    check_host(request.headers, site.settings.hosts)
    check_site(request.method, request.headers, strict=site.settings.auth == "none")
    # What a server in front of this one takes for the end of a path, or for a part of it, must not be another here.
    if "\0" in request.url.path or b"%2f" in request.scope["raw_path"].lower():
        raise route_not_found()
    for name in _ONCE & request.query_params.keys():
        if len(request.query_params.getlist(name)) > 1:
            raise bad_request(f'The "{name}" parameter is invalid. It must be there once.', "HTTPInvalidParam")
    _check_content_type(request)


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


async def _caller(request: Request, site: Site, exchange: OwnExchange) -> Caller:
    """Who calls; whoever is not known is rejected."""
    try:
        caller = await _known_caller(request, site)
    except ApiFault:
        await _count(site, exchange.address)  # whoever tries one token after the other is limited, too
        raise
    exchange.caller = caller.name
    await _count(site, sender(caller, exchange))
    return caller


async def _known_caller(request: Request, site: ServedSite) -> Caller:
    auth, found = site.settings.auth, None
    if auth == "none":
        return ANYBODY
    if auth == "proxy":
        found = _by_proxy(request, site.settings.proxies)
    elif site.tokens is not None and (token := _token(request)):
        found = await run_in_threadpool(site.tokens.caller, token)
    if found is None:
        raise ApiFault(401, "HTTPUnauthorized", "A valid token is needed.", headers={"WWW-Authenticate": "Bearer"})
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


async def _count(site: ServedSite, sender: str) -> None:
    """Count a request; reject it if the sender has to wait."""
    wait = await site.rate.wait(sender)
    if wait:
        message = f"More than {site.settings.rate:g} requests a second; try again later."
        raise ApiFault(429, "TooManyRequests", message, headers={"Retry-After": str(wait)})


def sender(caller: Caller, exchange: Exchange) -> str:
    """What a caller is called where requests are counted."""
    return exchange.address if caller is ANYBODY else caller.name


async def anybody(site: Site, exchange: OwnExchange) -> None:
    """A route that is open to all: requests are counted by address."""
    exchange.caller = NOBODY.name
    await _count(site, exchange.address)


Known = Annotated[Caller, Depends(_caller)]


def requires(role: str, action: str) -> Any:
    """A dependency that rejects callers without a role; Deckhand's policies call what they would do `action`."""

    async def check(caller: Known) -> None:
        caller.require(role, action)
        if role == "write":
            caller.require_all_buckets(action)

    return Depends(check)


def _plain(text: str | None) -> str | None:
    if text is not None and "\0" in text:
        raise ValueError("it holds a null character")
    return (text or "").strip() or None


Message = Annotated[str | None, Query(max_length=LONGEST_MESSAGE), AfterValidator(_plain)]


async def _author(caller: Known, exchange: OwnExchange, message: Message = None) -> Author:
    """Who writes, and what they say about it."""
    return Author(None if caller is ANYBODY else caller.name, exchange.address, exchange.number, message)


OwnAuthor = Annotated[Author, Depends(_author)]


async def _body(request: Request, site: Site, _caller: Known) -> bytes:
    return await site.bodies.receive(request)


Body = Annotated[bytes, Depends(_body)]


def _body_value(body: Body, site: Site) -> Any:
    """The one value in a body, which is read in a thread."""
    if len(body) > LARGE:
        raise ApiFault(413, "HTTPContentTooLarge", f"This body may have {LARGE} bytes at most.")
    return one_value(body, site.served.session)


BodyValue = Annotated[Any, Depends(_body_value)]


def body_of(kind: type[Value]) -> Callable[[Any], Value]:
    """A dependency that reads a body of a type."""
    reader = TypeAdapter(kind)

    def read(value: BodyValue) -> Value:
        try:
            return reader.validate_python(value, strict=True)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(("body", *map(str, found["loc"])))
            raise bad_request(f"What is sent is not what it must be: {where}: {found['msg']}.") from None

    return read


def takes(kind: type[Any]) -> dict[str, Any]:
    """How the OpenAPI document says that a route takes a body of a type, in YAML."""
    schema = TypeAdapter(kind).json_schema()
    return {"requestBody": {"content": {MEDIA_TYPE: {"schema": schema}}}}


@dataclass(frozen=True, slots=True)
class Work:
    """Does what takes long, for one caller."""

    site: ServedSite
    sender: str

    async def run(self, function: Callable[..., Response], *arguments: Hashable, writes: bool = False) -> Response:
        """What a function of a module makes of what is served and the arguments."""
        return await self.site.workers.answer(WorkerTask(function, arguments, writes), self.sender)


async def _work(site: Site, caller: Known, exchange: OwnExchange) -> Work:
    return Work(site, sender(caller, exchange))


Worker = Annotated[Work, Depends(_work)]

Text = Annotated[str, Query(min_length=1)]
_FromZero = Annotated[int, Query(ge=0, le=999_999_999)]


async def _place(source: Text, line: _FromZero, column: _FromZero | None = None) -> tuple[str, int, int | None]:
    return source, line, column


Place = Annotated[tuple[str, int, int | None], Depends(_place)]
"""A place in a source: a line, and perhaps a column."""
