"""The application over a store, and the store at an address."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.service import figures
from lamina.service.database import Database
from lamina.service.encryption import Seal, key_from_environment, key_from_file, random_key
from lamina.service.explorer.announcements import Announcements
from lamina.service.explorer.store_follower import StoreFollower
from lamina.service.inspection import Inspector
from lamina.service.metrics import Metrics
from lamina.service.rendition import Renderer
from lamina.service.service import Service
from lamina.service.site import ServedSite
from lamina.service.store import Store
from lamina.service.submission import documents_of
from lamina.service.tokens import TokenStore
from lamina.service.workers import Processes, threads
from lamina.session import Session, WeighedCache
from lamina.views.render import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fastapi import FastAPI

    from lamina.service.access import KnownTokens
    from lamina.service.metrics import Figure
    from lamina.service.settings import ServerSettings

_MEMORY = 128 * 1024 * 1024
"""How many bytes a cache may take."""
_OF_WORKER = 64 * 1024 * 1024
"""The same in a worker."""
_ABOUT_STORE = "Deckhand's API: buckets, revisions, tags, validations, rendered documents; and the explorer's routes."
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
    url: str, settings: ServerSettings, key_file: Path | None = None, old_key_file: Path | None = None
) -> Iterator[FastAPI]:
    """The application over the store at an address, which is followed meanwhile."""
    from lamina.service import api, status
    from lamina.service.application import application_of

    session = Session()
    _warm_up(session)
    with ExitStack() as closing:
        processes = None
        if settings.workers and not Database(url).in_memory:  # what is in memory is in this process only
            # Before there is a thread or a connection: workers begin as copies of this process.
            make = partial(_service_of_worker, url, key_file, settings.cleartext)
            processes = Processes(make, count=settings.workers, seconds=settings.seconds, waiting=settings.waiting)
            closing.callback(processes.close)
        connections = settings.threads + 1  # one is for who follows it
        store = open_store(url, key_file, old_key_file, connections=connections, seconds=settings.seconds)
        closing.callback(store.database.close)
        service = _service(store, session, cleartext=settings.cleartext)
        workers = processes or closing.enter_context(threads(service, settings))
        tokens: KnownTokens = service.tokens
        if settings.keystone_file is not None:
            from lamina.service.keystone import KeystoneTokens

            tokens = KeystoneTokens(settings.keystone_file)
        announcements = Announcements()
        follower = StoreFollower(store, announcements)
        follower.start()
        closing.callback(follower.stop)
        sources: list[Callable[[], Iterable[Figure]]] = [partial(figures.of_store, store)]
        if processes is not None:
            sources.append(partial(figures.of_workers, processes))
        site = ServedSite(service, announcements, settings, workers, tokens, Metrics(sources))
        yield application_of(site, _ABOUT_STORE, (status.api, *api.ROUTERS))


def _service_of_worker(url: str, key_file: Path | None, cleartext: bool) -> Service:
    """What a worker answers from: the store opened for itself, with smaller caches."""
    database = Database(url, connections=1)
    store = Store(database, Seal(_key(database, key_file)), memory=_OF_WORKER)
    return _service(store, Session(), cleartext=cleartext, memory=_OF_WORKER)


def _service(store: Store, session: Session, *, cleartext: bool, memory: int = _MEMORY) -> Service:
    return Service(
        store=store,
        renderer=Renderer(store, session, memory=memory),
        session=session,
        inspector=Inspector(session, memory=memory // 2),
        submissions=WeighedCache(memory // 2),
        comparisons=WeighedCache(memory // 4),
        tokens=TokenStore(store.database),
        cleartext=cleartext,
    )


def _warm_up(session: Session) -> None:
    """Load what the first requests would otherwise wait for."""
    documents_of(_SAMPLE, session)
    render([("sample", _SAMPLE)], "deckhand", session=session).to_yaml()


def open_store(
    url: str,
    key_file: Path | None = None,
    old_key_file: Path | None = None,
    *,
    connections: int = 4,
    seconds: float | None = None,
) -> Store:
    """The store at an address; if it still has the old key, it gets the other one.

    `seconds` is how long a statement may take, where the database can end it.
    """
    database = Database(url, connections=connections, seconds=seconds)
    database.upgrade()
    old = None if old_key_file is None else Seal(key_from_file(old_key_file))
    return Store(database, Seal(_key(database, key_file)), old=old)


def given_key(file: Path | None) -> bytes | None:
    """The key for secrets from a file or from the environment, if there is one."""
    return key_from_environment() if file is None else key_from_file(file)


def default_key_file(database: Database) -> Path:
    """Where the key of a store is that was made for it."""
    if database.sqlite:
        return Path(f"{database.url.database}.key")
    url = database.url
    return Path.home() / ".config" / "lamina" / f"{url.host or 'local'}-{url.port or 5432}-{url.database}.key"


def _key(database: Database, file: Path | None) -> bytes:
    """The key for secrets: as it is given, or from a file beside the store that is made."""
    found = given_key(file)
    if found is not None:
        return found
    if database.in_memory:
        return random_key()
    default = default_key_file(database)
    if not database.sqlite:
        default.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return key_from_file(default, create=True)
