"""`lamina report`: the result, its layers and its history as one HTML page."""

from __future__ import annotations

import os
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import one_line
from lamina.cli.click_options import DialectCommand, example, inputs_and_options, notes_of, notes_option
from lamina.cli.lint import lint_request_findings
from lamina.cli.output import echo, print_error, status_of
from lamina.cli.selected_targets import TargetMessages
from lamina.cli.target_request import selected_targets
from lamina.cli.write_files import write_file
from lamina.dialects.data_options import paths_in
from lamina.errors import LaminaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.cli.selected_targets import RenderRequest
    from lamina.errors import Note
    from lamina.project.target import Target
    from lamina.views.report.target_index import TargetPage
    from lamina.views.result import Result

INDEX = "index.html"


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
    result itself, except for values the system treats as secret. Several targets have a page each, in a folder.
    """
    from lamina.views.report.build_html import assemble
    from lamina.views.report.page_data import collect
    from lamina.views.report.source_links import source_links

    selected = selected_targets(given)
    names = selected.request.inputs
    targets = selected.targets()
    many = len(targets) > 1
    links = source_links(source_url, list(names) or [selected.project.root])
    messages = TargetMessages(len(targets))
    pages = _Pages(output, title) if many else None

    def built(target: Target, each: RenderRequest) -> tuple[str, TargetPage | None, Sequence[Note]]:
        result = each.result(whole=True)
        each.check_nodes(result)
        linted = lint_request_findings(each, selected.project.lint) if with_lint else None
        heading = target.name if many else title or _heading(target, each, names)
        data = collect(result, heading, links=links, linted=linted)
        if pages is None:
            return assemble(data), None, notes_of(result, kinds)
        return "", pages.write(target.name, data, result), notes_of(result, kinds)

    for target, outcome in selected.each("building pages", built):
        if isinstance(outcome, LaminaError):
            messages.fail(target.name, outcome)
            if pages is not None:
                pages.add_failed(target.name, outcome)
            continue
        text, page, notes = outcome
        if pages is not None and page is not None:
            pages.index.append(page)
        elif output == "-":
            echo(text)
        else:
            write_file(output, text)
        messages.note(target.name, (*target.notes, *notes))
    if pages is not None:
        pages.close()
    return messages.print_all(quiet=quiet, status_of=status_of, kinds=kinds)


class _Pages:
    """The pages of many targets in a folder, and one that lists them."""

    def __init__(self, output: str, title: str | None) -> None:
        self._output = output
        self._folder = folder = FilePath(output)
        self._title = title or "Targets"
        self.index: list[TargetPage] = []
        # A folder with the name of a page would surprise whoever meant one page.
        if output == "-" or folder.is_file() or (folder.suffix in (".html", ".htm") and not folder.is_dir()):
            raise click.UsageError("Each target has its own page: give a folder with -o, or one target with --target.")

    def write(self, name: str, data: dict[str, Any], result: Result) -> TargetPage:
        """Write the page of a target; what the list says of it."""
        from lamina.fleet.file_names import file_stem
        from lamina.views.report.build_html import assemble
        from lamina.views.report.target_index import page_of

        self._folder.mkdir(parents=True, exist_ok=True)
        file = f"{file_stem(name)}.html"
        write_file(str(self._folder / file), assemble(data))
        return page_of(name, file, result, data)

    def add_failed(self, name: str, error: LaminaError) -> None:
        """List a target that has no page."""
        from lamina.views.report.target_index import failed_page

        self.index.append(failed_page(name, error))

    def close(self) -> None:
        """Write the list, if there is any page."""
        from lamina.views.report.target_index import index_page

        written = sum(bool(page.file) for page in self.index)
        if written:
            write_file(str(self._folder / INDEX), index_page(self._title, self.index))
            print_error(one_line(f"{written:,} {'page' if written == 1 else 'pages'} and {INDEX} in {self._output}"))


def _heading(target: Target, each: RenderRequest, names: tuple[str, ...]) -> str:
    """What a page is called: by the inputs or the files that options name; else by the target."""
    if target.given is None:
        return target.name
    return _named(names or tuple(paths_in(each.dialect, each.given)))


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
