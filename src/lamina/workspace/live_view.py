"""The files of a workspace: as they were on disk when they were first looked at, with the changes since.

Nothing is read twice, so that all targets see the same state, and the disk is not looked at again for what is known.
Links are followed once: a file has one content, by whichever path it is reached.
"""

from __future__ import annotations

import os
from collections import Counter
from copy import copy
from itertools import chain
from posixpath import basename, dirname, join, normpath
from typing import TYPE_CHECKING
from weakref import WeakSet

from lamina.project.file_view import IN_PROJECT, FileView, UnignoredFiles, disk_view, leads_out
from lamina.run import Run
from lamina.sources.inputs import DiskFiles, check_links, outside_folder
from lamina.sources.source import Source
from lamina.workspace.dependencies import ANYWHERE, DependentCache, FileChanges, Recorder, SharedDerived, name_query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lamina._support.derived import Derived
    from lamina.origins import Origin
    from lamina.project.file_view import FileRecord, PathType
    from lamina.session import Session
    from lamina.sources.inputs import Files, Inputs
    from lamina.workspace.dependencies import Fact


class LiveContents:
    """What is in the files below a root, and what they were changed to."""

    def __init__(self, root: str, prefix: str) -> None:
        self.disk = disk_view(root, prefix)
        self.changed: dict[str, bytes | None] = {}
        """The content of the files that were changed; None for those that were removed."""
        self._known: dict[str, bytes | None] = {}
        self._types: dict[str, PathType] = {}
        self.versions: dict[str, int] = {}
        """How often each file was changed, by the path links lead to."""
        self._folders: dict[str, int] = {}
        """How many of the files that were added are below a folder."""
        self._real: dict[str, str] = {}
        self._listed: dict[str, _ListedNames] = {}
        """The names that were given for a folder when it was last listed."""

    def copy(self) -> LiveContents:
        """The same contents, which can be changed apart from these."""
        made = copy(self)
        for name in ("changed", "_known", "_types", "versions", "_folders", "_real"):
            setattr(made, name, dict(getattr(self, name)))
        made._listed = {}
        return made

    def real(self, path: str) -> str:
        """The path of what a path leads to, links followed."""
        found = self._real.get(path)
        if found is None:
            full = os.path.realpath(os.path.join(self.disk.root, path))
            found = os.path.relpath(full, self.disk.root).replace(os.sep, "/")
            found = self._real[path] = "" if found == "." else found
        return found

    def read(self, path: str) -> bytes | None:
        """The content of the file at a path; None if there is none."""
        return self.read_real(self.real(path))

    def read_real(self, path: str) -> bytes | None:
        """The same for a path without links."""
        if path in self.changed:
            return self.changed[path]
        if path not in self._known:
            source = self.disk.below(dirname(path)).read(basename(path))
            self._known[path] = None if source is None else source.data
        return self._known[path]

    def last_read(self, path: str) -> bytes | None:
        """What was read at a path without links; None if nothing was. The disk is not looked at."""
        return self.changed[path] if path in self.changed else self._known.get(path)

    def names(self, folder: str) -> Sequence[str]:
        """The names of all files below a folder, sorted."""
        names = self.disk.below(folder).names()
        start = self.real(folder)
        inside = {
            path[len(start) + 1 :] if start else path: data
            for path, data in self.changed.items()
            if not start or path.startswith(f"{start}/")
        }
        found = sorted({name for name in (*names, *inside) if inside.get(name, b"") is not None}) if inside else names
        self._listed[start] = _ListedNames(found)
        return found

    def show(self, folder: str, names: Sequence[str]) -> None:
        """Only these of the names below a folder count."""
        self._listed[self.real(folder)].show(names)

    def files_at(self, path: str) -> Iterable[str]:
        """A path; where there is or was a folder, the files that are known or now on disk below it."""
        start = f"{path}/"
        known = {each for each in (*self.changed, *self._known, *self._types) if each.startswith(start)}
        for folder, listing in self._listed.items():
            inside = {f"{folder}/{name}" for name in listing.names} if folder else listing.names
            known.update(each for each in inside if each.startswith(start))
        full = os.path.join(self.disk.root, path)
        on_disk = DiskFiles(full).names() if os.path.isdir(full) else ()
        return {*known, *(start + name for name in on_disk)} or (path,)

    def type_of(self, path: str) -> PathType:
        real = self.real(path)
        if real in self.changed:
            return None if self.changed[real] is None else "file"
        if self._folders.get(real):
            return "folder"
        if path not in self._types:
            self._types[path] = self.disk.type_of(path)
        return self._types[path]

    def update(self, texts: Mapping[str, str | bytes | None], *, saved: bool = False) -> FileChanges:
        """Change files; what is then another content than before. If they were saved, folders may have come or gone."""
        files: set[str] = set()
        folders: set[str] = set()
        types: set[str] = set()
        names: set[str] = set()
        # All are checked before any is changed.
        for path, data in [(self._checked(given), _as_bytes(text)) for given, text in texts.items()]:
            was_there = self._was_there(path)
            before = self.last_read(path)
            if before == data and (before is not None or was_there is False):
                continue
            above = _above(path)
            former = [self.type_of(each) for each in (*above, path)]
            self._set(path, data)
            if saved:
                self._types.update({each: self.disk.type_of(each) for each in above if each in self._types})
            files.add(path)
            types.update(each for each, old in zip((*above, path), former, strict=True) if self.type_of(each) != old)
            if was_there is not (data is not None):
                folders.update(above, (path,))
                self._note(path, there=data is not None)
                names.update(self._came_or_went(path))
        return FileChanges(frozenset(files), frozenset(folders), frozenset(types), frozenset(names))

    def _came_or_went(self, path: str) -> Iterator[str]:
        """The names that come or go with a file: its own, and those of folders that hold nothing else."""
        folder, _, name = path.rpartition("/")
        for written in {name, name.rpartition(".")[0]}:
            yield from (name_query(folder, written), name_query(ANYWHERE, written))
        while folder and not self._has_others(folder, path):
            folder, _, name = folder.rpartition("/")
            yield name_query(folder, name)

    def _has_others(self, folder: str, path: str) -> bool:
        """Whether a folder is known to hold other files than this one; those that nobody has listed do not count."""
        for start, listing in self._listed.items():
            if folder != start and (not start or folder.startswith(f"{start}/")):
                cut = len(start) + 1 if start else 0
                if listing.others(folder[cut:], path[cut:]):
                    return True
        return False

    def _note(self, path: str, *, there: bool) -> None:
        """Add a file to the listings of its folders, or remove it from them."""
        for folder in _above(path):
            if folder in self._listed:
                self._listed[folder].note(path[len(folder) + 1 if folder else 0 :], there=there)

    def _was_there(self, path: str) -> bool | None:
        """Whether there was a file at a path; None if nobody has looked so far, or it is not known any more."""
        if path in self.changed:
            return self.changed[path] is not None
        if path in self._known:
            return self._known[path] is not None
        if path in self._types:
            return self._types[path] == "file"
        for folder in _above(path):
            if folder in self._listed:
                return path[len(folder) + 1 if folder else 0 :] in self._listed[folder].names
        return None

    def _checked(self, given: str) -> str:
        path = normpath(given)
        real = path if leads_out(path) else self.real(path)
        if leads_out(real):
            linked = None if real == path else os.path.join(self.disk.root, real)
            if linked is not None and not os.path.exists(linked):
                check_links(self.disk.root, path)
                return path
            raise outside_folder(given, self.disk.prefix, linked, IN_PROJECT)
        return real

    def _set(self, path: str, data: bytes | None) -> None:
        was = self.changed.get(path) is not None
        self.changed[path] = data
        self._known.pop(path, None)
        self.versions[path] = self.versions.get(path, 0) + 1
        if was != (data is not None):
            for folder in _above(path):
                self._folders[folder] = self._folders.get(folder, 0) + (-1 if was else 1)


def _as_bytes(text: str | bytes | None) -> bytes | None:
    if text is None or isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise TypeError(f"the text of a file is a str, bytes or None, not {type(text).__name__}")
    return text.encode("utf-8", "surrogatepass")


def _above(path: str) -> list[str]:
    """The folders a path is in, up to the root."""
    steps = path.split("/")
    return ["/".join(steps[:end]) for end in range(len(steps))]


class _ListedNames:
    """The names below a folder when it was listed, and how many of those shown are still below each folder."""

    __slots__ = ("_below", "_shown", "names")

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        self.show(self.names)

    def show(self, names: Iterable[str]) -> None:
        """Only these of the names were shown."""
        self._shown = set(names)
        self._below = Counter(chain.from_iterable(_above(name)[1:] for name in self._shown))

    def note(self, name: str, *, there: bool) -> None:
        """A file went, or came back; those that were not there when it was listed are not known to be shown."""
        if there or name not in self._shown:
            return
        self._shown.remove(name)
        self._below.subtract(_above(name)[1:])

    def others(self, folder: str, name: str) -> bool:
        """Whether a folder holds any other file than this one."""
        return self._below[folder] > (name in self._shown and name.startswith(f"{folder}/"))


_MOST_QUERIES = 8_192
"""How many queries are kept for the files below one folder."""


class _LiveFiles:
    """The files below one folder; what is looked at is written down."""

    def __init__(self, view: LiveView, folder: str) -> None:
        self._view = view
        self._folder = folder
        self._prefix = f"{view.prefix}{folder}/" if folder else view.prefix
        self._paths: dict[str, str | None] = {}
        self._sources: dict[str, Source] = {}
        self._queries: dict[tuple[str, str | None], str] = {}
        """The queries for names that were looked for; every target looks for those of its layers."""

    def read(self, name: str) -> Source | None:
        path = self._path(name)
        if path is None:
            return self._view.contents.disk.below(self._folder).read(name)  # which rejects it
        self._view.recorder.file(path)
        data = self._view.contents.read_real(path)
        if data is None:
            return None
        known = self._sources.get(name)
        if known is None or known.data is not data:  # the very same is found faster by those who know it
            known = self._sources[name] = Source(name if os.path.isabs(name) else self._prefix + name, data)
        return known

    def version(self, name: str) -> int:
        path = self._path(name)
        if path is None:
            return 0
        self._view.recorder.file(path)
        return self._view.contents.versions.get(path, 0)

    def names(self) -> Sequence[str]:
        self._view.recorder.folder(self._view.contents.real(self._folder))
        return self._view.names(self._folder)

    def looked_for(self, name: str, folder: str | None) -> None:
        query = self._queries.get((name, folder))
        if query is None:
            if len(self._queries) >= _MOST_QUERIES:
                self._queries.clear()
            where = ANYWHERE if folder is None else self._real_folder(folder)
            query = self._queries[name, folder] = name_query(where, name)
        self._view.recorder.name(query)

    def listed(self, folder: str) -> None:
        self._view.recorder.folder(self._real_folder(folder))

    def _real_folder(self, folder: str) -> str:
        return self._view.contents.real(join(self._folder, folder) if folder else self._folder)

    def attached(self) -> Sequence[str]:
        return ()

    def _path(self, name: str) -> str | None:
        """The path that a name leads to; None if that is out of the root, or no file can have the name."""
        if name not in self._paths:
            self._paths[name] = self._found_path(name)
        return self._paths[name]

    def _found_path(self, name: str) -> str | None:
        if "\0" in name:
            return None
        path = os.path.relpath(name, self._view.root) if os.path.isabs(name) else normpath(join(self._folder, name))
        if leads_out(path):
            return None
        real = self._view.contents.real(path)
        return None if leads_out(real) else real


class _Listed:
    """Names alone, as files."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def read(self, name: str) -> Source | None:  # noqa: ARG002
        return None

    def names(self) -> Sequence[str]:
        return self._names

    def attached(self) -> Sequence[str]:
        return ()


class LiveView(FileView):
    """A view of the files of a workspace that writes down what is looked at."""

    def __init__(self, contents: LiveContents, recorder: Recorder, ignore: Iterable[str], session: Session) -> None:
        self.contents = contents
        self.recorder = recorder
        self.cache = DependentCache(recorder)
        self._live: dict[str, _LiveFiles] = {}
        self._names: dict[str, Sequence[str]] = {}
        self._session = session
        self._derived: WeakSet[SharedDerived] = WeakSet()
        disk = contents.disk
        super().__init__(disk.root, disk.prefix, self.below, self._type_of, ignore=ignore)

    def below(self, folder: str) -> Files:
        """The files below a folder."""
        if folder not in self._live:
            self._live[folder] = _LiveFiles(self, folder)
        return self._live[folder]

    def names(self, folder: str) -> Sequence[str]:
        """The names below a folder that are not ignored."""
        if folder not in self._names:
            listed = _Listed(self.contents.names(folder))
            names = self._names[folder] = UnignoredFiles(listed, folder, self._ignore).names()
            if self._ignore:
                self.contents.show(folder, names)
        return self._names[folder]

    def inputs(self, paths: tuple[str, ...], input_origins: Sequence[Origin | None] = ()) -> Inputs | None:
        """The inputs at these paths, the same as long as none of them changes."""
        found = self.cache.once(("inputs", paths), lambda: self._read_inputs(paths, input_origins))
        return None if found is None else found.in_run(Run(self._session).end())  # they outlive the call

    def drop(self, changes: FileChanges) -> None:
        """Drop what was made from what changed."""
        if changes.folders:
            self._names.clear()
        self.cache.drop(changes)
        for derived in list(self._derived):
            derived.drop(changes)

    def changed_facts(self, is_used: Callable[[Fact], bool]) -> set[Fact]:
        """The facts that are other ones after a change, if they are used; what was made from them is dropped."""
        everything = list(self._derived)

        def used(fact: Fact) -> bool:
            return is_used(fact) or self.cache.uses(fact) or any(each.uses(fact) for each in everything)

        changed = {fact for derived in everything for fact in derived.changed_facts(used)}
        self.cache.drop_users(changed)
        for derived in everything:
            derived.drop_users(changed)
        return changed

    def _type_of(self, path: str) -> PathType:
        real = self.contents.real(path)
        self.recorder.file(real)
        self.recorder.type(real)
        return self.contents.type_of(path)

    def _recorded(self, folder: str, record: FileRecord) -> Files:  # noqa: ARG002 - all is written down
        return self.below(folder)

    def _derive(self) -> Derived:
        made = SharedDerived(self.recorder)
        self._derived.add(made)
        return made
