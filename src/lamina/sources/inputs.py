"""Inputs: what the user handed over, before any dialect has looked at it.

An input is a file (a `Source`) or a `Folder`. A dialect may look at further files beside them (nested templates,
includes) through `Files`, which never leaves the folder it was opened on.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from lamina._support import suggestions
from lamina._support.derived import Derived
from lamina.errors import Diagnostic, InputError
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from io import FileIO

MAX_BYTES = 64 * 1024 * 1024
"""How large one input file may be."""
_CHUNK = 64 * 1024
_RIGHTS = "check that it is a file and that you may read it"

Given: TypeAlias = "str | os.PathLike[str] | tuple[str, str | bytes] | Source | Folder"
"""What callers may hand over: a path, a name with its text, a Source, or a Folder."""


class Files(Protocol):
    """Files that can be looked at by name; names use `/`."""

    def read(self, name: str) -> Source | None:
        """The file of that name, or None when there is none."""
        ...

    def names(self) -> Sequence[str]:
        """All names, sorted."""
        ...

    def attached(self) -> Sequence[str]:
        """The names handed over one by one, in that order; not those that merely lie in a folder."""
        ...


class MemoryFiles:
    """Files held in memory, by name."""

    def __init__(self, texts: Mapping[str, str | bytes]) -> None:
        self._texts = dict(texts)

    def read(self, name: str) -> Source | None:
        text = self._texts.get(name)
        return None if text is None else source_of(name, text)

    def names(self) -> Sequence[str]:
        return sorted(self._texts)

    def attached(self) -> Sequence[str]:
        return list(self._texts)


class DiskFiles:
    """The files below one folder; a name that leads out of it is refused. `prefix` stands before names shown."""

    def __init__(self, root: str | os.PathLike[str], prefix: str = "") -> None:
        self._root = os.path.realpath(root)
        self._prefix = prefix
        self._folders: dict[str, str] = {}
        """Where the folders that were read from really are."""

    def read(self, name: str) -> Source | None:
        path = self._real(os.path.join(self._root, name))
        if path != self._root and not path.startswith(os.path.join(self._root, "")):
            raise InputError(
                Diagnostic(
                    code="outside-folder",
                    message=f"{name} leads out of the folder {self._prefix or '.'}",
                    hint="Lamina reads only files below the folder it was given",
                )
            )
        return read_file(path, self._prefix + name) if os.path.isfile(path) else None

    def _real(self, path: str) -> str:
        """Where a path really leads, its folder looked up only once."""
        folder, name = os.path.split(path)
        if name in ("", os.curdir, os.pardir) or os.path.islink(path):
            return os.path.realpath(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        return os.path.join(self._folders[folder], name)

    def names(self) -> Sequence[str]:
        found: list[str] = []
        for folder, folders, files in os.walk(self._root):
            folders.sort()
            here = folder[len(self._root) :].lstrip(os.sep).replace(os.sep, "/")
            found.extend(f"{here}/{name}" if here else name for name in files)
        return sorted(found)

    def attached(self) -> Sequence[str]:
        return ()


@dataclass(frozen=True, slots=True)
class Absent:
    """A file that was asked for and is not there; the dialect says when that matters."""

    name: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder the user named, with the files below it."""

    name: str
    files: Files


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """Everything handed over, in order, and the files that may be looked at beside it."""

    items: tuple[Source | Folder | Absent, ...]
    files: Files = field(default_factory=lambda: MemoryFiles({}))
    derived: Derived = field(default_factory=Derived, init=False, repr=False)
    """What was found out about them, such as the hierarchy they hold."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """The inputs that are files."""
        return tuple([item for item in self.items if isinstance(item, Source)])

    @property
    def in_memory(self) -> bool:
        """Whether nothing more is read from disk, whoever looks at them and whenever."""
        return isinstance(self.files, MemoryFiles) and not self.folders

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The inputs that are folders."""
        return tuple(item for item in self.items if isinstance(item, Folder))


def source_of(name: str, text: str | bytes) -> Source:
    """A source from a name and its text or bytes."""
    return Source(name, text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)


def gather(given: Iterable[Given] | Given | Inputs) -> Inputs:
    """Read what the caller handed over."""
    if isinstance(given, Inputs):
        return given
    if isinstance(given, (str, os.PathLike, Source, Folder)):
        given = [given]
    items: list[Source | Folder] = []
    roots: list[str] = []
    for item in given:
        if isinstance(item, (Source, Folder)):
            items.append(item)
        elif isinstance(item, tuple):
            items.append(source_of(*item))
        else:
            name = str(os.fspath(item))
            items.append(_open(name))
            if name != "-":
                roots.append(name)
    return Inputs(tuple(items), _beside(roots))


def _beside(paths: list[str]) -> Files:
    """The files in the folder that holds all the inputs."""
    if not paths:
        return MemoryFiles({})
    folders = [os.path.realpath(path if os.path.isdir(path) else os.path.dirname(path)) for path in paths]
    return DiskFiles(os.path.commonpath(folders))


def _open(name: str) -> Source | Folder:
    if name == "-":
        return Source("<stdin>", _bounded(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>"))
    if os.path.isdir(name):
        return Folder(name, DiskFiles(name, name.rstrip("/") + "/"))
    return read_file(name, name)


def read_file(path: str | os.PathLike[str], name: str) -> Source:
    """One file from disk, under the name the user knows it by."""
    try:
        with open(path, "rb", buffering=0) as stream:
            return Source(name, _bounded(_all_of(stream), name))
    except FileNotFoundError:
        raise InputError(_missing(path, name)) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(
            Diagnostic(code="unreadable-file", message=f"{name} cannot be read: {reason}", hint=_RIGHTS)
        ) from None


def _all_of(stream: FileIO) -> bytes:
    """All there is in a file, or a little more than is taken; asking for that much at once would cost its room."""
    data = stream.read(min(os.fstat(stream.fileno()).st_size, MAX_BYTES) + 1)
    size, parts = len(data), [data]
    while size <= MAX_BYTES and (more := stream.read(_CHUNK)):
        parts.append(more)
        size += len(more)
    return data if len(parts) == 1 else b"".join(parts)


def _bounded(data: bytes, name: str) -> bytes:
    if len(data) > MAX_BYTES:
        raise too_large(name)
    return data


def too_large(name: str) -> InputError:
    """The error for a file beyond the limit."""
    return InputError(
        Diagnostic(
            code="input-too-large",
            message=f"{name} is larger than {MAX_BYTES // (1024 * 1024)} MiB",
            hint="check that it is the right file, or split it",
        )
    )


def nearest(path: str | os.PathLike[str], name: str) -> str | None:
    """What lies where a path leads and is spelt much like it, as a hint."""
    folder, own_name = os.path.split(path)
    beside = os.listdir(folder or ".") if os.path.isdir(folder or ".") else []
    near = suggestions.nearest(own_name, beside)
    return f"there is {os.path.join(os.path.dirname(name), near)}" if near else None


def _missing(path: str | os.PathLike[str], name: str) -> Diagnostic:
    hint = nearest(path, name) or "check the path; `-` reads standard input"
    return Diagnostic(code="missing-file", message=f"there is no file {name}", hint=hint)
