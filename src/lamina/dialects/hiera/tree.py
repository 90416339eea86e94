"""The tree of an environment: its files by name, whether they are on disk or in memory."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina import plugin as lp


_MOST_NAMES: Final = 10_000
_MOST_SHARED: Final = 1_000
_LARGEST_SHARED: Final = 100_000
"""How many files are kept, and how large they may be, in bytes."""


class Tree:
    """The files below the folder that holds hiera.yaml; names are relative to it."""

    def __init__(self, inputs: lp.Inputs) -> None:
        self._files = inputs.folders[0].files if inputs.folders else inputs.files
        self._given = {} if inputs.folders else {source.name: source for source in inputs.sources}
        self._names: list[str] | None = None
        self._folders: Mapping[str, list[str]] | None = None
        self._is_live = hasattr(self._files, "version")
        self._searched: set[str] = set()
        self._shared: dict[str, lp.Source | None] = {}
        """Files that several nodes have, read once for all of them."""

    def read(self, name: str) -> lp.Source | None:
        """The file of that name; None if there is none. What is asked for again is kept, unless files may change."""
        if name in self._shared:
            return self._shared[name]
        source = self._given.get(name) or self._files.read(name)
        if self._is_live:
            return source
        if name not in self._searched:
            if len(self._searched) >= _MOST_NAMES:
                self._searched.clear()
            self._searched.add(name)
        elif len(self._shared) < _MOST_SHARED and (source is None or len(source.data) <= _LARGEST_SHARED):
            self._shared[name] = source
        return source

    @property
    def names(self) -> list[str]:
        """The names of all files."""
        if self._names is None:
            self._names = sorted({*self._files.names(), *self._given})
        return self._names

    @property
    def folders(self) -> Mapping[str, list[str]]:
        """What is in each folder, by its name, in the order of bytes; names of folders end with a slash."""
        if self._folders is None:
            found: dict[str, set[str]] = {"": set()}
            for name in self.names:
                folder, _, last = name.rpartition("/")
                found.setdefault(folder, set()).add(last)
                while folder:
                    parent, _, last = folder.rpartition("/")
                    found.setdefault(parent, set()).add(f"{last}/")
                    folder = parent
            self._folders = {folder: sorted(inside, key=_bytes) for folder, inside in found.items()}
        return self._folders

    def is_folder(self, name: str) -> bool:
        return name in self.folders


def _bytes(name: str) -> bytes:
    return name.rstrip("/").encode("utf-8", "surrogatepass")


def tree_of(inputs: lp.Inputs) -> Tree:
    """The tree of some inputs, listed once."""
    return inputs.derived.once("hiera tree", lambda: Tree(inputs))


def within(*parts: str) -> str | None:
    """Parts of a path joined and brought to its shortest form; None if it leads out of the tree."""
    path = posixpath.normpath(posixpath.join(*parts))
    if path.startswith(("/", "../")) or path == "..":
        return None
    return "" if path == "." else path


def once(cache: dict[Any, Any], key: Any, make: Callable[[], Any]) -> Any:
    """What is kept under a key, made when it is first asked for."""
    if key not in cache:
        cache[key] = make()
    return cache[key]
