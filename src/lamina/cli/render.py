"""`lamina render`: print the merged result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import escaped_json, has_commands, one_line
from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options, notes_of, notes_option
from lamina.cli.output import echo_all, print_error, status_of
from lamina.cli.selected_targets import TargetMessages, too_many
from lamina.cli.target_request import selected_targets
from lamina.errors import LaminaError
from lamina.views.unknown import FORMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.cli.selected_targets import RenderRequest
    from lamina.errors import Note
    from lamina.project.target import Target
    from lamina.views.result import Result


@click.command("render", cls=DialectCommand, epilog=example("lamina render base.yaml site.yaml"))
@format_option(
    ("yaml", "json", "jsonl", "external"),
    "yaml",
    "Output format; jsonl is one line of JSON per document or node, external is what Terraform's data source of that "
    "name reads.",
)
@click.option("-o", "--output", metavar="FILE", default="-", help="Write to FILE instead of standard output.")
@click.option("--output-dir", metavar="DIR", help="Write one file per target, document or node into DIR.")
@click.option("--resume", is_flag=True, help="With --output-dir: skip targets whose files are up to date.")
@click.option("--scheduler", metavar="ADDRESS", help="Render on a Dask cluster: local, or tcp://HOST:PORT.")
@click.option("--annotate", is_flag=True, help="Add the origin of each value as a comment.")
@click.option("--no-sort", is_flag=True, help="Keep keys in their original order, where the system sorts them.")
@notes_option
@click.option(
    "--unknown",
    type=click.Choice(FORMS),
    default=FORMS[0],
    show_default=True,
    help="Print values that are not known as !unknown with the reason, as null, not at all; or fail.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
@inputs_and_options
def command(
    form: str,
    output: str,
    output_dir: str | None,
    resume: bool,
    scheduler: str | None,
    annotate: bool,
    no_sort: bool,
    kinds: tuple[str, ...],
    unknown: str,
    quiet: bool,
    **given: Any,
) -> int:
    """Print the merged result, exactly as the real system merges it.

    Inputs are merged in the order given. Notes go to standard error; the exit status is 1 if something was dropped,
    as the real system drops it, or is not known. Of several targets, one that fails does not stop the others.
    """
    if annotate and form != "yaml":
        raise click.UsageError("--annotate writes comments, which JSON does not have; use --format yaml.")
    if output != "-" and output_dir is not None:
        raise click.UsageError("-o and --output-dir cannot be used together.")
    if output_dir is None and (resume or (scheduler and form != "jsonl")):
        raise click.UsageError("--resume and --scheduler need --output-dir.")
    if form == "external":
        if output_dir is not None or scheduler:
            raise click.UsageError("--format external prints one result; it excludes --output-dir and --scheduler.")
        unknown = "error" if unknown == FORMS[0] else unknown  # a mark would look like a value there
    selected = selected_targets(given, by_node=output_dir is not None)
    has_names = any(declared.is_pattern for declared in selected.project.file.declared)
    if resume or scheduler or (output_dir and has_names) or ((output_dir or form == "jsonl") and not selected.is_one):
        from lamina.cli.render_many import ManyOrder, render_many

        return render_many(selected, ManyOrder(output_dir, form, not no_sort, resume, scheduler, quiet, unknown))
    targets = selected.targets()
    if form == "external" and len(targets) > 1:
        raise too_many("--format external")
    writer = _TargetTexts(form, annotate, no_sort, output_dir, many=len(targets) > 1)
    messages = TargetMessages(len(targets))
    texts: list[str] = []
    files = 0

    def rendered(target: Target, each: RenderRequest) -> tuple[str, int, Sequence[Note]]:
        result = replace(each.result(), unknown=unknown)
        return *writer.written(target, result), notes_of(result, kinds)

    for target, outcome in selected.each("rendering", rendered):
        if isinstance(outcome, LaminaError):
            messages.fail(target.name, outcome)
            continue
        text, count, notes = outcome
        texts.append(text)
        files += count
        messages.note(target.name, (*target.notes, *notes))
    if output_dir is not None:
        print_error(one_line(f"{files} files in {output_dir}"))
    elif output != "-":
        from lamina.cli.write_files import write_file

        write_file(output, "".join(writer.together(texts)))
    else:
        echo_all(writer.together(texts))
    return messages.print_all(quiet=quiet, status_of=status_of, kinds=kinds)


@dataclass(frozen=True, slots=True)
class _TargetTexts:
    """How results are written: of one target the result itself, of many with the name of each."""

    form: str
    annotate: bool
    no_sort: bool
    folder: str | None
    many: bool

    def written(self, target: Target, result: Result) -> tuple[str, int]:
        """The text of a result; or, if it is written into a folder, the number of files."""
        if self.folder is None:
            return self._named(target, result) if self.many else self._text(result), 0
        from lamina.cli.write_files import write_files

        return "", write_files(result.documents(), self.folder, self.form, sort_keys=self._sorts(result))

    def together(self, texts: Sequence[str]) -> list[str]:
        """The texts of all targets as one output."""
        if self.form != "json" or not self.many:
            return list(texts)
        return ["{\n", ",\n".join(text.rstrip("\n") for text in texts), "\n}\n"]

    def _sorts(self, result: Result) -> bool:
        return bool(result.spec.sort_keys) and not self.no_sort

    def _named(self, target: Target, result: Result) -> str:
        from lamina.sources.json.writer import dump

        if self.form == "yaml":
            text = self._text(result)
            return f"# target: {one_line(target.name)}\n{text if text.startswith('---') else '---' + chr(10) + text}"
        return f"{escaped_json(dump(target.name, indent=None)).rstrip()}: {self._text(result)}"

    def _text(self, result: Result) -> str:
        sort = self._sorts(result)
        if self.form == "jsonl":
            from lamina.cli.write_files import as_line

            return escaped_json("".join(as_line(name, value) for name, value in result.documents()))
        if self.form == "json":
            return escaped_json(result.to_json(sort_keys=sort))
        if self.form == "external":
            from lamina.views.external import as_external

            return escaped_json(as_external(result))
        text = self._yaml(result, guarded=False)
        return self._yaml(result, guarded=True) if has_commands(text) else text

    def _yaml(self, result: Result, *, guarded: bool) -> str:
        """The result as YAML; if guarded, without any line that a build service would take for a command."""
        from lamina.sources.yaml.writer import Writer

        if self.annotate:
            return result.to_annotated_yaml(sort_keys=self._sorts(result), guarded=guarded)
        writer = Writer(sort_keys=self._sorts(result), guarded=guarded)
        if result.spec.shape == "table":
            return writer.dump_all([value for _, value in result.documents()])
        return result.to_yaml(writer=writer)
