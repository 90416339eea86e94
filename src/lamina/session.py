"""Sessions: everything that Lamina caches from one call to the next belongs to the caller.

A session caches the documents that were read, by their bytes. It is bounded by the memory of its objects, may be used
by several threads, and drops everything when it is closed. The functions of the public API use the session they are
given (`lamina.render(..., session=s)`); without one, a small default session of the process. There is no other state.
A `Run` carries the session of a call to everything that works for it.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from types import TracebackType

    from lamina.sources.limits import Limits

MEMORY = 128 * 1024 * 1024
"""How many bytes the documents of a session may take."""
DEFAULT_MEMORY = 32 * 1024 * 1024
"""The same for the default session."""


class WeighedCache:
    """A thread-safe cache, bounded by the weight of its values.

    The least recently used values are dropped first. Values that were used only once have a part of the capacity, so
    that many of them do not displace values that are used again and again.
    """

    def __init__(self, capacity: int, once: int | None = None) -> None:
        self._lock = Lock()
        self._once: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._again: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._capacity = capacity
        self._once_capacity = capacity // 2 if once is None else once
        self._again_capacity = max(capacity - self._once_capacity, capacity // 2)
        """What was asked for again gives way beyond this, so that it cannot fill all of the room for ever."""
        self._weight_once = 0
        self.weight = 0
        """The weight of all values, in bytes."""

    def __len__(self) -> int:
        return len(self._once) + len(self._again)

    def find(self, key: Hashable) -> Any:
        """The value of a key; None if there is none."""
        with self._lock:
            entry = self._again.get(key)
            if entry is not None:
                self._again.move_to_end(key)
                return entry[0]
            return self._used_again(key)

    def find_all(self, keys: Iterable[Hashable]) -> list[Any]:
        """The values of several keys; None for each that has none."""
        found: list[Any] = []
        again = self._again
        with self._lock:
            for key in keys:
                entry = again.get(key)
                if entry is not None:
                    again.move_to_end(key)
                found.append(self._used_again(key) if entry is None else entry[0])
        return found

    def _used_again(self, key: Hashable) -> Any:
        """The value of a key that was used at most once so far; None if there is none."""
        entry = self._once.pop(key, None)
        if entry is None:
            return None
        self._weight_once -= entry[1]
        self._again[key] = entry
        return entry[0]

    def keep(self, key: Hashable, value: Any, weight: int) -> None:
        """Cache a value with a weight in bytes, if it fits at all."""
        dropped = []  # freed after the lock is released, since that may take long
        with self._lock:
            if weight > self._capacity or key in self._once or key in self._again:
                return
            while self._once and self._weight_once + weight > self._once_capacity:
                dropped.append(self._drop_once())
            while self.weight + weight > self._capacity:
                crowded = not self._once or self.weight - self._weight_once > self._again_capacity
                dropped.append(self._drop_again() if crowded else self._drop_once())
            self._once[key] = (value, weight)
            self._weight_once += weight
            self.weight += weight

    def _drop_once(self) -> tuple[Any, int]:
        entry = self._once.popitem(last=False)[1]
        self._weight_once -= entry[1]
        self.weight -= entry[1]
        return entry

    def _drop_again(self) -> tuple[Any, int]:
        entry = self._again.popitem(last=False)[1]
        self.weight -= entry[1]
        return entry

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

    def drop(self, key: Hashable) -> None:
        """Drop the value of a key, if there is one."""
        with self._lock:
            entry = self._again.pop(key, None)
            if entry is None:
                entry = self._once.pop(key, None)
                self._weight_once -= 0 if entry is None else entry[1]
            self.weight -= 0 if entry is None else entry[1]

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
            self._capacity = 0
        self.clear()


class Session:
    """What one caller owns: documents that were read, and the limits of reading.

    `memory` is how many bytes the documents may take; `once`, how many of these for documents that were used only once
    (half, if not given). A closed session caches nothing, and can still be used.
    """

    def __init__(self, *, memory: int = MEMORY, once: int | None = None, limits: Limits | None = None) -> None:
        self.cache = WeighedCache(memory, once)
        self.limits = limits
        self.closed = False

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def clear(self) -> None:
        """Drop everything that is cached."""
        self.cache.clear()

    def close(self) -> None:
        """Drop everything, and cache nothing from now on."""
        self.closed = True
        self.cache.close()


_DEFAULT = Session(memory=DEFAULT_MEMORY, once=DEFAULT_MEMORY)


def default_session() -> Session:
    """The session of callers that pass none."""
    return _DEFAULT
