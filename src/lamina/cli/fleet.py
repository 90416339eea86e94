"""`lamina fleet`: many nodes at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import escaped_json, visible
from lamina.cli.click_options import (
    DialectCommand,
    allow_path,
    compat_option,
    dialect_option,
    project_option,
    target_option,
)
from lamina.cli.dialect_options import command_line_defaults, given_flags, given_options
from lamina.cli.format_option import format_option
from lamina.cli.group import CommandGroup
from lamina.cli.help_sections import example
from lamina.cli.output import FINDINGS, UNREADABLE
from lamina.errors import Diagnostic, InputError

if TYPE_CHECKING:
    from lamina.fleet.job import RepeatedFinding, Report
    from lamina.fleet.local_executors import Executor
    from lamina.fleet.progress import NoProgress
    from lamina.project.manifest import OpenFleet


_EXAMPLE = example("lamina fleet render fleet.yaml --output-dir rendered")
_MANY = 1000
"""From how many nodes on the time they took is printed."""


@click.group("fleet", cls=CommandGroup, epilog=_EXAMPLE)
def command() -> None:
    """Render many nodes at once."""


@command.command("render", cls=DialectCommand, epilog=_EXAMPLE)
@click.argument("place", metavar="[MANIFEST|DIR]", required=False, type=click.Path(allow_dash=True))
@click.option(
    "-o", "--output-dir", type=click.Path(file_okay=False), metavar="DIR", help="Write one file per node into DIR."
)
@format_option(("yaml", "json"), None, "Format of the files.  [default: yaml]")
@click.option(
    "-j", "--jobs", type=click.IntRange(min=1), metavar="NUMBER", help="Number of processes.  [default: one per CPU]"
)
@click.option("--resume", is_flag=True, help="Skip nodes whose file is up to date.")
@click.option("--scheduler", metavar="ADDRESS", help="Render on a Dask cluster: local, or tcp://HOST:PORT.")
@click.option("-q", "--quiet", is_flag=True, help="Print failures only: no progress, notes or summary.")
@dialect_option
@compat_option
@allow_path
@target_option
@project_option
def render_command(place: str | None, **given: Any) -> int:
    """Render every node of a fleet.

    MANIFEST lists the nodes with their inputs; in a DIR the dialect finds the nodes. Without either, the targets of
    the project are rendered, which must be of one dialect. Without --output-dir the
    results go to standard output as JSON lines. A node that fails does not stop the others; the exit status is then 1,
    or 3 if no node could be rendered. A DIR with a project file is that project.
    """
    from lamina.cli.render_request import no_nodes
    from lamina.dialects.registry import find
    from lamina.fleet.progress import chosen
    from lamina.fleet.run import Order, run

    output, form = given["output_dir"], given["form"]
    if output is None and (given["resume"] or form):
        raise click.UsageError("--resume and --format need --output-dir.")
    fleet = _fleet(place, given)
    order = Order(output=Path(output) if output else None, form=form or "yaml", resume=given["resume"])
    progress = chosen(_print_line, quiet=given["quiet"])
    try:
        report = run(fleet, order, _executor(given), _emit, progress)
    finally:
        progress.close()
    if not report.count:
        raise InputError(
            _empty_manifest(place) if place and Path(place).is_file() else no_nodes(find(fleet.dialect), place or "")
        )
    _print_summary(report, progress, quiet=given["quiet"])
    if not report.rendered and not report.current:
        return UNREADABLE
    return FINDINGS if report.failed or report.dropped else 0


def _empty_manifest(place: str) -> Diagnostic:
    return Diagnostic(
        code="no-nodes",
        message=f"there are no nodes in {place}",
        hint="list them under nodes, each with name and inputs",
    )


def _fleet(place: str | None, given: dict[str, Any]) -> OpenFleet:
    from lamina.dialects.registry import find
    from lamina.project import project_file
    from lamina.project.manifest import open_fleet

    flags, compat = given_flags(given), given.pop("compat")
    options = {"compat": compat} if compat != "program" else {}
    wanted, project = given.pop("targets"), given.pop("project")
    if place is not None and not (flags or project) and os.path.isdir(place) and project_file.in_folder(place):  # noqa: PTH112 - as typed
        place, project = None, place
    if place is None:
        fleet = _of_project(project, wanted, given.pop("dialect")).with_options(options)
    elif wanted or project:
        raise click.UsageError("MANIFEST or DIR cannot be combined with --target or --project.")
    else:
        fleet = open_fleet(place, given.pop("dialect"), options, given.pop("allow_path"))
    chosen = find(fleet.dialect)
    return fleet.with_options(given_options(chosen, flags)).with_defaults(command_line_defaults(chosen))


def _of_project(path: str | None, wanted: tuple[str, ...], dialect: str | None) -> OpenFleet:
    """The targets of a project as a fleet."""
    from lamina.cli.selected_targets import no_targets
    from lamina.dialects.extensions import FleetNode
    from lamina.project.manifest import OpenFleet
    from lamina.project.project import Project

    project = Project.load(path)
    project.check_selection(wanted, project.targets)
    targets = project.select(wanted, dialect=dialect)
    if not targets:
        raise InputError(no_targets(project, dialect))
    dialects = sorted({each.dialect for each in targets})
    if len(dialects) != 1:
        found = ", ".join(dialects)
        raise click.UsageError(f"A fleet has one dialect, but the targets have: {found}. Choose one with --dialect.")
    nodes = [
        FleetNode(
            name=each.name,
            options=each.options,
            inputs=tuple(path or "." for path in each.inputs),
            prefix=each.inputs[:-1],
            problem=each.problem,
        )
        for each in targets
    ]
    return OpenFleet(
        dialects[0],
        {},
        Path(project.root),
        lambda: iter(nodes),
        project.prefix,
        allowed=(project.root,),
        ignore=project.file.ignore,
    )


def _executor(given: dict[str, Any]) -> Executor:
    jobs: int = given["jobs"] or _cpus()
    if given["scheduler"]:
        from lamina.fleet.dask_executor import Cluster

        return Cluster(given["scheduler"], jobs)
    from lamina.fleet.local_executors import Pool, in_this_process

    return in_this_process if jobs == 1 else Pool(jobs)


def _cpus() -> int:
    """The CPUs this process may use; not every system knows of limits."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _print_summary(report: Report, progress: NoProgress, *, quiet: bool) -> None:
    """Print what was found, grouped, and the summary."""
    from lamina.views.diff.phrases import count

    for text, repeated in report.repeated.items():
        if repeated.failed or not quiet:
            _print_line(f"{_node_names(repeated)}: {text}")
    if quiet:
        return
    parts = [f"{report.rendered:,} rendered"]
    parts += [f"{report.current:,} up to date"] if report.current else []
    parts += [f"{report.failed:,} failed"] if report.failed else []
    parts += [f"something was dropped from {report.dropped:,}"] if report.dropped else []
    duration = f" in {progress.seconds:.1f} s, {progress.rate:,.0f} a second" if report.count >= _MANY else ""
    _print_line(f"{count(report.count, 'node')}: {', '.join(parts)}{duration}")


def _node_names(repeated: RepeatedFinding) -> str:
    outcome = "failed" if repeated.failed else "note on"
    names = visible(", ".join(repeated.nodes))
    more = repeated.count - len(repeated.nodes)
    return f"{outcome} {names} and {more:,} more" if more > 0 else f"{outcome} {names}"


def _emit(line: str) -> None:
    click.echo(escaped_json(line))


def _print_line(text: str) -> None:
    click.echo(text, err=True)
