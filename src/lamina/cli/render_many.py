"""`lamina render` of many targets as files or lines: each is written when it is done, by as many processes as wanted.

Nothing of a result is kept, so there may be many more targets than fit into memory. A run that was stopped can be
resumed, and a Dask cluster can do the work.
"""

from __future__ import annotations

from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lamina._support.escapes import escaped_json, one_line
from lamina.cli.notes import head_of
from lamina.cli.output import FINDINGS, UNREADABLE, echo, print_error
from lamina.cli.selected_targets import no_targets
from lamina.errors import Diagnostic, InputError
from lamina.fleet.job import Report
from lamina.fleet.progress import chosen
from lamina.fleet.run import Order, run
from lamina.project.manifest import OpenFleet, open_fleet
from lamina.project.shared_entries import in_targets
from lamina.protocol.extensions import FleetNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.cli.selected_targets import SelectedTargets
    from lamina.fleet.job import RepeatedFinding
    from lamina.fleet.local_executors import Executor
    from lamina.fleet.progress import NoProgress

_MANY = 1000
"""From how many targets on the time they took is printed."""


class ManyOrder(NamedTuple):
    """How many targets are rendered: into a folder or as lines, whether a run is resumed, and where it is done."""

    output: str | None
    form: str
    sort: bool
    resume: bool
    scheduler: str | None
    quiet: bool
    unknown: str


def render_many(selected: SelectedTargets, order: ManyOrder) -> int:
    """Render all targets; one that fails does not stop the others."""
    from lamina.fleet.file_names import count_nodes

    fleets = list(_fleets(selected))
    count_nodes(lambda: (node for fleet in fleets for node in fleet.nodes()))  # no two may share a file
    report = Report()
    progress = chosen(print_error, quiet=order.quiet)
    try:
        for number, fleet in enumerate(fleets):
            report.add(run(fleet, _order(order, first=number == 0), _executor(selected, order), _emit, progress))
    finally:
        progress.close()
    if not report.count:
        raise InputError(_no_nodes(selected))
    return _summary(report, progress, order)


def _order(order: ManyOrder, *, first: bool) -> Order:
    output = None if order.output is None else Path(order.output)
    form = "yaml" if order.form == "yaml" else "json"
    return Order(
        output=output, form=form, sort=order.sort, resume=order.resume, keeps_journal=not first, unknown=order.unknown
    )


def _fleets(selected: SelectedTargets) -> Iterator[OpenFleet]:
    """The targets, those of one dialect together; the rows of a manifest are never all in memory."""
    project, request = selected.project, selected.request
    declared = project.file.declared
    if len(declared) == 1 and declared[0].manifest and not project.patterns and request.inputs:
        yield _of_manifest(selected, request.inputs[0])
        return
    targets = sorted(selected.targets(), key=lambda target: target.dialect)  # in their order otherwise
    for dialect, same in groupby(targets, key=lambda target: target.dialect):
        nodes = [
            FleetNode(
                name=each.name,
                options=each.options,
                inputs=tuple(path or "." for path in each.inputs),
                prefix=each.inputs[:-1],
                problem=each.problem,
            )
            for each in same
        ]
        yield OpenFleet(
            dialect,
            {},
            Path(project.root),
            partial(iter, nodes),
            project.prefix,
            allowed=(project.root, *request.allowed),
            ignore=project.file.ignore,
            from_folder=bool(request.inputs) and not Path(project.file.path).is_file(),
        )


def _of_manifest(selected: SelectedTargets, path: str) -> OpenFleet:
    from lamina.cli.dialect_options import given_options
    from lamina.dialects.registry import find
    from lamina.protocol.dialect import command_line_defaults

    request = selected.request
    fleet = open_fleet(path, request.dialect, request.common(), request.allowed)
    dialect = find(fleet.dialect)
    return fleet.with_options(given_options(dialect, request.flags)).with_defaults(command_line_defaults(dialect))


def _no_nodes(selected: SelectedTargets) -> Diagnostic:
    declared = selected.project.file.declared
    if len(declared) != 1 or not declared[0].manifest:
        return no_targets(selected.project)
    return Diagnostic(
        code="no-nodes",
        message=f"there are no nodes in {selected.project.prefix}{declared[0].manifest}",
        hint="list them under nodes, each with name and inputs",
    )


def _executor(selected: SelectedTargets, order: ManyOrder) -> Executor:
    jobs = selected.request.jobs
    if order.scheduler is not None:
        from lamina.fleet.dask_executor import Cluster

        return Cluster(order.scheduler, jobs)
    from lamina.fleet.local_executors import Pool, in_this_process

    return in_this_process if jobs == 1 else Pool(jobs)


def _summary(report: Report, progress: NoProgress, order: ManyOrder) -> int:
    """Print what was found, each finding once, and how many targets there were; returns the exit status."""
    from lamina.views.diff.phrases import count

    for text, repeated in report.repeated.items():
        if repeated.failed or not order.quiet:
            _print_finding(text, repeated, report.count)
    parts = [f"{report.rendered:,} rendered"]
    parts += [f"{report.current:,} up to date"] if report.current else []
    parts += [f"{report.failed:,} failed"] if report.failed else []
    parts += [f"something was dropped from {report.dropped:,}"] if report.dropped else []
    duration = f" in {progress.seconds:.1f} s, {progress.rate:,.0f} a second" if report.count >= _MANY else ""
    if not order.quiet and order.output is not None:
        print_error(one_line(f"{count(report.count, 'target')}: {', '.join(parts)}{duration}"))
    if report.failed:
        return UNREADABLE
    return FINDINGS if report.dropped else 0


def _print_finding(text: str, repeated: RepeatedFinding, total: int) -> None:
    print_error(f"{head_of(repeated.severity)}{text}")
    if repeated.count == total > 1:
        where = f"all {total:,} targets"
    else:
        more = repeated.count - len(repeated.nodes)
        where = in_targets(repeated.nodes, 0) + (f" and {more:,} more" if more else "")
    print_error(one_line(f"  in {where}"))


def _emit(line: str) -> None:
    echo(escaped_json(line) + "\n")
