"""Inputs with some files changed in memory, so that a change can be tried before it is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lamina._support.derived import Derived
from lamina.sources.inputs import Folder
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.sources.inputs import Absent, Files, Inputs


class TrialInputs:
    """Changed contents of files; `served` are those that were read."""

    def __init__(self, changed: Mapping[str, bytes]) -> None:
        self.changed = changed
        self.served: set[str] = set()

    def applied_to(self, inputs: Inputs) -> Inputs:
        """The same inputs, with the changes."""
        if not self.changed:
            return inputs
        return replace(
            inputs,
            items=tuple(self._item(item) for item in inputs.items),
            own={name: TrialFiles(files, self) for name, files in inputs.own.items()},
            files_for=lambda name: TrialFiles(inputs.files_for(name), self),
            derive=Derived,  # nothing derived from the files as they are on disk
        )

    def _item(self, item: Source | Folder | Absent) -> Source | Folder | Absent:
        if isinstance(item, Source):
            return self.source(item)
        return Folder(item.name, TrialFiles(item.files, self)) if isinstance(item, Folder) else item

    def source(self, source: Source) -> Source:
        """The source as it is with the changes."""
        data = self.changed.get(source.name)
        if data is None or source.outer is not None:
            return source
        self.served.add(source.name)
        return Source(source.name, data)


class TrialFiles:
    """Files of which some are changed."""

    def __init__(self, files: Files, overlay: TrialInputs) -> None:
        self._files, self._overlay = files, overlay

    def read(self, name: str) -> Source | None:
        source = self._files.read(name)
        return None if source is None else self._overlay.source(source)

    def names(self) -> Sequence[str]:
        return self._files.names()

    def attached(self) -> Sequence[str]:
        return self._files.attached()
