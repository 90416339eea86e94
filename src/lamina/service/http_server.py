"""Running a server: an application, with uvicorn in front."""

from __future__ import annotations

import json
import logging
import signal
import socket
import ssl
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

from lamina.errors import Diagnostic, InputError
from lamina.service.exchange import LOG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fastapi import FastAPI

_CLOSING_SECONDS = 30
_BACKLOG = 2048


class JsonLines(logging.Formatter):
    """A log of one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = getattr(record, "fields", {})
        return json.dumps({"time": time, "level": record.levelname.lower(), "message": record.getMessage(), **fields})


def set_up_log(stream: TextIO = sys.stderr) -> None:
    """Write the log of requests to a stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for name in (LOG.name, "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO)
        logger.propagate = False


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        # Python adds the address to the words of the system.
        reason = (error.strerror or str(error)).split(" (while ")[0]
        raise InputError(
            Diagnostic(
                code="cannot-listen",
                message=f"cannot listen on {host}:{port}: {reason}",
                hint="choose another address with --listen",
            )
        ) from None
    # Connections inherit it. Without it the body of an answer waits until the client has confirmed the head: 40 ms, on
    # a connection that is used again.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def certificate(chain: Path, key: Path) -> ssl.SSLContext:
    """A certificate and its key, by which a server is known to be the one it says it is."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(chain, key, password=lambda: "")  # nobody is there who could type one
    except (OSError, ValueError) as error:  # what TLS says is an OSError, too
        reason = "they do not belong together, or are not PEM files"
        if isinstance(error, OSError) and not isinstance(error, ssl.SSLError):
            reason = error.strerror or str(error)
        raise InputError(
            Diagnostic(
                code="unusable-certificate",
                message=f"the certificate {chain} and the key {key} cannot be used: {reason}",
                hint="give the chain and its key, without a password, as PEM files",
            )
        ) from None
    return context


def run(
    served: FastAPI, listening: socket.socket, started: Callable[[], None], tls: ssl.SSLContext | None = None
) -> None:
    """Answer requests until the process is stopped; running requests are finished.

    `started` is called once a signal to stop is waited for: before, one could be lost.
    """
    import uvicorn

    from lamina.service.idle_connections import LOOKS, WAIT_SECONDS, IdleConnections

    class _Server(uvicorn.Server):
        """Ends endless responses before it waits for running requests."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            served.state.site.announcements.close()
            await super().shutdown(sockets)

    config = uvicorn.Config(
        served,
        http="h11",
        ws="none",
        # Whose address a connection has decides whose headers are believed (--auth proxy), so no header may change it.
        proxy_headers=False,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_CLOSING_SECONDS,
    )
    config.load()
    config.ssl = tls
    server = _Server(config)
    config.callback_notify = IdleConnections(server.server_state).look
    config.timeout_notify = WAIT_SECONDS // LOOKS
    with listening:
        server.run(sockets=[listening])


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """While it lasts, SIGTERM ends the process as an interrupt does: what was begun is left in good order.

    uvicorn stops at the signal and then sends it once more, to whoever handled it before: by default, that is the end
    of the process, at which SQLite's write-ahead log would be all that holds the last revisions.
    """

    def end(_signal: int, _frame: object) -> None:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
