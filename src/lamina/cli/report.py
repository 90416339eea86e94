"""`lamina report`: the result, its layers and its history as one HTML page."""

from __future__ import annotations

import os
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import click

from lamina.cli.click_options import DialectCommand, inputs_and_options, jobs_option, notes_option
from lamina.cli.help_sections import example
from lamina.cli.notes import show_notes, status_of
from lamina.cli.output import echo
from lamina.cli.render_request import render_request_of
from lamina.cli.spinner import spinner
from lamina.cli.target_request import selected_targets_of
from lamina.cli.write_files import write_file
from lamina.dialects.data_options import paths_in

if TYPE_CHECKING:
    from lamina.cli.render_request import RenderRequest
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.views.lint.api import Linted


@click.command("report", cls=DialectCommand, epilog=example("lamina report -o page.html base.yaml site.yaml"))
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="Write the page to FILE; for several targets, a folder."
)
@click.option("--title", metavar="TEXT", help="The heading of the page.  [default: the names of the inputs]")
@click.option(
    "--source-url",
    metavar="URL",
    help="Link each location to its line on the web: https://host/repo/blob/{commit}/{path}#L{line}.",
)
@click.option("--lint", "with_lint", is_flag=True, help="Show the findings of lamina lint, too; it takes longer.")
@notes_option
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
@jobs_option
@inputs_and_options
def command(
    output: str,
    title: str | None,
    source_url: str | None,
    with_lint: bool,
    kinds: tuple[str, ...],
    quiet: bool,
    **given: Any,
) -> int:
    """Write a page that shows the result, where each value came from, and which layers override which.

    The page is one file that needs no network and no other file; any browser opens it from disk. It holds the
    result itself, except for values the system treats as secret.
    """
    from lamina.views.report.build_html import report
    from lamina.views.report.source_links import source_links

    names = given["environments"] + given["inputs"]  # asking for targets takes them out
    targets = selected_targets_of(given)
    if targets is not None and not targets.is_one:
        from lamina.cli.target_report import report_targets

        links = source_links(source_url, [targets.project.root])
        return report_targets(targets, output, title, links, with_lint=with_lint, quiet=quiet, kinds=kinds)
    request = targets.only() if targets else render_request_of(given)
    named = targets.wanted[0] if targets else _named(names or tuple(paths_in(request.dialect, request.given)))
    heading = title or named
    links = source_links(source_url, names or ([targets.project.root] if targets else []))
    result = request.rendered(whole=True)
    request.check_nodes(result)
    linted = _linted(request, targets) if with_lint else None
    with spinner("building the page", result.spec.noun) as counting:
        page = report(result, heading, counting, links, linted)
    if output == "-":
        echo(page)
    else:
        write_file(output, page)
    if not quiet:
        show_notes(result.notes, kinds)
    return status_of(result.notes)


def _linted(request: RenderRequest, targets: SelectedTargets | None) -> Linted:
    from lamina.cli.lint import lint_request_findings

    with spinner("linting", "rule") as counting:
        return lint_request_findings(request, targets.project.lint if targets else None, counting)


def _name(path: str) -> str:
    """What a path is called; one that only points somewhere (`.`, `../..`) goes by the name of what is there."""
    return path if FilePath(path).name not in ("", "..") else FilePath(path).resolve().name or path


def _named(inputs: tuple[str, ...]) -> str:
    """A heading from the names of the inputs, the first of many; a folder that all are in is named once."""
    folder = _common_folder([name for name in inputs if name != "-"])
    inside = [name if name == "-" or not folder else os.path.relpath(name, folder) for name in inputs]
    names = ["standard input" if name == "-" else _name(name) for name in inside]
    said = " + ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{FilePath(folder).resolve().name}: {said}" if folder else said


def _common_folder(paths: list[str]) -> str:
    """The folder that several paths are in; empty where there is none but the current one or the top."""
    if len(paths) < 2 or len({FilePath(path).is_absolute() for path in paths}) > 1:
        return ""
    folder = os.path.commonpath([FilePath(path).parent for path in paths])
    return folder if FilePath(folder).name not in ("", "..") else ""
