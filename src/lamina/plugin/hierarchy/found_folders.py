"""The folders of a repository that a dialect detects, for `lamina init`."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from lamina.protocol.extensions import FoundTargets
from lamina.sources.inputs import Folder, Inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.protocol.extensions import FindTargets
    from lamina.run import Run
    from lamina.sources.inputs import Files
    from lamina.sources.source import Source

_DEEPEST: Final = 4
"""How many folders may be above one that is found."""


class _FilesBelow:
    """The files below a folder, by their names in it."""

    def __init__(self, files: Files, names: Sequence[str], folder: str) -> None:
        self._files = files
        self._prefix = f"{folder}/" if folder else ""
        start, end = bisect_left(names, self._prefix), bisect_left(names, f"{folder}0") if folder else len(names)
        self._names = [name[len(self._prefix) :] for name in names[start:end]]  # "0" comes after "/"

    def read(self, name: str) -> Source | None:
        return self._files.read(self._prefix + name)

    def names(self) -> Sequence[str]:
        return self._names

    def attached(self) -> Sequence[str]:
        return ()


def targets_of(detect: Callable[[Inputs], bool], title: str) -> FindTargets:
    """The extension `targets` of a dialect of nodes: each folder that it detects, and none inside of another one."""

    def find(files: Files, names: Sequence[str], run: Run) -> Iterator[FoundTargets]:
        ordered = sorted(names)
        folders = {folder for name in ordered for folder in _above(name)}
        found: list[str] = []
        for folder in sorted(folders, key=lambda each: (each.count("/") + bool(each), each)):
            if any(not each or f"{folder}/".startswith(f"{each}/") for each in found):
                continue
            inputs = Inputs((Folder(folder or ".", _FilesBelow(files, ordered, folder)),)).in_run(run)
            if detect(inputs):
                found.append(folder)
                key = folder.rpartition("/")[2] or "nodes"
                yield FoundTargets(key, f"{title}: {folder or 'this folder'}", {"nodes": folder or "."}, (folder,))

    return find


def _above(name: str) -> Iterator[str]:
    """The folders that a file is in, as far as they are looked at."""
    steps = name.split("/")[:-1]
    yield from ("/".join(steps[:depth]) for depth in range(min(len(steps), _DEEPEST) + 1))
