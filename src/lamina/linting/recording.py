"""Recording: inputs that remember which files were read, and what stood in them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lamina.inputs import Folder
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.inputs import Files, Inputs


@dataclass(slots=True)
class Record:
    """Every source that was handed over or read, by the name the user knows it by."""

    sources: dict[str, Source] = field(default_factory=dict)
    folders: dict[str, RecordedFiles] = field(default_factory=dict)
    """The folders that were handed over."""

    def add(self, source: Source | None) -> None:
        if source is not None:
            self.sources[source.name] = source


class RecordedFiles:
    """Files of which every one that is read goes into a record."""

    def __init__(self, files: Files, record: Record) -> None:
        self._files = files
        self._record = record
        self._read: set[str] = set()

    def read(self, name: str) -> Source | None:
        source = self._files.read(name)
        self._read.add(name)
        self._record.add(source)
        return source

    def unread(self) -> list[str]:
        """The names of the files nobody asked for."""
        return [name for name in self._files.names() if name not in self._read]

    def names(self) -> Sequence[str]:
        return self._files.names()

    def attached(self) -> Sequence[str]:
        return self._files.attached()


def recorded(inputs: Inputs) -> tuple[Inputs, Record]:
    """The same inputs, and the record that is kept of them."""
    record = Record()
    items: list[Any] = []
    for item in inputs.items:
        if isinstance(item, Folder):
            files = record.folders[item.name] = RecordedFiles(item.files, record)
            items.append(Folder(item.name, files))
        else:
            record.add(item if isinstance(item, Source) else None)
            items.append(item)
    return replace(inputs, items=tuple(items), files=RecordedFiles(inputs.files, record)), record
