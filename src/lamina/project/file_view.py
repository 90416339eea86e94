"""Views of a project's files: as they are on disk, as they were at a commit, or with some of them replaced in memory.

A view returns the inputs of targets. It caches the files it has read and the inputs it has returned, so that files of
several targets are read once. For each set of inputs it also records which files were read, so that a result can be
reused for another view in which all of them are the same.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cache
from posixpath import basename, dirname, join, normpath
from typing import TYPE_CHECKING, Literal

from lamina._support.derived import Derived
from lamina.errors import Diagnostic, InputError
from lamina.run import Run
from lamina.sources.inputs import DiskFiles, Folder, Inputs, MemoryFiles, check_links, gather, glob_test, outside_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lamina.origins import Origin
    from lamina.project.declared import GivenInputs
    from lamina.sources.git_inputs import Repository
    from lamina.sources.inputs import Files
    from lamina.sources.source import Source

    PathType = Literal["file", "folder"] | None


class UnignoredFiles:
    """The files below a folder of a project, without listing those that the project ignores."""

    def __init__(self, files: Files, folder: str, ignore: Iterable[str]) -> None:
        self._files = files
        self._folder = folder
        # An ignored folder is ignored with everything below it, with or without stars at the end.
        self._ignored = tuple(glob_test(pattern.rstrip("/").removesuffix("/**")) for pattern in ignore)

    def read(self, name: str) -> Source | None:
        return self._files.read(name)

    def names(self) -> Sequence[str]:
        names = self._files.names()
        return [name for name in names if not self._ignores(name)] if self._ignored else names

    def attached(self) -> Sequence[str]:
        return ()

    def _ignores(self, name: str) -> bool:
        """Whether a file, or a folder it is in, is ignored."""
        steps = join(self._folder, name).split("/")
        paths = ["/".join(steps[:end]) for end in range(1, len(steps) + 1)]
        return any(matches(path) for matches in self._ignored for path in paths)


class FilesReadOnce:
    """The files below one folder of a project, each read once."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._read: dict[str, Source | None] = {}
        self._names: Sequence[str] | None = None

    def read(self, name: str) -> Source | None:
        if name not in self._read:
            self._read[name] = self._files.read(name)
        return self._read[name]

    def names(self) -> Sequence[str]:
        if self._names is None:
            self._names = self._files.names()
        return self._names

    def attached(self) -> Sequence[str]:
        return ()


@dataclass(slots=True, eq=False)
class FileRecord:
    """What was read through one set of inputs: the files read or missing, and the folders listed."""

    read: dict[tuple[str, str], Source | None] = field(default_factory=dict)
    listed: dict[str, Sequence[str]] = field(default_factory=dict)

    @property
    def seen(self) -> set[str]:
        """The paths of everything that was read."""
        return {join(folder, name) for folder, name in self.read} | set(self.listed)

    def holds_in(self, view: FileView) -> bool:
        """Whether everything is the same in another view."""
        try:
            return all(view.below(folder).names() == names for folder, names in self.listed.items()) and all(
                _is_same(view, folder, name, source) for (folder, name), source in self.read.items()
            )
        except InputError:  # it can no longer be read
            return False


def _is_same(view: FileView, folder: str, name: str, source: Source | None) -> bool:
    if source is None:  # where nothing was, there may be a folder now
        return view.type_of(join(folder, name)) is None
    return view.below(folder).read(name) == source


class _FilesOnRecord:
    """The files below a folder; reading them is recorded."""

    def __init__(self, files: Files, folder: str, record: FileRecord) -> None:
        self._files = files
        self._folder = folder
        self._record = record

    def read(self, name: str) -> Source | None:
        source = self._record.read[self._folder, name] = self._files.read(name)
        return source

    def names(self) -> Sequence[str]:
        names = self._record.listed[self._folder] = self._files.names()
        return names

    def attached(self) -> Sequence[str]:
        return ()


class FileView:
    """The files of a project; paths are relative to its root and use `/`.

    `opened` returns the files below a folder, `type_of` the type of a path, `gathered` inputs as a caller named them,
    which need not be in the project. `prefix` is put before names in output. In
    a view that is not `complete`, such as that of an old revision, inputs may be missing.
    """

    def __init__(
        self,
        root: str,
        prefix: str,
        opened: Callable[[str], Files],
        type_of: Callable[[str], PathType],
        *,
        ignore: Iterable[str] = (),
        complete: bool = True,
        run: Run | None = None,
        gathered: Callable[[GivenInputs], Inputs] | None = None,
    ) -> None:
        self.root = root
        self.run = run or Run()
        """What its files are read in."""
        self.prefix = prefix
        self.complete = complete
        self.type_of = type_of
        self._opened = opened
        self._gathered = gathered
        self._given: dict[GivenInputs, Inputs] = {}
        self._ignore = tuple(ignore)
        self._folders: dict[str, FilesReadOnce] = {}
        self._inputs: dict[tuple[str, ...], Inputs | None] = {}
        self._records: dict[tuple[str, ...], FileRecord] = {}

    def below(self, folder: str) -> Files:
        """The files below a folder."""
        if folder not in self._folders:
            self._folders[folder] = FilesReadOnce(UnignoredFiles(self._opened(folder), folder, self._ignore))
        return self._folders[folder]

    def read(self, path: str) -> Source | None:
        """The file at a path, or None when there is none."""
        return self.below(dirname(path)).read(basename(path))

    def matches(self, pattern: str) -> list[str]:
        """The files and folders that match a pattern such as `site/*`, sorted; without hidden ones."""
        parts = pattern.split("/")
        fixed = next((at for at, part in enumerate(parts) if set(part) & set("*?")), len(parts))
        if fixed == len(parts):
            return [pattern] if self.type_of(pattern) else []
        folder, test = "/".join(parts[:fixed]), glob_test("/".join(parts[fixed:]))
        found: set[str] = set()
        for name in self.below(folder).names() if not folder or self.type_of(folder) else ():
            steps = name.split("/")
            if not any(step.startswith(".") for step in steps):
                found.update("/".join(steps[:end]) for end in range(1, len(steps) + 1))
        return sorted(join(folder, path) for path in found if test(path))

    def inputs(self, paths: tuple[str, ...], input_origins: Sequence[Origin | None] = ()) -> Inputs | None:
        """The inputs at these paths, in order; None if the view has none of them.

        `input_origins` are where the paths are written down, for errors.
        """
        if paths not in self._inputs:
            self._inputs[paths] = self._read_inputs(paths, input_origins)
        return self._inputs[paths]

    def given(self, given: GivenInputs, paths: tuple[str, ...]) -> Inputs | None:
        """Inputs that a caller named, read once; `paths` are where they are in the project."""
        if self._gathered is None:
            return self.inputs(paths)
        if given not in self._given:
            self._given[given] = self._gathered(given)
        return self._given[given]

    def record(self, paths: tuple[str, ...]) -> FileRecord:
        """What was read so far through the inputs at these paths."""
        return self._records.setdefault(paths, FileRecord())

    def _read_inputs(self, paths: tuple[str, ...], input_origins: Sequence[Origin | None]) -> Inputs | None:
        record = self.record(paths)
        items: list[Source | Folder] = []
        own: dict[str, Files] = {}
        missing: list[Diagnostic] = []
        for number, path in enumerate(paths):
            at = input_origins[number] if number < len(input_origins) else None
            item = self._item(path, at, record, own)
            if item is not None:
                items.append(item)
            else:
                missing.append(self._missing(path, at))
        if missing and self.complete:
            raise InputError.of(missing)
        if not items:
            return None
        return Inputs(
            tuple(items),
            own=own,
            files_for=lambda name: self._files_beside(name, record),
            derive=self._derive,
            run=self.run,
        )

    def _item(self, path: str, at: Origin | None, record: FileRecord, own: dict[str, Files]) -> Source | Folder | None:
        """The file or folder at a path; for a file, adds the files it may name to `own`."""
        try:
            kind = self.type_of(path)
            if kind == "folder":
                shown = self.prefix + path if path else self.prefix or "."
                return Folder(shown, self._recorded(path, record))
            if kind is None:
                record.read[dirname(path), basename(path)] = None
                return None
            files = own[self.prefix + path] = self._recorded(dirname(path), record)
            return files.read(basename(path))
        except InputError as error:
            raise InputError.of(replace(each, at=each.at or at) for each in error.diagnostics) from None

    def _derive(self) -> Derived:
        """The cache for values derived from inputs."""
        return Derived()

    def _recorded(self, folder: str, record: FileRecord) -> Files:
        return _FilesOnRecord(self.below(folder), folder, record)

    def _files_beside(self, name: str, record: FileRecord) -> Files:
        """The files next to one that an option names by a path in the project."""
        inside = os.path.relpath(os.path.realpath(name), self.root).replace(os.sep, "/")
        if leads_out(inside):
            raise outside_folder(name, self.prefix, hint=IN_PROJECT)
        return self._recorded(dirname(inside), record)

    def _missing(self, path: str, at: Origin | None) -> Diagnostic:
        try:
            if self.complete:  # in a commit, links are other ones
                check_links(self.root, path)
        except InputError as error:
            return replace(error.diagnostic, at=at)
        # Files of this view: on disk there may be others.
        from lamina._support import suggestions

        near = suggestions.nearest_file(basename(path), map(basename, self.matches(join(dirname(path), "*"))))
        hint = f"did you mean {join(dirname(path), near)}?" if near else _FROM_ROOT
        return Diagnostic(code="missing-file", message=f"there is no file or folder {path}", at=at, hint=hint)


_FROM_ROOT = "check the path; it starts at the folder of the project"
IN_PROJECT = "a project reads only what is below the folder of its lamina.toml; copy the file there"


def leads_out(path: str) -> bool:
    """Whether a normalised path leads out of the folder it starts in."""
    path = normpath(path)
    return path == ".." or path.startswith(("../", "/")) or os.path.isabs(path)


def disk_view(root: str, prefix: str = "", ignore: Iterable[str] = (), run: Run | None = None) -> FileView:
    """The files of a project on disk; a link that leads out of the project is not followed."""
    root = os.path.realpath(root)

    def inside(path: str) -> str:
        full = os.path.realpath(os.path.join(root, path))
        if not os.path.join(full, "").startswith(os.path.join(root, "")):
            if not leads_out(path) and not os.path.exists(full):
                check_links(root, path)
            raise outside_folder(path, prefix, None if leads_out(path) else full, IN_PROJECT)
        return full

    def opened(folder: str) -> Files:
        return DiskFiles(inside(folder), f"{prefix}{folder}/" if folder else prefix, (root,), IN_PROJECT)

    def type_of(path: str) -> PathType:
        full = inside(path)
        return "folder" if os.path.isdir(full) else "file" if os.path.exists(full) else None

    def gathered(given: GivenInputs) -> Inputs:
        return gather(given.paths, given.allowed, run=view.run)

    view = FileView(root, prefix, opened, type_of, ignore=ignore, run=run, gathered=gathered)
    return view


def revision_view(
    repository: Repository,
    commit: str,
    root: str,
    prefix: str = "",
    ignore: Iterable[str] = (),
    run: Run | None = None,
) -> FileView:
    """The files of a project at a commit; the repository must stay open while the view is used."""
    from lamina.sources.git_inputs import LINK, GitFiles, inputs_at, path_in

    entries = repository.files(commit)
    folders = {"/".join(name.split("/")[:end]) for name in entries for end in range(1, name.count("/") + 1)} | {""}

    @cache
    def top_folder() -> str:
        return path_in(repository, root)  # of inputs that a caller named, it need not be in the repository

    def followed(path: str) -> str:
        """The path in the repository with links to folders resolved."""
        top = top_folder()
        full = _joined(top, path)
        entry = entries.get(full)
        if entry is None or entry.mode != LINK:
            return full
        target = normpath(join(dirname(full), os.fsdecode(repository.content(entry.number))))
        if target not in folders:
            return full
        if not f"{target}/".startswith(f"{top}/" if top else ""):
            raise outside_folder(path, prefix, hint=IN_PROJECT)
        return target

    def opened(folder: str) -> Files:
        return GitFiles(
            repository, entries, followed(folder), f"{prefix}{folder}/" if folder else prefix, [top_folder()]
        )

    def type_of(path: str) -> PathType:
        full = followed(path)
        return "file" if full in entries else "folder" if full in folders else None

    def gathered(given: GivenInputs) -> Inputs:
        return inputs_at(repository, commit, given.paths, given.allowed, run=view.run)

    view = FileView(root, prefix, opened, type_of, ignore=ignore, complete=False, run=run, gathered=gathered)
    return view


def _joined(top: str, path: str) -> str:
    return f"{top}/{path}" if top and path else top or path


class _OverlayFiles:
    """Files of which some are replaced, added or, if the content is None, removed."""

    def __init__(self, files: Files, contents: Mapping[str, str | bytes | None], prefix: str) -> None:
        self._files = files
        self._contents = contents
        self._prefix = prefix

    def read(self, name: str) -> Source | None:
        name = normpath(name)
        if name not in self._contents:
            return self._files.read(name)
        text = self._contents[name]
        return None if text is None else MemoryFiles({self._prefix + name: text}).read(self._prefix + name)

    def names(self) -> Sequence[str]:
        names = {name for name in (*self._files.names(), *self._contents) if self._contents.get(name, "") is not None}
        return sorted(name for name in names if not name.startswith("../"))

    def attached(self) -> Sequence[str]:
        return ()


def overlay_view(base: FileView, contents: Mapping[str, str | bytes | None]) -> FileView:
    """A view with some files replaced by contents in memory, such as unsaved files of an editor; None removes one."""
    there = {path for path, text in contents.items() if text is not None}
    folders = {"/".join(path.split("/")[:end]) for path in there for end in range(1, path.count("/") + 1)}

    def opened(folder: str) -> Files:
        own = {os.path.relpath(path, folder or ".").replace(os.sep, "/"): text for path, text in contents.items()}
        files: Files = base.below(folder) if base.type_of(folder) == "folder" else MemoryFiles({})
        return _OverlayFiles(files, own, f"{base.prefix}{folder}/" if folder else base.prefix)

    def type_of(path: str) -> PathType:
        if path in contents:
            return None if contents[path] is None else "file"
        return "folder" if path in folders else base.type_of(path)

    return FileView(base.root, base.prefix, opened, type_of, complete=base.complete, run=base.run)
