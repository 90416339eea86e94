"""`lamina lint`: probable mistakes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import one_line
from lamina._support.progress import unwatched
from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options
from lamina.cli.output import FINDINGS, echo, echo_json, print_error
from lamina.cli.target_request import selected_targets
from lamina.cli.terminal import fits_width

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina._support.progress import Counting
    from lamina.cli.lint_request import LintRequest
    from lamina.cli.selected_targets import RenderRequest, SelectedTargets
    from lamina.project.declared import LintSettings
    from lamina.views.lint.api import Linted
    from lamina.views.lint.selection import Selection

FORMS = ("text", "json", "sarif", "github")
THRESHOLDS = ("error", "warning", "info", "never")


@click.command("lint", cls=DialectCommand, epilog=example("lamina lint --fail-on error base.yaml site.yaml"))
@format_option(FORMS)
@click.option("--select", multiple=True, metavar="CODE", help="Show only these codes, or codes with these prefixes.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Hide these codes, or codes with these prefixes.")
@click.option(
    "--fail-on",
    type=click.Choice(THRESHOLDS),
    help="The lowest severity that makes the exit status 1.  [default: warning, or the project's setting]",
)
@click.option(
    "--baseline", metavar="FILE", help="Only findings that are not in this file. [default: as the project says]"
)
@click.option("--write-baseline", metavar="FILE", help="Write all findings to this file, as known ones.")
@click.option("--fix", is_flag=True, help="Fix in the files what has one safe fix, and report what remains.")
@click.option("--diff", is_flag=True, help="Print what --fix would change as a unified diff, and change nothing.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings only, no summary.")
@click.option("--check", is_flag=True, help="Only whether the system accepts the result: keys, types and values.")
@inputs_and_options
def command(
    form: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    baseline: str | None,
    write_baseline: str | None,
    fix: bool,
    diff: bool,
    quiet: bool,
    check: bool,
    **given: Any,
) -> int:
    """Report likely mistakes in the layers, and everything rendering them reports.

    With --check, only what keeps the system from accepting the result is reported, and everything rendering reports.
    Codes may be repeated or separated by commas. A comment `# lamina: ignore[CODE]` at the end of a line, or alone on
    the line above, hides the findings of that line; `# lamina: ignore-file[CODE]` at the top hides those of the file.
    """
    _check_flags(form, baseline, write_baseline, fix=fix, diff=diff)
    if check and (baseline or write_baseline or fix or diff):
        raise click.UsageError("--check reports all findings; it excludes baselines, --fix and --diff.")
    from lamina.views.lint.selection import Selection, split_words

    targets = selected_targets(given)
    selection = Selection(split_words(select), split_words(ignore))
    if check:
        from lamina.cli.lint_check import CheckRequest

        checked = CheckRequest(targets, selection)
        linted = checked.linted()
        (echo_json if form in ("json", "sarif") else echo)(writer_for(form, quiet)(linted))
        if not linted.findings and form == "text":
            echo("accepted: no findings\n")
        checked.show_schemas()
        return FINDINGS if fails(linted, fail_on or "warning") else 0
    request = _request(targets, selection)
    fail_on = fail_on or targets.project.lint.fail_on
    baseline = baseline or (None if write_baseline else targets.project.baseline)
    if baseline:
        request = request.without_known(baseline)
    if diff:
        return request.shown_fixes()
    linted = request.fixed() if fix else request.linted()
    if write_baseline:
        return _write_baseline(linted, write_baseline)
    shows_edits = form in ("json", "sarif") or (form == "text" and not quiet)
    linted = request.with_edits(linted) if shows_edits else linted
    (echo_json if form in ("json", "sarif") else echo)(writer_for(form, quiet)(linted))
    return FINDINGS if fails(linted, fail_on or "warning") else 0


def _check_flags(form: str, baseline: str | None, write_baseline: str | None, *, fix: bool, diff: bool) -> None:
    """Reject flags that contradict each other."""
    if write_baseline and (baseline or fix or diff):
        raise click.UsageError("--write-baseline writes all findings; it excludes --baseline, --fix and --diff.")
    if fix and diff:
        raise click.UsageError("--fix and --diff exclude each other.")
    if diff and form != "text":
        raise click.UsageError("--diff prints a unified diff; --format json lists the edits of all findings.")


def _write_baseline(linted: Linted, path: str) -> int:
    from lamina.cli.write_files import write_file
    from lamina.views.lint.baseline import written

    write_file(path, written(linted, str(FilePath(path).parent)))
    print_error(one_line(f"wrote {len(linted.findings):,} findings to {path}"))
    return 0


def _request(selected: SelectedTargets, given: Selection) -> LintRequest:
    """The findings of targets; what the command line selects or ignores comes before what the project does."""
    from lamina.cli.lint_request import LintRequest
    from lamina.project.target_fixes import TargetRuns
    from lamina.project.target_lint import lint_targets
    from lamina.views.lint.fix_runs import EditableFiles
    from lamina.views.lint.selection import Selection

    settings, complete = selected.project.lint, not selected.project.patterns
    selection = Selection(given.select or settings.select, (*given.ignore, *settings.ignore))

    one, targets = selected.lint_request_of, selected.targets_to_lint()

    def linted() -> Linted:
        spread = partial(selected.spread, "linting")
        return lint_targets(targets, one, selection, settings, spread, complete=complete)

    runs = TargetRuns(targets, selected.project.select(), one, selection, settings, complete)
    editable = EditableFiles.of(one(targets[0])[1]) if targets[0].given else EditableFiles([selected.project.root])
    return LintRequest(linted, runs, editable)


def lint_request_findings(
    render_request: RenderRequest, settings: LintSettings | None, counting: Counting = unwatched
) -> Linted:
    """The findings in what one command was asked for, with the settings of its project if there is one."""
    from lamina.views.lint.api import lint_with
    from lamina.views.lint.selection import Selection

    selection = Selection(settings.select, settings.ignore) if settings else Selection((), ())
    linted = lint_with(render_request.dialect, render_request.inputs, render_request.options(), selection, counting)
    return replace(linted, findings=tuple(map(settings.weighed, linted.findings))) if settings else linted


def writer_for(form: str, quiet: bool = False) -> Callable[[Linted], str]:
    if form == "json":
        from lamina.views.lint.formats.data import as_json

        return as_json
    if form == "sarif":
        from lamina.views.lint.formats.sarif import as_sarif

        return as_sarif
    if form == "github":
        from lamina.views.lint.formats.github import as_github

        return as_github
    from lamina.cli.lint_table import LEAST, as_tables
    from lamina.views.lint.formats.text import as_text

    return partial(as_tables if fits_width(LEAST) else as_text, summary=not quiet)


def fails(linted: Linted, fail_on: str) -> bool:
    from lamina.errors import Severity

    if fail_on == "never":
        return False
    return any(note.severity >= Severity[fail_on.upper()] for note in linted.findings)
