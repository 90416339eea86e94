"""Dependencies: what was looked at while something was made, written down as it happens.

A file that was read or found absent counts with its content, a folder that was listed with the names in it. What was
made is made again when any of that changes, and only then.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina._support.derived import Derived

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import TypeVar

    Value = TypeVar("Value")

_SIMPLE = (bool, int, float, str, bytes)


class FileChanges(NamedTuple):
    """Changes: files that were changed, added or removed, and folders whose list of names changed."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.files)


class Dependencies:
    """The files and folders that something was made from, as paths from the root."""

    __slots__ = ("files", "folders", "own")

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.own: dict[Hashable, Any] = {}
        """What was derived while it is being made and serves nobody else, not even what is made for it and shared."""

    def add(self, other: Dependencies) -> None:
        """Take over what another one holds: what was made from that is a part of this."""
        self.files |= other.files
        self.folders |= other.folders


class DependencyIndex:
    """Who depends on a file or a folder."""

    def __init__(self) -> None:
        self._files: dict[str, set[Hashable]] = {}
        self._folders: dict[str, set[Hashable]] = {}

    def add(self, key: Hashable, needs: Dependencies) -> None:
        """Something depends on this."""
        for users, paths in ((self._files, needs.files), (self._folders, needs.folders)):
            for path in paths:
                users.setdefault(path, set()).add(key)

    def remove(self, key: Hashable, needs: Dependencies) -> None:
        """Something that depended on this is no longer there, or made again."""
        for users, paths in ((self._files, needs.files), (self._folders, needs.folders)):
            for path in paths:
                known = users.get(path, set())
                known.discard(key)
                if not known:
                    users.pop(path, None)

    def dependents_of(self, changes: FileChanges) -> set[Hashable]:
        """All that depends on something that changed."""
        files = (self._files.get(path, ()) for path in changes.files)
        return set().union(*files, *(self._folders.get(path, ()) for path in changes.folders))


class Recorder:
    """Records what is read, for the result that is being made now."""

    def __init__(self) -> None:
        self._computing: list[Dependencies] = []

    @property
    def current(self) -> Dependencies | None:
        """The dependencies of what is being made now."""
        return self._computing[-1] if self._computing else None

    def file(self, path: str) -> None:
        for each in self._computing[-1:]:
            each.files.add(path)

    def folder(self, path: str) -> None:
        for each in self._computing[-1:]:
            each.folders.add(path)

    def add(self, known: Dependencies) -> None:
        """Something that was made before is used again."""
        for each in self._computing[-1:]:
            each.add(known)

    @contextmanager
    def computing(self) -> Iterator[Dependencies]:
        """What is read inside is recorded; the result that is being made around it depends on it too."""
        value = Dependencies()
        self._computing.append(value)
        try:
            yield value
        finally:
            value.own = {}
            self._computing.pop()
            self.add(value)


class DependentCache:
    """Things by their keys, each kept until something it was made from changes."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._entries: dict[Hashable, tuple[Any, Dependencies]] = {}
        self._index = DependencyIndex()

    def once(
        self,
        key: Hashable,
        make: Callable[[], Value],
        keep: Callable[[Value], bool] = lambda value: True,  # noqa: ARG005 - all are kept
    ) -> Value:
        """The cached value of a key, or the result of `make`, which is cached if `keep` returns true."""
        found = self._entries.get(key)
        if found is not None:
            self._recorder.add(found[1])
            cached_value: Value = found[0]
            return cached_value
        with self._recorder.computing() as needs:
            value = make()
        if keep(value):
            self._entries[key] = (value, needs)
            self._index.add(key, needs)
        return value

    def drop(self, changes: FileChanges) -> None:
        """Drop what was made from what changed."""
        for key in self._index.dependents_of(changes):
            _, needs = self._entries.pop(key)
            self._index.remove(key, needs)


class SharedDerived(Derived):
    """What is known about inputs that serve many targets.

    It is shared by them if it holds no files, or asks its files for their version whenever it uses them
    (`follows_files`); else each target has its own, since what is read late would be written down for one of them only.
    """

    __slots__ = ("__weakref__", "_cache", "_recorder")

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder
        self._cache = DependentCache(recorder)

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        computing = self._recorder.current
        if computing is None:  # a result may be used later; what that reads is not known then
            return make()
        dependency = (self, key)
        if dependency in computing.own:
            own: Value = computing.own[dependency]
            return own
        value: Value = self._cache.once(key, make, _is_shared)
        if not _is_shared(value):
            computing.own[dependency] = value
        return value

    def drop(self, changes: FileChanges) -> None:
        """Forget what was computed from what changed."""
        self._cache.drop(changes)


def _is_shared(value: Any) -> bool:
    return isinstance(value, _SIMPLE) or getattr(value, "follows_files", False) is True
