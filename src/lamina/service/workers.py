"""Workers: processes that answer requests which may take long, each with the store opened for itself.

What renders or compares may take all the time and memory there is, and a thread cannot be ended; a process can. So a
few processes answer those requests, one each at a time, and are ended at the time limit and replaced. Requests that ask
the same meanwhile wait for one answer; those of other callers come before more of one who has some running already. The
server itself keeps answering all else.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context
from typing import TYPE_CHECKING, Any, Protocol

from lamina.errors import LaminaError
from lamina.service.errors import StoreError
from lamina.service.faults import ApiFault, StoreUnavailable, bad_request
from lamina.service.garbage import collect_rarely

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from starlette.responses import Response

    from lamina.service.settings import ServerSettings
    from lamina.service.site import Served

_MEMORY = 1536 * 1024 * 1024
"""How many bytes of addresses a worker may use, where the system has such a limit."""
_OF_ONE_CALLER = 32
"""How many requests of one caller may be there at a time."""


class WorkerFailed(Exception):
    """A worker found a defect; with the place, for the log."""

    def __init__(self, place: dict[str, str]) -> None:
        super().__init__(place)
        self.place = place


@dataclass(frozen=True, slots=True)
class WorkerTask:
    """What takes long: a function of a module that gets what is served, and its other arguments."""

    function: Callable[..., Response]
    arguments: tuple[Hashable, ...]
    writes: bool = False
    """Whether it must be done for each who asks; all else is done once for those who ask the same at a time."""

    def run(self, served: Served) -> Response:
        return self.function(served, *self.arguments)

    @property
    def subject(self) -> int | str:
        """What it is about: the worker that answered the last request about it has most of the answer already."""
        return next((each for each in self.arguments if isinstance(each, int | str)), "")


@dataclass(frozen=True, slots=True)
class _WorkerAnswer:
    """What a worker sends back."""

    answer: Response | None = None
    failure: Exception | None = None
    is_last: bool = False
    """Whether the worker ends, since memory ran out."""


class _WorkerProcess:
    """One process, and the pipe to it."""

    def __init__(self, make: Callable[[], Served], others: list[_WorkerProcess], *, fork: bool) -> None:
        context: Any = get_context("fork" if fork else "spawn")
        self._pipe, theirs = context.Pipe()
        # A forked process has the pipes of the others, too, and would keep them open.
        inherited = [self._pipe, *(other._pipe for other in others)] if fork else []
        self._process: BaseProcess = context.Process(target=_work, args=(make, theirs, inherited), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, task: WorkerTask) -> _WorkerAnswer:
        """The outcome of a task; fails when the process is ended."""
        self._pipe.send(task)
        found: _WorkerAnswer = self._pipe.recv()
        return found

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()


class Workers(Protocol):
    """Where what takes long is done."""

    async def answer(self, task: WorkerTask, caller: str) -> Response:
        """The answer of a task, for a caller."""

    def forget(self) -> None:
        """Let nobody else wait for what is running: the store was emptied, so the answers are of the past."""


class Threads:
    """Threads in place of processes, where what is served is in the memory of one process: none can be ended."""

    def __init__(self, served: Served, *, count: int, seconds: float, waiting: int) -> None:
        self._served = served
        self._seconds = seconds
        self._most = count + waiting
        self._running = 0
        self._threads = ThreadPoolExecutor(count, "lamina-service")

    async def answer(self, task: WorkerTask, caller: str) -> Response:  # noqa: ARG002 - all callers are alike
        if self._running >= self._most:
            raise _too_many()
        self._running += 1
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.get_running_loop().run_in_executor(self._threads, task.run, self._served)
        except TimeoutError:
            message = f"The request took longer than {self._seconds:g} s."
            raise ApiFault(503, "RequestTimeout", message) from None
        finally:
            self._running -= 1

    def forget(self) -> None:
        """Nobody waits for what somebody else asked."""

    def close(self) -> None:
        self._threads.shutdown()


@contextmanager
def threads(served: Served, settings: ServerSettings) -> Iterator[Threads]:
    """Threads, as many as the settings say."""
    made = Threads(served, count=settings.threads, seconds=settings.seconds, waiting=settings.waiting)
    try:
        yield made
    finally:
        made.close()


class Processes:
    """A few workers, and those who wait for one; used by one event loop."""

    def __init__(self, make: Callable[[], Served], *, count: int, seconds: float, waiting: int) -> None:
        self._make = make
        self._seconds = seconds
        self._most_waiting = waiting
        # Processes that are made before there are threads can be copies of this one, which takes no time.
        fork = "fork" in get_all_start_methods() and sys.platform == "linux"
        self._workers: list[_WorkerProcess] = []
        for _ in range(count):
            self._workers.append(_WorkerProcess(make, self._workers, fork=fork))
        self._idle = list(range(count))
        self._waiting: list[tuple[str, asyncio.Future[int]]] = []
        self._of_caller: Counter[str] = Counter()
        self._busy: Counter[str] = Counter()
        self._running: dict[WorkerTask, asyncio.Task[Response]] = {}
        self._threads = ThreadPoolExecutor(2 * count, "lamina-workers")
        self.ended = 0
        """How many were ended at the time limit, or died."""

    @property
    def busy(self) -> int:
        """How many work."""
        return len(self._workers) - len(self._idle)

    @property
    def waiting(self) -> int:
        """How many requests wait for one."""
        return len(self._waiting)

    def close(self) -> None:
        for worker in self._workers:
            worker.end()
        self._threads.shutdown()

    async def answer(self, task: WorkerTask, caller: str) -> Response:
        """The answer of a worker, or of one that finds it already; a request that writes has its own."""
        if task.writes:
            return await self._run(task, caller)
        running = self._running.get(task)
        if running is None:
            running = asyncio.ensure_future(self._run(task, caller))
            self._running[task] = running
            running.add_done_callback(lambda done: self._forget(task, done))
        # Whoever goes away leaves the work to the others who wait for it.
        return await asyncio.shield(running)

    def forget(self) -> None:
        """Let nobody else wait for what is running: the store was emptied, so the answers are of the past."""
        self._running.clear()

    def _forget(self, task: WorkerTask, done: asyncio.Task[Response]) -> None:
        if self._running.get(task) is done:
            del self._running[task]
        if not done.cancelled():
            done.exception()  # all who asked may have gone

    async def _run(self, task: WorkerTask, caller: str) -> Response:
        if len(self._waiting) >= self._most_waiting or self._of_caller[caller] >= _OF_ONE_CALLER:
            raise _too_many()
        self._of_caller[caller] += 1
        try:
            async with asyncio.timeout(self._seconds):
                number = await self._acquired(caller, task.subject)
                try:
                    return await self._answered(number, task)
                finally:
                    self._release(number, caller)
        except TimeoutError:
            message = f"The request took longer than {self._seconds:g} s and was ended."
            raise ApiFault(503, "RequestTimeout", message) from None
        finally:
            self._of_caller -= Counter({caller: 1})

    async def _answered(self, number: int, task: WorkerTask) -> Response:
        worker = self._workers[number]
        try:
            outcome = await asyncio.get_running_loop().run_in_executor(self._threads, worker.ask, task)
        except asyncio.CancelledError:
            self._replace(number)
            raise
        except (EOFError, OSError):
            self._replace(number)
            raise ApiFault(503, "ServiceUnavailable", "The process that worked on it ended; try again.") from None
        if outcome.is_last:
            self._replace(number)
        if outcome.failure is not None:
            raise outcome.failure
        assert outcome.answer is not None
        return outcome.answer

    async def _acquired(self, caller: str, subject: int | str) -> int:
        """A worker that is idle now."""
        if self._idle:
            preferred = hash(subject) % len(self._workers)
            number = preferred if preferred in self._idle else self._idle[0]
            self._idle.remove(number)
        else:
            turn: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            waiting = (caller, turn)
            self._waiting.append(waiting)
            try:
                number = await turn
            except asyncio.CancelledError:
                if waiting in self._waiting:
                    self._waiting.remove(waiting)
                elif turn.done() and not turn.cancelled():
                    self._hand_on(turn.result())
                raise
        self._busy[caller] += 1
        return number

    def _release(self, number: int, caller: str) -> None:
        self._busy -= Counter({caller: 1})
        self._hand_on(number)

    def _hand_on(self, number: int) -> None:
        """Give a worker to whoever waits for one and has the fewest; of those, who came first."""
        # Whoever gave up at the time limit is here until their turn to notice it.
        self._waiting = [waiting for waiting in self._waiting if not waiting[1].done()]
        if not self._waiting:
            self._idle.append(number)
            return
        following = min(self._waiting, key=lambda waiting: self._busy[waiting[0]])
        self._waiting.remove(following)
        following[1].set_result(number)

    def _replace(self, number: int) -> None:
        self.ended += 1
        self._workers[number].end()
        self._workers[number] = _WorkerProcess(self._make, [], fork=False)


def _too_many() -> ApiFault:
    message = "Too many requests that take long are waiting already."
    return ApiFault(503, "ServiceUnavailable", message, headers={"Retry-After": "5"})


def _work(make: Callable[[], Served], pipe: Connection, inherited: list[Connection]) -> None:
    """Answer requests until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for each in inherited:
        each.close()
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    collect_rarely()
    served: Served | None = None
    while True:
        try:
            task: WorkerTask = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            served = served or make()
            outcome = _outcome(served, task)
        except Exception as error:  # the store cannot be opened now, perhaps later
            outcome = _WorkerAnswer(failure=_failure(error))
        with suppress(BrokenPipeError):
            pipe.send(outcome)
        if outcome.is_last:
            return


def _outcome(served: Served, task: WorkerTask) -> _WorkerAnswer:
    try:
        return _WorkerAnswer(task.run(served))
    except MemoryError:
        message = f"The request needs more than {_MEMORY // 1024 // 1024:,} MiB of memory."
        return _WorkerAnswer(failure=ApiFault(503, "ServiceUnavailable", message), is_last=True)


def _failure(error: Exception) -> Exception:
    """An error as it is sent: a fault, or that the store does not answer, or where a defect is."""
    if isinstance(error, (ApiFault, StoreError, StoreUnavailable)):
        return error
    if isinstance(error, LaminaError):
        return bad_request(error.diagnostic.message, "InputTooLarge")
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return WorkerFailed({"error": type(error).__name__, "at": f"{last[0].filename}:{last[0].lineno}" if last else ""})
