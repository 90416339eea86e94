"""`lamina diff`: what changes in the result from one set of inputs to another, and why."""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import click

from lamina.cli.click_options import DialectCommand, inputs_and_options, jobs_option, request
from lamina.cli.dialect_options import dialects_with, named_paths, names_inputs
from lamina.cli.format_option import format_option
from lamina.cli.help_sections import example
from lamina.cli.notes import show_notes
from lamina.cli.output import FINDINGS, UNREADABLE, echo, echo_json
from lamina.cli.render_request import resolved
from lamina.cli.spinner import spinner
from lamina.cli.target_request import selected_targets_of
from lamina.cli.terminal import fits_width, takes_colour
from lamina.errors import Diagnostic, LaminaError, Severity, UsageError
from lamina.run import Run
from lamina.sources.inputs import Inputs, gather
from lamina.views.diff.api import compare, dialect_of
from lamina.views.diff.edited_lines import EditedLines, rendered_on_record
from lamina.views.diff.match_sources import names_between
from lamina.workspace.idle_edits import with_idle_edits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.cli.render_request import RenderRequest
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.errors import Note
    from lamina.project.file_view import FileView
    from lamina.project.project import Project
    from lamina.sources.git_inputs import Repository
    from lamina.views.diff.api import Differences
    from lamina.views.diff.grouping import ShownDifferences
    from lamina.views.report.source_links import SourceLinks
    from lamina.views.result import Result

    Sides = tuple[Inputs, Inputs]
    Labels = tuple[str, str]
    Links = tuple[SourceLinks, SourceLinks]

FORMATS = ("text", "json", "json-patch", "markdown", "html")
_TO = "--to"
_ON_DISK = "disk"
"""What the files that are not of a commit are called."""


class TwoSides(DialectCommand):
    """A command whose `--to` takes everything up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(_spread(args, ctx)))


def _spread(arguments: list[str], ctx: click.Context) -> Iterator[str]:
    """`--to a b` as `--to a --to b`, which is how click takes it."""
    in_option, taken = False, 0
    for argument in [*arguments, None]:
        is_input = argument is not None and (argument == "-" or not argument.startswith("-"))
        if in_option and not is_input and not taken:
            raise click.UsageError(f"{_TO} needs at least one input.", ctx)
        if argument == _TO:
            in_option, taken = True, 0
        elif argument is not None:
            in_option = in_option and is_input
            taken += in_option
            yield from [_TO, argument] if in_option else [argument]


@click.command("diff", cls=TwoSides, epilog=example("lamina diff --git main..HEAD site/"))
@click.option(
    _TO, "after", multiple=True, metavar="INPUT...", help="The inputs to compare with, up to the next option."
)
@click.option(
    "--git",
    "revisions",
    metavar="REV..REV",
    help="Compare two revisions; REV...REV starts at the merge base; a single REV is compared with the disk.",
)
@format_option(FORMATS)
@click.option(
    "--source-url",
    metavar="URL",
    help="Link each cause to its line on the web (html): https://host/repo/blob/{commit}/{path}#L{line}.",
)
@click.option("--provenance", is_flag=True, help="Also show equal values that come from another source.")
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
@jobs_option
@inputs_and_options
def command(
    after: tuple[str, ...],
    revisions: str | None,
    form: str,
    source_url: str | None,
    provenance: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Show what changes in the result, path by path, and which layer and line caused it.

    Compare two inputs (A B), two sets of inputs (A... --to B...), or the same inputs at two revisions of a git
    repository (--git REV..REV A...). Files given with -e belong to both sides. The exit status is 1 when anything
    differs.
    """
    targets = _targets(given, after, revisions)
    if targets is not None:
        return _diff_targets(*targets, form=form, source_url=source_url, provenance=provenance, quiet=quiet)
    common = list(given["environments"])
    values = request(given)
    own = values["inputs"][len(common) :]
    if revisions is not None:
        if after:
            raise click.UsageError("--git and --to cannot be used together.")
        if "-" in values["inputs"]:
            raise click.UsageError("--git needs files: standard input has no revisions.")
        option_paths = named_paths(values["flags"])
        paths = values["inputs"] or ([] if names_inputs(values["flags"]) else ["."])
        with _at_revisions(revisions, paths, values["allowed"], option_paths) as (sides, labels, commits, notes):
            if not quiet:
                show_notes(notes)
            found = _differences(sides, values, provenance, labels)
            links = _links(source_url, (paths, paths), commits)
            return _shown(found, form, labels, links, quiet=quiet)
    else:
        old, new = _split(own, after)
        if [*old, *new, *common].count("-") > 1:
            raise click.UsageError("Standard input can be read only once.")
        run = Run()
        before, later = (gather([*common, *side], values["allowed"], run=run) for side in (old, new))
        found = _differences((before, later), values, provenance)
        labels = " + ".join(old), " + ".join(new)
        links = _links(source_url, (old, new))
        return _shown(found, form, labels, links, quiet=quiet)


def _shown(found: Differences, form: str, labels: Labels, links: Links, *, quiet: bool) -> int:
    """Print the differences; files of a revision may still be looked at."""
    if form == "html":
        text, differs = found.to_html(" → ".join(labels), labels, links), bool(found)
    else:
        text, differs = _written(found, form)
    (echo_json if form in ("json", "json-patch") else echo)(text)
    if not quiet:
        show_notes(new_notes(found))
    return UNREADABLE if found.failed else FINDINGS if differs or any(found.unused) else 0


def _links(url: str | None, paths: tuple[list[str], list[str]], commits: Labels = ("", "")) -> Links:
    """How the sources of both sides are found on the web; a side without a commit is on the disk."""
    from lamina.views.report.source_links import source_links

    before, after = (source_links(url, side, commit or None) for side, commit in zip(paths, commits, strict=True))
    return before, after


def new_notes(found: Differences) -> list[Note]:
    """The notes on what is new, and what could not be used on either side, each once."""
    known = {str(note) for note in found.before.notes}
    errors = [note for note in found.before.notes if note.severity >= Severity.ERROR]
    return [*errors, *(note for note in found.after.notes if str(note) not in known)]


def _targets(
    given: dict[str, Any], after: tuple[str, ...], revisions: str | None
) -> tuple[SelectedTargets, SelectedTargets | str] | None:
    """The targets of a project and the revisions to compare, or those of two manifests or folders; None for inputs."""
    if revisions is not None:
        values = selected_targets_of(given)
        return None if values is None or after else (values, revisions)
    inputs = [*given["inputs"], *after]
    if len(inputs) != 2 or given["environments"]:
        return None
    old, new = (selected_targets_of({**given, "inputs": (name,)}) for name in inputs)
    return None if old is None or new is None else (old, new)


def _diff_targets(
    values: SelectedTargets,
    other: SelectedTargets | str,
    *,
    form: str,
    source_url: str | None,
    provenance: bool,
    quiet: bool,
) -> int:
    from lamina.cli.selected_targets import TargetMessages
    from lamina.cli.target_diff import Side, compared, written

    later = values if isinstance(other, str) else other
    with _sides(values, other) as (labels, views, commits):
        links = _links(source_url, ([str(values.project.root)], [str(later.project.root)]), commits)
        before, after = (
            Side(each, view, partial(_labelled, label if isinstance(other, str) else ""))
            for each, view, label in zip((values, later), views, labels, strict=True)
        )
        messages = TargetMessages(len({**before.targets, **after.targets}))
        found = compared(before, after, provenance=provenance, messages=messages)
    (echo_json if form == "json" else echo)(written(found, form, labels, links, _as_text))
    messages.print_all(quiet=quiet, status_of=lambda notes: 0)  # noqa: ARG005 - as for inputs
    return UNREADABLE if found.failed else FINDINGS if found or any(found.unused) else 0


@contextmanager
def _sides(
    values: SelectedTargets, other: SelectedTargets | str
) -> Iterator[tuple[Labels, tuple[FileView, FileView], Labels]]:
    """What the sides are called, the files of both, and their commits."""
    if not isinstance(other, str):
        old, new = values.project, other.project
        yield (_name_of(old), _name_of(new)), (old.view, new.view), ("", "")
        return
    with _commits(other, values.project.root) as (repository, commits, labels):
        before, after = (
            values.project.at_commit(repository, each) if each else values.project.view for each in commits
        )
        yield labels, (before, after), (commits[0] or "", commits[1] or "")


def _name_of(project: Project) -> str:
    """What a side is called: the manifest or project file, or the folder that has none."""
    path = FilePath(project.file.path)
    return project.prefix + path.name if path.exists() else project.prefix.rstrip("/") or "."


def _split(inputs: list[str], after: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The inputs before and those after."""
    if after and inputs:
        return inputs, list(after)
    if len(inputs) == 2:
        return inputs[:1], inputs[1:]
    raise click.UsageError(
        "Give two inputs, A and B; for several on each side A... --to B..., for revisions --git REV..REV."
    )


def _differences(sides: Sides, values: dict[str, Any], provenance: bool, labels: Labels = ("", "")) -> Differences:
    values["dialect"] = values["dialect"] or dialect_of(*sides, lambda: dialects_with(values["flags"]))
    results = []
    for inputs, label in zip(sides, labels, strict=True):
        with _labelled(label):
            request_of_side = resolved(inputs, values)
            results.append(rendered_on_record(inputs, partial(_rendered_whole, request_of_side)))
    (before, before_sources), (after, after_sources) = results
    if not any(note.severity >= Severity.ERROR for note in (*before.notes, *after.notes)):  # else they are compared
        request_of_side.check_nodes(before, after)
    names = names_between(*sides)
    edits = EditedLines(before_sources, after_sources, names)
    with spinner("comparing", after.spec.noun) as counting:
        found = compare(before, after, names, edits, provenance=provenance, counting=counting)
    return with_idle_edits(found)


def _rendered_whole(request_of_side: RenderRequest, inputs: Inputs) -> Result:
    return replace(request_of_side, inputs=inputs).rendered(whole=True)


@contextmanager
def _at_revisions(
    revisions: str, paths: list[str], allowed: tuple[str, ...], option_paths: list[str]
) -> Iterator[tuple[Sides, Labels, Labels, list[Note]]]:
    """The inputs at both ends of a range, their labels, and their commits; the repository stays open.

    `option_paths` are the paths that options name; those outside of the repository get a note.
    """
    from lamina.sources.git_inputs import inputs_at, is_inside

    with _commits(revisions, *paths, *option_paths) as (repository, (old, new), labels):
        notes = [_from_disk(path) for path in dict.fromkeys(option_paths) if not is_inside(repository, path)]
        run = Run()
        with _labelled(labels[0]):
            before = inputs_at(repository, old or "", paths, allowed, run=run)
        with _labelled(labels[1]):
            after = inputs_at(repository, new, paths, allowed, run=run) if new else gather(paths, allowed, run=run)
        yield (before, after), labels, (old or "", new or ""), notes


def _from_disk(path: str) -> Note:
    return Diagnostic(
        code="read-from-disk",
        message=f"{path} is not in the repository, so both sides use the file on disk",
        hint="put it under version control to compare its revisions",
        severity=Severity.INFO,
        subject=path,
    )


def _repository(paths: Sequence[str]) -> Repository:
    """The repository of the first path that is in one."""
    from lamina.sources.git_inputs import Repository

    for path in paths[:-1]:
        with suppress(UsageError):
            return Repository(FilePath(path))
    return Repository(FilePath(paths[-1]))


@contextmanager
def _commits(revisions: str, *inside: str) -> Iterator[tuple[Repository, tuple[str | None, str | None], Labels]]:
    """The commits at both ends of a range, none for the disk, and what the ends are called."""
    first, dots, second = re.fullmatch(r"(.*?)(?:(\.\.\.?)(.*))?", revisions, re.DOTALL).groups()  # type: ignore[union-attr]  # it matches anything
    with _repository(inside) as repository:
        old = repository.commit(first)
        new = repository.commit(second) if dots else None
        if dots == "..." and new:
            old = repository.common(old, new)
        yield repository, (old, new), (first or "HEAD", (second or "HEAD") if new else _ON_DISK)


@contextmanager
def _labelled(label: str) -> Iterator[None]:
    """Errors inside say which revision they are about."""
    try:
        yield
    except LaminaError as error:
        if not label:
            raise
        where = f"on {label}" if label == _ON_DISK else f"at {label}"
        labelled = [replace(each, message=f"{each.message} ({where})") for each in error.diagnostics]
        raise type(error)(*labelled) from None


def _written(found: Differences, form: str) -> tuple[str, bool]:
    """The differences in the form asked for, and whether there are any."""
    if form == "json-patch":
        from lamina.sources.json.writer import dump

        operations = found.to_json_patch()
        return dump(operations), bool(operations)
    if form == "json":
        return found.to_json(), bool(found)
    if form == "markdown":
        return found.to_markdown(), bool(found)
    return _as_text(found), bool(found)


def _as_text(found: ShownDifferences) -> str:
    """The differences as tables where there is a terminal with room for them, else as text."""
    from lamina.cli.diff_table import LEAST, as_tables
    from lamina.views.diff.text import as_text

    return as_tables(found) if fits_width(LEAST) else as_text(found, colour=takes_colour())
