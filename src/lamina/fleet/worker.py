"""Workers: render batches of nodes, keeping warm what nodes share.

A worker reads the inputs itself, from a file system it shares with the others. It keeps the files, the documents, the
folded beginnings and the texts of shared parts from batch to batch; none of them changes a result. Files are written
whole: under a name of their own in the same folder, then renamed.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path as FilePath
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING

from lamina._support.garbage_collection import Paused
from lamina.dialects import registry as dialects
from lamina.engine.prefix_cache import PrefixMemo
from lamina.errors import Diagnostic, InputError, LaminaError, Severity
from lamina.fleet.file_names import file_stem
from lamina.fleet.input_files import KeptFiles, digest, digest_of_all
from lamina.fleet.job import JournalRow, Report
from lamina.session import Session, calling
from lamina.sources.inputs import DiskFiles, Folder, Inputs
from lamina.sources.yaml.writer import Writer
from lamina.version import VERSION
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.dialects.registry import FleetNode
    from lamina.fleet.job import Job, Task
    from lamina.sources.source import Source
    from lamina.views.result import Result

PARTIAL = ".lamina-"
_LISTED = "check the inputs of the node in the manifest; paths start at the manifest's folder"
"""How the names of files begin that are still being written; the run follows."""
_MEMORY = 64 * 1024 * 1024
_OWN = 4 * 1024 * 1024
"""How many bytes documents may take, and how many of these those that are a single node's own."""
_LOCK = Lock()
_WORKERS: dict[str, Worker] = {}
"""The worker of the run this process works for."""


def render_batch(job: Job, tasks: Sequence[Task]) -> Report:
    """Render the nodes of a batch."""
    # A Dask worker may run two batches at a time; the memos are for one.
    with _LOCK:
        worker = _WORKERS.get(job.run)
        if worker is None:
            _dismiss()
            worker = _WORKERS[job.run] = Worker(job)
        return worker.batch(tasks)


def dismiss(job: Job) -> None:
    """Let go of all that was kept for a run in this process."""
    with _LOCK:
        if job.run in _WORKERS:
            _dismiss()


def _dismiss() -> None:
    for worker in _WORKERS.values():
        worker.close()
    _WORKERS.clear()


class Worker:
    """Renders the nodes of one job."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._dialect = dialects.find(job.dialect)
        self._options = dict(job.options)
        self._settled = dialects.make_options(self._dialect, self._options)
        self._memo = PrefixMemo() if job.memos else None
        style = self._dialect.style
        self._writer = Writer(sort_keys=style.sort_keys, remember=job.memos)
        self._places = Places(job)
        self._session = Session(memory=_MEMORY, once=_OWN)

    def close(self) -> None:
        """Let go of what was read."""
        self._session.close()

    def batch(self, tasks: Sequence[Task]) -> Report:
        """Render the nodes of a batch; one that fails does not stop the others."""
        report = Report()
        start = perf_counter()
        with Paused():  # next to nothing here is cyclic
            for task in tasks:
                self._task(task, report)
        report.seconds = perf_counter() - start
        return report

    def _task(self, task: Task, report: Report) -> None:
        name = task.node.name
        try:
            self._rendered(task, report)
        except LaminaError as error:
            report.fail(str(error), name)
        except OSError as error:
            report.fail(f"the result cannot be written: {error.strerror or error} [unwritable-file]", name)
        except Exception as error:  # a defect in one node must not cost the others
            report.fail(f"internal error: {type(error).__name__}: {error} [defect]", name)

    def _rendered(self, task: Task, report: Report) -> None:
        node = task.node
        inputs, known = self._places.open(node)
        if task.known is not None and self._is_current(task, known):
            report.current += 1
            return
        options = self._settled
        if node.options:
            options = dialects.make_options(self._dialect, {**self._options, **node.options})
        with self._places.asked(node) as asked, calling(self._session):
            rendered = render_with(self._dialect, inputs, options, self._memo)
        text = self._text(rendered)
        if self._job.output is None:
            report.lines.append(f'{{"node": {json.dumps(node.name)}, "value": {text}}}')
        else:
            data = text.encode("utf-8", "surrogatepass")
            self._write(node, data)
            report.rows.append((node.name, JournalRow(self._digest(node, known), digest(data), asked)))
        report.rendered += 1
        self._tell(rendered, node.name, report)

    def _text(self, rendered: Result) -> str:
        sort = rendered.style.sort_keys
        if self._job.output is None:
            return rendered.to_json(indent=None, sort_keys=sort).rstrip("\n")
        if self._job.form == "json":
            return rendered.to_json(sort_keys=sort)
        return rendered.to_yaml(writer=self._writer)

    def _tell(self, rendered: Result, name: str, report: Report) -> None:
        for note in rendered.notes:
            report.say(str(note), name, failed=False)
        if any(note.severity >= Severity.ERROR for note in rendered.notes):
            report.dropped += 1

    def _file(self, node: FleetNode) -> FilePath:
        assert self._job.output is not None
        return FilePath(self._job.output) / f"{file_stem(node.name)}.{self._job.form}"

    def _write(self, node: FleetNode, data: bytes) -> None:
        final = str(self._file(node))
        folder, name = os.path.split(final)
        partial = f"{folder}/{PARTIAL}{self._job.run}-{os.getpid()}-{digest(name.encode())[:24]}"
        with open(partial, "wb", buffering=0) as file:  # noqa: PTH123 - a thousand times a second
            file.write(data)
        os.replace(partial, final)  # noqa: PTH105 - likewise

    def _is_current(self, task: Task, known: Sequence[str]) -> bool:
        """Whether the output is there and was made from the same inputs, in the same way."""
        row, node = task.known, task.node
        assert row is not None
        if row.inputs != self._digest(node, known):
            return False
        beside = self._places.beside(node)
        if any(beside.digest_of(name) != value for name, value in row.beside.items()):
            return False
        try:
            return digest(self._file(node).read_bytes()) == row.text
        except OSError:
            return False

    def _digest(self, node: FleetNode, known: Sequence[str]) -> str:
        """The digest of all a node is rendered from, but for what is read beside its inputs."""
        options = {**self._options, **node.options}
        told = json.dumps(
            [VERSION, self._job.dialect, options, self._job.form, node.name, node.inputs, list(known)],
            sort_keys=True,
            default=repr,
        )
        return sha256(told.encode()).hexdigest()


class Places:
    """The inputs of nodes, opened once a worker."""

    def __init__(self, job: Job) -> None:
        self._root = FilePath(job.root)
        self._prefix = job.prefix
        self._files = KeptFiles(DiskFiles(self._root, job.prefix))
        self._folders: dict[str, KeptFiles] = {}
        self._common: dict[tuple[str, ...], KeptFiles] = {}
        self._whole = job.whole

    def open(self, node: FleetNode) -> tuple[Inputs, list[str]]:
        """The inputs of a node and their digests."""
        if not node.inputs:
            return self._folder_as_a_whole, [self._whole]
        items: list[Source | Folder] = []
        digests: list[str] = []
        for name in node.inputs:
            source = self._files.read(name)
            if source is not None:
                items.append(source)
                digests.append(self._files.digest_of(name) or "")
            else:
                folder = self._folder(name)
                items.append(folder)
                digests.append(digest_of_all(folder.files))
        return Inputs(tuple(items), self.beside(node)), digests

    @cached_property
    def _folder_as_a_whole(self) -> Inputs:
        folder = Folder(self._prefix.rstrip("/") or ".", self._kept("", self._prefix))
        return Inputs((folder,), self._kept("", ""))

    def _folder(self, name: str) -> Folder:
        if not (self._root / name).is_dir():
            raise InputError(
                Diagnostic(code="missing-file", message=f"there is no file {self._prefix}{name}", hint=_LISTED)
            )
        shown = f"{self._prefix}{name.rstrip('/')}"
        return Folder(shown, self._kept(name.rstrip("/"), f"{shown}/"))

    def beside(self, node: FleetNode) -> KeptFiles:
        """The files in the folder that holds all inputs of a node."""
        folders = tuple([name.rpartition("/")[0] for name in node.inputs])
        found = self._common.get(folders)
        if found is None:
            common = os.path.commonpath(folders) if folders and all(folders) else ""
            if len(self._common) >= 1000:
                self._common.clear()
            found = self._common[folders] = self._kept(common, "")
        return found

    def _kept(self, folder: str, prefix: str) -> KeptFiles:
        key = f"{folder}\0{prefix}"
        if key not in self._folders:
            self._folders[key] = KeptFiles(DiskFiles(self._root / folder, prefix))
        return self._folders[key]

    @contextmanager
    def asked(self, node: FleetNode) -> Iterator[dict[str, str | None]]:
        """What is read beside the inputs of a node meanwhile."""
        beside = self.beside(node)
        asked: dict[str, str | None] = {}
        beside.asked = asked if node.inputs else None
        try:
            yield asked
        finally:
            beside.asked = None
