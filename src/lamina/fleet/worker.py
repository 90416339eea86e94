"""Workers: render batches of nodes, caching what nodes share.

A worker reads the inputs itself, from a file system it shares with the others. It keeps the files, the documents
and the texts of shared parts from batch to batch; none of them changes a result. Files are written whole: under another
name in the same folder, then renamed.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path as FilePath
from shutil import rmtree
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any

from lamina._support.plugin_defect import defect_of
from lamina.dialects import registry as dialects
from lamina.dialects.data_options import paths_in
from lamina.errors import Diagnostic, InputError, LaminaError, Severity
from lamina.fleet.file_names import file_stem
from lamina.fleet.input_files import CachedFiles, digest, digest_of, digest_of_all
from lamina.fleet.job import JournalRow, Report
from lamina.project.file_view import UnignoredFiles
from lamina.run import Run
from lamina.session import Session
from lamina.sources.inputs import DiskFiles, Folder, Inputs
from lamina.sources.json.writer import dump
from lamina.sources.yaml.writer import Writer
from lamina.version import VERSION
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.fleet.job import Job, Task
    from lamina.protocol.extensions import FleetNode
    from lamina.sources.inputs import Files
    from lamina.sources.source import Source
    from lamina.views.result import Result

PARTIAL = ".lamina-"
"""The prefix of names of files that are still being written; the id of the run follows."""
_LISTED = "check the inputs of the node in the manifest; paths start at the manifest's folder"
_MOST_FOLDERS = 64
"""How many folders are kept open for files next to inputs."""
_MEMORY = 16 * 1024 * 1024
_OWN = 1024 * 1024
"""How many bytes documents may take, and how many of these are for documents of a single node."""
_LOCK = Lock()
_WORKERS: dict[str, Worker] = {}
"""The worker of the run this process works for."""


def render_batch(job: Job, tasks: Sequence[Task]) -> Report:
    """Render the nodes of a batch."""
    # A Dask worker may run two batches at a time; the caches are for one.
    with _LOCK:
        worker = _WORKERS.get(job.run)
        if worker is None:
            _close_worker()
            worker = _WORKERS[job.run] = Worker(job)
        return worker.batch(tasks)


def close_worker(job: Job) -> None:
    """Drop everything cached for a run in this process."""
    with _LOCK:
        if job.run in _WORKERS:
            _close_worker()


def _close_worker() -> None:
    for worker in _WORKERS.values():
        worker.close()
    _WORKERS.clear()


class Worker:
    """Renders the nodes of one job."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._dialect = dialects.find(job.dialect)
        self._options = dict(job.options)
        self._fixed = dict(job.fixed)
        self._resolved = dialects.make_options(self._dialect, self._options)
        self._writers: dict[bool, Writer] = {}
        """Writers in use, by whether they sort keys."""
        self._node_inputs = NodeInputs(job)
        self._session = Session(memory=_MEMORY, once=_OWN)
        self._as_json = json.JSONEncoder(sort_keys=True, default=repr).encode

    def close(self) -> None:
        """Drop what was read."""
        self._session.close()

    def batch(self, tasks: Sequence[Task]) -> Report:
        """Render the nodes of a batch; one that fails does not stop the others."""
        report = Report()
        start = perf_counter()
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
        except Exception as error:  # a bug in one node must not cost the others
            report.fail(f"{defect_of(error).message} [internal-error]", name)

    def _rendered(self, task: Task, report: Report) -> None:
        node = task.node
        if node.problem is not None:
            raise InputError(node.problem)
        files = SiblingFiles(self._node_inputs)
        inputs, known = self._node_inputs.open(node, files)
        if task.known is not None and self._is_current(task, known):
            report.current += 1
            return
        options = self._resolved
        if node.options:
            options = dialects.make_options(self._dialect, self._options_of(node))
        with files as digests_read:
            rendered = render_with(self._dialect, inputs.in_run(Run(self._session)), options)
        if self._job.unknown != rendered.unknown:
            rendered = replace(rendered, unknown=self._job.unknown)
        if self._job.output is None:
            report.lines += self._lines(node, rendered)
        else:
            written = self._written(node, rendered)
            report.rows.append((node.name, JournalRow(self._digest(node, known), written, digests_read)))
        report.rendered += 1
        self._add_notes(rendered, node.name, report)

    def _options_of(self, node: FleetNode) -> dict[str, Any]:
        return {**self._options, **node.options, **self._fixed}

    def _lines(self, node: FleetNode, rendered: Result) -> list[str]:
        """A line of JSON for each document of a node."""
        documents = rendered.documents()
        return [
            dump({"target": node.name, "name": name, "value": value}, indent=None).rstrip("\n")
            for name, value in documents
        ]

    def _written(self, node: FleetNode, rendered: Result) -> str:
        """Write the file of a node, or those of its documents into a folder of its own; the digest of all that."""
        stem = file_stem(node.name)
        if rendered.spec.shape == "one":
            data = self._text(rendered).encode("utf-8", "surrogatepass")
            self._write(stem, data)
            return digest(data)
        assert self._job.output is not None
        folder = FilePath(self._job.output) / stem
        if folder.is_dir():
            rmtree(folder)  # documents that are gone would be left in it
        folder.mkdir()
        for name, value in rendered.documents():
            text = self._text_of(value, self._sorts(rendered))
            self._write(f"{stem}/{file_stem(name)}", text.encode("utf-8", "surrogatepass"))
        return digest_of_all(DiskFiles(folder))

    def _text(self, rendered: Result) -> str:
        sort = self._sorts(rendered)
        if self._job.form == "json":
            return rendered.to_json(sort_keys=sort)
        return rendered.to_yaml(writer=self._writer(sort))

    def _text_of(self, value: Any, sort: bool) -> str:
        """The text of one document."""
        return dump(value, sort_keys=sort) if self._job.form == "json" else self._writer(sort).dump(value)

    def _sorts(self, rendered: Result) -> bool:
        return rendered.spec.sort_keys and self._job.sort

    def _writer(self, sort: bool) -> Writer:
        if sort not in self._writers:
            self._writers[sort] = Writer(sort_keys=sort)
        return self._writers[sort]

    def _add_notes(self, rendered: Result, name: str, report: Report) -> None:
        for note in rendered.notes:
            report.add_finding(str(note), name, note.severity)
        if any(note.severity >= Severity.ERROR for note in rendered.notes):
            report.dropped += 1

    def _write(self, stem: str, data: bytes) -> None:
        folder, name = self._job.output, f"{stem}.{self._job.form}"
        partial = f"{folder}/{PARTIAL}{self._job.run}-{os.getpid()}-{digest(name.encode())[:24]}"
        with open(partial, "wb", buffering=0) as file:  # noqa: PTH123 - a thousand times a second
            file.write(data)
        os.replace(partial, f"{folder}/{name}")  # noqa: PTH105 - likewise

    def _is_current(self, task: Task, known: Sequence[str]) -> bool:
        """Whether the output is there and was made from the same inputs, in the same way."""
        row, node = task.known, task.node
        assert row is not None
        if row.inputs != self._digest(node, known):
            return False
        for folder, digests in row.sibling_files.items():
            files = self._node_inputs.sibling_files(folder)
            if any(files.digest_of(name) != value for name, value in digests.items()):
                return False
        try:
            assert self._job.output is not None
            output = FilePath(self._job.output) / file_stem(node.name)
            if output.is_dir():
                return digest_of_all(DiskFiles(output)) == row.text
            return digest(output.with_name(f"{output.name}.{self._job.form}").read_bytes()) == row.text
        except OSError:
            return False

    def _digest(self, node: FleetNode, known: Sequence[str]) -> str:
        """The digest of everything a node is rendered from, except files read next to its inputs."""
        options, paths = self._options_of_all if not node.options else self._with_paths(self._options_of(node))
        named = [self._node_inputs.digest_at(path) for path in paths]
        line = self._as_json(
            [
                VERSION,
                self._job.dialect,
                options,
                self._job.form,
                self._job.sort,
                self._job.unknown,
                node.name,
                node.inputs,
                list(known),
                named,
            ]
        )
        return sha256(line.encode()).hexdigest()

    @cached_property
    def _options_of_all(self) -> tuple[dict[str, Any], list[str]]:
        """The options of a node that has none of its own, and the paths in them."""
        return self._with_paths({**self._options, **self._fixed})

    def _with_paths(self, options: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        return options, list(paths_in(self._dialect, options))


class NodeInputs:
    """The inputs of nodes, opened once per worker."""

    def __init__(self, job: Job) -> None:
        self._root = FilePath(job.root)
        self._prefix = job.prefix
        self._allowed = job.allowed
        self._ignore = job.ignore
        self._files = CachedFiles(DiskFiles(self._root, job.prefix, job.allowed))
        self._folders: dict[str, CachedFiles] = {}
        self._named: dict[str, str] = {}

    def open(self, node: FleetNode, files: SiblingFiles) -> tuple[Inputs, list[str]]:
        """The inputs of a node, and their digests."""
        items: list[Source | Folder] = []
        own: dict[str, Files] = {}
        digests: list[str] = []
        for name in node.inputs:
            source, known = self._files.read_digested(name)
            if source is not None:
                items.append(source)
                own[source.name] = files.folder(os.path.dirname(name))  # noqa: PTH120 - a thousand times a second
                digests.append(known or "")
            else:
                shown, below = self._folder(name)
                items.append(Folder(shown, below))
                digests.append(below.digest_of_all)
        return Inputs(tuple(items), own=own, files_for=files.of_file), digests

    def digest_at(self, path: str) -> str:
        """The digest of a file or folder that an option names."""
        if path not in self._named:
            if len(self._named) >= _MOST_FOLDERS:
                self._named.clear()
            is_folder = FilePath(path).is_dir()
            folder = FilePath(path) if is_folder else FilePath(path).absolute().parent
            files = DiskFiles(folder, "", self._allowed)
            self._named[path] = digest_of_all(files) if is_folder else digest_of(files, FilePath(path).name)
        return self._named[path]

    def _folder(self, name: str) -> tuple[str, CachedFiles]:
        """A folder that is an input: how it is shown, and its files."""
        if not (self._root / name).is_dir():
            raise InputError(
                Diagnostic(code="missing-file", message=f"there is no file {self._prefix}{name}", hint=_LISTED)
            )
        if name in ("", "."):
            return self._prefix.rstrip("/") or ".", self._cached_files("", self._prefix)
        shown = f"{self._prefix}{name.rstrip('/')}"
        return shown, self._cached_files(name.rstrip("/"), f"{shown}/")

    def sibling_files(self, folder: str) -> CachedFiles:
        """The files below a folder, for the inputs in it."""
        prefix = "" if folder.startswith("/") else self._prefix
        return self._cached_files(folder, f"{prefix}{folder.rstrip('/')}/" if folder else prefix)

    def _cached_files(self, folder: str, prefix: str) -> CachedFiles:
        key = f"{folder}\0{prefix}"
        if key not in self._folders:
            if len(self._folders) >= _MOST_FOLDERS:
                self._folders.clear()
            files: Files = DiskFiles(self._root / folder, prefix, self._allowed)
            self._folders[key] = CachedFiles(UnignoredFiles(files, folder, self._ignore) if self._ignore else files)
        return self._folders[key]


class SiblingFiles:
    """The files beside the inputs of one node; while it is rendered, what is read of them is recorded by folder."""

    def __init__(self, node_inputs: NodeInputs) -> None:
        self._node_inputs = node_inputs
        self._files: dict[str, CachedFiles] = {}
        self._digests_read: dict[str, dict[str, str | None]] | None = None

    def folder(self, name: str) -> CachedFiles:
        """The files of a folder, named from the folder of the fleet."""
        found = self._files.get(name)
        if found is None:
            found = self._files[name] = self._node_inputs.sibling_files(name)
            self._write_down(name, found)
        return found

    def of_file(self, path: str) -> CachedFiles:
        """The files of the folder of a file that an option names."""
        return self.folder(str(FilePath(path).absolute().parent))

    def __enter__(self) -> Mapping[str, Mapping[str, str | None]]:
        self._digests_read = {}
        for name, files in self._files.items():
            self._write_down(name, files)
        return self._digests_read

    def __exit__(self, *raised: object) -> None:
        for files in self._files.values():
            files.digests_read = None

    def _write_down(self, name: str, files: CachedFiles) -> None:
        if self._digests_read is not None:
            files.digests_read = self._digests_read.setdefault(name, {})
