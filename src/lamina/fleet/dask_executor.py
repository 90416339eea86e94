"""Rendering on a Dask cluster, for more than one machine.

The workers must have Lamina installed and see the inputs and the output folder under the same paths. Batches are handed
out their own under keys; the batch of a lost worker goes to another, and every batch is reported once.
"""

from __future__ import annotations

import pickle
from collections import deque
from typing import TYPE_CHECKING, Any

from lamina.errors import Diagnostic, UsageError
from lamina.fleet.local_executors import one_by_one
from lamina.fleet.worker import render_batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.fleet.job import Job, Report
    from lamina.fleet.local_executors import Batch

LOCAL = "local"
_RETRIES = 3
_CONNECT_TIMEOUT = "15s"


def _render_packed(job: Job, packed: bytes) -> Report:
    """Render a batch that was pickled by the coordinator; runs in a worker."""
    return render_batch(job, pickle.loads(packed))


class Cluster:
    """A Dask cluster: a scheduler's address, or one of our own on this machine."""

    def __init__(self, scheduler: str, jobs: int) -> None:
        self._scheduler = scheduler
        self._jobs = jobs
        self._begun = 0

    def __call__(self, job: Job, batches: Iterable[Batch]) -> Iterator[Report]:
        with self._client() as client:
            from distributed import KilledWorker

            slots = max(2 * sum(client.nthreads().values()), 4)
            pending: deque[tuple[Any, Batch]] = deque()
            for batch in batches:
                pending.append((self._submit(client, job, batch), batch))
                if len(pending) > slots:
                    yield self._first(client, job, pending, KilledWorker)
            while pending:
                yield self._first(client, job, pending, KilledWorker)

    def _submit(self, client: Any, job: Job, batch: Batch) -> Any:
        self._begun += 1
        key = f"lamina-{job.run}-{self._begun}"
        # As bytes: Dask looks for its own objects in all others, one by one, which takes longer than all the rest.
        packed = pickle.dumps(batch, pickle.HIGHEST_PROTOCOL)
        return client.submit(_render_packed, job, packed, key=key, pure=False, retries=_RETRIES)

    def _first(self, client: Any, job: Job, pending: deque[tuple[Any, Batch]], died: type[Exception]) -> Report:
        future, batch = pending.popleft()
        try:
            report: Report = future.result()
        except died:
            report = one_by_one(batch, lambda part: self._submit(client, job, part).result(), died)
        return report

    def _client(self) -> Any:
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise UsageError(
                Diagnostic(
                    code="no-dask", message="--scheduler needs the package distributed", hint="pip install lamina[dask]"
                )
            ) from None
        if self._scheduler == LOCAL:
            cluster = LocalCluster(  # type: ignore[no-untyped-call]  # distributed has no types
                n_workers=self._jobs, threads_per_worker=1, processes=True, dashboard_address=None
            )
            return _Both(cluster, Client(cluster, set_as_default=False))  # type: ignore[no-untyped-call]
        try:
            return Client(self._scheduler, set_as_default=False, timeout=_CONNECT_TIMEOUT)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise UsageError(
                Diagnostic(
                    code="no-scheduler",
                    message=f"no Dask scheduler answers at {self._scheduler}: {error}",
                    hint="start one with `dask scheduler`, or use --scheduler local",
                )
            ) from None


class _Both:
    """A client and the cluster it was made for, closed together."""

    def __init__(self, cluster: Any, client: Any) -> None:
        self._cluster = cluster
        self._client = client

    def __enter__(self) -> Any:
        return self._client

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._cluster.close()
