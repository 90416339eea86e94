"""Running a server: a store, an application over it, and uvicorn in front."""

from __future__ import annotations

import json
import logging
import signal
import socket
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from lamina.errors import Diagnostic, InputError
from lamina.service.application import LOG, Application
from lamina.service.comparisons import Comparisons
from lamina.service.database import Database
from lamina.service.encryption import Seal, key_from_environment, key_from_file, random_key
from lamina.service.explorer.announcements import Announcements
from lamina.service.explorer.files import ExploredFiles, Follower
from lamina.service.explorer.routes import ROUTES as EXPLORER_ROUTES
from lamina.service.explorer.store_follower import StoreFollower
from lamina.service.inspection import Inspector
from lamina.service.operations import Service
from lamina.service.rendition import Renderer
from lamina.service.routes import ROUTES
from lamina.service.site import ServedSite
from lamina.service.store import Store
from lamina.service.submission import documents_of
from lamina.service.tokens import TokenStore
from lamina.session import Session, WeighedCache
from lamina.views.render import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.service.access import KnownTokens
    from lamina.service.settings import Settings
    from lamina.workspace.workspace import Workspace

_SUBMISSIONS = 64 * 1024 * 1024
_CLOSING_SECONDS = 30
_BACKLOG = 2048
_ABOUT_STORE = "Deckhand's API: buckets, revisions, tags, validations, rendered documents; and the explorer's routes."
_ABOUT_FILES = "The results of a project's targets, with every layer that sets each value; read-only."
_SAMPLE = b"""\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [global, site]}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: parent
  labels: {name: parent}
  storagePolicy: cleartext
  layeringDefinition: {layer: global}
data: {a: 1}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: child
  storagePolicy: cleartext
  layeringDefinition: {layer: site, parentSelector: {name: parent}, actions: [{method: merge, path: .}]}
  substitutions:
  - {src: {schema: example/Kind/v1, name: parent, path: .a}, dest: {path: .c}}
data: {b: "2 3", c: null}
"""


@contextmanager
def application(
    url: str, settings: Settings, key_file: Path | None = None, old_key_file: Path | None = None
) -> Iterator[Application]:
    """The application over the store at an address, which is followed meanwhile."""
    connections = settings.threads + 1  # one is for who follows it
    store = open_store(url, key_file, old_key_file, connections=connections)
    session = Session()
    service = Service(
        store=store,
        renderer=Renderer(store, session),
        session=session,
        inspector=Inspector(session),
        submissions=WeighedCache(_SUBMISSIONS),
        comparisons=Comparisons(seconds=settings.seconds, requests=max(settings.threads // 2, 1)),
        tokens=TokenStore(store.database),
        cleartext=settings.cleartext,
    )
    _warm_up(session)
    tokens: KnownTokens = service.tokens
    if settings.keystone_file is not None:
        from lamina.service.keystone import KeystoneTokens

        tokens = KeystoneTokens(settings.keystone_file)
    announcements = Announcements()
    follower = StoreFollower(store, announcements)
    follower.start()
    try:
        yield Application(ServedSite(service, ROUTES, _ABOUT_STORE, announcements), tokens, settings)
    finally:
        follower.stop()
        store.database.close()


@contextmanager
def explorer(workspace: Workspace, title: str, settings: Settings) -> Iterator[Application]:
    """The application over the files of a project, which follows them meanwhile."""
    announcements = Announcements()
    explored = ExploredFiles(workspace, title, Session())
    follower = Follower(explored, workspace.project.root, announcements.announce)
    follower.start()
    try:
        yield Application(ServedSite(explored, EXPLORER_ROUTES, _ABOUT_FILES, announcements), None, settings)
    finally:
        follower.stop()


def _warm_up(session: Session) -> None:
    """Load what the first requests would otherwise wait for."""
    documents_of(_SAMPLE, session)
    render([("sample", _SAMPLE)], "deckhand", session=session).to_yaml()


def open_store(
    url: str, key_file: Path | None = None, old_key_file: Path | None = None, *, connections: int = 4
) -> Store:
    """The store at an address; if it still has the old key, it gets the other one."""
    database = Database(url, connections=connections)
    database.upgrade()
    old = None if old_key_file is None else Seal(key_from_file(old_key_file))
    return Store(database, Seal(_key(database, key_file)), old=old)


def given_key(file: Path | None) -> bytes | None:
    """The key for secrets from a file or from the environment, if there is one."""
    return key_from_environment() if file is None else key_from_file(file)


def _key(database: Database, file: Path | None) -> bytes:
    """The key for secrets: as it is given, or from a file beside the store that is made."""
    found = given_key(file)
    if found is not None:
        return found
    return random_key() if database.in_memory else key_from_file(_default_key_file(database), create=True)


def _default_key_file(database: Database) -> Path:
    if database.sqlite:
        return Path(f"{database.url.database}.key")
    url = database.url
    folder = Path.home() / ".config" / "lamina"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{url.host or 'local'}-{url.port or 5432}-{url.database}.key"


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


def run(served: Application, listening: socket.socket, started: Callable[[], None]) -> None:
    """Answer requests until the process is stopped; running requests are finished.

    `started` is called once a signal to stop is waited for: before, one could be lost.
    """
    import uvicorn

    from lamina.service.connection import Connection

    class _Server(uvicorn.Server):
        """Ends endless responses before it waits for running requests."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            served.end_streams()
            await super().shutdown(sockets)

    config = uvicorn.Config(
        served,
        http=Connection,
        ws="none",
        # Whose address a connection has decides whose headers are believed (--auth proxy), so no header may change it.
        proxy_headers=False,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_CLOSING_SECONDS,
    )
    try:
        with listening:
            _Server(config).run(sockets=[listening])
    finally:
        served.close()


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
