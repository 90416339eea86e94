"""Running a fleet: nodes in, files or lines out, and a report of the whole."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, Protocol

from lamina.dialects import registry as dialects
from lamina.errors import Diagnostic, UsageError
from lamina.fleet.batches import Pace, batches
from lamina.fleet.file_names import count_nodes
from lamina.fleet.job import Job, Report, Task
from lamina.fleet.journal import Journal
from lamina.fleet.worker import PARTIAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path as FilePath

    from lamina.fleet.local_executors import Batch, Executor
    from lamina.project.manifest import OpenFleet

_SEQUENTIAL_NODES = 200
"""The maximum number of nodes of a batch whose texts are returned."""


class Progress(Protocol):
    """A receiver of the progress of a run."""

    def begin(self, total: int) -> None: ...

    def advance(self, report: Report) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How a fleet is rendered: where to, in which format, and by which processes."""

    output: FilePath | None = None
    form: str = "yaml"
    sort: bool = True
    """Whether keys are sorted where the system sorts them."""
    resume: bool = False
    keeps_journal: bool = False
    """Whether what an earlier run wrote down stays, although this one does not resume it."""
    unknown: str = "mark"
    """What stands in the place of values that are not known."""
    pace: Pace | None = field(default=None)


def run(fleet: OpenFleet, order: Order, executor: Executor, emit: Callable[[str], None], progress: Progress) -> Report:
    """Render all nodes of a fleet; `emit` gets the lines if there is no output folder."""
    dialects.make_options(dialects.find(fleet.dialect), fleet.options)
    _check_output(fleet, order)
    total = count_nodes(fleet.nodes)
    job = _job(fleet, order)
    progress.begin(total)
    if order.output is None:
        return _rendered(fleet, order, job, executor, None, emit, progress)
    journal = _journal(order.output, resume=order.resume or order.keeps_journal)
    try:
        old_runs = [*journal.begin(job.run), job.run]
        try:
            return _rendered(fleet, order, job, executor, journal, emit, progress)
        finally:
            _remove_temporary_files(order.output, old_runs)
            journal.end(old_runs)
    finally:
        journal.close()


def _check_output(fleet: OpenFleet, order: Order) -> None:
    if fleet.from_folder and order.output is not None and order.output.resolve().is_relative_to(fleet.root.resolve()):
        raise UsageError(
            Diagnostic(
                code="output-inside-inputs",
                message=f"the output folder {order.output} lies in the folder that is rendered",
                hint="name a folder outside of it, or the results would be inputs of the next run",
            )
        )


def _rendered(
    fleet: OpenFleet,
    order: Order,
    job: Job,
    executor: Executor,
    journal: Journal | None,
    emit: Callable[[str], None],
    progress: Progress,
) -> Report:
    total = Report()
    pace = order.pace or (Pace() if order.output else Pace(largest=_SEQUENTIAL_NODES))
    reports = executor(job, _tasks(fleet, pace, journal if order.resume else None))
    for report in reports:
        pace.record(report.count, report.seconds)
        if journal is not None:
            journal.write(report.rows)
        for line in report.lines:
            emit(line)
        total.add(report)
        progress.advance(report)
    return total


def _tasks(fleet: OpenFleet, pace: Pace, journal: Journal | None) -> Iterator[Batch]:
    for batch in batches(fleet.nodes(), pace):
        yield [Task(node, journal.known(node.name) if journal is not None else None) for node in batch]


def _job(fleet: OpenFleet, order: Order) -> Job:
    return Job(
        run=token_hex(6),
        dialect=fleet.dialect,
        options=tuple(fleet.options.items()),
        fixed=tuple(fleet.fixed.items()),
        allowed=fleet.allowed,
        ignore=fleet.ignore,
        root=str(fleet.root),
        prefix=fleet.prefix,
        form=order.form,
        sort=order.sort,
        unknown=order.unknown,
        output=str(order.output.resolve()) if order.output else None,
    )


def _journal(folder: FilePath, *, resume: bool) -> Journal:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return Journal(folder, resume=resume)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(
            Diagnostic(
                code="unwritable-folder",
                message=f"{folder} cannot be written to: {reason}",
                hint="name another folder, or check its rights",
            )
        ) from None


def _remove_temporary_files(folder: FilePath, runs: list[str]) -> None:
    """Remove partial files of workers that were killed."""
    partial = tuple(f"{PARTIAL}{run}-" for run in runs)
    # One entry at a time: there is one for each node of the fleet.
    with os.scandir(folder) as entries:
        left = [entry.name for entry in entries if entry.name.startswith(partial)]
    for name in left:
        (folder / name).unlink(missing_ok=True)
