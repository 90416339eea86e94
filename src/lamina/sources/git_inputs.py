"""Inputs at a git commit; nothing is checked out and nothing is changed.

Only git's reading commands are used (`rev-parse`, `merge-base`, `for-each-ref`, `ls-tree`, `cat-file`): they run no
hooks and no filters. Lazy fetching is turned off.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path as FilePath
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from lamina._support import suggestions
from lamina.errors import Diagnostic, InputError, UsageError
from lamina.run import Run
from lamina.sources.inputs import MAX_BYTES, Folder, Inputs, allowed_folders, broken_link, outside_folder, too_large
from lamina.sources.inputs import files_beside as disk_beside
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from lamina.sources.inputs import Files

    Fault = Callable[[str], Diagnostic]
    """The finding for a git command that failed, given its output."""

_ENVIRONMENT = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
LINK = "120000"
_LINKS = 20
"""How many symbolic links are followed in a row."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of a commit: its mode, the id of its content, and its size, unless the content is missing."""

    mode: str
    number: str
    size: int | None


class Repository:
    """The repository a folder is in; to be closed after use."""

    def __init__(self, folder: FilePath) -> None:
        while not folder.is_dir():
            folder = folder.parent
        self._folder = folder
        self._reader: subprocess.Popen[bytes] | None = None
        self._process = os.getpid()
        self.root = FilePath(os.fsdecode(self._run("rev-parse", "--show-toplevel", fault=self._no_repository)))

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._reader is not None:
            self._reader.communicate()
            self._reader = None

    def commit(self, revision: str) -> str:
        """The commit a revision names."""

        def unknown(output: str) -> Diagnostic:  # noqa: ARG001 - git says less than we know
            return Diagnostic(
                code="unknown-revision",
                message=f"unknown revision {revision!r} in this repository",
                hint=f"{self._suggestion(revision)}use a branch, a tag or a commit; in a shallow clone, fetch it first",
            )

        named = f"{revision or 'HEAD'}^{{commit}}"
        return os.fsdecode(self._run("rev-parse", "--verify", "--quiet", "--end-of-options", named, fault=unknown))

    def _suggestion(self, revision: str) -> str:
        """A branch or tag with a similar name, if there is one; suffixes such as ~1 are kept."""
        name = re.split(r"[~^:]|@\{", revision, maxsplit=1)[0]
        known = ["HEAD", *os.fsdecode(self._run("for-each-ref", "--format=%(refname:short)")).splitlines()]
        return "" if name in known else suggestions.did_you_mean(name, known)

    def common(self, one: str, other: str) -> str:
        """The merge base of two commits."""

        def unrelated(output: str) -> Diagnostic:  # noqa: ARG001 - git says nothing
            return Diagnostic(
                code="unrelated-revisions",
                message="the two revisions have no commit in common",
                hint="use two dots to compare them directly; in a shallow clone, fetch more history first",
            )

        return os.fsdecode(self._run("merge-base", one, other, fault=unrelated))

    def files(self, commit: str) -> dict[str, TreeEntry]:
        """All files at a commit, by their path from the root."""
        listed = self._run("ls-tree", "-r", "-z", "-l", "--full-tree", commit)
        entries = {}
        for record in filter(None, listed.split(b"\0")):
            head, _, name = record.partition(b"\t")
            mode, kind, number, size = head.decode().split()
            if kind == "blob":
                # The size of an object that is missing, as in a partial clone, is not a number.
                entries[os.fsdecode(name)] = TreeEntry(mode, number, int(size) if size.isdigit() else None)
        return entries

    def content(self, number: str) -> bytes:
        """The bytes of a file."""
        if self._reader is None or self._process != os.getpid():
            # A forked process needs its own reader: the answers of a shared one would get mixed up.
            self._process = os.getpid()
            self._reader = subprocess.Popen(
                self._command("cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **_ENVIRONMENT},
            )
        assert self._reader.stdin is not None
        assert self._reader.stdout is not None
        self._reader.stdin.write(number.encode() + b"\n")
        self._reader.stdin.flush()
        head = self._reader.stdout.readline().split()
        if len(head) != 3:
            raise InputError(_no_object(f"git cannot read the object {number}"))
        return self._reader.stdout.read(int(head[2]) + 1)[:-1]

    def _command(self, *arguments: str) -> list[str]:
        return ["git", "-C", str(self._folder), "--literal-pathspecs", *arguments]

    def _run(self, *arguments: str, fault: Fault | None = None) -> bytes:
        try:
            done = subprocess.run(
                self._command(*arguments), capture_output=True, check=False, env={**os.environ, **_ENVIRONMENT}
            )
        except FileNotFoundError:
            raise InputError(
                Diagnostic(code="no-git", message="git is not installed", hint="install git, or compare two folders")
            ) from None
        if done.returncode:
            output = done.stderr.decode(errors="replace").strip()
            raise UsageError((fault or _rejected)(output))
        return done.stdout.removesuffix(b"\n")

    def _no_repository(self, output: str) -> Diagnostic:
        if "not a git repository" not in output:
            return _rejected(output)
        return Diagnostic(
            code="no-repository",
            message=f"{self._folder} is not in a git repository",
            hint="run it in a repository, or pass a folder that is in one",
        )


def _rejected(output: str) -> Diagnostic:
    message = f"git failed: {output.splitlines()[0] if output else 'no message'}"
    return Diagnostic(code="git-failed", message=message, hint="run `git status` there to see what is wrong")


def _no_object(message: str) -> Diagnostic:
    return Diagnostic(
        code="unreadable-file",
        message=message,
        hint="in a partial or shallow clone, fetch it first; `git fsck` checks a damaged repository",
    )


class GitFiles:
    """The files below a folder of a commit, and below the allowed folders; `prefix` is put before names in output."""

    def __init__(
        self,
        repository: Repository,
        entries: Mapping[str, TreeEntry],
        folder: str,
        prefix: str = "",
        allowed: Sequence[str] = (),
    ) -> None:
        self._repository = repository
        self._entries = entries
        self._folder = f"{folder}/" if folder else ""
        self._within = tuple(f"{each}/" if each else "" for each in (folder, *allowed))
        self._prefix = prefix

    def read(self, name: str) -> Source | None:
        path = self._followed(name)
        entry = self._entries.get(path)
        return None if entry is None else _source(self._repository, entry, self._prefix + name)

    def names(self) -> Sequence[str]:
        inside = (path for path in self._entries if path.startswith(self._folder))
        return sorted(path.removeprefix(self._folder) for path in inside)

    def attached(self) -> Sequence[str]:
        return ()

    def _followed(self, name: str) -> str:
        """The path of a name, with links resolved; a name that leads out of the folder is rejected."""
        path = normpath(join(self._folder, name))
        linked = False
        for _ in range(_LINKS):
            if not (path + "/").startswith(self._within) or (path + "/").startswith(("../", "/")):
                outside = str(self._repository.root / path)
                if linked and not FilePath(outside).exists():
                    raise broken_link(name, outside)
                raise outside_folder(name, self._prefix, outside if linked else None)
            entry = self._entries.get(path)
            if entry is None or entry.mode != LINK:
                return path
            target = os.fsdecode(self._repository.content(entry.number))
            path, linked = normpath(join(dirname(path), target)), True
        return ""


def _source(repository: Repository, entry: TreeEntry, name: str) -> Source:
    if entry.size is None:
        raise InputError(_no_object(f"{name} cannot be read: git has no object {entry.number}"))
    if entry.size > MAX_BYTES:
        raise too_large(name)
    return Source(name, repository.content(entry.number))


def inputs_at(
    repository: Repository,
    commit: str,
    paths: Sequence[str],
    allow_paths: Sequence[str] = (),
    *,
    run: Run | None = None,
) -> Inputs:
    """The files and folders of these names at a commit; those that did not exist are omitted.

    Without any name, all files are named by options. Files outside the repository that an option names are read from
    disk.
    """
    entries = repository.files(commit)
    allowed = [path_in(repository, path) for path in allow_paths]
    items: list[Source | Folder] = []
    own: dict[str, Files] = {}

    def files_for(path: str) -> Files:
        return files_beside(path) if is_inside(repository, path) else disk_beside(path, allowed_folders(allow_paths))

    def files_beside(path: str) -> GitFiles:
        folder, prefix = path_in(repository, path).rpartition("/")[0], path[: len(path) - len(FilePath(path).name)]
        return GitFiles(repository, entries, folder, prefix, allowed)

    for path in paths:
        inside = path_in(repository, path)
        if inside in entries:
            own[path] = files_beside(path)
            source = own[path].read(FilePath(path).name)
            items += [source] if source else []
        elif not inside or any(name.startswith(f"{inside}/") for name in entries):
            prefix = path.rstrip("/") + "/"  # as on disk, so that a file has the same name in both
            items.append(Folder(path, GitFiles(repository, entries, inside, prefix, allowed)))
    if paths and not items:
        message = f"there is no file {' and no '.join(paths)}"
        raise InputError(Diagnostic(code="missing-file", message=message, hint="check the name and the revision"))
    return Inputs(tuple(items), own=own, files_for=files_for, run=run or Run())


def path_in(repository: Repository, path: str) -> str:
    """A path from the root of the repository."""
    found = _inside(repository, path)
    if found is not None:
        return found
    raise UsageError(
        Diagnostic(
            code="outside-repository",
            message=f"{path} is not in the repository {repository.root}",
            hint="all paths must be in one repository",
        )
    )


def is_inside(repository: Repository, path: str) -> bool:
    """Whether a path leads into the repository."""
    return _inside(repository, path) is not None


def _inside(repository: Repository, path: str) -> str | None:
    full = FilePath(os.path.abspath(path))  # noqa: PTH100 - links are the commit's business, not the disk's
    for root in (repository.root, repository.root.resolve()):
        if full.is_relative_to(root):
            return _from_root(full.relative_to(root))
    resolved, root = full.resolve(), repository.root.resolve()
    return _from_root(resolved.relative_to(root)) if resolved.is_relative_to(root) else None


def _from_root(path: FilePath) -> str:
    """A relative path as git writes it; the root itself is the empty text."""
    return "/".join(path.parts)
