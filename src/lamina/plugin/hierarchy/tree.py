"""The tree of a folder: its files by name, whether they are on disk or in memory."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, ClassVar, Final, cast

from lamina.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lamina.errors import Diagnostic
    from lamina.sources.inputs import Inputs, VersionedFiles
    from lamina.sources.source import Source


_MOST_NAMES: Final = 10_000
_MOST_SHARED: Final = 1_000
_LARGEST_SHARED: Final = 100_000
"""How many files are kept, and how large they may be, in bytes."""


class Tree:
    """The files below the folder that was given; names are relative to it.

    Where files may change, all nodes use one tree. It reports every name and folder that is looked up, so that a node
    depends on those and not on all the names.
    """

    follows_files: ClassVar[bool] = True
    """Whether it stays in use when files change."""

    def __init__(self, inputs: Inputs) -> None:
        self._files = inputs.folders[0].files if inputs.folders else inputs.files
        self.folder = inputs.folders[0].name if inputs.folders else None
        """The folder that the caller named, as it was named."""
        self._given = {} if inputs.folders else {source.name: source for source in inputs.sources}
        self._live = cast("VersionedFiles", self._files) if hasattr(self._files, "version") else None
        self._searched: set[str] = set()
        self._shared: dict[str, Source | None] = {}
        """Files that several nodes have, read once for all of them."""
        self.broken_links: dict[str, Diagnostic] = {}
        """The names that lead nowhere by a link; most systems take them for missing files."""
        self._index: Mapping[str, Mapping[str, None]] | None = None if self._live is None else self._indexed()

    def serves_like(self, other: Tree) -> bool:
        """Whether those who used another tree of the same files find the same here, unless they looked up a name that
        was added or removed."""
        return self._given.keys() == other._given.keys()

    def read(self, name: str) -> Source | None:
        """The file of that name; None if there is none. What is asked for again is kept, unless files may change."""
        if name in self._shared:
            return self._shared[name]
        source = self._given.get(name) or self._read(name)
        if self._live is not None:
            return source
        if name not in self._searched:
            if len(self._searched) >= _MOST_NAMES:
                self._searched.clear()
            self._searched.add(name)
        elif len(self._shared) < _MOST_SHARED and (source is None or len(source.data) <= _LARGEST_SHARED):
            self._shared[name] = source
        return source

    def _read(self, name: str) -> Source | None:
        try:
            source = self._files.read(name)
        except InputError as error:
            if error.diagnostic.code != "broken-link":
                raise
            self.broken_links[name] = error.diagnostic
            return None
        self.broken_links.pop(name, None)
        return source

    def first(self, *names: str) -> Source | None:
        """The first of some files that is there."""
        return next((source for name in names if (source := self.read(name)) is not None), None)

    def names(self) -> Iterator[str]:
        """The names of all files."""
        if self._live is not None:
            self._live.listed("")
        for folder, inside in self._folders.items():
            yield from (f"{folder}/{name}" if folder else name for name in inside if not name.endswith("/"))

    def listing(self, folder: str) -> Iterable[str]:
        """What is in a folder, in the order of bytes; names of folders end with a slash."""
        if self._live is not None:
            self._live.listed(folder)
        return self._folders.get(folder, ())

    def is_folder(self, path: str) -> bool:
        if self._live is not None:
            parent, _, name = path.rpartition("/")
            self._live.looked_for(name, parent)
        return path in self._folders

    def with_ending(self, folder: str, stem: str, endings: Sequence[str]) -> str | None:
        """The name of the file in a folder that has one of the endings, the last one that exists."""
        if self._live is not None:
            self._live.looked_for(stem, folder)
        inside = self._folders.get(folder, ())
        return next((name for ending in reversed(endings) if (name := f"{stem}{ending}") in inside), None)

    def first_path(self, *paths: str) -> str | None:
        """The first of some paths at which there is a file or a folder; nothing is read."""
        return next((path for path in paths if self.is_file(path) or self.is_folder(path)), None)

    def is_file(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if self._live is not None:
            self._live.looked_for(posixpath.splitext(name)[0], folder)
        return name in self._folders.get(folder, ())

    def below(
        self,
        folder: str,
        takes: Callable[[str], bool] = lambda name: True,  # noqa: ARG005
        enters: Callable[[str], bool] = lambda name: True,  # noqa: ARG005
    ) -> Iterator[str]:
        """The files below a folder in the order of their names, of which each is tested without its folder."""
        for entry in self.listing(folder):
            name = entry.rstrip("/")
            path = posixpath.join(folder, name)
            if entry.endswith("/") and enters(name):
                yield from self.below(path, takes, enters)
            elif not entry.endswith("/") and takes(name):
                yield path

    @property
    def _folders(self) -> Mapping[str, Mapping[str, None]]:
        if self._index is None:
            self._index = self._indexed()
        return self._index

    def _indexed(self) -> Mapping[str, Mapping[str, None]]:
        """The names in each folder, sorted, by the path of the folder."""
        found: dict[str, set[str]] = {"": set()}
        for name in {*self._files.names(), *self._given}:
            folder, _, last = name.rpartition("/")
            found.setdefault(folder, set()).add(last)
            while folder:
                parent, _, last = folder.rpartition("/")
                found.setdefault(parent, set()).add(f"{last}/")
                folder = parent
        return {folder: dict.fromkeys(sorted(inside, key=_bytes)) for folder, inside in found.items()}


def _bytes(name: str) -> bytes:
    return name.rstrip("/").encode("utf-8", "surrogatepass")


def tree_of(inputs: Inputs) -> Tree:
    """The tree of some inputs, listed once."""
    return inputs.derived.once("tree", lambda: Tree(inputs))


def within(*parts: str) -> str | None:
    """Parts of a path joined and brought to its shortest form; None if it leads out of the tree."""
    path = posixpath.normpath(posixpath.join(*parts))
    if path.startswith(("/", "../")) or path == "..":
        return None
    return "" if path == "." else path
