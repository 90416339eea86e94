"""`lamina report` for the targets of a project: a page for each, and one that lists them."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import click

from lamina._support.escapes import one_line
from lamina.cli.notes import status_of
from lamina.cli.output import print_error
from lamina.cli.selected_targets import TargetMessages
from lamina.cli.write_files import write_file
from lamina.errors import LaminaError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lamina.cli.render_request import RenderRequest
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.errors import Note
    from lamina.project.target import Target
    from lamina.views.report.source_links import SourceLinks
    from lamina.views.report.target_index import TargetPage

INDEX = "index.html"


def report_targets(
    selected: SelectedTargets,
    output: str,
    title: str | None,
    links: SourceLinks,
    *,
    with_lint: bool,
    quiet: bool,
    kinds: Collection[str],
) -> int:
    """Write the pages of all targets into a folder."""
    from lamina.cli.lint import lint_request_findings
    from lamina.fleet.file_names import file_stem
    from lamina.views.report.build_html import report
    from lamina.views.report.target_index import failed_page, index_page, page_of

    folder = FilePath(output)
    # A folder with the name of a page would surprise whoever meant one page.
    if output == "-" or folder.is_file() or (folder.suffix in (".html", ".htm") and not folder.is_dir()):
        raise click.UsageError("Each target has its own page: give a folder with -o, or one target with --target.")
    messages = TargetMessages(len(selected.targets()))
    pages: list[TargetPage] = []

    def built(target: Target, each: RenderRequest) -> tuple[TargetPage, Sequence[Note]]:
        result = each.result(whole=True)
        each.check_nodes(result)
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{file_stem(target.name)}.html"
        linted = lint_request_findings(each, selected.project.lint) if with_lint else None
        write_file(str(folder / name), report(result, target.name, links=links, linted=linted))
        return page_of(target.name, name, result), result.notes

    for target, outcome in selected.each("building pages", built):
        if isinstance(outcome, LaminaError):
            messages.fail(target.name, outcome)
            pages.append(failed_page(target.name, outcome))
            continue
        page, notes = outcome
        pages.append(page)
        messages.note(target.name, (*target.notes, *notes))
    written = sum(bool(page.file) for page in pages)
    if written:
        write_file(str(folder / INDEX), index_page(title or "Targets", pages))
        print_error(one_line(f"{written:,} {'page' if written == 1 else 'pages'} and {INDEX} in {output}"))
    return messages.print_all(quiet=quiet, status_of=status_of, kinds=kinds)
