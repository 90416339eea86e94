"""Comparisons: what differs in values, found in processes that are ended at the time limit.

DeepDiff takes as long as it takes, and much memory, and a thread cannot be ended; a process can. So a comparison that
is not small runs in one of its own (this module as a program), a few at a time, and those who ask the same meanwhile
wait for that one. Answers are kept. At most half of the threads of the server are at this at a time.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from lamina.service.faults import ApiFault
from lamina.session import WeighedCache

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

_PROCESSES = 2
"""How many comparisons run at a time."""
_SMALL = 4096
"""How many bytes two values may have together to be compared at once."""
_MEMORY = 1024 * 1024 * 1024
"""How many bytes a process may use, where the system has such a limit."""
_KEPT = 32 * 1024 * 1024
Pair = tuple[Any, Any]


class Comparisons:
    """Compares values, within limits."""

    def __init__(self, *, seconds: float, requests: int) -> None:
        self._seconds = seconds
        self._requests = BoundedSemaphore(requests)
        self._processes = BoundedSemaphore(_PROCESSES)
        self._known = WeighedCache(_KEPT)
        self._lock = Lock()
        self._running: dict[Hashable, Future[Any]] = {}

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """A request that compares; it is rejected if too many do already."""
        if not self._requests.acquire(blocking=False):
            raise _busy()
        try:
            yield
        finally:
            self._requests.release()

    def answer(self, question: Hashable, find: Callable[[], Any]) -> Any:
        """The answer to a question: as it is known, or as one of those finds it who ask."""
        known = self._known.find(question)
        if known is not None:
            return known
        with self._lock:
            running = self._running.get(question)
            if running is None:
                self._running[question] = mine = Future[Any]()
        if running is not None:
            with suppress(TimeoutError):
                return running.result(self._seconds)
            raise self._timeout()
        try:
            mine.set_result(find())
            self._known.keep(question, mine.result(), 4 * len(pickle.dumps(mine.result())))
        except BaseException as error:  # those who wait get it, too
            mine.set_exception(error)
        finally:
            with self._lock:
                del self._running[question]
        return mine.result()

    def differences(self, pairs: Sequence[Pair]) -> list[dict[str, Any]]:
        """What differs in each pair of values."""
        written = pickle.dumps(pairs)
        if len(written) <= _SMALL:
            return [library_difference(old, new) for old, new in pairs]
        ends = monotonic() + self._seconds
        if not self._processes.acquire(timeout=self._seconds):
            raise _busy()
        try:
            return self._in_process(written, max(ends - monotonic(), 0.1))
        finally:
            self._processes.release()

    def _in_process(self, written: bytes, seconds: float) -> list[dict[str, Any]]:
        command = [sys.executable, "-P", "-m", __name__]  # no module of the current folder is imported
        try:
            done = subprocess.run(command, input=written, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            raise self._timeout() from None
        if done.returncode:
            message = f"The revisions cannot be compared within {_MEMORY // 1024 // 1024:,} MiB of memory."
            raise ApiFault(503, "ServiceUnavailable", message)
        found: list[dict[str, Any]] = pickle.loads(done.stdout)
        return found

    def _timeout(self) -> ApiFault:
        return ApiFault(503, "RequestTimeout", f"The comparison took longer than {self._seconds:g} s and was ended.")


def _busy() -> ApiFault:
    message = "Too many comparisons are running already."
    return ApiFault(503, "ServiceUnavailable", message, headers={"Retry-After": "5"})


def library_difference(old: Any, new: Any) -> dict[str, Any]:
    """What differs in two values, in the notation of the library that Deckhand uses."""
    import json

    from deepdiff import DeepDiff

    found: dict[str, Any] = json.loads(DeepDiff(old, new).to_json())
    return found


def _main() -> None:
    """Compare pairs of values that another process of Lamina sends."""
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    pairs = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps([library_difference(old, new) for old, new in pairs]))


if __name__ == "__main__":
    _main()
