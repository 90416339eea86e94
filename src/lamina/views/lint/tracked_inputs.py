"""Tracked inputs: inputs that record which files were read, and their content."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from lamina.sources.inputs import Folder, read_file
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.sources.inputs import Files, Inputs


class Record:
    """Every source that was passed or read, by the name the user knows it by."""

    def __init__(self) -> None:
        self.sources: dict[str, Source] = {}
        self.unread: list[tuple[Folder, str]] = []
        """The files of the input folders that had not been read when the record was closed."""
        self._folders: list[tuple[Folder, RecordedFiles]] = []

    def folder(self, given: Folder) -> Folder:
        """The same folder, with what is read of it on record."""
        files = RecordedFiles(given.files, self)
        self._folders.append((given, files))
        return Folder(given.name, files)

    def source(self, name: str) -> Source | None:
        """The source of that name; one that an option named is read again."""
        if name not in self.sources and FilePath(name).is_file():
            self.sources[name] = read_file(FilePath(name), name)
        return self.sources.get(name)

    def close(self) -> None:
        """Compute what was not read; later reads do not count."""
        self.unread = [(folder, name) for folder, files in self._folders for name in files.unread()]


class RecordedFiles:
    """Files of which every one that is read goes into a record."""

    def __init__(self, files: Files, record: Record) -> None:
        self._files = files
        self._record = record
        self._read: set[str] = set()

    def read(self, name: str) -> Source | None:
        source = self._files.read(name)
        self._read.add(name)
        if source is not None:
            self._record.sources[source.name] = source
        return source

    def unread(self) -> list[str]:
        """The names of the files that were not read."""
        return [name for name in self._files.names() if name not in self._read]

    def names(self) -> Sequence[str]:
        return self._files.names()

    def attached(self) -> Sequence[str]:
        return self._files.attached()


def recorded(inputs: Inputs) -> tuple[Inputs, Record]:
    """The same inputs, and the record that is kept of them."""
    record = Record()
    items: list[Any] = [record.folder(item) if isinstance(item, Folder) else item for item in inputs.items]
    record.sources.update({item.name: item for item in items if isinstance(item, Source)})
    own = {name: RecordedFiles(files, record) for name, files in inputs.own.items()}
    return replace(inputs, items=tuple(items), own=own), record
