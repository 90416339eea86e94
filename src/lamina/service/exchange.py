"""Exchanges: a request and its answer, with a number; each is logged and counted, and none fails without an answer."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from lamina.service.metrics import Metrics

LOG = logging.getLogger("lamina.service")
_ECHOED = ("x-context-marker", "x-end-user")
_PRIVATE = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""What is asked of browsers and proxies about every answer: it may hold secrets, and is for who asked."""


@dataclass(slots=True)
class Exchange:
    """What is known of a request by now."""

    address: str
    number: str = field(default_factory=lambda: f"req-{uuid4()}")
    began: float = field(default_factory=perf_counter)
    caller: str = ""
    not_found: str = "RevisionNotFound"
    """What Deckhand calls a missing revision here."""
    rejected: str | None = None
    """The type of the error it is rejected with."""
    is_answered: bool = False

    @staticmethod
    def of(request: Request) -> Exchange:
        found: Exchange = request.state.exchange
        return found


class Exchanges:
    """The middleware that gives requests their numbers, and answers their headers."""

    def __init__(self, app: ASGIApp, metrics: Metrics | None, failed: Callable[[Request], Response]) -> None:
        """`failed` is the answer where something went wrong that nobody thought of."""
        self._app = app
        self._metrics = metrics
        self._failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        exchange = Exchange(client[0] if client else "")
        scope.setdefault("state", {})["exchange"] = exchange

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.is_answered = True
                _add_headers(message, Headers(scope=scope), exchange)
                self._note(scope, exchange, message)
            await send(message)

        try:
            await self._app(scope, receive, answer)
        except ClientDisconnect:
            return
        except Exception as error:  # whatever it is, the caller gets an answer, and the log the place
            log_failure(exchange, location(error))
            if not exchange.is_answered:
                request = Request(scope, receive)
                await self._failed(request)(scope, receive, answer)

    def _note(self, scope: Scope, exchange: Exchange, message: Message) -> None:
        """Log and count an answer; neither parameters nor bodies are in the log."""
        seconds, method, status = perf_counter() - exchange.began, scope["method"], message["status"]
        if self._metrics is not None:
            self._metrics.count(method, _route(scope), status, seconds)
            if exchange.rejected is not None:
                self._metrics.count_rejected(exchange.rejected)
        fields = {
            "request": exchange.number,
            "method": method,
            "path": scope["path"],
            "status": status,
            "seconds": round(seconds, 6),
            "bytes": int(Headers(raw=message["headers"]).get("content-length", "0")),
            "caller": exchange.caller,
            "address": exchange.address,
        }
        LOG.info("request", extra={"fields": fields})


def _add_headers(message: Message, asked: Headers, exchange: Exchange) -> None:
    headers = MutableHeaders(scope=message)
    headers["X-Deckhand-Req"] = exchange.number
    for name, value in _PRIVATE.items():
        headers.setdefault(name, value)
    for name in _ECHOED:
        if name in asked:
            headers[name.title()] = asked[name]


def _route(scope: Scope) -> str:
    """The path of the route, with its open parts in braces."""
    route = scope.get("route")
    return "" if route is None else str(route.path)


def log_failure(exchange: Exchange, fields: dict[str, Any]) -> None:
    LOG.error("internal error", extra={"fields": {"request": exchange.number, **fields}})


def location(error: BaseException) -> dict[str, str]:
    """The kind of an error and where it happened; not its text, which may hold values."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return {"error": type(error).__name__, "at": f"{last[0].filename}:{last[0].lineno}" if last else ""}
