"""Inputs: the files and folders that the user gave, before a dialect reads them.

An input is a file (a `Source`) or a `Folder`. A dialect reads further files that an input names (nested templates,
includes) through the `Files` of that input: these are confined to the folder of the input, whatever other inputs
there are, and to folders the caller allowed.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from errno import EAGAIN
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from lamina._support.derived import Derived
from lamina.errors import Diagnostic, InputError, LaminaError, UsageError
from lamina.run import Run
from lamina.sources.source import Source, whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from io import FileIO

MAX_BYTES = 64 * 1024 * 1024
"""How large one input file may be."""
_CHUNK = 64 * 1024
_NO_FILES = frozenset(("", os.curdir, os.pardir))
"""What is no name of a file in a folder."""
_RIGHTS = "check that it is a file and that you have permission to read it"

Given: TypeAlias = (
    "str | os.PathLike[str] | tuple[str, str | bytes | Mapping[Any, Any]] | Mapping[Any, Any] | Source | Folder"
)
"""What callers may pass: a path, a name with its text or mapping, a mapping, a Source, or a Folder."""
Folders: TypeAlias = "Iterable[str | os.PathLike[str]] | str | os.PathLike[str]"
"""Folders the caller allows: one path or several."""


class Files(Protocol):
    """Files that can be read by name; names use `/`."""

    def read(self, name: str) -> Source | None:
        """The file of that name, or None when there is none."""
        ...

    def names(self) -> Sequence[str]:
        """All names, sorted."""
        ...

    def attached(self) -> Sequence[str]:
        """The names given one by one, in that order; not those that are only in a folder."""
        ...


class VersionedFiles(Files, Protocol):
    """Files that may change while a caller keeps what was made from them."""

    def version(self, name: str) -> int:
        """A number that changes whenever the file changes; asking for it counts as reading the file."""
        ...

    def looked_for(self, name: str, folder: str | None) -> None:
        """Say that a name is looked for among names that are known: in a folder, or with None anywhere.

        The name is that of a folder, or that of a file without its ending.
        """
        ...

    def listed(self, folder: str) -> None:
        """Say that all names below a folder are looked at, of names that are known."""
        ...


class MemoryFiles:
    """Files held in memory, by name."""

    def __init__(self, contents: Mapping[str, str | bytes]) -> None:
        self._contents = dict(contents)

    def read(self, name: str) -> Source | None:
        text = self._contents.get(name)
        return None if text is None else source_of(name, text)

    def names(self) -> Sequence[str]:
        return sorted(self._contents)

    def attached(self) -> Sequence[str]:
        return list(self._contents)


class DiskFiles:
    """The files below a folder and the allowed folders; a name that leads elsewhere, even by a link, is rejected.

    Names are relative to the folder; `prefix` is put before names in output. `hint` says what helps where a name leads
    out of the folder, instead of the option that allows another one.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        prefix: str = "",
        allowed: Iterable[str] = (),
        hint: str | None = None,
    ) -> None:
        self._root = os.path.realpath(root)
        self._hint = hint
        self._within = tuple(os.path.join(folder, "") for folder in (self._root, *allowed))
        self._prefix = prefix
        self._folders: dict[str, str] = {}
        """The real paths of the folders that were read from or listed."""

    def read(self, name: str) -> Source | None:
        found = self._at_once(name)
        if found is not None:
            return found
        try:
            path = self._real(os.path.join(self._root, name))
        except ValueError:  # no file can have such a name
            return None
        if not os.path.join(path, "").startswith(self._within):
            linked = self._leads_inside(name)
            if not linked or os.path.exists(path):
                raise outside_folder(name, self._prefix, path if linked else None, self._hint)
        shown = name if os.path.isabs(name) else self._prefix + name
        if os.path.isfile(path):
            return read_file(path, shown)
        if not os.path.exists(path):
            check_links(self._root, name)
        if os.path.exists(path) and not os.path.isdir(path):
            raise _special_file(shown, os.stat(path).st_mode)
        return None

    def _leads_inside(self, name: str) -> bool:
        """Whether a path stays in the folders as it is written, links aside."""
        return os.path.join(os.path.normpath(os.path.join(self._root, name)), "").startswith(self._within)

    def _at_once(self, name: str) -> Source | None:
        """A regular file in a folder whose real path is known; None for whatever takes a closer look."""
        folder, slash, last = name.rpartition("/")
        real = self._folders.get(self._root + slash + folder)
        if real is None or last in _NO_FILES or not (real + os.sep).startswith(self._within):
            return None
        data = whole_file(real + os.sep + last, MAX_BYTES)
        return None if data is None else Source(self._prefix + name, data)

    def _real(self, path: str) -> str:
        """The real path of a file; that of its folder is cached."""
        folder, name = os.path.split(path)
        if name in _NO_FILES or os.path.islink(path):
            return os.path.realpath(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        return os.path.join(self._folders[folder], name)

    def names(self) -> Sequence[str]:
        found: list[str] = []
        links: list[str] = []
        for folder, folders, files in os.walk(self._root):
            folders.sort()
            self._folders[folder] = folder  # the walk starts at a real path and follows no links
            here = folder[len(self._root) :].lstrip(os.sep).replace(os.sep, "/")
            found.extend(f"{here}/{name}" if here else name for name in files)
            links += [os.path.join(folder, name) for name in folders if os.path.islink(os.path.join(folder, name))]
        for link in links:
            found.extend(self._names_behind(link))
        return sorted(found)

    def _names_behind(self, link: str) -> Iterator[str]:
        """The names of the files in a folder of this one that a link leads to, but for what further links lead to."""
        real = os.path.realpath(link)
        inside = os.path.join(real, "")
        if not inside.startswith(self._within[0]) or link.startswith(inside):
            return  # elsewhere, or to a folder that the link itself is in
        for folder, _, files in os.walk(real):
            here = (link + folder[len(real) :])[len(self._root) :].lstrip(os.sep).replace(os.sep, "/")
            yield from (f"{here}/{name}" for name in files)

    def attached(self) -> Sequence[str]:
        return ()


@dataclass(frozen=True, slots=True)
class Absent:
    """A file that was named and is missing; the dialect decides when that matters."""

    name: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder the user named, with the files below it."""

    name: str
    files: Files


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """All inputs in order, the files that may be read besides, and the run they are read in.

    `files` are those given in memory. `own` has, by the name of an input, the files that it may name; `files_for`
    returns those for one more file, named by an option.
    """

    items: tuple[Source | Folder | Absent, ...]
    files: Files = field(default_factory=lambda: MemoryFiles({}))
    own: Mapping[str, Files] = field(default_factory=dict)
    files_for: Callable[[str], Files] = field(default_factory=lambda: files_beside)
    derive: Callable[[], Derived] = field(default=Derived, repr=False)
    """Creates the cache for values derived from the inputs."""
    run: Run = field(default_factory=Run, repr=False)
    """The run they are used in: what is read is known to it, and work is counted against its budget."""
    derived: Derived = field(init=False, repr=False)
    """Values derived from the inputs, such as the hierarchy they contain."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "derived", self.derive())

    def in_run(self, run: Run) -> Inputs:
        """The same inputs in another run; values derived from them are shared."""
        other = copy(self)
        object.__setattr__(other, "run", run)
        return other

    @property
    def sources(self) -> tuple[Source, ...]:
        """The inputs that are files."""
        return tuple([item for item in self.items if isinstance(item, Source)])

    @property
    def in_memory(self) -> bool:
        """Whether nothing more is ever read from disk."""
        return isinstance(self.files, MemoryFiles) and not self.own and not self.folders

    def files_of(self, name: str) -> Files:
        """The files that the input of that name may name."""
        return self.own.get(name, self.files)

    def opened(self, name: str) -> tuple[Source, Files]:
        """A file that an option names, and the files that it may name in turn.

        A stream such as standard input is read once, however often it is asked for.
        """
        if name == "-" or _is_stream(name):
            stream = self.derived.once(("stream", name), lambda: _open_stream(name))
            return stream, self.files_of(stream.name)
        files = self.own.get(name) or self.files_for(name)
        source = files.read(os.path.basename(name))
        if source is None:
            raise InputError(_missing(name, name))
        return source, files

    def folder(self, name: str, expected: str) -> Folder:
        """A folder that an option names; `expected` describes what the option takes."""
        path = name.rstrip("/") or "/"
        files = self.files_for(os.path.join(path, "*"))
        if not os.path.isdir(name) and not files.names():
            raise UsageError(
                Diagnostic(
                    code="no-such-folder",
                    message=f"there is no folder {name}",
                    hint=nearest(name, name) or expected,
                )
            )
        return Folder(name, files)

    def find(self, name: str) -> Source | None:
        """The file that has this name in origins; None if there is none that may be read."""
        for source in self.sources:
            if source.name == name:
                return source
        try:
            for folder in self.folders:
                prefix = "" if folder.name in (".", "") else folder.name.rstrip("/") + "/"
                if name.startswith(prefix) and (found := folder.files.read(name.removeprefix(prefix))) is not None:
                    return found
            files = self.files_for(name) if self.own else self.files
            return files.read(os.path.basename(name) if self.own else name)
        except LaminaError:
            return None

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The inputs that are folders."""
        return tuple(item for item in self.items if isinstance(item, Folder))

    def glob(self, pattern: str) -> list[Source]:
        """The files that match a pattern such as `nodes/*.yaml`, by name: those given, and those below folders given.

        `*` and `?` match characters of one name, `**` any number of folders. Without these nothing is listed.
        """
        matches = glob_test(pattern)
        found = {source.name: source for source in self.sources if matches(source.name)}
        exact = (pattern,) if not set("*?") & set(pattern) and _NO_FILES.isdisjoint(pattern.split("/")) else None
        for folder in self.folders:
            for name in exact or folder.files.names():
                if matches(name) and (source := folder.files.read(name)) is not None:
                    found[source.name] = source
        return [found[name] for name in sorted(found)]

    def kind_of(self, name: str) -> Literal["file", "folder"] | None:
        """Whether there is a file or a folder of that name among the inputs; nothing is read."""
        names = [source.name for source in self.sources]
        names += [inside for folder in self.folders for inside in folder.files.names()]
        if name in names:
            return "file"
        return "folder" if any(each.startswith(name.rstrip("/") + "/") for each in names) else None


def glob_test(pattern: str) -> Callable[[str], bool]:
    """Whether a name matches a pattern, folder by folder."""
    parts = ["(?:[^/]+/)*" if part == "**" else _one_name(part) + "/" for part in pattern.split("/")]
    expression = re.compile("".join(parts).removesuffix("/") + r"\Z", re.DOTALL)
    return lambda name: expression.match(name) is not None


def _one_name(part: str) -> str:
    return "".join("[^/]*" if each == "*" else "[^/]" if each == "?" else re.escape(each) for each in part)


def source_of(name: str, text: str | bytes | Mapping[Any, Any], header: str = "") -> Source:
    """A source from a name and its text or bytes, or a mapping; the text of a mapping gets a header."""
    if isinstance(text, Mapping):
        from lamina.sources.mapping_text import mapping_text

        text = header + mapping_text(name, text)
    return Source(name, text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)


def gather(
    given: Iterable[Given] | Given | Inputs, allow_paths: Folders = (), *, header: str = "", run: Run | None = None
) -> Inputs:
    """Read what the caller passed, for a run; inputs may also name files below the folders in `allow_paths`.

    Inputs that the caller created already have the files they may name. Mappings become files with a header.
    """
    if isinstance(given, Inputs):
        return given.in_run(run or Run(given.run.session))
    if isinstance(given, (str, os.PathLike, Source, Folder, Mapping)):
        given = [given]
    allowed = allowed_folders(allow_paths)
    items: list[Source | Folder] = []
    own: dict[str, Files] = {}
    for number, item in enumerate(given, 1):
        if isinstance(item, (Source, Folder)):
            items.append(item)
        elif isinstance(item, Mapping):
            items.append(source_of(f"<mapping {number}>", item, header))
        elif isinstance(item, tuple):
            named, content = item
            items.append(source_of(named, content, header))
        else:
            name = str(os.fspath(item))
            items.append(_open(name, allowed))
            if name != "-" and not os.path.isdir(name) and not _is_stream(name):
                own[name] = files_beside(name, allowed)
    if allowed:
        # An input without a folder, such as standard input, names files in the first allowed folder.
        without_folder = [item.name for item in items if isinstance(item, Source) and item.name not in own]
        own.update({name: DiskFiles(allowed[0], os.path.join(allowed[0], ""), allowed) for name in without_folder})
    return Inputs(tuple(items), own=own, files_for=lambda name: files_beside(name, allowed), run=run or Run())


def allowed_folders(allow_paths: Folders) -> tuple[str, ...]:
    """The real paths of the folders in which inputs may name files."""
    names = [allow_paths] if isinstance(allow_paths, (str, os.PathLike)) else allow_paths
    found = []
    for name in [os.fspath(each) for each in names]:
        if not os.path.isdir(name):
            raise UsageError(
                Diagnostic(
                    code="no-such-folder",
                    message=f"there is no folder {name}",
                    hint=nearest(name, name) or "--allow-path takes a folder whose files the inputs may refer to",
                )
            )
        found.append(os.path.realpath(name))
    return tuple(found)


def files_beside(path: str, allowed: Iterable[str] = ()) -> DiskFiles:
    """The files in the folder of a file, for the names written in that file."""
    folder = os.path.dirname(path)
    return DiskFiles(folder, os.path.join(folder, "") if folder else "", allowed)


def _open(name: str, allowed: Iterable[str]) -> Source | Folder:
    if name == "-" or _is_stream(name):
        return _open_stream(name)
    if os.path.isdir(name):
        return Folder(name, DiskFiles(name, name.rstrip("/") + "/", allowed))
    return read_file(name, name)


def _open_stream(name: str) -> Source:
    """Everything from standard input or a stream the caller opened."""
    if name == "-":
        return Source("<stdin>", _bounded(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>"))
    try:
        with open(name, "rb") as stream:
            return Source(name, _bounded(stream.read(MAX_BYTES + 1), name))
    except OSError as error:
        raise _unreadable(name, error) from None


def _is_stream(name: str) -> bool:
    """Whether a path is a stream that the caller opened, as a shell passes `<(command)`."""
    return name == "/dev/stdin" or os.path.dirname(name) in ("/dev/fd", "/proc/self/fd")


def read_file(path: str | os.PathLike[str], name: str) -> Source:
    """One regular file from disk, under the name the user gave; anything else might block."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise _special_file(name, mode)
        with open(path, "rb", buffering=0, opener=_without_waiting) as stream:
            return Source(name, _bounded(_all_of(stream), name))
    except FileNotFoundError:
        raise InputError(_missing(path, name)) from None
    except OSError as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: OSError) -> InputError:
    reason = (error.strerror or str(error)).lower()
    return InputError(Diagnostic(code="unreadable-file", message=f"{name} cannot be read: {reason}", hint=_RIGHTS))


_NO_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Opens a file without waiting for another program; Windows has no files that would wait."""


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_WAITING)


def _all_of(stream: FileIO) -> bytes:
    """The content of a file, or a little more than the limit; read in parts, to allocate no more than needed."""
    data = _read_without_waiting(stream, min(os.fstat(stream.fileno()).st_size, MAX_BYTES) + 1)
    size, parts = len(data), [data]
    while size <= MAX_BYTES and (more := _read_without_waiting(stream, _CHUNK)):
        parts.append(more)
        size += len(more)
    return data if len(parts) == 1 else b"".join(parts)


def _read_without_waiting(stream: FileIO, size: int) -> bytes:
    """What can be read without blocking; some kernel files look regular and never end."""
    data: bytes | None = stream.read(size)
    if data is None:
        raise BlockingIOError(EAGAIN, "no data is available yet")
    return data


_SPECIAL = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


def _special_file(name: str, mode: int) -> InputError:
    return InputError(
        Diagnostic(
            code="special-file",
            message=f"{name} is {_SPECIAL.get(stat.S_IFMT(mode), 'a special file')}, not a regular file",
            hint="Lamina reads regular files and folders; to read a stream, pipe it to standard input and pass `-`",
        )
    )


def outside_folder(name: str, prefix: str, linked: str | None = None, hint: str | None = None) -> InputError:
    """The error for a name that leads out of the folder whose names start with `prefix`.

    `linked` is the path that a link leads to, if there is one in the name.
    """
    folder = _short_path(os.path.dirname(linked)) if linked is not None else "DIR"
    allow = f"an input may refer only to files in its own folder; allow another folder with --allow-path {folder}"
    return InputError(
        Diagnostic(
            code="outside-folder",
            message=f"{name} is {'a link to a path ' if linked is not None else ''}outside the folder {prefix or '.'}",
            hint=hint or allow,
        )
    )


def check_links(root: str | os.PathLike[str], name: str) -> None:
    """Reject a name below a folder that leads nowhere because of a link, its last part or a folder."""
    parts = name.split("/")
    for end in range(1, len(parts) + 1):
        path = os.path.join(root, *parts[:end])
        if os.path.islink(path) and not os.path.exists(path):
            raise broken_link("/".join(parts[:end]), os.path.realpath(path))


def broken_link(name: str, target: str) -> InputError:
    """The error for a link that leads nowhere; the systems that take it for a missing file go on."""
    return InputError(
        Diagnostic(
            code="broken-link",
            message=f"{name} is a link to {_short_path(target)}, which does not exist",
            hint="replace the link by what it leads to, or remove it",
        )
    )


def _short_path(path: str) -> str:
    """A path for people: from where they are, if that is shorter."""
    return min(os.path.relpath(path), path, key=len)


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
    """A hint: what is in the same folder and has the most similar name; a link that leads nowhere is not there."""
    folder, own_name = os.path.split(path)
    siblings = os.listdir(folder or ".") if os.path.isdir(folder or ".") else []
    from lamina._support import suggestions

    near = suggestions.nearest_file(own_name, (each for each in siblings if os.path.exists(os.path.join(folder, each))))
    return f"did you mean {os.path.join(os.path.dirname(name), near)}?" if near else None


def _missing(path: str | os.PathLike[str], name: str) -> Diagnostic:
    if os.path.islink(path):
        message = f"{name} is a link to {os.readlink(path)}, which does not exist"
        hint = "correct the link, or pass the file it should lead to"
        return Diagnostic(code="missing-file", message=message, hint=hint)
    hint = nearest(path, name) or "check the path; `-` reads standard input"
    return Diagnostic(code="missing-file", message=f"there is no file {name}", hint=hint)
