"""Matching of sources: which old source corresponds to which new one.

The same name is the same source. Folders correspond by their place among the inputs, files by their last name where
that identifies them, else by their position.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.sources.inputs import Inputs


class SourceNames:
    """What the sources of one side are called on both."""

    def __init__(self, files: Mapping[str, str] | None = None, folders: Mapping[str, str] | None = None) -> None:
        self._files = files or {}
        self._folders = folders or {}

    def of(self, source: str) -> str:
        """The name a source has on both sides."""
        if source in self._files:
            return self._files[source]
        for folder, name in self._folders.items():
            if source.startswith(folder):
                return name + source.removeprefix(folder)
        return source

    def on_side(self, name: str) -> str:
        """The name on this side of a source that has a name on both."""
        for own, both in {**self._files, **self._folders}.items():
            if name == both or (both.endswith("/") and name.startswith(both)):
                return own + name.removeprefix(both)
        return name


def names_between(before: Inputs, after: Inputs) -> tuple[SourceNames, SourceNames]:
    """The names of both sides' sources."""
    left, right = [source.name for source in before.sources], [source.name for source in after.sources]
    same = set(left) & set(right)
    last = _distinct(left) & _distinct(right)
    return _names(before, same, last), _names(after, same, last)


def _names(inputs: Inputs, same: set[str], last: set[str]) -> SourceNames:
    files = {}
    for at, source in enumerate(inputs.sources):
        short = _last(source.name)
        files[source.name] = source.name if source.name in same else short if short in last else f"<{at}>"
    folders = {folder.name.rstrip("/") + "/": f"<{at}>/" for at, folder in enumerate(inputs.folders)}
    return SourceNames(files, folders)


def _distinct(names: list[str]) -> set[str]:
    return {name for name, count in Counter(map(_last, names)).items() if count == 1}


def _last(name: str) -> str:
    return name.rsplit("/", 1)[-1]
