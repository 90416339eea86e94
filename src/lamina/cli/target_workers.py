"""Worker processes for the targets of a command: `--jobs`.

A worker is a copy of this process, made when the first targets are done: it has what was read for them, so what
targets share is done once and not once per worker. What comes back is in the order of the targets, whoever is done
first, and the same as without workers. Where a system cannot copy a process, all work is done in this one.
"""

from __future__ import annotations

from collections import deque
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lamina.errors import Diagnostic, MergeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future, ProcessPoolExecutor
    from contextlib import AbstractContextManager

    from lamina._support.progress import Counting
    from lamina.errors import LaminaError

    Watched = Callable[[], AbstractContextManager[Counting]]

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

SEQUENTIAL_SECONDS = 0.2
"""Seconds of work before processes are copied: a few small targets are done by then."""
_LARGEST = 50
"""How many items a worker gets at a time, at most."""


class Share(NamedTuple):
    """Some items in a row, and what a worker will make of them."""

    first: int
    end: int
    future: Future[list[bytes | None]]


def spread(
    work: Callable[[Item], Outcome | LaminaError], items: Sequence[Item], jobs: int, watched: Watched
) -> Iterator[Outcome | LaminaError]:
    """What `work` makes of each item, in their order.

    An item whose worker dies twice gives an error; `watched` shows how far the work has come.
    """
    done, started = 0, perf_counter()
    while jobs > 1 and done < len(items) and perf_counter() - started < SEQUENTIAL_SECONDS:
        yield work(items[done])
        done += 1
    rest = items[done:]
    if jobs == 1 or len(rest) < 2 or not _can_copy():
        with watched() as counting:
            yield from map(work, counting(rest))
        return
    outcomes = _run_in_workers(work, rest, min(jobs, len(rest)))
    first = next(outcomes)  # the workers are copied before there is another thread, which shows how far they are
    with watched() as counting:
        for number in counting(range(len(rest))):
            yield next(outcomes) if number else first


def _can_copy() -> bool:
    import multiprocessing
    import threading

    return "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1


def _run_in_workers(
    work: Callable[[Item], Outcome | LaminaError], items: Sequence[Item], jobs: int
) -> Iterator[Outcome | LaminaError]:
    from concurrent.futures.process import BrokenProcessPool

    at = 0
    while at < len(items):
        try:
            for each in _run_in_pool(work, items, at, jobs):
                yield each
                at += 1
        except BrokenProcessPool:
            yield _run_separately(work, items[at])
            at += 1


def _run_in_pool(
    work: Callable[[Item], Outcome | LaminaError], items: Sequence[Item], start: int, jobs: int
) -> Iterator[Outcome | LaminaError]:
    """What a pool makes of the items from `start` on; it breaks when one of its processes dies."""

    def numbered(first: int, end: int) -> list[bytes | None]:
        return [_packed(work(item)) for item in items[first:end]]

    size = max(1, min(_LARGEST, (len(items) - start) // (4 * jobs)))
    pending: deque[Share] = deque()
    pool = _pool(jobs, numbered)
    try:
        for first in range(start, len(items), size):
            end = min(first + size, len(items))
            pending.append(Share(first, end, pool.submit(_do, first, end)))
            if len(pending) > 2 * jobs:
                yield from _taken(pending.popleft(), work, items)
        while pending:
            yield from _taken(pending.popleft(), work, items)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _taken(
    share: Share, work: Callable[[Item], Outcome | LaminaError], items: Sequence[Item]
) -> Iterator[Outcome | LaminaError]:
    """The result of a worker; one that could not be sent back is computed again here."""
    from pickle import loads

    for at, data in enumerate(share.future.result(), start=share.first):
        yield work(items[at]) if data is None else loads(data)


def _run_separately(work: Callable[[Item], Outcome | LaminaError], item: Item) -> Outcome | LaminaError:
    """The result of a separate worker for an item that may have killed one."""
    from concurrent.futures.process import BrokenProcessPool
    from pickle import loads

    pool = _pool(1, lambda first, end: [_packed(work(item))])  # noqa: ARG005 - there is one
    try:
        data = pool.submit(_do, 0, 1).result()[0]
    except BrokenProcessPool:
        return MergeError(_DIED)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return work(item) if data is None else loads(data)


_DIED = Diagnostic(
    code="worker-died",
    message="the worker died while working on this target",
    hint="it may have run out of memory; try the target alone with --target, or use fewer --jobs",
)


def _packed(outcome: object) -> bytes | None:
    """An outcome as bytes for the main process; None if it cannot be packed (such as a value of a plug-in)."""
    from pickle import dumps

    try:
        return dumps(outcome)
    except Exception:
        return None


_of_this_worker: dict[str, Callable[[int, int], list[bytes | None]]] = {}
"""What this process does, if it is a worker."""


def _pool(jobs: int, numbered: Callable[[int, int], list[bytes | None]]) -> ProcessPoolExecutor:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A copied process gets the function as it is; nothing of it has to travel.
    context: Any = multiprocessing.get_context("fork")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(numbered,))


def _begin(numbered: Callable[[int, int], list[bytes | None]]) -> None:
    import os
    import sys
    from signal import SIG_IGN, SIGINT, signal

    signal(SIGINT, SIG_IGN)  # an interrupt is for the process that started this one
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - it alone shows how far the work is
    _of_this_worker["does"] = numbered


def _do(first: int, end: int) -> list[bytes | None]:
    return _of_this_worker["does"](first, end)
