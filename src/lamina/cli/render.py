"""`lamina render`: print the merged result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import escaped_json, has_commands, one_line
from lamina.cli.click_options import DialectCommand, inputs_and_options, jobs_option, notes_option
from lamina.cli.format_option import format_option
from lamina.cli.help_sections import example
from lamina.cli.notes import show_notes, status_of
from lamina.cli.output import echo, print_error
from lamina.cli.render_request import render_request_of
from lamina.cli.target_request import selected_targets_of

if TYPE_CHECKING:
    from lamina.views.result import Result


@click.command("render", cls=DialectCommand, epilog=example("lamina render base.yaml site.yaml"))
@format_option(("yaml", "json", "jsonl"), "yaml", "Output format; jsonl is one line of JSON per document or node.")
@click.option("-o", "--output", metavar="FILE", default="-", help="Write to FILE instead of standard output.")
@click.option("--output-dir", metavar="DIR", help="Write one file per document or node into DIR.")
@click.option("--annotate", is_flag=True, help="Add the origin of each value as a comment.")
@click.option("--no-sort", is_flag=True, help="Keep keys in their original order, where the system sorts them.")
@notes_option
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
@jobs_option
@inputs_and_options
def command(
    form: str,
    output: str,
    output_dir: str | None,
    annotate: bool,
    no_sort: bool,
    kinds: tuple[str, ...],
    quiet: bool,
    **given: Any,
) -> int:
    """Print the merged result, exactly as the real system merges it.

    Inputs are merged in the order given. Notes go to standard error; the exit status is 1 if something was dropped,
    as the real system drops it.
    """
    if annotate and form != "yaml":
        raise click.UsageError("--annotate writes comments, which JSON does not have; use --format yaml.")
    if output != "-" and output_dir is not None:
        raise click.UsageError("-o and --output-dir cannot be used together.")
    targets = selected_targets_of(given)
    if targets is not None and not targets.is_one:
        from lamina.cli.target_render import render_targets

        return render_targets(
            targets,
            form,
            output,
            output_dir,
            lambda result: _written(result, form, annotate, no_sort),
            sort=lambda result: result.style.sort_keys and not no_sort,
            quiet=quiet,
            kinds=kinds,
        )
    result = (targets.only() if targets else render_request_of(given)).rendered()
    if output_dir is not None:
        from lamina.cli.write_files import write_files

        written = write_files(result.documents(), output_dir, form, sort_keys=result.style.sort_keys and not no_sort)
        print_error(one_line(f"{written} files in {output_dir}"))
    elif output != "-":
        from lamina.cli.write_files import write_file

        write_file(output, _written(result, form, annotate, no_sort))
    else:
        echo(_written(result, form, annotate, no_sort))
    if not quiet:
        show_notes(result.notes, kinds)
    return status_of(result.notes)


def _written(result: Result, form: str, annotate: bool, no_sort: bool) -> str:
    sort = result.style.sort_keys and not no_sort
    if form == "jsonl":
        from lamina.cli.write_files import as_line

        return escaped_json("".join(as_line(name, value) for name, value in result.documents()))
    if form == "json":
        return escaped_json(result.to_json(sort_keys=sort))
    text = _yaml(result, annotate, sort, guarded=False)
    return _yaml(result, annotate, sort, guarded=True) if has_commands(text) else text


def _yaml(result: Result, annotate: bool, sort: bool, *, guarded: bool) -> str:
    """The result as YAML; if guarded, without any line that a build service would take for a command."""
    from lamina.sources.yaml.writer import Writer

    if annotate:
        return result.to_annotated_yaml(sort_keys=sort, guarded=guarded)
    writer = Writer(sort_keys=sort, guarded=guarded)
    if result.spec.shape == "table":
        return writer.dump_all([value for _, value in result.documents()])
    return result.to_yaml(writer=writer)
