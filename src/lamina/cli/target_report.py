"""`lamina report` for the targets of a project: a page for each, and one that lists them."""

from __future__ import annotations

import html
from pathlib import Path as FilePath
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from lamina._support.escapes import one_line, visible
from lamina.cli.output import print_error
from lamina.cli.render_request import status_of
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

    folder = FilePath(output)
    if output == "-" or folder.is_file():
        raise click.UsageError("Each target has its own page: give a folder with -o, or one target with --target.")
    messages = TargetMessages(len(selected.targets()))
    pages: list[tuple[str, str]] = []

    def built(target: Target, each: RenderRequest) -> tuple[str, Sequence[Note]]:
        result = each.result(whole=True)
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{file_stem(target.name)}.html"
        linted = lint_request_findings(each, selected.project.lint) if with_lint else None
        write_file(str(folder / name), report(result, target.name, links=links, linted=linted))
        return name, result.notes

    for target, outcome in selected.each("building pages", built):
        if isinstance(outcome, LaminaError):
            messages.fail(target.name, outcome)
            continue
        name, notes = outcome
        pages.append((target.name, name))
        messages.note(target.name, notes)
    if pages:
        write_file(str(folder / INDEX), _index(title or "Targets", pages))
    print_error(one_line(f"{len(pages)} page{'' if len(pages) == 1 else 's'} and {INDEX} in {output}"))
    return messages.print_all(quiet=quiet, status_of=status_of, kinds=kinds)


def _index(title: str, pages: list[tuple[str, str]]) -> str:
    heading = html.escape(visible(title))
    items = "".join(f'<li><a href="{quote(file)}">{html.escape(visible(name))}</a></li>\n' for name, file in pages)
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{heading}</title>\n'
        f"<h1>{heading}</h1>\n<ul>\n{items}</ul>\n</html>\n"
    )
