"""What the metrics say of a store and of the workers on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.service.faults import StoreUnavailable
from lamina.service.metrics import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.service.store import Store
    from lamina.service.workers import Processes


def of_store(store: Store) -> Iterator[Figure]:
    database = store.database
    try:
        state, size = store.state(), database.size()
    except StoreUnavailable:
        yield Figure("lamina_store_available", "Whether the store answers.", 0)
        return
    yield Figure("lamina_store_available", "Whether the store answers.", 1)
    yield Figure("lamina_store_revision", "The newest revision.", state.revision)
    yield Figure("lamina_store_bytes", "What the database takes on disk.", size)
    yield Figure("lamina_store_connections_used", "Connections to the database in use.", database.connections_used)


def of_workers(workers: Processes) -> Iterator[Figure]:
    yield Figure("lamina_workers_busy", "Processes for requests that take long that work now.", workers.busy)
    yield Figure("lamina_workers_waiting", "Requests that wait for such a process.", workers.waiting)
    yield Figure("lamina_workers_ended", "Such processes that were ended at the time limit, or died.", workers.ended)
