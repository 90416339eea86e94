"""Dependencies: what was looked at while something was made, written down as it happens.

A file that was read or found absent counts with its content, a folder that was listed with the names in it, a name that
was looked for with whether it is there. What was made is made again when any of that changes, and only then.
"""

from __future__ import annotations

from contextlib import contextmanager
from operator import eq
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina._support.derived import Derived
from lamina.errors import LaminaError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator
    from typing import TypeAlias, TypeVar

    Fact: TypeAlias = "tuple[SharedDerived, Hashable]"

    Made = TypeVar("Made")

_SIMPLE = (bool, int, float, str, bytes)


class FileChanges(NamedTuple):
    """Changes, as the keys that dependencies are recorded under."""

    files: frozenset[str] = frozenset()
    """Files that were changed, added or removed."""
    folders: frozenset[str] = frozenset()
    """Folders below which names were added or removed."""
    types: frozenset[str] = frozenset()
    """Paths whose type (file, folder or nothing) changed."""
    names: frozenset[str] = frozenset()
    """Names that were added or removed, as `name_query` writes them."""

    def __bool__(self) -> bool:
        return bool(self.files)


ANYWHERE = "**"
"""The folder of a name that is looked for in all folders."""


def name_query(folder: str, name: str) -> str:
    """The key for a name that is looked for in a folder; case does not count, since it need not for who looks."""
    return f"{folder}/{name}".upper().casefold()


class Dependencies:
    """What something was made from: files and folders, as paths from the root, and facts.

    A fact is what was computed from names alone, such as whether a folder is a hierarchy: who uses it is made again
    only if the fact is another one, not whenever the names change that it was computed from.
    """

    __slots__ = ("facts", "files", "folders", "names", "own", "types")

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.types: set[str] = set()
        self.names: set[str] = set()
        self.facts: set[Fact] = set()
        self.own: dict[Hashable, Any] = {}
        """What was derived while it is being made and serves nobody else, not even what is made for it and shared."""

    def equals(self, other: Dependencies) -> bool:
        """Whether both hold the same."""
        return all(map(eq, _kinds(self), _kinds(other)))

    def add(self, other: Dependencies, *, folders: bool = True) -> None:
        """Take over what another one holds: what was made from that is a part of this."""
        self.files |= other.files
        self.types |= other.types
        self.names |= other.names
        self.facts |= other.facts
        if folders:
            self.folders |= other.folders


class DependencyIndex:
    """Who depends on what."""

    def __init__(self) -> None:
        self._users: tuple[dict[Any, set[Hashable]], ...] = ({}, {}, {}, {}, {})
        self._needs: dict[Hashable, Dependencies] = {}

    def add(self, key: Hashable, needs: Dependencies) -> None:
        """Something depends on this now, and on nothing that it depended on before; mostly that is the same."""
        known = self._needs.get(key)
        if known is not None and known.equals(needs):
            return
        self.remove(key)
        self._needs[key] = needs
        for users, wanted in zip(self._users, _kinds(needs), strict=True):
            for each in wanted:
                users.setdefault(each, set()).add(key)

    def remove(self, key: Hashable) -> None:
        """Something is no longer there."""
        needs = self._needs.pop(key, None)
        for users, wanted in zip(self._users, _kinds(needs), strict=True) if needs is not None else ():
            for each in wanted:
                known = users[each]
                known.discard(key)
                if not known:
                    del users[each]

    def touched_by(self, changes: FileChanges) -> set[Hashable]:
        """All that depends on something that changed."""
        found = (users.get(each, ()) for users, keys in zip(self._users, changes, strict=False) for each in keys)
        return set().union(*found)

    def users_of(self, facts: Iterable[Fact]) -> set[Hashable]:
        """All that depends on any of these facts."""
        return set().union(*(self._users[-1].get(fact, ()) for fact in facts))


def _kinds(needs: Dependencies) -> tuple[Iterable[Any], ...]:
    """What is needed, in the order of the fields of `FileChanges`; the facts come last."""
    return needs.files, needs.folders, needs.types, needs.names, needs.facts


class Recorder:
    """Records what is read, for the result that is being made now."""

    def __init__(self) -> None:
        self._making: list[Dependencies] = []

    @property
    def current(self) -> Dependencies | None:
        """The dependencies of what is being made now."""
        return self._making[-1] if self._making else None

    def file(self, path: str) -> None:
        if self._making:
            self._making[-1].files.add(path)

    def folder(self, path: str) -> None:
        if self._making:
            self._making[-1].folders.add(path)

    def type(self, path: str) -> None:
        if self._making:
            self._making[-1].types.add(path)

    def name(self, query: str) -> None:
        if self._making:
            self._making[-1].names.add(query)

    def add(self, known: Dependencies) -> None:
        """Something that was made before is used again."""
        for each in self._making[-1:]:
            each.add(known)

    def use(self, fact: Fact, known: Dependencies) -> None:
        """A fact is used: what it was made from counts, except for names, which it may outlive."""
        for each in self._making[-1:]:
            each.add(known, folders=False)
            each.facts.add(fact)

    @contextmanager
    def recording(self) -> Iterator[Dependencies]:
        """What is read inside is recorded, and does not count for what is being made around it."""
        made = Dependencies()
        self._making.append(made)
        try:
            yield made
        finally:
            made.own = {}
            self._making.pop()

    @contextmanager
    def making(self) -> Iterator[Dependencies]:
        """What is read inside is recorded; the result that is being made around it depends on it too."""
        made = Dependencies()
        try:
            with self.recording() as made:
                yield made
        finally:
            self.add(made)


class DependentCache:
    """Things by their keys, each kept until something it was made from changes."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._kept: dict[Hashable, tuple[Any, Dependencies]] = {}
        self._index = DependencyIndex()

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What is kept under a key, or what `make` makes now."""
        found = self._kept.get(key)
        if found is not None:
            self._recorder.add(found[1])
            kept: Made = found[0]
            return kept
        with self._recorder.making() as needs:
            made = make()
        self._kept[key] = (made, needs)
        self._index.add(key, needs)
        return made

    def drop(self, changes: FileChanges) -> None:
        """Drop what was made from what changed."""
        self.forget(self._index.touched_by(changes))

    def drop_users(self, facts: Iterable[Fact]) -> None:
        """Drop what was made from these facts."""
        self.forget(self._index.users_of(facts))

    def uses(self, fact: Fact) -> bool:
        """Whether anything was made from a fact."""
        return bool(self._index.users_of([fact]))

    def forget(self, keys: Iterable[Hashable]) -> None:
        """Drop what is kept under these keys."""
        for key in keys:
            found = self._kept.pop(key, None)
            if found is not None:
                self._index.remove(key)


class _KeptFact(NamedTuple):
    """A fact, what it was made from, and how."""

    made: Any
    needs: Dependencies
    make: Callable[[], Any]


class SharedDerived(Derived):
    """What is known about inputs that serve many targets.

    It is shared by them if it holds no files, or asks its files for their version whenever it uses them, and names
    what it looks for (`follows_files`); else each target has its own, since what is read late would be written down for
    one of them only. What is shared is a fact. How it is made depends on the inputs alone, since it may be made again.
    """

    __slots__ = ("__weakref__", "_doubtful", "_index", "_kept", "_recorder")

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder
        self._kept: dict[Hashable, _KeptFact] = {}
        self._index = DependencyIndex()
        self._doubtful: dict[Hashable, _KeptFact] = {}
        """What was made from names that are not the same any more."""

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        making = self._recorder.current
        if making is None:  # a result may be used later; what that reads is not known then
            return make()
        mine = (self, key)
        if mine in making.own:
            own: Made = making.own[mine]
            return own
        kept = self._kept.get(key)
        if kept is None:
            kept = self._new(make)
            if not _is_shared(kept.made):
                self._recorder.add(kept.needs)
                making.own[mine] = kept.made
                fresh: Made = kept.made
                return fresh
            self._kept[key] = kept
            self._index.add(key, kept.needs)
        self._recorder.use(mine, kept.needs)
        made: Made = kept.made
        return made

    def _new(self, make: Callable[[], Made]) -> _KeptFact:
        needs = Dependencies()
        try:
            with self._recorder.recording() as needs:
                return _KeptFact(make(), needs, make)
        except BaseException:
            self._recorder.add(needs)  # an error is not a fact: who met it depends on all that was looked at
            raise

    def drop(self, changes: FileChanges) -> None:
        """Forget what was computed from what changed; what was computed from names may turn out the same."""
        certain = self._index.touched_by(changes._replace(folders=frozenset()))
        for key in self._index.touched_by(changes):
            kept = self._forget(key)
            if kept is not None and key not in certain:
                self._doubtful[key] = kept

    def drop_users(self, facts: Iterable[Fact]) -> None:
        """Forget what was computed from these facts."""
        for key in self._index.users_of(facts):
            self._forget(key)

    def uses(self, fact: Fact) -> bool:
        """Whether anything was computed from a fact."""
        return bool(self._index.users_of([fact]))

    def changed_facts(self, is_used: Callable[[Fact], bool]) -> Iterator[Fact]:
        """The facts in doubt that are other ones now, if they are used; they are computed again for that."""
        doubtful, self._doubtful = self._doubtful, {}
        for key, kept in doubtful.items():
            if is_used((self, key)) and not self._holds(key, kept):
                yield self, key

    def _holds(self, key: Hashable, kept: _KeptFact) -> bool:
        with self._recorder.recording():
            try:
                made = self.once(key, kept.make)
            except LaminaError:
                return False
        if isinstance(made, _SIMPLE):
            return type(made) is type(kept.made) and bool(made == kept.made)
        return _is_shared(made) and made.serves_like(kept.made)

    def _forget(self, key: Hashable) -> _KeptFact | None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._index.remove(key)
        return kept


def _is_shared(made: Any) -> bool:
    return isinstance(made, _SIMPLE) or getattr(made, "follows_files", False) is True
