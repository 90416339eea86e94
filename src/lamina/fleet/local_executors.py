"""Executors: who renders the batches. All give the reports in the order of the batches, whichever is done first, and
never hold more than a few batches at a time.

A process that dies takes its batch with it. The batches that were running are then rendered one at a time, each in a
process of its own; one that kills its process again is halved until the node that does it is found.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, TypeAlias

from lamina.fleet.job import Report
from lamina.fleet.worker import close_worker, render_batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from lamina.fleet.job import Job, Task

_DIED = """the worker died while rendering this node [worker-died]
  hint: it may have run out of memory; render the node alone with lamina render, or use fewer --jobs"""
Batch: TypeAlias = "Sequence[Task]"
Executor: TypeAlias = "Callable[[Job, Iterable[Batch]], Iterator[Report]]"


def in_this_process(job: Job, batches: Iterable[Batch]) -> Iterator[Report]:
    """Render one batch after the other, here."""
    try:
        for batch in batches:
            yield render_batch(job, batch)
    finally:
        close_worker(job)


class Pool:
    """A pool of processes on this machine."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def __call__(self, job: Job, batches: Iterable[Batch]) -> Iterator[Report]:
        batches = iter(batches)
        waiting: list[Batch] = []
        while True:
            try:
                yield from self._some(job, batches, waiting)
                return
            except BrokenProcessPool:
                for batch in waiting:
                    yield one_by_one(batch, lambda part: _run_sequentially(job, part), BrokenProcessPool)
                waiting = []

    def _some(self, job: Job, batches: Iterator[Batch], waiting: list[Batch]) -> Iterator[Report]:
        """The reports of the batches; running ones are in `waiting`."""
        pool = _processes(self._jobs)
        pending: deque[Future[Report]] = deque()
        try:
            for batch in batches:
                waiting.append(batch)
                pending.append(pool.submit(render_batch, job, batch))
                if len(pending) > 2 * self._jobs:
                    yield _first(pending, waiting)
            while pending:
                yield _first(pending, waiting)
        finally:
            # On an interrupt running batches are finished and the others are not started.
            pool.shutdown(wait=True, cancel_futures=True)


def _first(pending: deque[Future[Report]], waiting: list[Batch]) -> Report:
    report = pending[0].result()
    pending.popleft()
    waiting.pop(0)
    return report


def _run_sequentially(job: Job, batch: Batch) -> Report:
    pool = _processes(1)
    try:
        return pool.submit(render_batch, job, batch).result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def one_by_one(batch: Batch, render: Callable[[Batch], Report], died: type[Exception]) -> Report:
    """The report of a batch some node of which kills the worker; only such nodes fail."""
    try:
        return render(batch)
    except died:
        report = Report()
        if len(batch) == 1:
            report.fail(_DIED, batch[0].node.name)
            return report
        half = len(batch) // 2
        for part in (batch[:half], batch[half:]):
            inner = one_by_one(part, render, died)
            report.add(inner)
            report.rows += inner.rows
            report.lines += inner.lines
        return report


def _processes(jobs: int) -> ProcessPoolExecutor:
    """Processes that leave an interrupt to the one that started them."""
    # Copying this process is quickest, but not safe beside other threads.
    fork = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if fork else "spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
