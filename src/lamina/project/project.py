"""A project: the folder of its files, and its targets, however they were named."""

from __future__ import annotations

import os
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from lamina.errors import Diagnostic, InputError, UsageError
from lamina.origins import Origin
from lamina.project.declared import DeclaredTargets, LintSettings, ProjectFile
from lamina.protocol.dialect import unknown
from lamina.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lamina.project.declared import GivenInputs
    from lamina.project.file_view import FileView
    from lamina.project.target import Target
    from lamina.sources.git_inputs import Repository

MOST = 100_000
"""How many targets a project may have; `lamina render --output-dir` renders more from a manifest."""


@dataclass(frozen=True)
class Project:
    """A folder with targets.

    `root` is the absolute path of the folder; `prefix` is put before its files in output. `patterns` and `dialect`
    select targets, by their names (`web`, `site-*`) and their dialect; `changed` is what becomes of each target that
    is declared, such as one with the options of a command line.
    """

    root: str
    prefix: str
    file: ProjectFile
    run: Run = field(default_factory=Run, compare=False, repr=False)
    """What its files are read in, on disk and at commits."""
    patterns: tuple[str, ...] = ()
    dialect: str | None = None
    changed: Callable[[Target], Target] | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None) -> Project:
        """The project of a project file, or the nearest one of a folder and its parents; by default the current one."""
        from lamina.project import project_file

        given = os.fspath(path) if path is not None else os.curdir
        found = given if os.path.isfile(given) else project_file.find(given) if os.path.isdir(given) else None
        if found is None:
            raise UsageError(
                Diagnostic(
                    code="no-project",
                    message=f"there is no {project_file.NAME} in {given} or above it",
                    hint="lamina init detects what the folder contains and writes one",
                )
            )
        root = os.path.realpath(os.path.dirname(found) or os.curdir)
        folder = os.path.dirname(given) if os.path.isfile(given) else given
        prefix = _prefix(folder if os.path.realpath(folder or os.curdir) == root else os.path.relpath(root))
        file = project_file.load(found, prefix + os.path.basename(found))
        return cls(root, prefix, file)

    @classmethod
    def of_manifest(cls, path: str, dialect: str | None = None, allowed: tuple[str, ...] = ()) -> Project:
        """The nodes of a fleet manifest as targets of a project: the folder the manifest is in."""
        folder, name = os.path.split(path)
        pattern = DeclaredTargets(
            key="manifest",
            dialect=dialect,
            manifest=name,
            allowed=allowed,
            place=lambda *keys: Origin(path, 1, 1),  # noqa: ARG005 - a file
        )
        root = os.path.realpath(folder or os.curdir)
        return cls(root, _prefix(folder), ProjectFile(os.path.join(root, name), (pattern,)))

    @classmethod
    def of_folder(cls, folder: str, file: ProjectFile) -> Project:
        """A project of a folder with the content of a project file, which need not exist."""
        return cls(os.path.realpath(folder or os.curdir), _prefix(folder), file)

    @classmethod
    def of_inputs(cls, given: GivenInputs, dialect: str | None = None) -> Project:
        """Inputs that a caller named as the only target of a project: the folder they all are in."""
        folders = [path if os.path.isdir(path) else os.path.dirname(path) or os.curdir for path in given.paths]
        real = [os.path.realpath(folder) for folder in folders]
        root = os.path.commonpath(real or [os.path.realpath(os.curdir)])
        inputs = tuple(
            _inside(root, folder, "" if os.path.isdir(path) else os.path.basename(path))
            for path, folder in zip(given.paths, real, strict=True)
        )
        name = " + ".join("standard input" if path == "-" else path for path in given.paths)
        declared = DeclaredTargets(
            key=name or "options",
            dialect=dialect,
            inputs=inputs,
            given=given,
            place=lambda *keys: Origin(given.paths[0] if given.paths else root, 1, 1),  # noqa: ARG005 - a file
        )
        shown = folders[0] if folders and len(set(real)) == 1 else os.path.relpath(root)
        return cls(root, _prefix(shown), ProjectFile("", (declared,)))

    @property
    def baseline(self) -> str | None:
        """The file with the known findings, as a path that can be opened."""
        return None if self.lint.baseline is None else self.prefix + self.lint.baseline

    @property
    def lint(self) -> LintSettings:
        """The lint settings."""
        return self.file.lint

    @cached_property
    def view(self) -> FileView:
        """Its files on disk."""
        from lamina.project.file_view import disk_view

        return disk_view(self.root, self.prefix, self.file.ignore, self.run)

    def at_commit(self, repository: Repository, commit: str) -> FileView:
        """Its files at a commit."""
        from lamina.project.file_view import revision_view

        return revision_view(repository, commit, self.root, self.prefix, self.file.ignore, self.run)

    @cached_property
    def _on_disk(self) -> tuple[Target, ...]:
        return self.targets_in(self.view)

    @property
    def targets(self) -> tuple[str, ...]:
        """The names of its targets, in the order of the project file."""
        return tuple(target.name for target in self._on_disk)

    def target(self, name: str) -> Target:
        """The target of that name."""
        for target in self._on_disk:
            if target.name == name:
                return _with_own_options(target)
        raise UsageError(unknown("target", name, self.targets))

    def select(self, patterns: Iterable[str] = ()) -> tuple[Target, ...]:
        """The targets whose names match any of the patterns (`web`, `site-*`), or all."""
        chosen = replace(self, patterns=tuple(patterns), dialect=None)
        return tuple(map(_with_own_options, filter(chosen.selects, self._on_disk)))

    def selected(self, view: FileView | None = None) -> tuple[Target, ...]:
        """The targets that are selected, on disk or in another view of the files."""
        targets = self._on_disk if view is None else self.targets_in(view)
        return tuple(map(_with_own_options, filter(self.selects, targets)))

    def selects(self, target: Target) -> bool:
        """Whether a target is selected."""
        named = not self.patterns or any(fnmatchcase(target.name, pattern) for pattern in self.patterns)
        return named and self.dialect in (None, target.dialect)

    def check_selection(self, names: Iterable[str]) -> None:
        """Reject patterns that match none of the names."""
        known = list(names)
        wrong = [pattern for pattern in self.patterns if not any(fnmatchcase(name, pattern) for name in known)]
        if wrong:
            raise UsageError.of(unknown("target", pattern, known) for pattern in wrong)

    def targets_in(self, view: FileView) -> tuple[Target, ...]:
        """Its targets in a view of its files."""
        return distinct(target for declared in self.file.declared for target in self.declared_in(declared, view))

    def declared_in(self, declared: DeclaredTargets, view: FileView) -> Iterator[Target]:
        """The targets of an entry, in a view of its files."""
        if declared.is_pattern:
            from lamina.project.target_patterns import expanded

            found = expanded(declared, view)
        else:
            from lamina.project.target import declared_target

            found = iter([declared_target(declared, view)])
        return found if self.changed is None else map(self.changed, found)


def _with_own_options(target: Target) -> Target:
    """A target for a caller, who may change its options."""
    return replace(target, options=deepcopy(target.options)) if target.options else target


def distinct(targets: Iterable[Target]) -> tuple[Target, ...]:
    """The targets, unless two have the same name or there are too many."""
    found: dict[str, Target] = {}
    for target in targets:
        if target.name in found:
            raise InputError(_repeated_name(target, found[target.name]))
        found[target.name] = target
        if len(found) > MOST:
            raise InputError(_too_many(target))
    return tuple(found.values())


def _inside(root: str, folder: str, name: str) -> str:
    """A path from a root; the root itself is empty."""
    path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
    return "" if path == os.curdir else path


def _prefix(folder: str) -> str:
    """The prefix for the names of files in a folder."""
    return "" if folder in ("", os.curdir) else folder.rstrip("/").replace(os.sep, "/") + "/"


def _repeated_name(target: Target, first: Target) -> Diagnostic:
    related = (("the other one is from here", first.at),) if first.at else ()
    return Diagnostic(
        code="duplicate-target",
        message=f"two targets are called {target.name}",
        at=target.at,
        related=related,
        hint='give a pattern a name of its own: name = "web-{name}"',
    )


def _too_many(target: Target) -> Diagnostic:
    return Diagnostic(
        code="too-many-targets",
        message=f"there are more than {MOST:,} targets",
        at=target.at,
        hint="narrow the pattern, or render them from a manifest with lamina render --output-dir",
    )
