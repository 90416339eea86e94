"""`lamina diff`: what changes in the result from one set of inputs to another, and why."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options
from lamina.cli.diff_sides import compared, of_inputs_sides, sides_at
from lamina.cli.notes import show_notes
from lamina.cli.output import FINDINGS, UNREADABLE, echo, echo_json
from lamina.cli.selected_targets import TargetMessages
from lamina.cli.target_request import request_of, selection
from lamina.cli.terminal import fits_width, takes_colour
from lamina.workspace.idle_edits import with_idle_edits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from lamina.cli.diff_sides import Compared, Sides
    from lamina.cli.target_request import TargetRequest
    from lamina.views.diff.grouping import ShownDifferences

FORMATS = ("text", "json", "json-patch", "markdown", "html")
_TO = "--to"


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
@click.option("--watch", is_flag=True, help="Render again on every save, and show what each save changes.")
@format_option(FORMATS)
@click.option(
    "--source-url",
    metavar="URL",
    help="Link each cause to its line on the web (html): https://host/repo/blob/{commit}/{path}#L{line}.",
)
@click.option("--provenance", is_flag=True, help="Also show equal values that come from another source.")
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
@inputs_and_options
def command(
    after: tuple[str, ...],
    revisions: str | None,
    watch: bool,
    form: str,
    source_url: str | None,
    provenance: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Show what changes in the result, path by path, and which layer and line caused it.

    Compare two inputs (A B), two sets of inputs (A... --to B...), the same inputs or targets at two revisions of a git
    repository (--git REV..REV), or with every save (--watch). The exit status is 1 when anything differs.
    """
    request = request_of(given)
    if sum((bool(after), revisions is not None, watch)) > 1:
        raise click.UsageError("--git, --to and --watch cannot be used together.")
    if watch:
        from lamina.cli.watch import watch_targets

        return watch_targets(selection(request, by_node=True))
    with _comparison(request, after, revisions) as sides:
        if not quiet:
            show_notes(sides.notes)
        messages = TargetMessages(len(sides.pairs))
        found = compared(sides, messages, provenance=provenance)
        # Files of a revision may still be looked at.
        (echo_json if form in ("json", "json-patch") else echo)(_written(found, sides, form, source_url))
        messages.print_all(quiet=quiet, status_of=lambda notes: 0)  # noqa: ARG005 - the differences decide
    differs = bool(found.only.to_json_patch()) if found.only and form == "json-patch" else bool(found.targets)
    if found.targets.failed:
        return UNREADABLE
    return FINDINGS if differs or any(found.targets.unused) else 0


def _comparison(request: TargetRequest, after: tuple[str, ...], revisions: str | None) -> AbstractContextManager[Sides]:
    """What is compared."""
    if revisions is not None:
        return sides_at(request, revisions)
    return nullcontext(of_inputs_sides(request, *_split(request.inputs, after)))


def _split(inputs: Sequence[str], after: tuple[str, ...]) -> tuple[Sequence[str], Sequence[str]]:
    """The inputs before and those after."""
    if after and inputs:
        return inputs, after
    if len(inputs) == 2:
        return inputs[:1], inputs[1:]
    raise click.UsageError(
        "Give two inputs, A and B; for several on each side A... --to B..., for revisions --git REV..REV."
    )


def _written(found: Compared, sides: Sides, form: str, source_url: str | None) -> str:
    """The differences in the form asked for: those of the only target there is in detail."""
    from lamina.sources.json.writer import dump

    if form == "json":
        from lamina.project.target_differences import as_data

        return dump(as_data(found.targets))
    if form == "json-patch":
        if found.only is None:
            raise click.UsageError("--format json-patch works on one target; name it with --target NAME.")
        return dump(found.only.to_json_patch())
    shown: ShownDifferences = found.targets if found.only is None else with_idle_edits(found.only)
    if form == "html":
        return _page(shown, found, sides, source_url)
    if form == "markdown":
        from lamina.views.diff.markdown import as_markdown

        return as_markdown(shown)
    return _as_text(shown)


def _page(shown: ShownDifferences, found: Compared, sides: Sides, source_url: str | None) -> str:
    from lamina.views.diff.html import DiffHeading, as_html
    from lamina.views.report.source_links import source_links

    before, after = (
        source_links(source_url, list(side.selected.request.inputs) or [side.selected.project.root], commit or None)
        for side, commit in zip(sides[:2], sides.commits, strict=True)
    )
    title, system = " → ".join(sides.labels), ", ".join(found.targets.systems)
    return as_html(shown, DiffHeading(title=title, system=system, labels=sides.labels, links=(before, after)))


def _as_text(found: ShownDifferences) -> str:
    """The differences as tables where there is a terminal with room for them, else as text."""
    from lamina.cli.diff_table import LEAST, as_tables
    from lamina.views.diff.text import as_text

    return as_tables(found) if fits_width(LEAST) else as_text(found, colour=takes_colour())
