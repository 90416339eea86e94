"""`lamina convert`: write layers of one system for another, and check that every target is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import one_line, text_of
from lamina.cli.click_options import DialectCommand, inputs_and_options
from lamina.cli.help_sections import example
from lamina.cli.notes import show_notes
from lamina.cli.output import FINDINGS, echo, print_error
from lamina.cli.output_folder import OutputFolder
from lamina.cli.render_request import render_request_of
from lamina.cli.spinner import spinner
from lamina.cli.target_request import selected_targets_of
from lamina.errors import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.cli.selected_targets import SelectedTargets
    from lamina.project.conversion import ConversionSource

REPORT = "conversion.txt"


@click.command("convert", cls=DialectCommand, epilog=example("lamina convert --to layers -o converted source"))
@click.option("--to", metavar="NAME", default="layers", show_default=True, help="The system to convert to.")
@click.option(
    "-o", "--output", metavar="DIR", required=True, help="The folder to write to; it must be empty or absent."
)
@click.option("--force", is_flag=True, help="Write to a folder that is not empty, over files of the same names.")
@inputs_and_options
def command(to: str, output: str, force: bool, **given: Any) -> int:
    """Write the layers of one system as layers of another, with a project file.

    Both are rendered and compared, target by target. The report says what the other system cannot express, with file
    and line; it is printed, and written to conversion.txt. The exit status is 1 if a target differs in a way that the
    report does not name, or cannot be rendered as a whole.
    """
    from lamina.dialects import registry
    from lamina.project.conversion import check_conversion, convert, report_lines

    chosen = registry.find(to)
    folder = OutputFolder(output, force=force)
    sources = list(_sources(given))
    folder.check_separate(_input_paths(sources))
    with spinner("converting"):
        conversion = convert(sources, chosen)
        notes = {note: None for each in conversion.expected if each.result for note in each.result.render_notes}
        folder.write(conversion.files)
        check = check_conversion(conversion, output)
    errors = [note for note in notes if note.severity >= Severity.ERROR]
    show_notes(errors)
    report = text_of(report_lines(conversion, check))
    folder.write({REPORT: report.encode("utf-8", "backslashreplace")})
    echo(report)
    print_error(one_line(f"wrote {len(conversion.files) + 1} files to {output}"))
    failed = any(target.failed for target in conversion.expected)
    return FINDINGS if check.differing or failed or errors else 0


def _sources(given: dict[str, Any]) -> Iterator[ConversionSource]:
    """What is to be converted: the inputs, or the targets of a project."""
    from lamina.project.conversion import ConversionSource

    targets = selected_targets_of(given)
    if targets is None:
        selected = render_request_of(given)
        yield ConversionSource("", selected.dialect, selected.inputs, selected.options())
        return
    yield from _of_project(targets)


def _of_project(selected: SelectedTargets) -> Iterator[ConversionSource]:
    """The targets of a project; those that are nodes of the same inputs together."""
    from dataclasses import replace

    from lamina.project.conversion import ConversionSource

    known: set[Any] = set()
    for target in selected.targets():
        if target.common is not None:
            key = target.dialect, target.inputs, repr(target.common)
            if key in known:
                continue
            known.add(key)
            name = target.inputs[0].strip("./") if target.inputs else ""
            target = replace(target, name=name or target.dialect, options=target.common)  # noqa: PLW2901
        each = selected.of(target, selected.project.view)
        assert each is not None  # what is on disk is complete, or an error
        yield ConversionSource(target.name, each.dialect, each.inputs, each.options())


def _input_paths(sources: Sequence[ConversionSource]) -> Iterator[str]:
    for source in sources:
        yield from (each.name for each in source.inputs.items)
