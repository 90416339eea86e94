"""`lamina check`: whether the system accepts each part and the merged result."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import one_line
from lamina.cli.click_options import DialectCommand, inputs_and_options
from lamina.cli.format_option import format_option
from lamina.cli.help_sections import example
from lamina.cli.lint import FORMS, THRESHOLDS, fails, writer_for
from lamina.cli.output import FINDINGS, echo, echo_json, print_error
from lamina.cli.render_request import render_request_of
from lamina.cli.target_request import selected_targets_of
from lamina.dialects.extensions import check_of
from lamina.errors import Diagnostic, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.cli.render_request import RenderRequest
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.dialects.base import Dialect
    from lamina.dialects.extensions import Check
    from lamina.project.target import Target
    from lamina.sources.inputs import Inputs
    from lamina.views.lint.api import Linted
    from lamina.views.lint.selection import Selection

    Checked = tuple[Linted, Iterable[str]]
    """The findings, and what was checked against."""


@click.command("check", cls=DialectCommand, epilog=example("lamina check user-data.yaml"))
@format_option(FORMS)
@click.option(
    "--fail-on",
    type=click.Choice(THRESHOLDS),
    default="warning",
    show_default=True,
    help="The lowest severity that makes the exit status 1.",
)
@inputs_and_options
def command(form: str, fail_on: str, **given: Any) -> int:
    """Check each part and the merged result against what the system accepts: unknown keys, wrong types.

    Everything rendering reports is included, such as dropped parts and unknown first lines. For likely mistakes in
    the layers themselves use lamina lint, which includes these checks.
    """
    targets = selected_targets_of(given)
    if targets is not None and not targets.is_one:
        linted, schemas = _of_targets(targets)
    else:
        linted, schemas = _of_one(targets.only() if targets else render_request_of(given))
    (echo_json if form in ("json", "sarif") else echo)(writer_for(form)(linted))
    if form == "text" and not linted.findings:
        echo("accepted: no findings\n")
    for schema in schemas:
        print_error(one_line(f"checked against {schema}"))
    return FINDINGS if fails(linted, fail_on) else 0


def _of_one(request: RenderRequest) -> Checked:
    from lamina.views.lint.api import lint_with

    options, check = request.options(), _check_of(request.dialect)
    linted = lint_with(request.dialect, request.inputs, options, _selection([request.dialect]))
    if not linted.findings:
        _check_covered(((request.dialect, request.inputs, options),))
    return linted, [check.schema(options)]


def _of_targets(selected: SelectedTargets) -> Checked:
    """The findings of all targets; the settings of the project are about likely mistakes, not about these."""
    from lamina.project.project_file import LintSettings
    from lamina.project.target_lint import lint_targets

    targets = selected.targets()
    selection = _selection({target.dialect: target.system for target in targets}.values())
    schemas: dict[str, None] = {}

    def request_of(target: Target) -> tuple[Dialect[Any], Inputs, Any]:
        chosen, inputs, options = selected.lint_request_of(target)
        schemas[_check_of(chosen).schema(options)] = None
        return chosen, inputs, options

    spread = partial(selected.spread, "checking")
    linted = lint_targets(targets, request_of, selection, LintSettings(), spread, complete=False)
    if not linted.findings:
        _check_covered(map(request_of, targets))
    return linted, schemas


def _check_covered(requests: Iterable[tuple[Dialect[Any], Inputs, Any]]) -> None:
    """Reject results of which nothing was checked, so that none of them counts as accepted."""
    from lamina.views.render import render_with

    check = None
    for dialect, inputs, options in requests:
        check = _check_of(dialect)
        if check.covers(render_with(dialect, inputs, options)):
            return
    why = check.otherwise if check else "there is nothing to check"
    hint = "lamina lint looks for likely mistakes in everything else"
    raise InputError(Diagnostic(code="nothing-checked", message=f"nothing was checked: {why}", hint=hint))


def _check_of(dialect: Dialect[Any]) -> Check:
    check = check_of(dialect)
    if check is None:
        raise click.UsageError(f"{dialect.name} has no check of its own; use lamina lint.")
    return check


def _selection(checked: Iterable[Dialect[Any]]) -> Selection:
    """Everything except lint rules about other things."""
    from lamina.views.lint.rules import rules_for
    from lamina.views.lint.selection import Selection, fits

    codes = {dialect: _check_of(dialect).codes for dialect in checked}
    ignored = (rule.code for each in codes for rule in rules_for(each) if not fits(rule.code, codes[each]))
    return Selection(ignore=tuple(dict.fromkeys(ignored)))
