"""Golden cases, and the files they are in."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.sources.inputs import Absent, Inputs, MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Case:
    """One golden case."""

    id: str
    dialect: str
    about: str
    files: Mapping[str, str]
    order: tuple[str, ...]
    options: Mapping[str, Any]
    expect: Mapping[str, Any]

    def inputs(self) -> Inputs:
        """The files of the case as inputs: those in `order`; all of them can be read by name."""
        coded = self.options.get("encoding", {})
        files = MemoryFiles(
            {name: base64.b64decode(text) if coded.get(name) == "base64" else text for name, text in self.files.items()}
        )
        return Inputs(tuple(files.read(name) or Absent(name) for name in self.order), files)

    def settings(self) -> dict[str, Any]:
        """The dialect's options; how files are encoded is the runner's business."""
        return {name: value for name, value in self.options.items() if name != "encoding"}


def load(path: Path) -> list[Case]:
    """The cases of one file, without the sequences of requests to a server, which may be in the same file."""
    return [_case(entry) for entry in _entries(path) if "steps" not in entry]


def sequence_count(path: Path) -> int:
    """How many sequences of requests a file holds."""
    return sum("steps" in entry for entry in _entries(path))


def _entries(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    entries: list[dict[str, Any]] = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    return entries


def _case(entry: Mapping[str, Any]) -> Case:
    return Case(
        id=entry["id"],
        dialect=entry["dialect"],
        about=entry.get("about", ""),
        files=entry.get("files", {}),
        order=tuple(entry.get("order", ())),
        options=entry.get("options", {}),
        expect=entry["expect"],
    )


def find(paths: Iterable[str | Path]) -> Iterator[Path]:
    """The case files below the paths."""
    for given in paths:
        path = Path(given)
        if path.is_dir():
            yield from sorted(item for item in path.rglob("*") if item.name.endswith((".json", ".json.gz")))
        else:
            yield path
