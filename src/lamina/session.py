"""Sessions: what Lamina keeps from one call to the next belongs to the caller.

A session holds the documents that were read, found again by their bytes, and the rules compiled from short strings. It
is bounded by what its objects take, may be used by several threads at a time, and lets everything go when it is closed.
`lamina.render(..., session=s)` and the other functions of the public API keep things in the session they are given;
without one, in a small default session of the process. There is no other state.

While a call runs, its session is the current one. The call also holds every document it has read until it ends, however
little the session may keep: rendering twice for a comparison reads once.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from types import TracebackType

    from lamina.sources.limits import Limits

Function = TypeVar("Function", bound="Callable[..., Any]")
Made = TypeVar("Made")

MEMORY = 128 * 1024 * 1024
"""How many bytes the documents of a session may take."""
DEFAULT_MEMORY = 32 * 1024 * 1024
"""The same for the session of those who bring none."""
_LONGEST = 1024
"""What is computed from a longer string is not kept."""


class WeighedCache:
    """Values by their keys, as many as fit. Threads may share one.

    Those used last are kept longest. What was asked for only once has a part of the room, so that many such values do
    not drive out what is asked for again and again.
    """

    def __init__(self, room: int, once: int | None = None) -> None:
        self._lock = Lock()
        self._once: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._again: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._room = room
        self._room_once = room // 2 if once is None else once
        self._weight_once = 0
        self.weight = 0
        """What all values together take, in bytes."""

    def __len__(self) -> int:
        return len(self._once) + len(self._again)

    def find(self, key: Hashable) -> Any:
        """The value of a key; None where there is none."""
        with self._lock:
            entry = self._again.get(key)
            if entry is not None:
                self._again.move_to_end(key)
                return entry[0]
            entry = self._once.pop(key, None)
            if entry is None:
                return None
            self._weight_once -= entry[1]
            self._again[key] = entry
            return entry[0]

    def keep(self, key: Hashable, value: Any, weight: int) -> None:
        """Keep a value that takes so many bytes, if there is room for it at all."""
        dropped = []  # freed only after the lock, since that may take long
        with self._lock:
            if weight > self._room or key in self._once or key in self._again:
                return
            while self._once and (self._weight_once + weight > self._room_once or self.weight + weight > self._room):
                dropped.append(self._once.popitem(last=False)[1])
                self._weight_once -= dropped[-1][1]
                self.weight -= dropped[-1][1]
            while self.weight + weight > self._room:
                dropped.append(self._again.popitem(last=False)[1])
                self.weight -= dropped[-1][1]
            self._once[key] = (value, weight)
            self._weight_once += weight
            self.weight += weight

    def discard(self, is_stale: Callable[[Any], bool]) -> None:
        """Drop the values whose keys will not be used again."""
        dropped = []
        with self._lock:
            for kept in (self._once, self._again):
                for key in [key for key in kept if is_stale(key)]:
                    dropped.append(kept.pop(key))
                    self.weight -= dropped[-1][1]
                    self._weight_once -= dropped[-1][1] if kept is self._once else 0
        del dropped

    def clear(self) -> None:
        """Let everything go."""
        with self._lock:
            dropped = (self._once, self._again)
            self._once, self._again = OrderedDict(), OrderedDict()
            self._weight_once = self.weight = 0
        del dropped

    def close(self) -> None:
        """Let everything go, and keep nothing from now on."""
        with self._lock:
            self._room = 0
        self.clear()


class Session:
    """What one caller owns: documents that were read, compiled rules, and the limits of reading.

    `memory` is how many bytes the documents may take, and half as many what is merged from them for several results;
    `once`, how many of these for documents that were asked for only once (half, if not given). A closed session keeps
    nothing, and can still be used.
    """

    def __init__(self, *, memory: int = MEMORY, once: int | None = None, limits: Limits | None = None) -> None:
        self.kept = WeighedCache(memory, once)
        self.merged = WeighedCache(memory // 2, memory // 2)
        """Merges that several results have in common, on top of the documents."""
        self.limits = limits
        self.closed = False
        self._functions: dict[Callable[..., Any], Callable[..., Any]] = {}

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def clear(self) -> None:
        """Drop everything that is cached."""
        self.kept.clear()
        self.merged.clear()
        self._functions.clear()

    def close(self) -> None:
        """Drop everything, and cache nothing from now on."""
        self.closed = True
        self.kept.close()
        self.merged.close()
        self._functions.clear()

    def cached(self, function: Function, most: int) -> Function:
        """A function that remembers its last results in this session."""
        found = self._functions.get(function)
        if found is None:
            if self.closed:
                return function
            # Of two threads that come here together, both get the one that was first.
            found = self._functions.setdefault(function, lru_cache(maxsize=most)(function))
        return cast("Function", found)


class Call:
    """One call of the public API: its session, and the documents it has read so far."""

    __slots__ = ("held", "session")

    def __init__(self, session: Session) -> None:
        self.session = session
        self.held: dict[Hashable, Any] = {}

    def find(self, key: Hashable) -> Any:
        """What this call holds or its session keeps under a key; None where there is nothing."""
        found = self.held.get(key)
        if found is None:
            found = self.session.kept.find(key)
            if found is not None:
                self.held[key] = found
        return found

    def keep(self, key: Hashable, value: Any, weight: int) -> None:
        """Hold a value until the call ends, and keep it in the session if it fits there."""
        self.held[key] = value
        self.session.kept.keep(key, value, weight)

    def run(self, function: Callable[..., Made], *arguments: Any) -> Made:
        """What a function gives when it is called as a part of this call, even after its end."""
        token = _CURRENT.set(self)
        try:
            return function(*arguments)
        finally:
            _CURRENT.reset(token)


_CURRENT: ContextVar[Call | None] = ContextVar("lamina_call", default=None)
_DEFAULT = Session(memory=DEFAULT_MEMORY, once=DEFAULT_MEMORY)


def default_session() -> Session:
    """The session of those who bring none."""
    return _DEFAULT


def current_session() -> Session:
    """The session of the call that runs; outside any, the default one."""
    call = _CURRENT.get()
    return _DEFAULT if call is None else call.session


def current_call() -> Call:
    """The call that runs; outside any, one of its own."""
    return _CURRENT.get() or Call(_DEFAULT)


@contextmanager
def calling(session: Session | None = None) -> Iterator[Call]:
    """Begin a call: in a session, or without one in that of the call around it."""
    outer = _CURRENT.get()
    if session is None and outer is not None:
        yield outer
        return
    call = Call(session or _DEFAULT)
    token = _CURRENT.set(call)
    try:
        yield call
    finally:
        _CURRENT.reset(token)


def session_cache(most: int) -> Callable[[Function], Function]:
    """A decorator: the last results of a function are kept in the session that is current when it is called.

    All arguments are positional and have a hash. What is computed from a long string is not kept.
    """

    def decorate(function: Function) -> Function:
        @wraps(function)
        def found(*arguments: Any) -> Any:
            for argument in arguments:
                if type(argument) is str and len(argument) > _LONGEST:
                    return function(*arguments)
            return current_session().cached(function, most)(*arguments)

        return cast("Function", found)

    return decorate
