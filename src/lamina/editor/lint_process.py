"""Lint in a process of its own: it takes seconds in large repositories, and a thread would hold up every hover.

The process has a workspace of its own, in which nothing is rendered for its own sake, and is told what was typed.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, NamedTuple

from lamina.errors import LaminaError
from lamina.project.folder_project import discover
from lamina.workspace.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.errors import Note
    from lamina.views.lint.fixes import PlacedEdit


class LintedFinding(NamedTuple):
    """A finding of a file, the targets it applies to, and the edit that fixes it, if there is a safe one."""

    note: Note
    targets: Sequence[str]
    edit: PlacedEdit | None


class LintProcess:
    """Lints one project; started when it is first asked."""

    def __init__(self, root: str, patterns: tuple[str, ...]) -> None:
        self._start = root, patterns, os.getpid()
        self._pool: ProcessPoolExecutor | None = None

    def findings(self, path: str, texts: Mapping[str, bytes | None]) -> list[LintedFinding]:
        """The findings of a file while these files have other texts than on disk; whoever asks waits."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=_begin, initargs=self._start)
        return self._pool.submit(_findings, path, dict(texts)).result()

    def close(self) -> None:
        """End the process; what it works on is dropped."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)


_WORKSPACES: list[Workspace] = []
"""The workspace of this process, where it is one that lints."""
_TYPED: set[str] = set()


def _begin(root: str, patterns: tuple[str, ...], parent: int) -> None:
    def watch() -> None:
        while os.getppid() == parent:
            sleep(2)
        os._exit(1)

    if hasattr(os, "getppid"):
        Thread(target=watch, name="lamina parent", daemon=True).start()
    project = next(each for each in discover(root) if each.root == root)
    _WORKSPACES.append(Workspace(replace(project, patterns=patterns)))


def _findings(path: str, texts: dict[str, bytes | None]) -> list[LintedFinding]:
    workspace = _WORKSPACES[0]
    saved = {each: _on_disk(workspace, each) for each in _TYPED - texts.keys()}
    _TYPED.clear()
    _TYPED.update(texts)
    workspace.change({**saved, **texts})
    try:
        linted = workspace.lint([path])
        edits = workspace.fixes(path)
    except LaminaError as error:
        return [LintedFinding(replace(each, fix=None), (), None) for each in error.diagnostics]
    targets = linted.targets or {}
    return [
        LintedFinding(replace(each, fix=None, cause=None), targets.get(each, ()), edits.get(each))
        for each in linted.findings
    ]


def _on_disk(workspace: Workspace, path: str) -> bytes | None:
    try:
        with open(os.path.join(workspace.project.root, path), "rb") as file:
            return file.read()
    except OSError:
        return None
